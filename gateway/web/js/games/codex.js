// Codex Naturalis: the areas, the hand with both sides, the places to draw from, objectives and the score.

import { barred, lit, marksKey, narrowness } from "../board.js";
import { at, h, label, picture, s } from "../dom.js";
import { icon, pawn, sign, SYMBOLS } from "../glyphs.js";
import { yourTurn } from "../words.js";
import { Area, thumbnail } from "./codex-area.js";
import { CARDS, objectiveInWords } from "./codex-cards.js";
import { back, card, frame, inWords, objective, pile } from "./codex-draw.js";
import { fold, start } from "./codex-fold.js";

const PLACES = ["the resource deck", "the gold deck", "Resource 1", "Resource 2", "Gold 1", "Gold 2"];
const CAPTIONS = ["deck", "deck", "1", "2", "1", "2"];
const TRACK = 30;
const GOAL = 20;
const DECK_CARDS = 80;

class Codex {
  #faces = new Map();
  #chosen = null;
  #shown = null;
  #narrow;

  constructor(table) {
    this.table = table;
    this.area = new Area(() => table.paint());
    this.#narrow = narrowness(table.host, table.paint);
  }

  // --- unfinished choices ---

  half = () => this.#chosen !== null;

  cancel() {
    const had = this.half();
    this.#chosen = null;
    return had;
  }

  key(event, room) {
    const hand = room.game.own?.hand ?? [];
    const number = Number(event.key);
    if (number >= 1 && number <= hand.length) this.#choose(hand[number - 1]);
    else if (event.key === "f" && this.#chosen) this.#flip(this.#chosen);
    else return false;
    return true;
  }

  #face = (number) => this.#faces.get(number) ?? "front";

  #flip(number) {
    this.#faces.set(number, this.#face(number) === "front" ? "back" : "front");
    this.table.paint();
  }

  #choose(number) {
    this.#chosen = this.#chosen === number ? null : number;
    if (this.#chosen !== null) this.#shown = null;
    this.table.paint();
  }

  // --- the picture ---

