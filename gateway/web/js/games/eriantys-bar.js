// The bar at the bottom of a narrow screen: what can be chosen now, as buttons that a finger can hit.

import { lit } from "../board.js";
import { h } from "../dom.js";
import { COLOURS, icon, student } from "../glyphs.js";

const EACH = COLOURS.map(() => 1);
const counted = (counts) =>
  counts.flatMap((count, index) => (count ? [`${count} ${COLOURS[index].toLowerCase()}`] : [])).join(", ");

/**
 * `act.entrance`, `act.hall`, `act.card` and `cloud` return the present action at a place, as for the school, the open
 * card of a character and the clouds; `act.swap` is the swap that is chosen so far.
 */
export function actionBar(view, seat, card, act, cloud) {
  const { entrance, hall } = view.players[seat];
  const students = buttons("entrance", entrance, (colour) => act.entrance(colour, null));
  if (card) {
    const onCard = buttons("card", total(card.students) ? card.students : EACH, act.card);
    const taken = onCard.length ? onCard : buttons("hall", hall, act.hall);
    return students.length
      ? [row("Give", students), row("Take", [...taken, swapButton(act.swap, "bar-swap", "barbutton")])]
      : [row("", taken)].filter(Boolean);
  }
  const rows = COLOURS.flatMap((colour) => {
    const can = act.hall(colour);
    return can ? [hallButton(colour, can)] : [];
  });
  const clouds = view.clouds.flatMap((content, number) => {
    const take = cloud(number);
    return take ? [cloudButton(content, number, take)] : [];
  });
  const orIsland = rows.length ? [h("small", {}, "or tap an island")] : [];
  return [row("", [...rows, ...orIsland, ...students, ...clouds])].filter(Boolean);
}

const total = (counts) => counts.reduce((sum, count) => sum + count, 0);

const row = (text, items) =>
  items.length ? h("div", { class: "barbuttons" }, text && h("small", {}, text), ...items) : null;

/** A button for each color of which there is a student that can be chosen. */
const buttons = (place, counts, action) =>
  COLOURS.flatMap((colour, index) => {
    const can = counts[index] ? action(colour) : null;
    return can ? [studentButton(place, colour, counts[index], can)] : [];
  });

function studentButton(place, colour, count, can) {
  const number = can.chosen ? `${can.chosen} of ${count}` : count > 1 && count;
  // The label contains the number as it is written: WCAG 2.5.3.
  const which = can.chosen ? number : `one of ${count}`;
  return lit(h("div", { class: "barbutton" }, icon(student(colour)), number && h("b", {}, number)), {
    key: `bar-${place}-${colour}`,
    label: number ? `${can.label}, ${which}` : can.label,
    act: can.press,
    picked: can.picked,
  });
}

const hallButton = (colour, can) =>
  lit(h("div", { class: "barbutton wide" }, icon(student(colour)), h("span", {}, "to the dining room")), {
    key: `bar-hall-${colour}`,
    label: `To the dining room: ${can.label}`,
    act: can.press,
    picked: can.picked,
  });

/** The button that swaps the chosen students. */
export const swapButton = (swap, key = "swap", size = "small") =>
  swap &&
  lit(h("button", { type: "button", class: `${size} primary` }, `Swap ${swap.count}`), {
    key,
    label: `Swap ${swap.count}: swap these students`,
    act: swap.press,
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
