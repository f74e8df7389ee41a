// Snarl: the part of the dungeon that is in sight, the map remembered from before, and the way out.

import { lit, narrowness } from "../board.js";
import { h, picture, s } from "../dom.js";
import { beast, hero, icon } from "../glyphs.js";
import { yourTurn } from "../words.js";
import { expulsion, moveInWords, monsterAt, passed, reach } from "./snarl-danger.js";
import { fold, start } from "./snarl-fold.js";
import { CELL, covered, exitShape, ground, keyShape, Memory, spot, standing, striped, things } from "./snarl-map.js";

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
  [" ", "Stay", "Stay"],
  ["ArrowRight", "▶", "Right"],
  ["ArrowDown", "▼", "Down"],
];
const [WIDE, NARROW] = [
  [15, 9],
  [7, 7],
];
const STANDING = { exited: "level done", ejected: "expelled", disconnected: "gone" };
const [ROCK, DOOR] = [0, 2];
const PASS = "You can go past a monster.";
const MOVE_TIME = 120_000;
const FOLLOW_MS = 1000;

const TOUCH = "Tap a tile with an orange ring, or an arrow.";
const KEYS = "Press a tile with an orange ring. Arrow keys: 1 step, with Shift 2; . (full stop): stay.";

const isMonster = ({ kind }) => kind !== "player";

class Snarl {
  #memory = new Memory();
  #due = 0;
  #last = null;
  /** A tile with a monster that was pressed once: the next press goes there. */
  #armed = null;
  /** The level as spectators see it, for a player who is not in it any more: {view, offset, asked}. */
  #followed = { view: start, offset: 0, asked: 0, pausing: false };

  #narrow;

  constructor(table) {
    this.table = table;
    this.#narrow = narrowness(table.host, table.paint);
  }

  /** The time at which a move is due. */
  due({ at, events }, room) {
    const time = room.spec.options?.move_time_ms ?? MOVE_TIME;
    if (events.some((event) => event.type === "turn_came")) this.#due = time ? at + time : 0;
    return room.clock_ms || this.#due;
  }

  // --- choices ---

  half = () => this.#armed !== null;

  cancel() {
    const had = this.half();
    this.#armed = null;
    return had;
  }

  key(event, room, options) {
    const position = room.game.window?.position;
    if (!position) return false;
    if (event.key === " " || event.key === ".")
      return event.target.closest?.(".lit") && event.key === " " ? false : this.#go(position, options, room.game);
    const step = STEPS[event.key];
    if (!step) return false;
    const far = event.shiftKey ? 2 : 1;
    return this.#go([position[0] + step[0] * far, position[1] + step[1] * far], options, room.game) || true;
  }

  #go(to, options, view) {
    const found =
      options.find((one) => one.type === "move" && one.to && spot(one.to) === spot(to)) ??
      (spot(to) === spot(this.#last ?? [NaN, NaN]) ? options.find((one) => one.type === "move" && !one.to) : null);
    if (found) this.#press(found, to, view);
    return Boolean(found);
  }

  /** Sends a move. A step onto a monster has to be pressed twice. */
  #press(command, to, view) {
    const deadly = monsterAt(this.#monsters(view), to);
    if (deadly && this.#armed !== spot(to)) {
      this.#armed = spot(to);
      this.table.paint();
      return;
    }
    this.#armed = null;
    this.table.send(command);
  }

  // --- the picture ---

  render(room, options) {
    const own = room.game;
    const view = this.#watched(room, own);
    const moves = (options ?? []).filter((one) => one.type === "move");
    if (!moves.length) this.#armed = null;
    this.#remember(view);
    this.#last = view.window?.position ?? this.#last;
    return [
      this.#dungeon(room, view, moves),
      h(
        "div",
        { class: "snarl-low" },
        own.window && this.#pad(moves, options ?? [], own),
        this.#legend(own, moves),
        own.window && this.#symbols(own, moves),
      ),
    ];
  }

  /** The view to draw: the player's own, or that of spectators while the player is not in the level. */
  #watched(room, own) {
    const out = own.you !== null && own.you !== undefined && !own.window && !own.end && room.status === "playing";
    if (!out || !this.table.history) return own;
    const followed = this.#followed;
    if (followed.asked < room.offset && !followed.pausing) this.#follow(room.offset);
    const { view } = followed;
    return view.board && view.level === own.level ? { ...view, you: own.you, window: null } : own;
  }

