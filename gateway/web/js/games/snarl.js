// Snarl: the part of the dungeon that is in sight, the map remembered from before, and the way out.

import { lit } from "../board.js";
import { h, picture, s } from "../dom.js";
import { icon } from "../glyphs.js";
import { fold, start } from "./snarl-fold.js";
import { beast, CELL, ground, hero, Memory, spot, standing, things } from "./snarl-map.js";

const STEPS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  w: [-1, 0],
  s: [1, 0],
  a: [0, -1],
  d: [0, 1],
};
const ARROWS = [
  ["ArrowUp", "▲", "Up"],
  ["ArrowLeft", "◀", "Left"],
  [" ", "●", "Stay"],
  ["ArrowRight", "▶", "Right"],
  ["ArrowDown", "▼", "Down"],
];
const [WIDE, NARROW] = [
  [15, 9],
  [9, 9],
];
const NARROW_BELOW = 620;
const STANDING = { active: "in the level", exited: "got out", ejected: "expelled", disconnected: "gone for good" };
const MOVE_TIME = 120_000;

class Snarl {
  #memory = new Memory();
  #due = 0;
  #last = null;

  constructor(table) {
    this.table = table;
  }

  /** When the time for a move runs out. */
  due({ at, events }, room) {
    const time = room.spec.options?.move_time_ms ?? MOVE_TIME;
    if (events.some((event) => event.type === "turn_came")) this.#due = time ? at + time : 0;
    return room.clock_ms || this.#due;
  }

  key(event, room, options) {
    const position = room.game.window?.position;
    if (!position) return false;
    if (event.key === " " || event.key === ".")
      return event.target.closest?.(".lit") && event.key === " " ? false : this.#go(position, options);
    const step = STEPS[event.key];
    if (!step) return false;
    const far = event.shiftKey ? 2 : 1;
    return this.#go([position[0] + step[0] * far, position[1] + step[1] * far], options) || true;
  }

  #go(to, options) {
    const found =
      options.find((one) => one.type === "move" && one.to && spot(one.to) === spot(to)) ??
      (spot(to) === spot(this.#last ?? [NaN, NaN]) ? options.find((one) => one.type === "move" && !one.to) : null);
    if (found) this.table.send(found);
    return Boolean(found);
  }

  render(room, options) {
    const view = room.game;
    const moves = (options ?? []).filter((one) => one.type === "move");
    this.#remember(view);
    this.#last = view.window?.position ?? this.#last;
    return [
      this.#dungeon(room, view, moves),
      h(
        "div",
        { class: "snarl-low" },
        view.window && this.#pad(moves, options ?? []),
        this.#legend(view),
        this.#scores(view),
      ),
    ];
  }

  #remember(view) {
    if (view.board) return this.#memory.whole(view.board);
    this.#memory.open(this.table.table, view.level);
    if (view.window) this.#memory.see(view.window, view.key !== null);
    else this.#memory.forgetSight();
    return undefined;
  }

