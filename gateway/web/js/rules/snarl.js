// The rules of Snarl for the drawer.

import { h } from "../dom.js";
import { beast, hero, icon } from "../glyphs.js";
import { exitShape, keyShape } from "../games/snarl-map.js";

const small = (drawn) => {
  drawn.setAttribute("transform", "scale(0.75)");
  return icon(drawn);
};

export const rules = {
  goal: "find the key, then get out through the exit, level after level. At least one player has to get out of each level, or all lose. After the last level, whoever got out most often wins; if equal, whoever found more keys.",
  turn: [
    "In your turn, go up to two steps: up, down, left or right. You may also stay.",
    "You see two tiles in every direction; the page remembers what you have seen.",
    "Whoever steps on the key opens the exit for all. Then go to the exit to leave the level.",
    "After all players, the monsters move. A monster that reaches your tile expels you from the level, and so does stepping on a monster.",
    "If at least one player gets out, all go on to the next level, expelled players too. If nobody does, the game is lost.",
  ],
  key: () => [
    [small(hero(0, "A", true)), "a player; yours has a white edge"],
    [small(beast({ kind: "zombie", number: 1 })), "a zombie: one step a round, within its room"],
    [
      small(beast({ kind: "ghost", number: 1 })),
      "a ghost: one step a round, through doors too; walls take it to another room",
    ],
    [small(keyShape()), "the key"],
    [small(exitShape(false)), "the exit, locked"],
    [small(exitShape(true)), "the exit, open"],
    [h("span", { class: "swatch stripes" }), "red stripes: a monster can reach this tile in its next move"],
    [h("span", { class: "swatch moved" }), "a violet edge: it has moved since your last move"],
  ],
  sections: [
    [
      "Moving",
      "The steps go over floor, doors and hallways, never through walls or diagonally. You may pass other players and monsters on the way, but not stop where another player stands. Only the tile where you stop counts: a key that you pass is not picked up.",
      "A monster on the key or the exit guards it: whoever stops there is expelled.",
    ],
    [
      "Staying and passing",
      "To stay is a move: you look around again, and on the open exit you leave the level. To pass is to give the turn away: nothing happens.",
    ],
    [
      "Monsters",
      [
        "Zombies never go through doors. With players in their room they go to the nearest one; otherwise they wander.",
        "Ghosts run at players within six steps; otherwise they look for a wall, and appear in some other room.",
        "The higher the level, the more monsters there are.",
      ],
    ],
    [
      "The end",
      "A level ends when no player is left in it. The game is won after the last level. All who play are ranked: by exits, then by keys, then by how rarely they were expelled.",
    ],
    [
      "Being away",
      "A player who stays away too long, or lets the time for a move run out, is out of the game; the score stays.",
    ],
  ],
};