  /** Reads what spectators see, at most once a second: gateways limit these requests. */
  async #follow(offset) {
    const followed = this.#followed;
    followed.asked = offset;
    followed.pausing = true;
    for (const update of await this.table.history(followed.offset)) {
      if (update.offset <= followed.offset) continue;
      followed.view = update.events.reduce(fold, followed.view);
      followed.offset = update.offset;
    }
    this.table.paint();
    setTimeout(() => {
      followed.pausing = false;
      this.table.paint();
    }, FOLLOW_MS);
  }

  #remember(view) {
    if (view.board) return this.#memory.whole(view.board);
    this.#memory.open(this.table.table, view.level);
    if (view.window) this.#memory.see(view.window, view.key !== null);
    else this.#memory.forgetSight();
    return undefined;
  }

  /** The part of the map to draw: around the player, or all of it for those who are not in the level. */
  #frame(view) {
    const points = [...this.#memory.cells.keys()].map((text) => text.split(",").map(Number));
    const least = this.#narrow() ? NARROW : WIDE;
    const around = (middle, size) => [(middle - (size - 1) / 2) * CELL, size * CELL];
    const span = (side, size) => {
      const all = points.map((point) => point[side]);
      const [low, high] = [Math.min(...all), Math.max(...all)];
      return around((low + high) / 2, Math.max(size, high + 1 - low));
    };
    const whole = !view.window && points.length;
    const [row, column] = this.#last ?? [0, 0];
    const [left, width] = whole ? span(1, least[0]) : around(column, least[0]);
    const [top, height] = whole ? span(0, least[1]) : around(row, least[1]);
    return [left, top, width, height];
  }

  #actors(view) {
    if (!view.board) {
      const own = view.window && { kind: "player", number: view.you, position: view.window.position };
      return [...(view.window?.actors ?? []), ...(own ? [own] : [])];
    }
    const players = view.party.filter((one) => one.position);
    return [...view.adversaries, ...players.map(({ seat, position }) => ({ kind: "player", number: seat, position }))];
  }

  #monsters = (view) => this.#actors(view).filter(isMonster);

  #dungeon(room, view, moves) {
    const actors = this.#actors(view);
    const monsters = actors.filter(isMonster);
    const memory = this.#memory;
    const reached = reach(monsters, memory.cells);
    const unlocked = view.key !== null;
    const scene = { position: view.window?.position, monsters, reached, memory, unlocked };
    const body = (actor) =>
      isMonster(actor) ? beast(actor) : hero(actor.number, this.table.name(actor.number), actor.number === room.you);
    return picture(
      this.#frame(view).join(" "),
      { class: "dungeon", role: "group", "aria-label": `Level ${view.level} of ${view.last}` },
      ...ground(memory, (at) => unreachable(at, moves, actors)),
      ...striped([...reached.keys()]),
      ...things(memory, unlocked),
      ...moves.filter((one) => one.to).map((command) => this.#target(command, scene, view)),
      ...actors.map((actor) => standing(actor.position, `${actor.kind}-${actor.number}-${view.level}`, body(actor))),
      ...covered(
        memory,
        unlocked,
        actors.map(({ position }) => position),
      ),
    );
  }

  #target(command, scene, view) {
    const [row, column] = command.to;
    const deadly = monsterAt(scene.monsters, command.to);
    const area = s("rect", {
      class: deadly ? "step deadly" : "step",
      x: column * CELL + 2,
      y: row * CELL + 2,
      width: CELL - 4,
      height: CELL - 4,
      rx: 8,
    });
    return lit(s("g", {}, area), {
      key: `move-${spot(command.to)}`,
      label: moveInWords(command.to, scene),
      act: () => this.#press(command, command.to, view),
      picked: this.#armed === spot(command.to),
    });
  }

  #pad(moves, options, view) {
    const position = this.#last;
    const pads = ARROWS.map(([key, text, name]) => {
      const step = STEPS[key] ?? [0, 0];
      const to = [position[0] + step[0], position[1] + step[1]];
      const found = moves.some((one) => one.to && spot(one.to) === spot(to)) || (key === " " && moves.length > 0);
      const monster = found ? monsterAt(this.#monsters(view), to) : null;
      const says = monster ? `${name}: ${expulsion(monster)}` : name;
      return h(
        "button",
        {
          type: "button",
          class: `pad ${name.toLowerCase()}${monster ? " deadly" : ""}`,
          "aria-label": says === text ? null : says,
          title: monster ? says : null,
          disabled: !found,
          onclick: () => this.#go(to, options, view),
        },
        text,
        monster && icon(smaller(beast(monster))),
      );
    });
    return h("div", { class: "pads" }, ...pads);
  }

  #legend(view, moves) {
    const scene = { position: view.window?.position, monsters: this.#monsters(view), memory: this.#memory };
    const passes = moves.some(({ to }) => to && passed(to, scene));
    const key =
      view.key !== null
        ? `${this.table.who(view.key)} found the key: the exit is open`
        : view.window && this.#memory.key
          ? `You have seen the key: ${this.#guarded(view) ? "a monster stands on it" : "stop on its tile"}`
          : "The key is still to be found";
    const narrow = this.#narrow();
    // While a player moves on a narrow screen, the overview has the level.
    const level = !(narrow && view.window) && h("strong", {}, `Level ${view.level} of ${view.last}. `);
    return h(
      "div",
      { class: "snarl-news" },
      h("p", {}, level, `${key}. ${passes ? PASS : ""}`),
      view.window && h("p", { class: "quiet" }, narrow ? TOUCH : KEYS),
    );
  }

  /** The marks and things that are on tiles now, for those who see them for the first time. */
  #symbols(view, moves) {
    const monsters = this.#monsters(view);
    const { cells, bright, key, exit } = this.#memory;
    const tiles = new Set(cells.values());
    const unlocked = view.key !== null;
    const expelled = this.#narrow() ? "a monster: it expels you" : `a monster: you would be ${fate(view)}`;
    const shapes = { key: keyShape(), exit: exitShape(unlocked) };
    const shown = [
      ["go", this.#narrow() ? "you can go here" : "orange ring: you can go here", moves.length],
      ["deadly", expelled, moves.some((one) => one.to && monsterAt(monsters, one.to))],
      ["stripes", "a monster can reach it next", reach(monsters, cells).size],
      ["key", "the key", key],
      ["exit", unlocked ? "the exit, open" : "the exit, locked", exit],
      ["rock", "wall", tiles.has(ROCK)],
      ["doorway", "door", tiles.has(DOOR)],
      ["dim", "seen before", cells.size > bright.size],
      ["unseen", "not seen yet", true],
      ["moved", "has moved since your last turn", true],
    ].filter(([, , there]) => there);
    return h(
      "ul",
      { class: "snarl-symbols" },
      ...shown.map(([kind, text]) =>
        h("li", {}, kind in shapes ? icon(smaller(shapes[kind])) : h("span", { class: `swatch ${kind}` }), text),
      ),
    );
  }

  /** The fate of a player who is not in the level any more. */
  notice({ game }) {
    const self = game.party.find((one) => one.seat === game.you);
    if (!self || game.end) return null;
    return (
      {
        exited: "You got out of this level. You see what the others do.",
        ejected:
          "A monster has expelled you from this level. You see what the others do; if one of them gets out, you play the next level.",
        disconnected: "You are out of this game. You see what the others do.",
      }[self.standing] ?? null
    );
  }

  prompt({ game }) {
    if (this.#armed) return "A monster stands there: you would be expelled. Press once more to go";
    return yourTurn(aim(game.key !== null, this.#memory, this.#guarded(game)), "up to two steps");
  }

  /** Whether a monster stands on the key. */
  #guarded = (view) => Boolean(this.#memory.key && monsterAt(this.#monsters(view), this.#memory.key));
}

/** What a player does next, and what comes after it. */
function aim(unlocked, { key, exit }, guarded) {
  if (unlocked) return exit ? "leave by the open exit" : "find the exit, it is open";
  const after = exit ? "then leave by the exit" : "then find the exit";
  if (guarded) return `get the key once the monster has left it, ${after}`;
  return key ? `get the key, ${after}` : "look for the key, then the exit";
}

/** What expulsion means for a player now: somebody has to get out of the level, or the game is lost. */
function fate({ you, party, level, last }) {
  const hope = party.some(({ seat, standing: now }) => seat !== you && (now === "active" || now === "exited"));
  if (!hope) return "expelled, and the game lost";
  return level < last ? "expelled (out until the next level)" : "expelled (out of this last level)";
}

/** The reason why one cannot go to a tile of the floor, or null. */
function unreachable(at, moves, actors) {
  if (!moves.length || moves.some((one) => one.to && spot(one.to) === at)) return null;
  const taken = actors.some((actor) => !isMonster(actor) && spot(actor.position) === at);
  return taken ? "Another player stands there" : "Too far: you go up to two steps";
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

/** The actors that an event has moved, as far as this player sees them. */
function marks(event, room) {
  const { level } = room.game;
  if (event.type === "player_moved") return [`player-${event.seat}-${level}`];
  return event.type === "adversary_moved" && event.kind ? [`${event.kind}-${event.number}-${level}`] : [];
}

const often = (count) => ["never", "once", "twice"][count] ?? `${count} times`;
const times = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** A seat at the end of the game. */
function result(view, seat) {
  const member = view.party.find((one) => one.seat === seat);
  if (!member) return null;
  const expelled = member.ejects ? `expelled ${often(member.ejects)}` : "never expelled";
  return `${times(member.exits, "exit")}, ${times(member.keys, "key")}, ${expelled}`;
}

/** What a player has achieved until now, in words that no one takes for what the player holds. */
const record = ({ exits, keys }) =>
  `${exits ? `got out ${often(exits)}` : "never got out"}, found ${keys ? times(keys, "key") : "no key"}`;

function score(view, seat, room) {
  const member = view.party.find((one) => one.seat === seat);
  const name = room.seats.find((one) => one.seat === seat)?.name ?? "";
  return (
    member && [
      `${member.standing in STANDING ? `${STANDING[member.standing]} · ` : "so far: "}${record(member)}`,
      icon(smaller(hero(seat, name))),
    ]
  );
}

/** What the others did, as far as it is about the present level. */
const isNews = ({ type, seat, expelled }, you) => type === "level_began" || (seat ?? expelled ?? you) !== you;

const goal = ({ party }) =>
  party.length > 1
    ? "Goal: get out of each level. If nobody does, all lose. In the end, most exits win; if equal, most keys"
    : "Goal: get out of each level";

const progress = (view, who) =>
  `Level ${view.level} of ${view.last}. Exits (keys found): ${view.party.map(({ seat, exits, keys }) => `${who(seat)} ${exits} (${keys})`).join(", ")}`;

export const snarl = {
  open: (table) => new Snarl(table),
  describe: (event, who) => SAYS[event.type]?.(event, who) ?? null,
  fold,
  start,
  turn: (view) => (view.turn === null ? [] : [view.turn]),
  marks,
  goal,
  progress,
  isNews,
  score,
  result,
};
