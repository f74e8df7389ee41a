// The front page: play at once, find a table, open one.

import { createForm } from "./create.js";
import { button, h } from "./dom.js";
import { emblem } from "./glyphs.js";
import { listed } from "./words.js";

const ABOUT = {
  eriantys: "Send students to islands, win professors, build towers.",
  codex: "Grow a manuscript of overlapping cards, corner by corner.",
  snarl: "Find the key and get out of the dungeon, together.",
  stones: "Take one to three stones. The player who takes the last one wins.",
};
const COUNT_MS = 20_000;
const ORDER = ["eriantys", "codex", "snarl"];

/** Shows the lobby in `app.main`. Returns a function that removes it. */
export function lobby(app) {
  return new Lobby(app).show();
}

class Lobby {
  #ends = [];
  #rooms = new Map();
  #filter = { game: "", status: "" };
  /** The highest number of the pages of the list that were read. */
  #last = 0;

  constructor(app) {
    this.app = app;
    this.player = app.player;
    this.list = h("tbody", {});
    this.more = button("More tables", () => this.#ask(this.#last), { hidden: true });
    this.empty = h("p", { class: "quiet" }, "No tables yet. Open one, or play against bots.");
    this.seats = h("section", { class: "mine", hidden: true, "aria-label": "Your games" });
    this.online = h("p", { class: "quiet online" });
  }

  show() {
    const { app } = this;
    app.main.className = "lobby";
    app.main.replaceChildren(
      h("div", { class: "row spread" }, h("h1", {}, "Pull up a chair"), this.online),
      this.seats,
      this.#cards(),
      h("div", { class: "columns" }, this.#tables(), this.#open()),
    );
    this.#ends = [
      this.player.on("rooms_changed", (message) => this.#changed(message)),
      this.player.on("welcome", () => this.#online()),
    ];
    if (this.player.state === "online") this.#online();
    const counting = setInterval(() => document.hidden || this.#count(), COUNT_MS);
    return () => {
      clearInterval(counting);
      this.#ends.forEach((end) => end());
      this.player.rooms({ limit: 1 }).catch(() => {});
    };
  }

  #online() {
    this.#mine(this.player.seated);
    this.#ask();
    this.#count();
  }

  /** Shows how many players are connected to the cluster. */
  async #count() {
    const answer = await fetch("/api/players").catch(() => null);
    if (!answer?.ok) return;
    const { online } = await answer.json();
    // Gateways report their connections with a delay: this player may not be counted yet.
    this.online.textContent = online < 2 ? "You are the only one online" : `${online} online`;
  }

  /** Reads one page of the list: the first one, or the one after a table. */
  #ask(after = 0) {
    const { game, status } = this.#filter;
    this.player
      .rooms({ game, status, after, live: true })
      .then(({ rooms, more }) => {
        if (!after) this.#rooms.clear();
        for (const room of rooms) this.#rooms.set(room.room, room);
        this.#last = rooms.at(-1)?.room ?? after;
        this.more.hidden = !more;
        this.#paint();
      })
      .catch(() => {});
  }

  #changed({ changed, gone }) {
    for (const room of changed) this.#rooms.set(room.room, room);
    for (const number of gone) this.#rooms.delete(number);
    this.#paint();
  }

  /** The tables at which this player has a seat. */
  #mine(rooms) {
    this.seats.hidden = !rooms.length;
    this.seats.replaceChildren(
      h("h2", {}, rooms.length === 1 ? "Your game" : "Your games"),
      ...rooms.map((room) => this.#ownGame(room)),
    );
  }

