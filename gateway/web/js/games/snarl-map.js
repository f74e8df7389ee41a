// The map of a level as far as a player has seen it, kept with the tab, and the drawing of the dungeon.

import { s } from "../dom.js";

export const CELL = 40;
const KIND = { " ": 0, "#": 0, ".": 1, ":": 1, "+": 2 };
const TILES = ["rock", "floor", "doorway"];

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

/** `why(tile)` returns the reason why one cannot go to a tile now, or null. */
export function ground(memory, why) {
  return [...memory.cells].map(([at, tile]) => {
    const [row, column] = point(at);
    const dim = memory.bright.has(at) ? "" : " dim";
    return s("rect", {
      class: `tile ${TILES[tile]}${dim}`,
      x: column * CELL,
      y: row * CELL,
      width: CELL,
      height: CELL,
      "data-why": tile ? why(at) : null,
    });
  });
}

/** Stripes over the tiles that monsters can reach. */
export function striped(spots) {
  if (!spots.length) return [];
  const pattern = s(
    "pattern",
    { id: "stripes", width: 10, height: 10, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { class: "stripe", width: 4, height: 10 }),
  );
  const areas = spots.map((at) => {
    const [row, column] = point(at);
    return s("rect", { x: column * CELL, y: row * CELL, width: CELL, height: CELL, fill: "url(#stripes)" });
  });
  return [pattern, ...areas];
}

export const keyShape = () =>
  s("g", { class: "thing key" }, s("circle", { cx: -6, r: 6 }), s("path", { d: "M0 0 H14 M9 0 V6 M13 0 V5" }));
export const exitShape = (open) =>
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

/** The key or the exit once more, small, on whoever stands on it. */
export function covered(memory, open, positions) {
  const taken = new Set(positions.map(spot));
  const badge = (position, shape) =>
    position &&
    taken.has(spot(position)) &&
    put(
      position,
      s("g", { class: "badge", transform: "translate(10 -10) scale(0.55)" }, s("circle", { r: 17 }), shape),
    );
  return [badge(memory.exit, exitShape(open)), badge(memory.key, keyShape())].filter(Boolean);
}

export const standing = (position, key, body) => put(position, s("g", { "data-flip": key }, body));
