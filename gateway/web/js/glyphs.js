// The pictograms on pieces and cards, drawn around (0, 0) in a box of 20 by 20. Each has a shape of its own.

import { at, label, picture, s } from "./dom.js";

const path = (d, extra) => s("path", { d, ...extra });
const circle = (cx, cy, r, extra) => s("circle", { cx, cy, r, ...extra });

// --- students ---

export const COLOURS = ["GREEN", "RED", "YELLOW", "PINK", "BLUE"];

const STUDENTS = {
  GREEN: "M0 -9 L9 7.5 H-9 Z",
  RED: "M0 -10 L9.5 0 L0 10 L-9.5 0 Z",
  YELLOW: "M-8 -8 H8 V8 H-8 Z",
  PINK: "M0 -9 A9 9 0 1 1 -0.01 -9 Z",
  BLUE: "M-5 -9 H5 L10 0 L5 9 H-5 L-10 0 Z",
};

/** A student: triangle, diamond, square, circle or hexagon. */
export function student(colour, properties) {
  return s("g", properties, path(STUDENTS[colour], { class: `student ${colour.toLowerCase()}` }));
}

/** The place of a student, in its shape. */
export const vacancy = (colour, kind) => path(STUDENTS[colour], { class: kind });

/** A professor: the student's shape with a ring around it. */
export function professor(colour, owned) {
  return s(
    "g",
    { class: owned ? "professor" : "professor gone" },
    circle(0, 0, 13, { class: "ring" }),
    path(STUDENTS[colour], { class: `student ${colour.toLowerCase()}` }),
  );
}

const TOWERS = { BLACK: "#2b2b33", WHITE: "#fdfdfa", GREY: "#9aa0a8" };
const BATTLEMENTS = "M-8 10 V-9 H-5 V-5 H-2 V-9 H2 V-5 H5 V-9 H8 V10 Z";

/** A tower; the letter of its colour is on it. */
export function tower(colour) {
  return s(
    "g",
    { class: `tower ${colour.toLowerCase()}` },
    path(BATTLEMENTS, { fill: TOWERS[colour], class: "edge" }),
    s("text", { y: 4, class: "towermark", "text-anchor": "middle" }, colour.charAt(0)),
  );
}

export const coin = () => s("g", { class: "coin" }, circle(0, 0, 8), circle(0, 0, 4.5, { class: "inner" }));

// --- kingdoms and objects ---

const SIGNS = {
  fungi: () => [path("M-9 1 A9 9 0 0 1 9 1 Z"), path("M-3 2 H3 L4 9 H-4 Z")],
  plant: () => [path("M0 10 C-11 4 -9 -8 0 -10 C9 -8 11 4 0 10 Z"), path("M0 8 V-5", { class: "vein" })],
  animal: () => [
    path("M0 9 C-8 9 -7 1 0 0 C7 1 8 9 0 9 Z"),
    circle(-7.5, -1, 2.4),
    circle(-3, -6, 2.7),
    circle(3, -6, 2.7),
    circle(7.5, -1, 2.4),
  ],
  insect: () => [
    path("M0 0 C-4 -11 -12 -8 -9 -1 C-13 4 -6 11 0 2 C6 11 13 4 9 -1 C12 -8 4 -11 0 0 Z"),
    path("M0 -6 V8", { class: "vein" }),
  ],
  quill: () => [path("M-8 9 C-6 0 0 -8 9 -9 C8 -1 2 5 -5 6 L-8 9 Z"), path("M-7 8 L5 -5", { class: "vein" })],
  inkwell: () => [
    path("M-3 -9 H3 V-4 C8 -3 8 0 8 3 V9 H-8 V3 C-8 0 -8 -3 -3 -4 Z"),
    path("M-5 4 H5", { class: "vein" }),
  ],
  manuscript: () => [
    path("M-6 -9 H8 V7 C8 9 6 9 5 9 H-8 C-6 8 -6 7 -6 5 Z"),
    path("M-3 -4 H5 M-3 0 H5 M-3 4 H3", { class: "vein" }),
  ],
};

export const SYMBOLS = Object.keys(SIGNS);

export const sign = (symbol) => s("g", { class: `sign ${symbol}` }, ...SIGNS[symbol]());

