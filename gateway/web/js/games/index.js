// Maps games to the modules that draw them. Any other game is shown as plain data, with its options as buttons.
//
// A game's module has: `emblem()`, `describe(event, who)` -> words or null, `score(view, seat)`, `start`,
// `fold(view, event)` and `turn(view)` for replays, and `open(table)` -> {render(room, options) -> elements, prompt, key, half, cancel,
// flights}. `table` has send(command), paint(), who(seat) ("You" or a name) and name(seat).

import { any } from "./any.js";
import { codex } from "./codex.js";
import { eriantys } from "./eriantys.js";
import { snarl } from "./snarl.js";
import { stones } from "./stones.js";

const MODULES = new Map(Object.entries({ stones, codex, eriantys, snarl }));

export const games = (name) => MODULES.get(name) ?? any;