  render(room, options) {
    const { table: view, own } = room.game;
    const all = options ?? [];
    const seat = this.#shown ?? room.you ?? view.current ?? view.order[0];
    const setup = this.#setup(own, all, view);
    if (!own?.hand.includes(this.#chosen) || !all.length) this.#chosen = null;
    const over = room.status === "finished";
    const parts = {
      hand: own && !over && this.#hand(own, all, view, room.you),
      area: this.#areas(room, view, seat, all, own),
      places: !over && this.#places(view, all),
      objectives: this.#objectives(view, own),
      track: this.#track(view),
    };
    const nodes = this.#narrow() ? stacked(setup, parts, all) : spread(setup, parts, over);
    return nodes.filter(Boolean);
  }

  prompt(room) {
    const { phase, last_round: last } = room.game.table;
    const words = {
      starting: "choose the side of your starting card",
      color: "pick your color",
      objective: "keep one of these two objectives",
      playing: this.#chosen
        ? "place the card on a lit corner of your area"
        : "choose a card (front or back), place it, then draw",
      drawing: "draw a card from a deck, or one of the four open ones",
    };
    return yourTurn(words[phase], last && "last round");
  }

  #setup(own, options, view) {
    const tile = (command, key, text, content) =>
      lit(h("div", { class: "bigchoice" }, content), { key, label: text, act: () => this.table.send(command) });
    const choices = options.flatMap((command) => {
      if (command.type === "choose_starting")
        return [
          tile(
            command,
            `start-${command.face}`,
            inWords(own.starting, command.face),
            frame(card(own.starting, command.face)),
          ),
        ];
      if (command.type === "pick_color")
        return [
          tile(command, `color-${command.color}`, command.color, [
            icon(pawn(command.color)),
            h("span", {}, command.color),
          ]),
        ];
      if (command.type === "choose_objective")
        return [
          tile(
            command,
            `objective-${command.choose}`,
            `Keep the objective: ${objectiveInWords(CARDS.get(own.offered[command.choose - 1]))}`,
            objective(own.offered[command.choose - 1]),
          ),
        ];
      return [];
    });
    if (choices.length) return h("div", { class: "bigchoices" }, ...choices);
    return view.phase === "starting" && own?.starting
      ? h(
          "div",
          { class: "bigchoices" },
          ...["front", "back"].map((face) => h("div", { class: "bigchoice dim" }, frame(card(own.starting, face)))),
        )
      : null;
  }

  #hand(own, options, view, you) {
    const cards = own.hand.map((number, index) => {
      const face = this.#face(number);
      const placeable = options.some(
        (command) => command.type === "place_card" && command.choice === index + 1 && command.face === face,
      );
      const other = options.some((command) => command.type === "place_card" && command.choice === index + 1);
      const slot = h(
        "div",
        { class: `handcard${placeable ? "" : " dim"}`, "data-at": `hand-${number}` },
        frame(card(number, face)),
      );
      if (placeable)
        lit(slot, {
          key: `hand-${number}`,
          label: `Card ${index + 1}: ${inWords(number, face)}`,
          act: () => this.#choose(number),
          drag: true,
          picked: this.#chosen === number,
        });
      const turn = h("button", { type: "button", class: "small", "data-key": `flip-${number}` }, "Turn over");
      if (other && !placeable)
        lit(turn, { key: `flip-${number}`, label: `Turn over card ${index + 1}`, act: () => this.#flip(number) });
      else turn.addEventListener("click", () => this.#flip(number));
      if (view.phase === "playing" && other && !placeable) {
        const missing = lacking(number, view.players[you].symbols);
        barred(slot, `${missing} On its back it can be placed for free.`);
        return h("div", { class: "handslot" }, slot, h("small", {}, missing), turn);
      }
      return h("div", { class: "handslot" }, slot, turn);
    });
    return h(
      "section",
      { class: "codex-hand", "aria-label": "Your hand", "data-at": "hand" },
      h("h2", {}, "Your hand"),
      ...cards,
    );
  }

  #areas(room, view, seat, options, own) {
    const mine = seat === room.you;
    const index = own?.hand.indexOf(this.#chosen) ?? -1;
    const targets =
      mine && index >= 0
        ? options.filter(
            (command) =>
              command.type === "place_card" &&
              command.choice === index + 1 &&
              command.face === this.#face(this.#chosen),
          )
        : [];
    const place = (command) => {
      this.#chosen = null;
      this.table.send(command);
    };
    const player = view.players[seat];
    const away = !mine && room.you !== undefined;
    const home = () => {
      this.#shown = null;
      this.area.fit();
      this.table.paint();
    };
    return h(
      "section",
      { class: "codex-main", "aria-label": mine ? "Your area" : `Area of ${this.table.name(seat)}` },
      h(
        "div",
        { class: "row spread areahead" },
        h("strong", {}, mine ? "Your area" : `Area of ${this.table.name(seat)}`),
        away && h("button", { type: "button", class: "small", onclick: home }, "Back to yours"),
        symbols(player.symbols),
      ),
      this.area.buttons(),
      room.you !== undefined && room.status === "playing" && marksKey(),
      this.area.render(player.area, targets, place, seat),
    );
  }

  /** Shows the area of another player, until a card is chosen. */
  show(seat) {
    this.#shown = seat;
    this.area.fit();
    this.table.paint();
  }

  #places(view, options) {
    const command = (place) =>
      options.find((one) =>
        place === 0
          ? one.type === "draw_resource"
          : place === 1
            ? one.type === "draw_gold"
            : one.type === "draw_table" && one.choice === place - 1,
      );
    const slots = view.places.map((content, place) => {
      const drawn =
        content === null
          ? s("rect", { class: "nothing", x: 2, y: 2, width: 146, height: 96, rx: 9 })
          : typeof content === "number"
            ? card(content, "front")
            : pile(back(content));
      const caption = `${kindOf(place)} ${CAPTIONS[place]}`;
      const slot = h("div", { class: "place", "data-at": `place-${place}`, "data-caption": caption }, frame(drawn));
      const order = command(place);
      const what =
        typeof content === "number" ? inWords(content, "front") : content ? `${content.kingdom} on its back` : "empty";
      return order
        ? lit(slot, {
            key: `place-${place}`,
            label: `${caption}: draw it, ${what}`,
            act: () => this.table.send(order),
          })
        : slot;
    });
    return h(
      "section",
      { class: "codex-places", "aria-label": "Cards to draw" },
      h("h2", {}, "To draw from", h("small", {}, ` · ${left(view)} left`)),
      h("div", { class: "placegrid" }, ...slots),
    );
  }

  #objectives(view, own) {
    const secret = own?.objective ?? null;
    return h(
      "section",
      { class: "codex-objectives" },
      h("h2", {}, "Objectives", h("small", {}, " · points for each, at the end")),
      h(
        "div",
        { class: "placegrid" },
        ...view.common.map((number) => h("div", { class: "place" }, objective(number), h("small", {}, "shared"))),
        secret && h("div", { class: "place secret" }, objective(secret), h("small", {}, "yours alone")),
      ),
    );
  }

  #track(view) {
    const pawns = Object.entries(view.players);
    const low = 30 + pawns.length * 22;
    const spot = (points) => 14 + (Math.min(points, TRACK - 1) / (TRACK - 1)) * 192;
    const words = pawns.map(([seat, player]) => `${this.table.who(Number(seat))}: ${player.points} points`);
    return h(
      "section",
      { class: "codex-track" },
      h("h2", {}, "Score", h("small", {}, ` · last round at ${GOAL}`)),
      picture(
        `0 0 220 ${low + 4}`,
        { role: "img", "aria-label": words.join(", ") },
        ...[0, 5, 10, 15, GOAL, 25].map((points) => [
          s("line", { class: points === GOAL ? "goal" : "grid", x1: spot(points), x2: spot(points), y1: 20, y2: low }),
          label(spot(points), 10, points, { class: points === GOAL ? "tiny strong" : "tiny" }),
        ]),
        ...pawns.map(([seat, player], row) => [
          s("line", { class: "grid", x1: 14, x2: 206, y1: 36 + row * 22, y2: 36 + row * 22 }),
          at(
            spot(player.points),
            36 + row * 22,
            s(
              "g",
              { "data-flip": `pawn-${seat}` },
              player.color ? pawn(player.color) : s("circle", { r: 6, class: "colorless" }),
            ),
          ),
        ]),
      ),
    );
  }

