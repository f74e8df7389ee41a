// The map of a level as far as a player has seen it, kept with the tab, and the drawing of the dungeon.

import { label, s } from "../dom.js";

export const CELL = 40;
const KIND = { " ": 0, "#": 0, ".": 1, ":": 1, "+": 2 };
const TILES = ["rock", "floor", "doorway"];
const SHAPES = [
  "M0 -13 A13 13 0 1 1 -0.01 -13 Z",
  "M0 -14 L13.5 0 L0 14 L-13.5 0 Z",
  "M-12 -12 H12 V12 H-12 Z",
  "M0 -14 L13 11 H-13 Z",
];

export const spot = ([row, column]) => `${row},${column}`;
const point = (text) => text.split(",").map(Number);

export class Memory {
  #name = "";
  cells = new Map();
  key = null;
  exit = null;
  bright = new Set();

  /** Switches to the map of a level, as far as the tab has kept it. */
  open(table, level) {
    const name = `tavolata.map.${table}.${level}`;
    if (name === this.#name) return;
    this.#name = name;
    const kept = JSON.parse(sessionStorage.getItem(name) ?? "null");
    this.cells = new Map(kept?.cells ?? []);
    this.key = kept?.key ?? null;
    this.exit = kept?.exit ?? null;
  }

  /** Adds a window of five by five around a position to the map. */
  see({ position: [row, column], layout, items }, found) {
    this.bright = new Set();
    layout.forEach((line, down) =>
      line.forEach((tile, right) => {
        const at = spot([row - 2 + down, column - 2 + right]);
        this.cells.set(at, tile);
        this.bright.add(at);
      }),
    );
    const thing = (kind) => items.find((item) => item.kind === kind)?.position ?? null;
    this.key = found ? null : (thing("key") ?? (this.key && !this.bright.has(spot(this.key)) ? this.key : null));
    this.exit = thing("exit") ?? this.exit;
    sessionStorage.setItem(this.#name, JSON.stringify({ cells: [...this.cells], key: this.key, exit: this.exit }));
  }

  forgetSight() {
    this.bright = new Set();
  }

  /** Replaces the map by the board that spectators see: the whole level, or what players have seen of it. */
  whole({ rows, key, exit }) {
    this.#name = "";
    this.cells = new Map(
      rows.flatMap((line, row) =>
        [...line].flatMap((cell, column) => (cell === " " ? [] : [[spot([row, column]), KIND[cell]]])),
      ),
    );
    this.bright = new Set(this.cells.keys());
    this.key = key;
    this.exit = exit;
  }
}

const put = ([row, column], ...children) =>
  s("g", { transform: `translate(${column * CELL + CELL / 2} ${row * CELL + CELL / 2})` }, ...children);

export function ground(memory) {
  return [...memory.cells].map(([at, tile]) => {
    const [row, column] = point(at);
    const dim = memory.bright.has(at) ? "" : " dim";
    return s("rect", {
      class: `tile ${TILES[tile]}${dim}`,
      x: column * CELL,
      y: row * CELL,
      width: CELL,
      height: CELL,
    });
  });
}

const keyShape = () =>
  s("g", { class: "thing key" }, s("circle", { cx: -6, r: 6 }), s("path", { d: "M0 0 H14 M9 0 V6 M13 0 V5" }));
const exitShape = (open) =>
  s(
    "g",
    { class: `thing exit${open ? " open" : ""}` },
    s("path", { d: "M-11 14 V-4 A11 11 0 0 1 11 -4 V14 Z" }),
    open ? s("path", { class: "arrow", d: "M-5 4 H4 M1 0 L5 4 L1 8" }) : s("circle", { class: "lock", cy: 4, r: 4 }),
  );

export function things(memory, open) {
  return [
    memory.exit && put(memory.exit, exitShape(open), s("title", {}, open ? "The exit is open" : "The exit is locked")),
    memory.key && put(memory.key, keyShape(), s("title", {}, "The key")),
  ].filter(Boolean);
}

/** A player: a shape for each seat, and the first letter of the name. */
export function hero(seat, name, own) {
  return s(
    "g",
    { class: `hero h${seat % 4}${own ? " own" : ""}` },
    s("path", { d: SHAPES[seat % 4] }),
    label(0, 1, name.charAt(0).toUpperCase(), { class: "initial" }),
    s("title", {}, name),
  );
}

export function beast({ kind, number }) {
  const body =
    kind === "zombie"
      ? s("path", { d: "M-11 13 V-6 C-11 -14 11 -14 11 -6 V13 Z" })
      : s("path", { d: "M-11 14 V-3 C-11 -16 11 -16 11 -3 V14 L6 9 L2 14 L-2 9 L-6 14 Z" });
  return s(
    "g",
    { class: `beast ${kind}` },
    body,
    s("circle", { cx: -4, cy: -3, r: 2.2, class: "eye" }),
    s("circle", { cx: 4, cy: -3, r: 2.2, class: "eye" }),
    kind === "zombie" && s("path", { d: "M-5 6 H5", class: "mouth" }),
    s("title", {}, `${kind} ${number}`),
  );
}

export const standing = (position, key, body) => put(position, s("g", { "data-flip": key }, body));
