// Cards of Codex Naturalis as SVG: 150 by 100, with corners of 34 by 38 that lie over each other in an area.

import { at, label, picture, s } from "../dom.js";
import { sign } from "../glyphs.js";
import { CARDS, objectiveInWords, sideInWords } from "./codex-cards.js";

export const [WIDTH, HEIGHT] = [150, 100];
const [CORNER_X, CORNER_Y] = [34, 38];
export const [STEP_X, STEP_Y] = [WIDTH - CORNER_X, HEIGHT - CORNER_Y];
const CORNERS = [
  [0, 0],
  [WIDTH - CORNER_X, 0],
  [0, HEIGHT - CORNER_Y],
  [WIDTH - CORNER_X, HEIGHT - CORNER_Y],
];

const small = (glyph, x, y, scale = 0.75) => s("g", { transform: `translate(${x} ${y}) scale(${scale})` }, glyph);

function corner(kind, place) {
  if (kind === "missing") return null;
  const [x, y] = CORNERS[place];
  return at(
    x,
    y,
    s("rect", { class: "corner", x: 2, y: 2, width: CORNER_X - 4, height: CORNER_Y - 4, rx: 6 }),
    kind !== "empty" && small(sign(kind), CORNER_X / 2, CORNER_Y / 2, 1.05),
  );
}

function worth(side) {
  if (!side.points) return null;
  const sum = label(side.per ? WIDTH / 2 - 9 : WIDTH / 2, 15, side.points, { class: "points" });
  const per =
    side.per === "corner"
      ? at(
          WIDTH / 2 + 10,
          15,
          s("rect", { class: "corner", x: -7, y: -7, width: 14, height: 14, rx: 3 }),
          s("rect", { class: "overlap", x: -1, y: -1, width: 8, height: 8, rx: 2 }),
        )
      : side.per && small(sign(side.per), WIDTH / 2 + 11, 15, 0.75);
  return [s("rect", { class: "tag", x: WIDTH / 2 - 22, y: 3, width: 44, height: 24, rx: 8 }), sum, per];
}

function price(cost) {
  const apart = cost.length > 4 ? 15 : 19;
  const left = WIDTH / 2 - ((cost.length - 1) * apart) / 2;
  return cost.length
    ? [
        s("rect", {
          class: "tag",
          x: left - 10,
          y: HEIGHT - 22,
          width: (cost.length - 1) * apart + 20,
          height: 19,
          rx: 7,
        }),
        ...cost.map((symbol, place) => small(sign(symbol), left + place * apart, HEIGHT - 12.5, 0.56)),
      ]
    : null;
}

function middle(symbols) {
  const left = WIDTH / 2 - ((symbols.length - 1) * 27) / 2;
  return symbols.map((symbol, place) => small(sign(symbol), left + place * 27, HEIGHT / 2, 1.15));
}

/** A card as a group, its top left corner at (0, 0). */
export function card(number, face) {
  const printed = CARDS.get(number);
  const side = printed[face];
  return s(
    "g",
    { class: `card ${printed.kind} ${printed.kingdom ?? "start"} ${face}` },
    s("rect", { class: "sheet", x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, rx: 9 }),
    side.corners.map(corner),
    middle(side.centre),
    face === "front" && [worth(printed), price(printed.cost)],
    s("title", {}, sideInWords(printed, face)),
  );
}

/** The back of a card whose front is hidden. */
export function back({ kind, kingdom }) {
  return s(
    "g",
    { class: `card ${kind} ${kingdom} back deck` },
    s("rect", { class: "sheet", x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, rx: 9 }),
    CORNERS.map((_, place) => corner("empty", place)),
    middle([kingdom]),
  );
}

/** A deck: the top card, and the edges of two below it. */
export const pile = (top) =>
  s(
    "g",
    { class: "pile" },
    ...[10, 5].map((by) =>
      s("rect", { class: "sheet", x: 1 + by, y: 1 + by, width: WIDTH - 13, height: HEIGHT - 13, rx: 9 }),
    ),
    s("g", { transform: "scale(0.92)" }, top),
  );

export const frame = (...children) =>
  picture(`0 0 ${WIDTH} ${HEIGHT}`, { class: "cardpicture", "aria-hidden": "true" }, ...children);

export function objective(number) {
  const printed = CARDS.get(number);
  const shape = printed.pattern
    ? pattern(printed.pattern)
    : printed.symbols.map((symbol, place) =>
        small(sign(symbol), 92 + (place - (printed.symbols.length - 1) / 2) * 32, HEIGHT / 2, 1.15),
      );
  return picture(
    `0 0 ${WIDTH} ${HEIGHT}`,
    { class: "cardpicture", role: "img", "aria-label": objectiveInWords(printed) },
    s("rect", { class: "sheet objective", x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, rx: 9 }),
    label(26, HEIGHT / 2, printed.points, { class: "points big" }),
    shape,
  );
}

function pattern(cells) {
  const [rows, columns] = [1 + Math.max(...cells.map((cell) => cell.y)), 1 + Math.max(...cells.map((cell) => cell.x))];
  const [wide, high] = [28, 18];
  const left = 92 - ((columns - 1) * wide) / 2;
  const top = HEIGHT / 2 - ((rows - 1) * high) / 2;
  return cells.map(({ kingdom, x, y }) =>
    at(
      left + x * wide,
      top + y * high,
      s("rect", { class: `patch ${kingdom}`, x: -15, y: -10, width: 30, height: 20, rx: 4 }),
      small(sign(kingdom), 0, 0, 0.62),
    ),
  );
}

export const inWords = (number, face) => sideInWords(CARDS.get(number), face);