  flights(event, room) {
    const token = (content) => () => frame(content);
    if (event.type === "card_drawn")
      return [
        {
          from: `place-${event.place}`,
          to: event.seat === room.you ? "hand" : `seat-${event.seat}`,
          piece: token(event.card ? card(event.card, "front") : back({ kind: "resource", kingdom: "plant" })),
        },
      ];
    if (event.type === "card_placed")
      return [
        {
          from: event.seat === room.you ? `hand-${event.card}` : `seat-${event.seat}`,
          to: `cell-${event.seat}-${event.i}-${event.j}`,
          piece: token(card(event.card, event.face)),
        },
      ];
    return [];
  }
}

/** On a wide screen all parts lie around the area. After the end, nothing is below it. */
const spread = (setup, { hand, area, places, objectives, track }, over) => [
  h(
    "div",
    { class: `codex-wide${over ? " over" : ""}` },
    h("div", { class: "codex-centre" }, setup, area),
    h("div", { class: "codex-right" }, places, track, over && objectives),
    !over && h("div", { class: "codex-bottom" }, hand, objectives),
  ),
];

/** On a narrow screen the part that the turn needs comes first. */
const stacked = (setup, { hand, area, places, objectives, track }, options) =>
  options.some(({ type }) => type.startsWith("draw_"))
    ? [setup, places, hand, area, objectives, track]
    : [setup, hand, area, objectives, places, track];

const kindOf = (place) => (place === 1 || place > 3 ? "Gold" : "Resource");

/** The cards that are left in the decks: all that lie nowhere else. Starting cards are not from the decks. */
function left(view) {
  const players = Object.values(view.players);
  const placed = players.reduce((sum, { area, hand }) => sum + Math.max(0, area.length - 1) + hand, 0);
  return DECK_CARDS - placed - view.places.filter((content) => typeof content === "number").length;
}

