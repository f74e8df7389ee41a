// The rules of Codex Naturalis for the drawer.

import { h, s } from "../dom.js";
import { icon, sign } from "../glyphs.js";

/** The sign on cards whose points count for each corner that they cover. */
const covered = () =>
  s(
    "g",
    {},
    s("rect", { x: -9, y: -9, width: 18, height: 18, rx: 4, fill: "#fffaf0", stroke: "#5d5545" }),
    s("rect", { x: -1, y: -1, width: 10, height: 10, rx: 3, fill: "#5d5545" }),
  );

export const rules = {
  goal: "have the most points when the last round is over, which begins when a player reaches 20.",
  turn: [
    "At the beginning, choose a side of your starting card, a color, and one of two secret objectives.",
    "In your turn, place a card from your hand so that it covers at least one corner in your area. It may lie on its front or on its back.",
    "A gold card on its front needs what is printed at its bottom to be visible in your area. Nothing is spent.",
    "Score the points at the top of the card: as they are, or for each visible symbol, or for each corner that it covers.",
    "Then draw a card: from a deck, or one of the four that lie open.",
    "At the end, everybody scores the two common objectives and the own one.",
  ],
  key: () => [
    [
      ["fungi", "plant", "animal", "insect"].map((kingdom) => icon(sign(kingdom))),
      "the kingdoms: fungi, plant, animal, insect",
    ],
    [["quill", "inkwell", "manuscript"].map((thing) => icon(sign(thing))), "objects: quill, inkwell, manuscript"],
    [
      h("span", { class: "swatch pale" }),
      "a pale corner can be covered; where no corner is drawn, no card can be attached",
    ],
    [icon(covered()), "two overlapping squares beside the points: for each corner that the card covers"],
    [h("span", { class: "swatch golden" }), "a thick golden edge: a gold card"],
    [h("span", { class: "swatch moved" }), "a dashed violet edge: this has changed since your last move"],
  ],
  sections: [
    [
      "Placing",
      "Every corner that the card lies over must be there: a card cannot be attached where a corner is missing. It may cover several corners of different cards at once, but never two of the same card.",
      "A covered symbol is no longer visible, and no longer counts. The symbols in the middle of a back can never be covered.",
      "On its back, each card is free: four empty corners, one resource of its kingdom, no points.",
    ],
    [
      "Drawing",
      "When an open card is taken, the deck of its kind fills the gap; if that deck is empty, the other one does. When all six places are empty, no card is drawn.",
    ],
    [
      "Objectives",
      [
        "A set of symbols scores as often as your visible symbols contain it.",
        "A pattern scores as often as you find it among your cards: the kingdoms and their places have to match. It may not be turned, and a card counts once for the same objective.",
      ],
      "Objectives are scored at the very end only, and can take you far beyond 20 points.",
    ],
    [
      "The end",
      "When a player has 20 points or both decks are empty, the round is finished, and one more is played, without drawing. Then the objectives are scored. Among equals, more points from objectives win; if these are equal too, the victory is shared.",
      "A player who can place no card is passed over.",
    ],
  ],
};
