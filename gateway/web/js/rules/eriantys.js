// The rules of Eriantys for the drawer.

import { h, s } from "../dom.js";
import { coin, icon, professor, student, tower } from "../glyphs.js";

export const rules = {
  goal: "build all your towers on the islands before the others do, or have the most when the game ends.",
  turn: [
    "Each round, all play an assistant first. The lowest number moves first; higher ones let mother nature walk further.",
    "In your turn, move three students (four with three players) out of your entrance, one by one: to an island, or to your dining room.",
    "The player with the most students of a color in the dining room has its professor.",
    "Then move mother nature clockwise, one island at least. Where she stops, influence decides: each student there counts for the owner of its professor, each tower for its builder.",
    "The highest influence builds towers there, and takes those of another player down. A tie changes nothing.",
    "Neighboring islands with towers of one color join, and count as one island from then on.",
    "Last, take the students of a cloud into your entrance.",
  ],
  key: () => [
    [icon(student("RED")), "a student; each color has a shape of its own"],
    [
      icon(s("g", { transform: "scale(0.8)" }, professor("RED", true))),
      "the professor of a color, on the board of its owner",
    ],
    [icon(tower("BLACK")), "a tower: B black, W white, G gray"],
    [icon(coin()), "a coin, or a place in the dining room that earns one (expert rules)"],
    [h("span", { class: "swatch moved" }), "a dashed violet ring: this has changed since your last move"],
  ],
  sections: [
    [
      "Assistants",
      "Everybody has ten assistants, and each is played once. Its number decides the order of the round; half of it, rounded up, is the number of steps mother nature may go.",
      "You may not play a number that another player has played in the same round, unless you have no other one left. The player with the lowest number also begins the next round.",
    ],
    [
      "Professors",
      "A professor moves only to a player who has more students of its color than every other player. Whoever has it keeps it on a tie.",
    ],
    [
      "Influence",
      "Influence is reckoned on a whole group of islands: one for each student whose professor you have, and one for each of your towers. Students alone build nothing: towers only change where mother nature stops.",
      "A group of several islands needs a tower on each of them, and gives them all back to their owner when it is lost.",
    ],
    [
      "Players and teams",
      [
        "Two players: eight towers each, clouds of three students.",
        "Three players: six towers each, clouds of four students, four moves a turn.",
        "Four players: two teams, each with eight towers in common. Partners sit opposite each other. Influence, towers and victory belong to the team; everything else is your own.",
      ],
    ],
    [
      "Expert rules",
      "Everybody begins with a coin. The third, sixth and ninth student of a row of your dining room earns another one.",
      "Three characters lie on the table. Once in your turn you may pay for one of them, at any moment before you take a cloud. After its first use a character costs one coin more.",
      "A no-entry tile stops the next reckoning on its island and goes back to its card.",
    ],
    [
      "The end",
      [
        "At once, when the last tower of a player is built: that player wins.",
        "At once, when three groups of islands or fewer are left.",
        "After the round in which the bag runs empty, or the assistants run out.",
      ],
      "If no player has built the last tower, the most towers on the islands win; if these are equal, the most professors.",
    ],
  ],
};