/** The symbols that a gold card needs and the area does not show. */
function lacking(number, symbols) {
  const { cost } = CARDS.get(number);
  const kinds = [...new Set(cost)].map((kind) => [
    kind,
    cost.filter((one) => one === kind).length - (symbols[kind] ?? 0),
  ]);
  const missing = kinds
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} more ${count > 1 && kind !== "fungi" ? `${kind}s` : kind}`);
  return missing.length ? `Needs ${missing.join(", ")}.` : "It fits nowhere.";
}

const symbols = (counts) =>
  h(
    "span",
    { class: "symbols" },
    ...SYMBOLS.map((symbol) => h("span", { title: symbol }, icon(sign(symbol), symbol), counts[symbol])),
  );

function cardInWords({ card: number, face }) {
  const { kingdom, kind } = CARDS.get(number);
  return `${/^[aeiou]/.test(kingdom) ? "an" : "a"} ${kingdom} ${kind} card${face === "back" ? " on its back" : ""}`;
}

const SAYS = {
  dealt: () => "The cards are dealt.",
  starting_placed: (event, who) => `${who(event.seat)} placed the starting card.`,
  color_picked: (event, who) => `${who(event.seat)} picked ${event.color}.`,
  objective_chosen: (event, who) => `${who(event.seat)} kept an objective.`,
  card_placed: (event, who) =>
    `${who(event.seat)} placed ${cardInWords(event)}${event.earned ? ` for ${event.earned} point${event.earned > 1 ? "s" : ""}` : ""}.`,
  card_drawn: (event, who) => `${who(event.seat)} drew from ${PLACES[event.place]}.`,
  turn_passed: (event, who) =>
    `${who(event.seat)} ${event.reason === "stuck" ? "can place nothing" : "is away"}: the turn passes.`,
  last_round_began: () => "The last round begins.",
  objectives_scored: (event, who) =>
    `${who(event.seat)}: ${event.gained.join(" + ")} for objectives, ${event.points} points in all.`,
};

/** The places that an event has changed. */
function marks(event) {
  if (event.type === "card_placed") return [`cell-${event.seat}-${event.i}-${event.j}`];
  return event.type === "place_changed" && event.place > 1 ? [`place-${event.place}`] : [];
}

/** A seat at the end of the game. */
function result(view, seat) {
  const player = view.table.players[seat];
  const points = `${player.points} point${player.points === 1 ? "" : "s"}`;
  return player.objective ? `${points}, ${player.objective_points} of them from objectives` : points;
}

/** The area of another player in the list of players. Pressing it shows the area in full. */
function panel(view, seat, room, game) {
  const player = view.table.players[seat];
  const name = room.seats.find((one) => one.seat === seat)?.name;
  return h(
    "button",
    {
      type: "button",
      class: "thumb",
      onclick: () => game.show(seat),
      "data-at": `seat-${seat}`,
    },
    thumbnail(player.area, seat),
    h("small", {}, `${player.hand} cards in hand`),
    h("span", { class: "hidden" }, `. Show the area of ${name}`),
  );
}

function score(view, seat) {
  const player = view.table.players[seat];
  return (
    player && [
      player.color && icon(pawn(player.color), player.color),
      h("span", {}, h("b", {}, player.points), player.points === 1 ? " point" : " points"),
    ]
  );
}

const goal = () => `Goal: most points; the last round begins at ${GOAL}`;

const hint = () =>
  "Gold cards need the symbols at their bottom visible in your area. Turned over, a card is free and scores 0";

const progress = ({ table }, who) =>
  `Points: ${table.order.map((seat) => `${who(seat)} ${table.players[seat].points}`).join(", ")}`;

export const codex = {
  open: (table) => new Codex(table),
  describe: (event, who) => SAYS[event.type]?.(event, who) ?? null,
  fold,
  start,
  turn: (view) => (view.table.current === null ? [] : [view.table.current]),
  marks,
  goal,
  hint,
  progress,
  score,
  panel,
  result,
};
