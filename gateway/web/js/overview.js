// What a narrow screen shows below the prompt, because players and log are further down there: the goal, how far
// everybody is, and what another player did last.

import { h } from "./dom.js";

const LONGEST = 10;

const short = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

const ofAnother = ({ seat = null }, you) => seat !== null && seat !== you;

export class Overview {
  element = h("div", { class: "overview" });
  /** What another player did last, and the step in which it happened. */
  #news = { offset: 0, text: "" };

  /**
   * Keeps the last sentence about another player, or about what the game's `isNews(event, you)` chooses.
   * `sentence(event)` is the line of an event in the log, or null.
   */
  note({ offset, events }, you, module, sentence) {
    if (offset < this.#news.offset) return;
    const { isNews = ofAnother } = module;
    const news = events.filter((event) => isNews(event, you));
    const text = news.map(sentence).filter(Boolean).at(-1);
    if (text) this.#news = { offset, text };
  }

  /** `module` is the game's, with `goal(view, room)` and `progress(view, who, room)`, each where the game has one. */
  paint(room, module) {
    if (room.status !== "playing" || !room.game) return this.element.replaceChildren();
    const who = (seat) => (seat === room.you ? "you" : short(room.seats.find((one) => one.seat === seat)?.name ?? ""));
    const lines = [module.goal?.(room.game, room), module.progress?.(room.game, who, room), this.#news.text];
    return this.element.replaceChildren(...lines.filter(Boolean).map((text) => h("p", {}, text)));
  }
}
