// The bar at the bottom of a narrow screen: what can be chosen now, as buttons that a finger can hit.

import { lit } from "../board.js";
import { h } from "../dom.js";
import { COLOURS, icon, student } from "../glyphs.js";

const counted = (counts) =>
  counts.flatMap((count, index) => (count ? [`${count} ${COLOURS[index].toLowerCase()}`] : [])).join(", ");

/** `act.entrance`, `act.hall` and `cloud` return the present action at a place, as for the school and the clouds. */
export function actionBar(view, seat, act, cloud) {
  const { entrance } = view.players[seat];
  const students = COLOURS.flatMap((colour, index) => {
    const can = entrance[index] ? act.entrance(colour, 0) : null;
    return can ? [studentButton(colour, entrance[index], can)] : [];
  });
  const rows = COLOURS.flatMap((colour) => {
    const can = act.hall(colour);
    return can ? [hallButton(colour, can)] : [];
  });
  const clouds = view.clouds.flatMap((content, number) => {
    const take = cloud(number);
    return take ? [cloudButton(content, number, take)] : [];
  });
  const items = [...rows, ...students, ...clouds];
  return items.length ? [h("div", { class: "barbuttons" }, ...items)] : [];
}

const studentButton = (colour, count, can) =>
  lit(h("div", { class: "barbutton" }, icon(student(colour)), count > 1 && h("b", {}, count)), {
    key: `bar-entrance-${colour}`,
    label: count > 1 ? `${can.label}, one of ${count}` : can.label,
    act: can.press,
    picked: can.picked,
  });

const hallButton = (colour, can) =>
  lit(h("div", { class: "barbutton wide" }, icon(student(colour)), h("span", {}, "to the dining room")), {
    key: `bar-hall-${colour}`,
    label: `To the dining room: ${can.label}`,
    act: can.press,
    picked: can.picked,
  });

const cloudButton = (content, number, take) =>
  lit(
    h(
      "div",
      { class: "barbutton cloudbutton" },
      h("small", {}, `Cloud ${number + 1}`),
      h(
        "span",
        {},
        ...content.flatMap((count, index) => Array.from({ length: count }, () => icon(student(COLOURS[index])))),
      ),
    ),
    { key: `bar-cloud-${number}`, label: `Cloud ${number + 1}: take ${counted(content)}`, act: take },
  );
