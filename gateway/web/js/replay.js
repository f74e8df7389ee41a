// Replays of finished games. The server sends the public events of each step; the views are folded from them here.

import { Board } from "./board.js";
import { button, h } from "./dom.js";
import { load } from "./games/index.js";
import { seatList } from "./seats.js";
import { describeRoom, ending, listed, sentence } from "./words.js";

const SPEEDS = [
  [2_000, "slow"],
  [900, "normal"],
  [300, "fast"],
];

export function replay(app, number) {
  return new Replay(app, number).show();
}

/** Applies a room event to the room's own part of the view. */
function foldRoom(room, event) {
  const seats = (change) => ({ ...room, seats: change(room.seats) });
  switch (event.type) {
    case "room.joined":
      return seats((all) =>
        [...all, { seat: event.seat, name: event.name, bot: event.bot, here: true }].sort(
          (one, other) => one.seat - other.seat,
        ),
      );
    case "room.left":
      return seats((all) =>
        room.status === "waiting"
          ? all.filter((one) => one.seat !== event.seat)
          : all.map((one) => (one.seat === event.seat ? { ...one, left: true } : one)),
      );
    case "room.configured":
      return { ...room, spec: event.spec };
    case "room.started":
      return { ...room, status: "playing" };
    case "room.away":
    case "room.back":
      return seats((all) =>
        all.map((one) => (one.seat === event.seat ? { ...one, here: event.type === "room.back" } : one)),
      );
    case "room.ended":
      return { ...room, status: "finished", outcome: event };
    default:
      return room;
  }
}

/**
 * The room after each step. Steps without game events are merged into the step before them; the first step is the one
 * that began the game, because before it there is no board to see.
 */
export function unroll(recording, module) {
  let room = { room: recording.room, spec: recording.spec, status: "waiting", seats: [], game: null };
  const frames = [];
  for (const { events } of recording.steps) {
    for (const event of events) {
      if (event.type.startsWith("room.")) room = foldRoom(room, event);
      else room = { ...room, game: module.fold(room.game ?? module.start, event) };
    }
    const last = frames.at(-1);
    if (last && !last.room.game) Object.assign(last, { room, events: [...last.events, ...events] });
    else if (last && !events.some((event) => !event.type.startsWith("room.") || event.type === "room.ended"))
      Object.assign(last, { room, events: [...last.events, ...events] });
    else frames.push({ room, events });
  }
  for (const frame of frames)
    frame.room = {
      ...frame.room,
      turn: frame.room.game && frame.room.status === "playing" ? (module.turn?.(frame.room.game) ?? []) : [],
    };
  return frames;
}

class Replay {
  #timer = 0;
  #step = 0;
  #frames = [];

  constructor(app, number) {
    this.app = app;
    this.number = number;
    this.seats = h("ul", { class: "seats", "aria-label": "Players" });
    this.board = new Board(this.seats);
    this.host = this.board.host;
    this.log = h("ol", { class: "log", "aria-label": "What happened", tabindex: 0 });
    this.says = h("div", { class: "status", role: "status" });
  }

  show() {
    const { app } = this;
    app.main.className = "table";
    app.place(`Replay of table ${this.number}`);
    app.main.replaceChildren(h("p", { class: "quiet pad" }, "Fetching the game…"));
    const keys = (event) => this.#key(event);
    const hash = () => this.#go(this.#asked(), []);
    document.addEventListener("keydown", keys);
    addEventListener("hashchange", hash);
    this.#fetch();
    return () => {
      clearInterval(this.#timer);
      document.removeEventListener("keydown", keys);
      removeEventListener("hashchange", hash);
    };
  }

  async #fetch() {
    const { token } = this.app.identity;
    const key = this.app.keys.get(this.number);
    const body = { steps: [], more: true };
    while (body.more) {
      const after = body.steps.at(-1)?.offset ?? 0;
      const answer = await fetch(`/api/replays/${this.number}?after=${after}`, {
        headers: { ...(token && { Authorization: `Bearer ${token}` }), ...(key && { "Room-Key": key }) },
      }).catch(() => null);
      const page = await answer?.json();
      if (!answer?.ok) return this.#nothing(page ?? { text: "the server does not answer" }, answer?.status === 409);
      Object.assign(body, page, { steps: [...body.steps, ...page.steps] });
    }
    const module = await load(body.spec.game);
    this.module = module;
    this.#frames = unroll(body, module);
    this.game = module.open({
      send: () => {},
      paint: () => this.#paint([]),
      who: this.who,
      name: this.who,
      table: `replay-${this.number}`,
      host: this.host,
    });
    this.#furnish(body);
    return this.#go(this.#asked(), []);
  }

