// Maps games to the modules that draw them. A module and its style sheet are loaded at the first table of the game.
// Any other game is shown by any.js.
//
// A game's module has: `describe(event, who, room)` -> words or null, `goal(view, room)`, `progress(view, who)`,
// `score(view, seat, room)`, `result(view, seat)`, `marks(event)`, `start`, `fold(view, event)` and `turn(view)` for
// replays, and `open(table)` -> {render(room, options), prompt, key, half, cancel, flights}. `table` has
// send(command), paint(), who(seat) ("You" or a name) and name(seat).

import { style } from "../dom.js";

const MODULES = {
  stones: async () => (await import("./stones.js")).stones,
  codex: async () => (await import("./codex.js")).codex,
  eriantys: async () => (await import("./eriantys.js")).eriantys,
  snarl: async () => (await import("./snarl.js")).snarl,
};
const ANY = async () => (await import("./any.js")).any;
const PLAIN = new Set(["stones"]);

/** Whether the page has a module and rules of this game. */
export const isKnown = (name) => Object.hasOwn(MODULES, name);

export async function load(name) {
  const known = isKnown(name) ? name : "any";
  const [module] = await Promise.all([
    (MODULES[known] ?? ANY)(),
    style("table"),
    !PLAIN.has(known) && style(`games/${known}`),
  ]);
  return module;
}
