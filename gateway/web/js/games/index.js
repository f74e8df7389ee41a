// Maps games to the modules that draw them. A module and its style sheet are loaded at the first table of the game.
// Any other game is shown as plain data, with its options as buttons.
//
// A game's module has: `describe(event, who)` -> words or null, `score(view, seat)`, `result(view, seat)`,
// `marks(event)`, `start`, `fold(view, event)` and `turn(view)` for replays, and `open(table)` -> {render(room, options),
// prompt, key, half, cancel, flights}. `table` has send(command), paint(), who(seat) ("You" or a name) and name(seat).

import { style } from "../dom.js";

const MODULES = {
  stones: async () => (await import("./stones.js")).stones,
  codex: async () => (await import("./codex.js")).codex,
  eriantys: async () => (await import("./eriantys.js")).eriantys,
  snarl: async () => (await import("./snarl.js")).snarl,
};
const STYLED = new Set(["codex", "eriantys", "snarl"]);

export async function load(name) {
  const known = Object.hasOwn(MODULES, name) ? MODULES[name] : async () => (await import("./any.js")).any;
  const [module] = await Promise.all([known(), style("table"), STYLED.has(name) && style(`games/${name}`)]);
  return module;
}
