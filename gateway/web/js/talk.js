// Chat at a table, to all players or to one.

import { h } from "./dom.js";

export class Talk {
  /** `say(text, to)` sends a message and returns a promise. */
  constructor(app, say) {
    this.app = app;
    this.say = say;
    this.lines = h("ol", { class: "talk", "aria-label": "Table talk", "aria-live": "polite", tabindex: 0 });
    this.text = h("input", { maxlength: 500, placeholder: "Say something", "aria-label": "Message", id: "say" });
    this.to = h("select", { "aria-label": "To whom", id: "say-to" });
    this.form = h(
      "form",
      { class: "row", onsubmit: (event) => this.#say(event) },
      this.to,
      this.text,
      h("button", { class: "small" }, "Send"),
    );
    this.element = h("section", { class: "panel talkpanel" }, h("h2", {}, "Table talk"), this.lines, this.form);
    this.last = "";
    this.people = "";
  }

  #say(event) {
    event.preventDefault();
    const text = this.text.value.trim();
    if (!text) return;
    this.text.value = "";
    this.say(text, this.to.value || undefined).catch((refusal) => {
      this.text.value ||= text;
      this.app.refused(refusal);
    });
  }

  show(room) {
    const said = room.chat ?? [];
    const names = new Map(room.seats.map((seat) => [seat.seat, seat.name]));
    this.form.hidden = room.you === undefined || room.status === "closed";
    this.#people(room);
    const last = `${said.length} ${JSON.stringify(said.at(-1))}`;
    if (last === this.last) return;
    this.last = last;
    this.lines.replaceChildren(...said.map((line) => this.#line(line, room.you, names)));
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  #line({ seat, name, text, to }, you, names) {
    const whom = to === undefined || to === null ? "" : to === you ? " to you" : ` to ${names.get(to) ?? "somebody"}`;
    return h(
      "li",
      { class: whom ? "private" : "" },
      h("strong", {}, seat === you ? "You" : name),
      whom && h("small", {}, whom),
      ": ",
      text,
    );
  }

  #people(room) {
    const others = room.seats
      .filter((seat) => seat.seat !== room.you && !seat.bot && !seat.left)
      .map((seat) => seat.name);
    if (others.join("\n") === this.people && this.to.childElementCount) return;
    this.people = others.join("\n");
    const before = this.to.value;
    this.to.replaceChildren(
      h("option", { value: "" }, "To all"),
      ...others.map((name) => h("option", { value: name }, `To ${name}`)),
    );
    this.to.value = others.includes(before) ? before : "";
  }

  /** Alerts the player to a message of another one; shows it as a toast while the chat is not visible. */
  announce(events) {
    const mine = this.app.identity.name;
    const said = events.filter((event) => event.type === "room.said" && event.name !== mine);
    const { top } = this.element.getBoundingClientRect();
    if (!said.length) return;
    const words = `${said.at(-1).name}: ${said.at(-1).text}`;
    this.app.alert("chat", words);
    if (top > innerHeight) this.app.toast(words);
  }
}
