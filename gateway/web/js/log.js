// The log of a table: what happened, as sentences. Earlier steps are fetched, as far as this client may see them.

import { h } from "./dom.js";
import { describeRoom, grammar } from "./words.js";

const BEFORE = 60;
const KEPT = 400;
/** Distance from the end, in pixels, within which a reader follows the log. */
const NEAR = 60;

export class Log {
  /** The furthest that the log could be scrolled before it last changed. */
  #bottom = 0;

  /** `describe(event)` returns a game's event as a sentence or null; `who(seat)` names a seat. */
  constructor(app, number, describe, who) {
    this.app = app;
    this.number = number;
    this.describe = describe;
    this.who = who;
    this.lines = h("ol");
    this.box = h("div", { class: "log", "aria-label": "What happened", tabindex: 0, role: "log" }, this.lines);
    new ResizeObserver(() => this.#follow()).observe(this.box);
    this.element = h("section", { class: "panel logpanel" }, h("h2", {}, "Log"), this.box);
  }

  /** An event as a sentence, or null if it needs no line. */
  sentence = (event) => (event.type.startsWith("room.") ? describeRoom(event, this.who) : this.describe(event));

  note(events) {
    this.#write(
      events
        .map(this.sentence)
        .filter(Boolean)
        .map((text) => h("li", {}, grammar(text))),
    );
  }

  warn(text) {
    this.#write([h("li", { class: "note" }, text)]);
  }

  #write(lines) {
    this.lines.append(...lines);
    while (this.lines.childElementCount > KEPT) this.lines.firstElementChild.remove();
    this.#follow();
  }

  /** Shows the last line, unless the reader has scrolled up. */
  #follow() {
    const { scrollHeight, scrollTop, clientHeight } = this.box;
    const bottom = scrollHeight - clientHeight;
    if (scrollTop > Math.min(bottom, this.#bottom) - NEAR) this.box.scrollTop = bottom;
    this.#bottom = bottom;
  }

  /** Loads the steps before this client attached, and returns them. */
  async backfill(room) {
    if (room.offset < 2 || this.lines.childElementCount) return [];
    const found = await this.fetch(Math.max(0, room.offset - BEFORE), room.you === undefined);
    const earlier = found.filter((update) => update.offset <= room.offset);
    const later = [...this.lines.children];
    this.lines.replaceChildren();
    earlier.forEach((update) => this.note(update.events));
    this.#write(later);
    return earlier;
  }

  /** The updates after a step, as the own seat may see them, or, with `open`, as spectators do. */
  async fetch(after, open = false) {
    const { token } = this.app.identity;
    const key = this.app.keys.get(this.number);
    const headers = { ...(token && !open && { Authorization: `Bearer ${token}` }), ...(key && { "Room-Key": key }) };
    const answer = await fetch(`/api/rooms/${this.number}/updates?after=${after}`, { headers }).catch(() => null);
    return answer?.ok ? (await answer.json()).updates : [];
  }
}
