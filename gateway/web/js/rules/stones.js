// The rules of Stones for the drawer.

import { picture } from "../dom.js";
import { pebble } from "../glyphs.js";

export const rules = {
  goal: "take the last stone.",
  turn: ["In your turn, take one, two or three stones.", "The next player does the same, until none is left."],
  key: () => [[picture("-24 -20 48 40", { class: "icon" }, pebble(8, false)), "a stone"]],
  sections: [["The end", "The player who takes the last stone wins. A turn cannot be passed."]],
};