  #nothing({ text }, going) {
    this.app.main.replaceChildren(
      h(
        "div",
        { class: "panel lonely" },
        h("p", {}, sentence(text)),
        going && h("a", { class: "button primary", href: `/t/${this.number}`, "data-go": true }, "Watch it"),
        h("a", { class: "button", href: "/", "data-go": true }, "To the lobby"),
      ),
    );
  }

  #asked() {
    const last = Math.max(0, this.#frames.length - 1);
    return Math.min(Math.max(0, Number(location.hash.slice(1)) || 0), last);
  }

  who = (seat) => this.#frames.at(-1)?.room.seats.find((one) => one.seat === seat)?.name ?? `Seat ${seat + 1}`;

  // --- moving through it ---

  #go(step, events) {
    if (!this.#frames.length) return;
    this.#step = step;
    history.replaceState(null, "", `#${step}`);
    this.#paint(events);
  }

  #next() {
    if (this.#step >= this.#frames.length - 1) return this.#pause();
    return this.#go(this.#step + 1, this.#frames[this.#step + 1].events);
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.playing.textContent = "Play";
  }

  #play() {
    if (this.#timer) return this.#pause();
    if (this.#step === this.#frames.length - 1) this.#go(0, []);
    this.#timer = setInterval(() => this.#next(), Number(this.speed.value));
    this.playing.textContent = "Pause";
    return undefined;
  }

  #stop(step) {
    this.#pause();
    if (step === this.#step + 1) this.#next();
    else this.#go(Math.min(Math.max(0, step), this.#frames.length - 1), []);
  }

  #key(event) {
    if (!this.#frames.length || event.target.closest?.("input, select, button, a")) return;
    const act = {
      ArrowLeft: () => this.#stop(this.#step - 1),
      ArrowRight: () => this.#stop(this.#step + 1),
      Home: () => this.#stop(0),
      End: () => this.#stop(this.#frames.length - 1),
      " ": () => this.#play(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // --- the picture ---

  #furnish({ spec }) {
    const { app } = this;
    const last = this.#frames.length - 1;
    app.place(`Replay · ${app.title(spec.game)} · table ${this.number}`);
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: last,
      value: 0,
      id: "slider",
      "aria-label": "Move",
      oninput: () => this.#stop(Number(this.slider.value)),
    });
    this.playing = button("Play", () => this.#play(), { class: "primary", id: "play" });
    this.speed = h(
      "select",
      { "aria-label": "Speed", onchange: () => this.#timer && (this.#pause(), this.#play()) },
      ...SPEEDS.map(([ms, text]) => h("option", { value: ms, selected: text === "normal" }, text)),
    );
    this.count = h("span", { class: "quiet", id: "count" });
    const link = () =>
      navigator.clipboard?.writeText(location.href).then(
        () => app.toast("The link to this move is copied."),
        () => app.toast(location.href),
      );
    const controls = h(
      "div",
      { class: "row wrap" },
      button("|◀", () => this.#stop(0), { "aria-label": "To the beginning" }),
      button("◀", () => this.#stop(this.#step - 1), { "aria-label": "One move back", id: "back" }),
      this.playing,
      button("▶", () => this.#stop(this.#step + 1), { "aria-label": "One move on", id: "forward" }),
      button("▶|", () => this.#stop(last), { "aria-label": "To the end", id: "end" }),
      this.speed,
      this.count,
      button("Copy link", link, { class: "small" }),
    );
    app.main.replaceChildren(
      h(
        "section",
        { class: "stage" },
        h("div", { class: "panel slider" }, this.slider, controls),
        this.says,
        this.host,
      ),
      h(
        "aside",
        { class: "side" },
        this.board.aside,
        this.seats,
        h("section", { class: "panel logpanel" }, h("h2", {}, "Moves"), this.log),
        h(
          "div",
          { class: "row" },
          h("a", { class: "button", href: `/t/${this.number}`, "data-go": true }, "Table"),
          h("a", { class: "button quiet", href: "/", "data-go": true }, "Lobby"),
        ),
      ),
    );
    this.log.replaceChildren(
      ...this.#frames.flatMap(({ events }, step) =>
        this.#lines(events).map((text) => h("li", {}, h("a", { href: `#${step}`, "data-step": step }, text))),
      ),
    );
  }

  #lines(events) {
    const { room } = this.#frames.at(-1);
    return events
      .map((event) =>
        event.type.startsWith("room.") ? describeRoom(event, this.who) : this.module.describe(event, this.who, room),
      )
      .filter(Boolean);
  }

  #paint(events) {
    const { room, events: happened } = this.#frames[this.#step];
    this.slider.value = this.#step;
    this.count.textContent = `Move ${this.#step} of ${this.#frames.length - 1}`;
    this.host.dataset.step = this.#step;
    seatList(this.seats, room, this.module, this.game);
    this.board.paint(
      room.game ? this.game.render(room, null) : [h("p", { class: "quiet pad" }, "The players take their seats.")],
      events.flatMap((event) => this.game.flights?.(event, room) ?? []),
      new Set(happened.flatMap((event) => this.module.marks?.(event, room) ?? [])),
    );
    const { outcome } = room;
    const result =
      outcome &&
      (outcome.names?.length
        ? `${listed([...outcome.names])} won: ${ending(outcome.reason)}.`
        : `Nobody won: ${ending(outcome.reason)}.`);
    const moved = this.#frames[this.#step - 1]?.room.turn ?? [];
    this.says.textContent =
      (result ?? this.#lines(happened).join(" ")) || (moved.length ? `${listed(moved.map(this.who))} moved.` : "");
    for (const link of this.log.querySelectorAll("a"))
      link.classList.toggle("now", Number(link.dataset.step) === this.#step);
    const current = this.log.querySelector(".now");
    if (current) this.log.scrollTop = current.offsetTop - this.log.offsetTop - this.log.clientHeight / 2;
  }
}
