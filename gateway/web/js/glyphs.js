// The pictograms on pieces and cards, drawn around (0, 0) in a box of 20 by 20. Each has a shape of its own.

import { picture, s } from "./dom.js";

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