  #ownGame(number) {
    const room = this.#rooms.get(number);
    const names = Object.values(room?.names ?? {}).filter((name) => name !== this.app.identity.name);
    const what = room ? this.app.title(room.game) : "A game";
    const how = room?.status === "waiting" ? "waiting for players" : names.length ? `with ${listed(names)}` : "";
    return h(
      "div",
      { class: "row spread" },
      h("span", {}, h("strong", {}, what), how && h("span", { class: "quiet" }, ` ${how}`)),
      h("a", { class: "button primary small", href: `/t/${number}`, "data-go": true }, `Back to table ${number}`),
    );
  }

  // --- one click ---

  #cards() {
    const names = [...this.app.cards.keys()];
    const sorted = [...ORDER.filter((name) => names.includes(name)), ...names.filter((name) => !ORDER.includes(name))];
    return h(
      "section",
      { class: "gamecards", "aria-label": "Games" },
      ...sorted.map((name) => this.#card(this.app.cards.get(name))),
    );
  }

  #card(card) {
    const { name, title, seats } = card;
    return h(
      "article",
      { class: "gamecard", "data-game": name },
      h("div", { class: "emblem", "aria-hidden": "true" }, emblem(name)),
      h(
        "div",
        { class: "gamecard-text" },
        h("h2", {}, title),
        h("p", {}, ABOUT[name] ?? `A game for ${seats.join(", ")} players.`),
      ),
      h(
        "div",
        { class: "row" },
        button("Play against bots", () => this.#bots(card), { class: "primary", "data-bots": name }),
        button("Quick match", () => this.#match(card), { "data-match": name, title: "Join players who are waiting" }),
        Object.hasOwn(ABOUT, name) && button("Rules", () => this.#rules(name), { class: "quiet", "data-rules": name }),
      ),
    );
  }

  async #rules(name) {
    (await import("./rules.js")).openRules(this.app, name);
  }

  #bots(card) {
    const seats = card.seats.find((number) => number > 1);
    this.#enter((player) => player.create(card.name, { seats, bots: seats - 1 }));
  }

  #match(card) {
    this.#enter((player) => player.match(card.name));
  }

  /** Goes to the table that `ask(player)` takes a seat at. */
  #enter(ask) {
    const { app } = this;
    app
      .accepted()
      .then(ask)
      .then(({ room }) => app.go(`/t/${room}`))
      .catch(app.refused);
  }

  // --- finding and opening tables ---

  #tables() {
    const pick = (key, choices, label) =>
      h(
        "label",
        {},
        h("span", { class: "hidden" }, label),
        h(
          "select",
          { id: `filter-${key}`, onchange: (event) => this.#narrow(key, event.target.value) },
          ...choices.map(([value, text]) => h("option", { value }, text)),
        ),
      );
    const games = [["", "All games"], ...[...this.app.cards.values()].map((card) => [card.name, card.title])];
    const statuses = [
      ["", "Waiting and playing"],
      ["waiting", "Waiting"],
      ["playing", "Playing"],
    ];
    return h(
      "section",
      { class: "panel tables" },
      h(
        "div",
        { class: "row spread" },
        h("h2", {}, "Tables"),
        h("div", { class: "row" }, pick("game", games, "Game"), pick("status", statuses, "State")),
      ),
      this.#byNumber(),
      h(
        "table",
        { class: "rooms" },
        h(
          "thead",
          {},
          h("tr", {}, ...["Table", "Game", "Players"].map((text) => h("th", { scope: "col" }, text)), h("td", {})),
        ),
        this.list,
      ),
      this.more,
      this.empty,
    );
  }

  #narrow(key, value) {
    this.#filter[key] = value;
    this.#ask();
  }

  #byNumber() {
    const field = h("input", {
      inputmode: "numeric",
      pattern: "[0-9]+",
      title: "A table has a number, for example 1234",
      placeholder: "Number of a table",
      required: true,
      id: "number",
      "aria-label": "Number of a table",
    });
    const go = (event) => {
      event.preventDefault();
      this.app.go(`/t/${Number(field.value)}`);
    };
    return h("form", { class: "row bynumber", onsubmit: go }, field, h("button", {}, "Go there"));
  }

  #paint() {
    const isOpen = ({ status }) => status === "waiting";
    const rooms = [...this.#rooms.values()].sort(
      (one, other) => isOpen(other) - isOpen(one) || other.room - one.room, // first those that one can join
    );
    this.empty.hidden = rooms.length > 0;
    this.list.parentElement.hidden = rooms.length === 0;
    this.list.replaceChildren(...rooms.map((room) => this.#row(room)));
    this.#mine(this.player.seated);
  }

  #row(room) {
    const names = Object.values(room.names ?? {});
    const waiting = room.status === "waiting";
    const mine = this.player.seated.includes(room.room);
    return h(
      "tr",
      { "data-room": room.room },
      h("td", {}, `#${room.room}`),
      h("td", {}, this.app.title(room.game), room.options?.expert && h("small", {}, " expert")),
      h("td", {}, names.join(", "), waiting && h("small", {}, ` · ${room.free} of ${room.seats} free`)),
      h(
        "td",
        {},
        h(
          "div",
          { class: "row end" },
          waiting &&
            room.free > 0 &&
            !mine &&
            button("Join", () => this.#enter((player) => player.join(room.room)), { class: "small primary" }),
          h("a", { class: "button small", href: `/t/${room.room}`, "data-go": true }, mine ? "Back" : "Watch"),
        ),
      ),
    );
  }

  #open() {
    return h(
      "section",
      { class: "panel" },
      h("h2", {}, "Open a table"),
      createForm(this.app, (game, spec) => this.#enter((player) => player.create(game, spec))),
    );
  }
}
