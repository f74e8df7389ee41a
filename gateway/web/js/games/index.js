// Which module draws which game. Any other game is shown as plain data, with its options as buttons.
//
// A game's module has: `emblem()`, `describe(event, who)` -> words or null, `score(view, seat)`, `start` and
// `fold(view, event)` for replays, and `open(table)` -> {render(room, options) -> elements, prompt, key, half, cancel,
// flights}. `table` has send(command), paint() and who(seat).

import { any } from "./any.js";
import { stones } from "./stones.js";

const MODULES = new Map(Object.entries({ stones }));

export const games = (name) => MODULES.get(name) ?? any;
