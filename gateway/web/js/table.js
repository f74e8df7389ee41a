// A table: waiting for players, the game, its end. Everything is drawn from the room's view; events become log lines,
// animation and marks.

import { Board } from "./board.js";
import { button, h } from "./dom.js";
import { isKnown, load } from "./games/index.js";
import { Log } from "./log.js";
import { Overview } from "./overview.js";
import { headline, resultCard } from "./result.js";
import { seatList } from "./seats.js";
import { Talk } from "./talk.js";
import { waiting } from "./waiting.js";
import { clockText, listed, sentence } from "./words.js";

const WATCHERS_MS = 15_000;

export function table(app, number) {
  return new TableView(app, number).show();
}

class TableView {
  #ends = [];
  #left = false;
  #table = null;
  #room = null;
  #acting = 0;
  #ahead = 0;
  #due = 0;
  #game = null;
  #leaving = false;
  /** Places that have changed since the player's last move. */
  #marks = new Set();
  /** True after a bot has moved for this player, until the player is back. */
  #replaced = false;
  #prompted = "";

  constructor(app, number) {
    this.app = app;
    this.number = number;
    this.status = h("div", { class: "status" });
    this.seats = h("ul", { class: "seats", "aria-label": "Players" });
    this.board = new Board(this.seats);
    this.overview = new Overview();
    this.notices = h("div", { class: "notices", role: "status" });
    this.log = new Log(app, number, (event) => this.module?.describe(event, this.who, this.#room), this.who);
    this.talk = new Talk(app, (text, to) => this.#table.say(text, to));
    this.buttons = h("div", { class: "row wrap" });
    this.watchers = h("span", { class: "quiet watchers" });
  }

  show() {
    const { app } = this;
    app.main.className = "table";
    app.main.replaceChildren(h("p", { class: "quiet pad" }, "Looking for the table…"));
    if (location.hash) app.keys.set(this.number, location.hash.slice(1));
    const ticking = setInterval(() => this.#tick(), 500);
    const counting = setInterval(() => document.hidden || this.#countWatchers(), WATCHERS_MS);
    const keys = (event) => this.#key(event);
    document.addEventListener("keydown", keys);
    app.player
      .spectate(this.number, { key: app.keys.get(this.number) })
      .then((remote) => this.#attend(remote))
      .catch((refusal) => this.#left || this.#nowhere(refusal));
    return () => {
      this.#left = true;
      this.#ends.forEach((end) => end());
      clearInterval(ticking);
      clearInterval(counting);
      document.removeEventListener("keydown", keys);
      this.rules?.close();
      this.#unwatch();
    };
  }

  /** Follows the table: from the own seat if there is one, else as a spectator. */
  async #attend(remote) {
    this.#table = remote;
    this.module = await load(remote.view.spec.game);
    // The person may be back already: leaving now would end what the view that is shown follows.
    if (this.#left) return location.pathname === `/t/${this.number}` ? undefined : this.#unwatch();
    this.#ends = [
      remote.on("view", ({ reason }) => this.#viewed(reason)),
      remote.on("update", (update) => this.#updated(update)),
      remote.on("end", (error) => this.#ended(error)),
      this.app.player.on("state", () => this.#paint()),
    ];
    this.#open();
    return this.#viewed();
  }

  #ended(error) {
    if (error?.code === "room/removed") this.#nowhere(error);
    else if (error && this.app.player.state !== "over") this.app.refused(error);
  }

  #unwatch() {
    if (this.#table?.seat === null) this.#table.leave().catch(() => {});
  }

  #nowhere(refusal) {
    this.app.place(`Table ${this.number}`);
    this.app.main.replaceChildren(
      h(
        "div",
        { class: "panel lonely" },
        h("p", {}, sentence(refusal)),
        h("a", { class: "button primary", href: "/", "data-go": true }, "To the lobby"),
      ),
    );
  }

  // --- what comes ---

  #open() {
    const { host } = this.board;
    this.#game = this.module.open({
      send: (command) => this.#act(command),
      paint: () => this.#paint(),
      who: (seat) => this.who(seat),
      name: (seat) => this.#name(seat),
      history: (after) => this.log.fetch(after, true),
      table: this.number,
      host,
    });
  }

  #viewed(reason) {
    const first = !this.#room;
    if (reason === "rewound") this.log.warn("The store lost its last moments; this is how it stands.");
    this.#take();
    if (first) this.#furnish();
    this.#paint();
  }

  #updated(update) {
    this.#ahead = update.at - Date.now();
    const { events } = update;
    for (const event of events) if (event.type === "room.clock") this.#due = event.due_ms;
    const before = this.#room;
    if (update.view) this.#take();
    this.log.note(events);
    this.talk.announce(events);
    if (!update.view) return; // a missed step: a whole view follows behind the last of them
    this.#mark(update);
    this.#alert(before);
    this.#paint(events);
  }

  #take() {
    const { view, chat, options } = this.#table;
    this.#room = { ...view, chat, options: options.length ? options : undefined };
    this.#due = view.clock_ms ?? 0;
  }

  /** Remembers what has changed since the player's last move, whether a bot has moved for the player, and the clock. */
  #mark(update) {
    const { by, events } = update;
    const { you } = this.#room;
    this.#due = this.#game.due?.(update, this.#room) ?? this.#due;
    const mine = you !== undefined && by === you;
    if (mine) this.#replaced = false;
    this.overview.note(update, you, this.module, this.log.sentence);
    // A spectator has no last move: the marks show the latest one of the players.
    if (mine || you === undefined) this.#marks.clear();
    for (const event of events) {
      if (!mine) for (const place of this.module.marks?.(event, this.#room) ?? []) this.#marks.add(place);
      if (event.type === "room.played" && event.seat === you && event.reason !== "bot") this.#replaced = event.reason;
    }
  }

  #alert(before) {
    const room = this.#room;
    const mine = ({ you, turn = [], status }) => status === "playing" && you !== undefined && turn.includes(you);
    const game = this.app.title(room.spec.game);
    if (before?.status === "playing" && room.status === "finished")
      this.app.alert("end", `${headline(room, this.app.identity.name)} · ${game}`);
    else if (mine(room) && !(before && mine(before))) this.app.alert("turn", `Your turn · ${game}`);
  }

  #name = (seat) => this.#room?.seats.find((one) => one.seat === seat)?.name ?? `Seat ${seat + 1}`;

  who = (seat) => (seat === this.#room?.you ? "You" : this.#name(seat));

  // --- doing ---

  #act(command) {
    if (this.#acting) return;
    this.#acting += 1;
    this.#paint();
    this.#table
      .act(command)
      .catch((refusal) => {
        this.#game.cancel?.();
        this.app.refused(refusal);
      })
      .finally(() => {
        this.#acting -= 1;
        this.#paint();
      });
  }

  #key(event) {
    if (!this.#room || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest?.("input, textarea, select, dialog")) return;
    if (event.key === "?") this.#openRules();
    else if (event.key === "Escape") {
      if (this.#game.cancel?.()) this.#paint();
    } else if (this.#options && this.#game.key?.(event, this.#room, this.#options)) {
      event.preventDefault();
    }
  }

  get #options() {
    return this.#acting || this.#room.status !== "playing" ? null : (this.#room.options ?? null);
  }

  // --- painting ---

  #furnish() {
    const { app } = this;
    if (this.#table.key) history.replaceState(null, "", this.#link());
    const rules = button("Rules", () => this.#openRules(), { class: "small", id: "rules-button" });
    app.place(
      `${app.title(this.#room.spec.game)} · table ${this.number}`,
      ...(isKnown(this.#room.spec.game) ? [rules] : []),
      button("Copy link", () => this.#copyLink(), { class: "small wideonly" }),
    );
    app.main.replaceChildren(
      h("section", { class: "stage" }, this.status, this.overview.element, this.notices, this.board.host),
      h("aside", { class: "side" }, this.board.aside, this.seats, this.talk.element, this.log.element, this.buttons),
      this.board.bar,
    );
    this.#backfill();
    this.#countWatchers();
    this.#greet();
  }

  async #backfill() {
    for (const update of await this.log.backfill(this.#room)) this.#mark(update);
    this.#paint();
  }

  /** Shows how many people watch a public table. */
  async #countWatchers() {
    const { spec, status } = this.#room ?? {};
    if (!spec || spec.private || (status !== "playing" && status !== "waiting")) return;
    const answer = await fetch(`/api/rooms/${this.number}/watchers`).catch(() => null);
    if (!answer?.ok) return;
    const { watching } = await answer.json();
    this.watchers.textContent = watching ? `${watching} watching` : "";
  }

  /** Opens the rules at a player's first game. */
  #greet() {
    const key = `tavolata.rules.${this.#room.spec.game}`;
    if (this.#room.you === undefined || !isKnown(this.#room.spec.game) || localStorage.getItem(key)) return;
    localStorage.setItem(key, "seen");
    this.#openRules();
  }

  async #openRules() {
    const { openRules } = await import("./rules.js");
    if (!this.#left) this.rules = await openRules(this.app, this.#room.spec.game);
  }

  /** The address that opens this table. The key of a private one is in the fragment, which no server gets to see. */
  #link() {
    const { key } = this.#table;
    if (key) this.app.keys.set(this.number, key);
    return `${location.origin}/t/${this.number}${key ? `#${key}` : ""}`;
  }

  #copyLink = () =>
    navigator.clipboard?.writeText(this.#link()).then(
      () => this.app.toast("The link is copied."),
      () => this.app.toast(this.#link()),
    );

  #paint(events = []) {
    const room = this.#room;
    if (!room) return;
    const options = this.#options;
    const drawn = room.game ? this.#game.render(room, options) : [waiting(this.app, room, this.#waitingActions())];
    const flights = events.flatMap((event) => this.#game.flights?.(event, room) ?? []);
    const { host } = this.board;
    host.classList.toggle("acting", this.#acting > 0);
    host.dataset.status = room.status;
    host.dataset.offset = room.offset;
    host.dataset.game = room.spec.game;
    seatList(this.seats, room, this.module, this.#game);
    if (!this.#typing()) this.board.paint(drawn, flights, this.#marks);
    this.#paintStatus(room, options);
    this.overview.paint(room, this.module);
    this.#paintNotices(room);
    this.talk.show(room);
    this.#paintButtons(room);
  }

  /** A guest who is writing a name keeps the form: only the seats around it change. */
  #typing = () => this.board.host.contains(document.activeElement) && document.activeElement.matches("input");

  #paintStatus(room, options) {
    const turn = room.turn ?? [];
    const mine = room.you !== undefined && turn.includes(room.you) && room.status === "playing";
    const over = room.status === "finished";
    this.clock = h("span", { class: "clock", role: "timer", "aria-label": "Time left" });
    this.status.className = `status${mine ? " mine" : ""}${over ? " over" : ""}`;
    const name = `${this.app.title(room.spec.game)} · table ${this.number} · Tavolata`;
    document.title = mine ? `● Your turn · ${name}` : name;
    if (over) {
      if (this.status.dataset.over !== String(room.rematch ?? 0)) this.#paintResult(room);
      return;
    }
    const says = this.#prompt(room, options, turn, mine);
    const cancel =
      this.#game.half?.() &&
      button("Cancel", () => this.#game.cancel() && this.#paint(), { class: "small", title: "Escape" });
    const aims = room.game ? [this.module.goal, this.module.hint].map((line) => line?.(room.game, room)) : [];
    const goal = aims.filter(Boolean).join(". ");
    this.status.replaceChildren(
      h("div", { class: "task" }, h("span", { class: "says", role: "status" }, says), goal && h("small", {}, goal)),
      ...(cancel ? [cancel] : []),
      this.clock,
    );
    this.#tick();
    if (mine && options && says !== this.#prompted) this.board.reveal();
    this.#prompted = says;
  }

  #paintResult(room) {
    this.status.dataset.over = room.rematch ?? 0;
    const line = (seat) => (room.game ? this.module.result?.(room.game, seat, room) : null);
    this.status.replaceChildren(resultCard(this.app, room, this.number, line, () => this.#rematch()));
  }

  #prompt(room, options, turn, mine) {
    if (room.status === "waiting") return "Waiting for players";
    if (room.status === "closed") return "The table is closed.";
    if (mine)
      return this.#acting ? "Your move is on its way…" : (this.#game.prompt?.(room, options ?? []) ?? "Your turn");
    const others = turn.filter((seat) => seat !== room.you).map(this.#name);
    return this.#game.paused?.(room) ?? (others.length ? `${listed(others)} to move` : "The game goes on");
  }

  #paintNotices(room) {
    const notes = [];
    const said =
      this.#replaced === "away"
        ? "You were away, and a bot moved for you."
        : "Your time ran out, and a bot moved for you.";
    if (this.#replaced && room.status === "playing")
      notes.push(
        h(
          "div",
          { class: "notice" },
          h("span", {}, said, " Your next turn is yours again."),
          button("I am back", () => ((this.#replaced = false), this.#paint()), { class: "small", id: "back" }),
        ),
      );
    const news = room.status === "playing" && room.game && this.#game.notice?.(room);
    if (news) notes.push(h("div", { class: "notice" }, h("span", {}, news)));
    const text = notes.map((note) => note.textContent).join("\n");
    if (text === this.notices.dataset.text) return;
    this.notices.dataset.text = text;
    this.notices.replaceChildren(...notes);
  }

  #tick() {
    if (!this.clock) return;
    const room = this.#room;
    const left = this.#due - (Date.now() + this.#ahead);
    const bots = new Set(room?.seats.filter((seat) => seat.bot).map((seat) => seat.seat));
    const running = this.#due > 0 && room?.status === "playing" && room.turn?.some((seat) => !bots.has(seat));
    const mine = running && room.turn.includes(room.you);
    this.clock.replaceChildren(
      ...(running ? [`${clockText(left)} left`, ...(mine ? [h("span", {}, " for your turn")] : [])] : []),
    );
    this.clock.classList.toggle("short", running && left < 10_000);
  }

  #waitingActions() {
    return {
      link: this.#link(),
      copyLink: this.#copyLink,
      openRules: () => this.#openRules(),
      fill: () => this.#table.fill().catch(this.app.refused),
      join: (name) => this.#join(name),
    };
  }

  /** Takes a seat, under another name if the guest has entered one. */
  async #join(name) {
    document.activeElement?.blur();
    const { app } = this;
    const { key } = this.#table;
    if (name && name !== app.identity.name && !app.player.seated.length) await app.become(name);
    app.player.join(this.number, { key: key || undefined }).catch(app.refused);
  }

  #paintButtons(room) {
    const seated = room.you !== undefined;
    const items = [];
    if (seated && (room.status === "waiting" || room.status === "playing")) items.push(this.#leaveButton());
    if (!seated && room.status === "playing") items.push(h("span", { class: "quiet" }, "You are watching."));
    if (room.status !== "finished")
      items.push(h("a", { class: "button quiet small", href: "/", "data-go": true }, "Lobby"));
    this.buttons.replaceChildren(...items, this.watchers);
  }

  #leaveButton() {
    const leave = () => {
      if (!this.#leaving) {
        this.#leaving = true;
        setTimeout(() => ((this.#leaving = false), this.#room && this.#paintButtons(this.#room)), 4_000);
        return this.#paintButtons(this.#room);
      }
      return this.#table
        .leave()
        .then(() => this.app.go("/"))
        .catch(this.app.refused);
    };
    return button(this.#leaving ? "Leave for good?" : "Leave", leave, {
      class: this.#leaving ? "small danger" : "small",
    });
  }

  #rematch() {
    this.#table
      .rematch()
      .then(({ room }) => this.app.go(`/t/${room}`))
      .catch(this.app.refused);
  }
}
