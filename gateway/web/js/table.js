// A table: waiting for players, the game, its end. Everything is drawn from the room's view; events become log lines.

import { Board } from "./board.js";
import { button, h } from "./dom.js";
import { seatList } from "./seats.js";
import { Talk } from "./talk.js";
import { clockText, describeRoom, ending, grammar, listed, sentence } from "./words.js";

const LOG_BEFORE = 60;
const LOG_KEPT = 400;

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

  constructor(app, number) {
    this.app = app;
    this.number = number;
    this.status = h("div", { class: "status", role: "status", "aria-live": "polite" });
    this.host = h("div", { class: "board" });
    this.board = new Board(this.host);
    this.seats = h("ul", { class: "seats", "aria-label": "Players" });
    this.log = h("ol", { class: "log", "aria-label": "What happened", tabindex: 0 });
    this.talk = new Talk(app, (text, to) => this.#table.say(text, to));
    this.buttons = h("div", { class: "row wrap" });
  }

  show() {
    const { app } = this;
    app.main.className = "table";
    app.main.replaceChildren(h("p", { class: "quiet pad" }, "Looking for the table…"));
    if (location.hash) app.keys.set(this.number, location.hash.slice(1));
    const ticking = setInterval(() => this.#tick(), 500);
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
      document.removeEventListener("keydown", keys);
      this.#unwatch();
    };
  }

  /** Follows the table: from the own seat if there is one, else as a spectator. */
  #attend(remote) {
    this.#table = remote;
    if (this.#left) return this.#unwatch();
    this.#ends = [
      remote.on("view", ({ reason }) => this.#viewed(reason)),
      remote.on("update", (update) => this.#updated(update)),
      remote.on("end", (error) => error && this.app.player.state !== "over" && this.app.refused(error)),
      this.app.player.on("state", () => this.#paint()),
    ];
    this.#viewed();
    return this.#backfill();
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
        h("h1", {}, `Table ${this.number}`),
        h("p", {}, sentence(refusal)),
        h("a", { class: "button primary", href: "/", "data-go": true }, "To the lobby"),
      ),
    );
  }

  // --- what comes ---

  #viewed(reason) {
    const first = !this.#room;
    if (reason === "rewound")
      this.#write([h("li", { class: "note" }, "The store lost its last moments; this is how it stands.")]);
    this.#take();
    if (first) this.#furnish();
    this.#paint();
  }

  #updated(update) {
    this.#ahead = update.at - Date.now();
    const { events } = update;
    for (const event of events) if (event.type === "room.clock") this.#due = event.due_ms;
    if (update.view) this.#take();
    this.#note(events);
    this.talk.announce(events);
    if (!update.view) return; // a missed step: a whole view follows behind the last of them
    this.#due = this.#game?.due?.(update, this.#room) ?? this.#due;
    this.#paint(events);
  }

  #take() {
    const { view, chat, options } = this.#table;
    this.#room = { ...view, chat, options: options.length ? options : undefined };
    this.#due = view.clock_ms ?? 0;
    if (!this.#game) {
      const module = this.app.games(view.spec.game);
      this.module = module;
      this.#game = module.open({
        send: (command) => this.#act(command),
        paint: () => this.#paint(),
        who: (seat) => this.who(seat),
        name: (seat) => this.#name(seat),
        table: this.number,
        host: this.host,
      });
    }
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
    if (event.target.closest?.("input, textarea, select")) return;
    if (event.key === "Escape") {
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
    const link = this.#link();
    if (this.#table.key) history.replaceState(null, "", link);
    const share = button(
      "Copy link",
      () =>
        navigator.clipboard?.writeText(link).then(
          () => app.toast("The link is copied."),
          () => app.toast(link),
        ),
      { class: "small" },
    );
    app.place(`${app.title(this.#room.spec.game)} · table ${this.number}`, share);
    app.main.replaceChildren(
      h("section", { class: "stage" }, this.status, this.host),
      h(
        "aside",
        { class: "side" },
        this.seats,
        this.talk.element,
        h("section", { class: "panel logpanel" }, h("h2", {}, "Log"), this.log),
        this.buttons,
      ),
    );
  }

  /** The address that opens this table. The key of a private one is in the fragment, which no server gets to see. */
  #link() {
    const { key } = this.#table;
    if (key) this.app.keys.set(this.number, key);
    return `${location.origin}/t/${this.number}${key ? `#${key}` : ""}`;
  }

  #paint(events = []) {
    const room = this.#room;
    if (!room) return;
    const options = this.#options;
    const nodes = room.game ? this.#game.render(room, options) : [this.#waiting(room)];
    const flights = events.flatMap((event) => this.#game.flights?.(event, room) ?? []);
    this.host.classList.toggle("acting", this.#acting > 0);
    this.host.dataset.status = room.status;
    this.host.dataset.offset = room.offset;
    this.board.paint(nodes, flights);
    this.#paintStatus(room, options);
    seatList(this.seats, room, (game, seat) => (room.game ? this.module.score?.(game, seat, room) : null));
    this.talk.show(room);
    this.#paintButtons(room);
  }

  #paintStatus(room, options) {
    const turn = room.turn ?? [];
    const mine = room.you !== undefined && turn.includes(room.you);
    const says = room.status === "finished" ? this.#result(room) : this.#prompt(room, options, turn, mine);
    const undo =
      this.#game.half?.() &&
      button("Undo", () => this.#game.cancel() && this.#paint(), { class: "small", title: "Escape" });
    this.clock = h("span", { class: "clock", "aria-label": "Time left" });
    this.status.className = `status${mine ? " mine" : ""}${room.status === "finished" ? " over" : ""}`;
    this.status.replaceChildren(h("span", { class: "says" }, says), ...(undo ? [undo] : []), this.clock);
    this.#tick();
    const name = `${this.app.title(room.spec.game)} · table ${this.number} · Tavolata`;
    document.title = mine && room.status === "playing" ? `● Your turn · ${name}` : name;
  }

  #prompt(room, options, turn, mine) {
    if (room.status === "waiting") return "Waiting for players";
    if (room.status === "closed") return "The table is closed.";
    if (mine)
      return this.#acting ? "Your move is on its way…" : (this.#game.prompt?.(room, options ?? []) ?? "Your turn");
    const paused = this.#game.paused?.(room);
    if (paused) return paused;
    return turn.length ? `${listed(turn.map(this.who))} ${turn.length > 1 ? "are" : "is"} thinking` : "One moment";
  }

  #result(room) {
    const { winners, names = [], reason } = room.outcome ?? { winners: [] };
    const why = reason ? ` (${ending(reason)})` : "";
    if (!winners?.length) return `The game is over: nobody won${why}.`;
    return winners.includes(room.you)
      ? `You won${winners.length > 1 ? `, with ${listed(names.filter((name) => name !== this.app.identity.name))}` : ""}!${why}`
      : `${listed([...names])} won${why}.`;
  }

  #tick() {
    if (!this.clock) return;
    const left = this.#due - (Date.now() + this.#ahead);
    const running = this.#due > 0 && this.#room?.status === "playing";
    this.clock.textContent = running ? clockText(left) : "";
    this.clock.classList.toggle("short", running && left < 10_000);
  }

  #waiting(room) {
    const free = room.spec.seats - room.seats.length;
    const seated = room.you !== undefined;
    return h(
      "div",
      { class: "waiting" },
      h("h2", {}, free === 1 ? "One seat is free" : `${free} seats are free`),
      h("p", {}, "The game begins when all seats are taken. Send this link to whom you want to play with:"),
      h("p", { class: "share" }, this.#link()),
      !seated &&
        free > 0 &&
        room.status === "waiting" &&
        button("Take a seat", () => this.#sit(), {
          class: "primary",
          id: "sit",
        }),
      !seated && h("p", { class: "quiet" }, "You are watching."),
    );
  }

  #sit() {
    this.app.player.join(this.number, { key: this.#table.key || undefined }).catch(this.app.refused);
  }

  #paintButtons(room) {
    const seated = room.you !== undefined;
    const over = room.status === "finished";
    const items = [];
    if (over && seated) {
      const again = room.rematch ? `Join the next game (table ${room.rematch})` : "Play again";
      items.push(button(again, () => this.#rematch(), { class: "primary", id: "rematch" }));
    } else if (over && room.rematch && !room.spec.private) {
      items.push(h("a", { class: "button", href: `/t/${room.rematch}`, "data-go": true }, "Watch the next game"));
    }
    if (over)
      items.push(h("a", { class: "button", href: `/replay/${this.number}`, "data-go": true, id: "replay" }, "Replay"));
    if (seated && !over && room.status !== "closed") items.push(this.#leaveButton());
    if (!seated && room.status === "playing") items.push(h("span", { class: "quiet" }, "You are watching."));
    items.push(h("a", { class: "button quiet", href: "/", "data-go": true }, "Lobby"));
    this.buttons.replaceChildren(...items);
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
    return button(this.#leaving ? "Leave for good?" : "Leave", leave, { class: this.#leaving ? "danger" : "" });
  }

  #rematch() {
    this.#table
      .rematch()
      .then(({ room }) => this.app.go(`/t/${room}`))
      .catch(this.app.refused);
  }

  // --- the log ---

  #note(events) {
    const describe = (event) =>
      event.type.startsWith("room.")
        ? describeRoom(event, this.who)
        : this.module?.describe(event, this.who, this.#room);
    this.#write(
      events
        .map(describe)
        .filter(Boolean)
        .map((text) => h("li", {}, grammar(text))),
    );
  }

  #write(lines) {
    const low = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 60;
    this.log.append(...lines);
    while (this.log.childElementCount > LOG_KEPT) this.log.firstElementChild.remove();
    if (low) this.log.scrollTop = this.log.scrollHeight;
  }

  /** Loads the log of the steps before this client attached, as far as its seat may see them. */
  async #backfill() {
    const room = this.#room;
    if (!room || room.you === undefined || room.offset < 2 || this.log.childElementCount) return;
    const after = Math.max(0, room.offset - LOG_BEFORE);
    const answer = await fetch(`/api/rooms/${this.number}/updates?after=${after}`, {
      headers: { Authorization: `Bearer ${this.app.identity.token}` },
    }).catch(() => null);
    if (!answer?.ok) return;
    const { updates } = await answer.json();
    const later = [...this.log.children];
    this.log.replaceChildren();
    updates.filter((update) => update.offset <= room.offset).forEach((update) => this.#note(update.events));
    this.#write(later);
  }
}