/** A glyph as a picture of its own, for lines of text and flights. */
export const icon = (glyph, text) =>
  picture(
    "-12 -12 24 24",
    { class: "icon", role: text ? "img" : null, "aria-label": text ?? null, "aria-hidden": text ? null : "true" },
    glyph,
  );

const PAWNS = {
  red: "M0 -10 L9.5 0 L0 10 L-9.5 0 Z",
  blue: "M-5 -9 H5 L10 0 L5 9 H-5 L-10 0 Z",
  green: "M0 -9 L9 7.5 H-9 Z",
  yellow: "M-8 -8 H8 V8 H-8 Z",
};

export const pawn = (colour) => path(PAWNS[colour], { class: `pawn ${colour}` });

// --- the dungeon ---

const HEROES = [
  "M0 -13 A13 13 0 1 1 -0.01 -13 Z",
  "M0 -14 L13.5 0 L0 14 L-13.5 0 Z",
  "M-12 -12 H12 V12 H-12 Z",
  "M0 -14 L13 11 H-13 Z",
];

/** A player in the dungeon: a shape for each seat, and the first letter of the name. */
export function hero(seat, name, own) {
  return s(
    "g",
    { class: `hero h${seat % 4}${own ? " own" : ""}` },
    path(HEROES[seat % 4]),
    label(0, 1, name.charAt(0).toUpperCase(), { class: "initial" }),
    s("title", {}, name),
  );
}

const BEASTS = {
  zombie: "M-11 13 V-6 C-11 -14 11 -14 11 -6 V13 Z",
  ghost: "M-11 14 V-3 C-11 -16 11 -16 11 -3 V14 L6 9 L2 14 L-2 9 L-6 14 Z",
};

export function beast({ kind, number }) {
  return s(
    "g",
    { class: `beast ${kind}` },
    path(BEASTS[kind]),
    circle(-4, -3, 2.2, { class: "eye" }),
    circle(4, -3, 2.2, { class: "eye" }),
    kind === "zombie" && path("M-5 6 H5", { class: "mouth" }),
    s("title", {}, `${kind} ${number}`),
  );
}

// --- emblems of the games, for the lobby ---

const scaled = (x, y, scale, ...drawn) => s("g", { transform: `translate(${x} ${y}) scale(${scale})` }, ...drawn);

export const pebble = (turn, marked) =>
  s("ellipse", { class: `pebble${marked ? " marked" : ""}`, rx: 20, ry: 15, transform: `rotate(${turn})` });

const sheet = (x, y, fill, symbol) =>
  at(
    x,
    y,
    s("rect", { x: -38, y: -25, width: 76, height: 50, rx: 6, fill, stroke: "#5d5545", "stroke-width": 1.5 }),
    s("rect", { x: 21, y: 8, width: 17, height: 17, rx: 4, fill: "#fffaf0", stroke: "#5d5545" }),
    s("rect", { x: -38, y: -25, width: 17, height: 17, rx: 4, fill: "#fffaf0", stroke: "#5d5545" }),
    sign(symbol),
  );

const EMBLEMS = {
  eriantys: () => COLOURS.map((colour, place) => scaled((place - 2) * 46, place % 2 ? 6 : -4, 1.7, student(colour))),
  codex: () => [
    sheet(-58, -16, "#e9b3a6", "fungi"),
    sheet(0, 15, "#abd6b4", "plant"),
    sheet(58, -16, "#a9cbec", "animal"),
  ],
  snarl: () => [
    scaled(-75, 0, 1.5, hero(0, "A")),
    scaled(-25, 0, 1.5, hero(1, "B")),
    scaled(28, 0, 1.5, beast({ kind: "zombie", number: 1 })),
    scaled(78, 0, 1.5, beast({ kind: "ghost", number: 1 })),
  ],
  stones: () => [-2, -1, 0, 1, 2].map((place) => scaled(place * 46, (place % 2) * 6, 1, pebble(place * 9, place > 0))),
};
/** Games that the page has no picture for: seats around a table. */
const ANY = () => [
  s("circle", { r: 22, class: "anytable" }),
  ...[0, 1, 2, 3].map((seat) =>
    s("circle", { class: "anyseat", r: 8, cx: [0, 38, 0, -38][seat], cy: [-32, 0, 32, 0][seat] }),
  ),
];

export const emblem = (game) =>
  picture("-130 -44 260 88", {}, ...(Object.hasOwn(EMBLEMS, game) ? EMBLEMS[game] : ANY)());
