// A school board: entrance, dining room, professors, towers.

import { lit } from "../board.js";
import { at, h, label, picture, s } from "../dom.js";
import { coin, COLOURS, icon, professor, student, tower, vacancy } from "../glyphs.js";

const ROW = 34;
/** The height of the names above the rooms of a school. */
const LABELS = 15;
const ROOMS = [
  [51, "entrance"],
  [246, "dining room · most of a color: professor"],
  [434, "towers"],
];
const SEATS = 10;
const [HALL_X, PROFESSOR_X, TOWER_X] = [112, 372, 414];
const row = (index) => 22 + index * ROW;

/** The towers that a seat, or its team, has still to build. */
export const towersLeft = (view, seat) =>
  view.players.reduce((sum, player) => sum + (player.tower === view.players[seat].tower ? player.towers : 0), 0);

/** `act.entrance(colour)` and `act.hall(colour)` return the present action there: {press, label, picked}. */
export function school(view, seat, name, act) {
  const player = view.players[seat];
  const whose = name === "You" ? "Your school" : `School of ${name}`;
  return h(
    "section",
    { class: "school", "data-school": seat },
    heading(view, player, name),
    picture(
      `0 ${-LABELS} 468 ${184 + LABELS}`,
      { class: "schoolpicture", role: "group", "aria-label": whose },
      s("rect", { class: "wood", x: 2, y: 2 - LABELS, width: 464, height: 180 + LABELS, rx: 14 }),
      ...ROOMS.map(([x, text]) => label(x, 1 - LABELS / 2 + 2, text, { class: "roomname" })),
      entrance(player, seat, act),
      hall(player, seat, act),
      professors(view, seat),
      towers(player, seat, towersLeft(view, seat)),
    ),
  );
}

function heading(view, player, name) {
  const { assistant } = player;
  const far = Math.ceil(assistant / 2);
  return h(
    "div",
    { class: "schoolhead" },
    h("strong", {}, name === "You" ? "Your school" : name),
    assistant !== null &&
      h("small", {}, `assistant ${assistant}`, name === "You" && `, ${far} step${far > 1 ? "s" : ""}`),
    view.expert &&
      h(
        "span",
        { class: "purse", title: `${player.coins} coins` },
        icon(coin()),
        player.coins,
        h("span", { class: "hidden" }, " coins"),
      ),
  );
}

/** The school of another player in one line: for each color the dining room, the entrance and the professor. */
export function panel(view, seat) {
  const player = view.players[seat];
  const cell = (colour, index) =>
    h(
      "span",
      {
        class: `cell${view.professors[index] === seat ? " professor" : ""}`,
        "data-at": `hall-${seat}-${colour}`,
        title: `${colour.toLowerCase()}: ${player.hall[index]} in the dining room, ${player.entrance[index]} in the entrance`,
      },
      h("span", { "data-at": `professor-${seat}-${colour}` }, sign(colour, view.professors[index] === seat)),
      h("b", {}, player.hall[index]),
      h("small", {}, `+${player.entrance[index]}`),
    );
  return [
    h("div", { class: "cells", "data-at": `entrance-${seat}` }, ...COLOURS.map(cell)),
    h("small", { class: "cellskey" }, "dining room, + entrance, gold: professor"),
  ];
}

const sign = (colour, owned) =>
  owned
    ? icon(s("g", { transform: "scale(0.88)" }, professor(colour, true)), `${colour.toLowerCase()}, with the professor`)
    : icon(student(colour), colour.toLowerCase());

function entrance(player, seat, act) {
  const tokens = player.entrance.flatMap((count, index) =>
    Array.from({ length: count }, (_, copy) => [COLOURS[index], copy]),
  );
  return s(
    "g",
    { "data-at": `entrance-${seat}` },
    s("rect", { class: "room", x: 10, y: 8, width: 82, height: 168, rx: 10 }),
    ...tokens.map(([colour, copy], place) => {
      const token = s("g", {}, s("circle", { r: 15, class: "hit" }), student(colour));
      const can = act?.entrance(colour, copy);
      const shown = can
        ? lit(token, {
            key: `entrance-${colour}-${copy}`,
            label: can.label,
            act: can.press,
            drag: true,
            picked: can.picked,
          })
        : token;
      return at(31 + (place % 2) * 38, 25 + Math.floor(place / 2) * ROW, shown);
    }),
  );
}

function hall(player, seat, act) {
  return s(
    "g",
    {},
    ...COLOURS.map((colour, index) => {
      const count = player.hall[index];
      const can = act?.hall(colour);
      const seats = Array.from({ length: SEATS }, (_, place) =>
        at(
          HALL_X + place * 25,
          row(index),
          place < count
            ? s("g", { transform: "scale(0.92)" }, student(colour))
            : s("g", { transform: "scale(0.58)" }, vacancy(colour, place % 3 === 2 ? "empty coinplace" : "empty")),
        ),
      );
      const line = s(
        "g",
        { "data-at": `hall-${seat}-${colour}` },
        s("rect", { class: "room", x: 98, y: row(index) - 15, width: 256, height: 30, rx: 8 }),
        ...seats,
        s("title", {}, `${colour.toLowerCase()}: ${count} in the dining room`),
      );
      return can ? lit(line, { key: `hall-${colour}`, label: can.label, act: can.press, picked: can.picked }) : line;
    }),
  );
}

function professors(view, seat) {
  return COLOURS.map((colour, index) =>
    at(
      PROFESSOR_X,
      row(index),
      s(
        "g",
        { "data-at": `professor-${seat}-${colour}` },
        view.professors[index] === seat ? professor(colour, true) : vacancy(colour, "empty"),
      ),
    ),
  );
}

/** The towers that are left. Partners share them, so both boards show the same ones. */
function towers(player, seat, left) {
  return s(
    "g",
    { "data-at": `towers-${seat}` },
    ...Array.from({ length: left }, (_, place) =>
      at(
        TOWER_X + (place % 2) * 30,
        28 + Math.floor(place / 2) * 42,
        s("g", { transform: "scale(1.2)" }, tower(player.tower)),
      ),
    ),
    s("title", {}, `${left} ${player.tower.toLowerCase()} towers left to build`),
  );
}