  #frame(view) {
    const { cells } = this.#memory;
    const points = [...cells.keys()].map((text) => text.split(",").map(Number));
    const rows = points.map(([row]) => row);
    const columns = points.map(([, column]) => column);
    if (view.board)
      return [
        Math.min(...columns, 0) * CELL,
        Math.min(...rows, 0) * CELL,
        (Math.max(...columns, 1) + 1) * CELL,
        (Math.max(...rows, 1) + 1) * CELL,
      ];
    const [row, column] = this.#last ?? [0, 0];
    const [across, down] = this.table.host.clientWidth < NARROW_BELOW ? NARROW : WIDE;
    return [(column - (across - 1) / 2) * CELL, (row - (down - 1) / 2) * CELL, across * CELL, down * CELL];
  }

  #dungeon(room, view, moves) {
    const actors = view.board
      ? [
          ...view.adversaries,
          ...view.party
            .filter((one) => one.position)
            .map((one) => ({ kind: "player", number: one.seat, position: one.position })),
        ]
      : [...(view.window?.actors ?? [])];
    if (view.window) actors.push({ kind: "player", number: view.you, position: view.window.position });
    const body = (actor) =>
      actor.kind === "player"
        ? hero(actor.number, this.table.name(actor.number), actor.number === room.you)
        : beast(actor);
    const targets = moves.filter((one) => one.to).map((command) => this.#target(command, view));
    const unlocked = view.key !== null;
    return picture(
      this.#frame(view).join(" "),
      { class: "dungeon", role: "group", "aria-label": `Level ${view.level} of ${view.last}` },
      ...ground(this.#memory),
      ...things(this.#memory, unlocked),
      ...targets,
      ...actors.map((actor) => standing(actor.position, `${actor.kind}-${actor.number}-${view.level}`, body(actor))),
    );
  }

  #target(command, view) {
    const [row, column] = command.to;
    const here = spot(command.to) === spot(view.window.position);
    const area = s("rect", {
      class: "step",
      x: column * CELL + 2,
      y: row * CELL + 2,
      width: CELL - 4,
      height: CELL - 4,
      rx: 8,
    });
    const [down, right] = [row - view.window.position[0], column - view.window.position[1]];
    const way = [
      down && `${Math.abs(down)} ${down > 0 ? "down" : "up"}`,
      right && `${Math.abs(right)} ${right > 0 ? "right" : "left"}`,
    ]
      .filter(Boolean)
      .join(", ");
    return lit(s("g", {}, area), {
      key: `move-${spot(command.to)}`,
      label: here ? "Stay" : `Go ${way}`,
      act: () => this.table.send(command),
    });
  }

  #pad(moves, options) {
    const position = this.#last;
    const pads = ARROWS.map(([key, text, name]) => {
      const step = STEPS[key] ?? [0, 0];
      const to = [position[0] + step[0], position[1] + step[1]];
      const found = moves.some((one) => one.to && spot(one.to) === spot(to)) || (key === " " && moves.length > 0);
      return h(
        "button",
        {
          type: "button",
          class: `pad ${name.toLowerCase()}`,
          "aria-label": name,
          disabled: !found,
          onclick: () => this.#go(to, options),
        },
        text,
      );
    });
    const forfeit = options.find((one) => one.type === "forfeit_turn");
    return h(
      "div",
      { class: "padbox" },
      h("div", { class: "pads" }, ...pads),
      forfeit && h("button", { type: "button", class: "small", onclick: () => this.table.send(forfeit) }, "Pass"),
    );
  }

  #legend(view) {
    const key =
      view.key !== null
        ? `${this.table.who(view.key)} found the key: the exit is open`
        : "The key is still to be found";
    const self = view.party.find((one) => one.seat === view.you);
    const state =
      self && self.standing !== "active" && !view.end
        ? `You ${STANDING[self.standing] === "got out" ? "got out" : `are ${STANDING[self.standing]}`}; the others go on.`
        : "";
    return h(
      "div",
      { class: "snarl-news" },
      h("strong", {}, `Level ${view.level} of ${view.last}`),
      h("p", {}, key, "."),
      state && h("p", {}, state),
      view.window && h("p", { class: "quiet" }, "Arrows: one step; with Shift: two; dot: stay. Or press a lit tile."),
    );
  }

  #scores(view) {
    const head = ["", "Exits", "Keys", "Expelled", ""].map((text) => h("th", { scope: "col" }, text));
    const rows = view.party.map((one) =>
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          icon(smaller(hero(one.seat, this.table.name(one.seat)))),
          " ",
          this.table.who(one.seat),
        ),
        h("td", {}, one.exits),
        h("td", {}, one.keys),
        h("td", {}, one.ejects),
        h("td", { class: "quiet" }, STANDING[one.standing]),
      ),
    );
    return h("table", { class: "snarl-scores" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
  }

  prompt = (room) => (room.game.key === null ? "Your move: look for the key" : "Your move: get to the exit");
}

function smaller(drawn) {
  drawn.setAttribute("transform", "scale(0.75)");
  return drawn;
}

const MOVED = {
  OK: () => null,
  Key: (who) => `${who} found the key. The exit is open!`,
  Exit: (who) => `${who} got out.`,
  Eject: (who) => `${who} walked into a monster and was expelled.`,
};
const ENDS = {
  won: "The dungeon is beaten.",
  lost: "Nobody got out: the dungeon won.",
  deserted: "The dungeon is deserted.",
};

const SAYS = {
  level_began: (event) => `Level ${event.number} begins.`,
  turn_lost: (event, who) => `${who(event.seat)} let the turn pass.`,
  player_moved: (event, who) => MOVED[event.result](who(event.seat)),
  adversary_moved: (event, who) =>
    event.expelled === null || event.expelled === undefined ? null : `${who(event.expelled)} was caught and expelled.`,
  player_disconnected: (event, who) => `${who(event.seat)} is out of the game.`,
  level_ended: (event) => `The level is over: ${event.exits.length} got out, ${event.ejects.length} expelled.`,
  game_ended: (event) => ENDS[event.end],
};

function emblem() {
  const place = (drawn, x) => s("g", { transform: `translate(${x} 0) scale(1.5)` }, drawn);
  return picture(
    "-110 -30 220 60",
    {},
    place(hero(0, "A"), -75),
    place(hero(1, "B"), -25),
    place(beast({ kind: "zombie", number: 1 }), 28),
    place(beast({ kind: "ghost", number: 1 }), 78),
  );
}

function score(view, seat) {
  const member = view.party.find((one) => one.seat === seat);
  return member && `exits ${member.exits} · keys ${member.keys}`;
}

export const snarl = {
  open: (table) => new Snarl(table),
  describe: (event, who) => SAYS[event.type]?.(event, who) ?? null,
  fold,
  start,
  turn: (view) => (view.turn === null ? [] : [view.turn]),
  emblem,
  score,
};
