// The dangers of the tiles of the dungeon: where monsters stand and which tiles they reach next, in words too.

import { spot } from "./snarl-map.js";

const DOOR = 2;
const AROUND = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
];

/** By tile: the kind of the monster that can enter it in its next move. Zombies do not go through doors. */
export function reach(monsters, cells) {
  const found = new Map();
  for (const { kind, position } of monsters)
    for (const [down, right] of AROUND) {
      const at = spot([position[0] + down, position[1] + right]);
      const tile = cells.get(at);
      if (tile && !(kind === "zombie" && tile === DOOR)) found.set(at, kind);
    }
  return found;
}

export const monsterAt = (monsters, to) => monsters.find(({ position }) => spot(position) === spot(to)) ?? null;

function way([row, column], [toRow, toColumn]) {
  const [down, right] = [toRow - row, toColumn - column];
  return [
    down && `${Math.abs(down)} ${down > 0 ? "down" : "up"}`,
    right && `${Math.abs(right)} ${right > 0 ? "right" : "left"}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** The monster that one passes on every way of two steps to a tile, or null. */
export function passed(to, { position, monsters, memory }) {
  const [down, right] = [to[0] - position[0], to[1] - position[1]];
  if (Math.abs(down) + Math.abs(right) !== 2) return null;
  const between = AROUND.map(([row, column]) => [position[0] + row, position[1] + column]).filter(
    ([row, column]) => Math.abs(to[0] - row) + Math.abs(to[1] - column) === 1 && memory.cells.get(spot([row, column])),
  );
  const met = between.map((at) => monsterAt(monsters, at));
  return met.length && met.every(Boolean) ? met[0] : null;
}

/** What would happen to a player on the tile of a monster. */
export const expulsion = ({ kind }) => `onto a ${kind}, you would be expelled`;

/** A move in words: the way, and what is on the tile. `scene` has position, monsters, reached, memory and unlocked. */
export function moveInWords(to, scene) {
  const { position, monsters, reached, memory, unlocked } = scene;
  const at = spot(to);
  const monster = monsterAt(monsters, to);
  const things = [
    monster && expulsion(monster),
    memory.key && spot(memory.key) === at && "the key",
    memory.exit && spot(memory.exit) === at && (unlocked ? "the open exit" : "the locked exit"),
    !monster && reached.has(at) && `a ${reached.get(at)} can reach it`,
    memory.cells.get(at) === DOOR && "a door",
  ].filter(Boolean);
  const over = passed(to, scene);
  const text = at === spot(position) ? "Stay" : `Go ${way(position, to)}${over ? ` past a ${over.kind}` : ""}`;
  return things.length ? `${text}: ${things.join("; ")}` : text;
}
