// The overview below the prompt on a narrow screen, where players and log are further down: the goal and the way to
// it, the progress of all players, and the last move of another one.

import { h } from "./dom.js";

const LONGEST = 10;

const short = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

const ofAnother = ({ seat = null }, you) => seat !== null && seat !== you;

export class Overview {
  element = h("div", { class: "overview" });
  /** The last things that another player did, at most two, and the step in which the last of them happened. */
  #news = { offset: 0, seat: null, texts: [] };

  /**
   * Keeps the last two sentences about another player since the own turn, or about what the game's
   * `isNews(event, you)` chooses. `sentence(event)` is the line of an event in the log, or null.
   */
  note({ offset, by, events }, you, module, sentence) {
    if (offset <= this.#news.offset) return;
    const { isNews = ofAnother } = module;
    let { seat: last, texts } = by === you ? { ...this.#news, seat: null } : this.#news;
    for (const event of events) {
      const text = isNews(event, you) ? sentence(event) : null;
      if (!text) continue;
      const { seat = null } = event;
      texts = seat !== null && seat === last ? [texts.at(-1), text] : [text];
      last = seat;
    }
    this.#news = { offset, seat: last, texts };
  }

  /** The kept sentences as one. The second is about the same player, and does not repeat the name. */
  #said({ seats }) {
    const { seat, texts } = this.#news;
    const [first, second] = texts;
    if (!second) return first;
    const name = `${seats.find((one) => one.seat === seat)?.name} `;
    return `${first.replace(/\.$/, "")}; ${second.startsWith(name) ? second.slice(name.length) : second}`;
  }

  /** `module` is the game's, with `goal`, `hint` and `progress`, each where the game has one. */
  paint(room, module) {
    if (room.status !== "playing" || !room.game) return this.element.replaceChildren();
    const who = (seat) => (seat === room.you ? "you" : short(room.seats.find((one) => one.seat === seat)?.name ?? ""));
    const lines = {
      goal: module.goal?.(room.game, room),
      hint: module.hint?.(room.game, room),
      progress: module.progress?.(room.game, who, room),
      news: this.#said(room),
    };
    const shown = Object.entries(lines).filter(([, text]) => text);
    return this.element.replaceChildren(...shown.map(([kind, text]) => h("p", { class: kind }, text)));
  }
}
