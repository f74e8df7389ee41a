// Codex Naturalis: the areas, the hand with both sides, the places to draw from, objectives and the score.

import { lit } from "../board.js";
import { at, h, label, picture, s } from "../dom.js";
import { icon, pawn, sign, SYMBOLS } from "../glyphs.js";
import { Area, thumbnail } from "./codex-area.js";
import { back, card, frame, inWords, objective } from "./codex-draw.js";
import { fold, start } from "./codex-fold.js";

const PLACES = ["resource deck", "gold deck", "resource place 1", "resource place 2", "gold place 1", "gold place 2"];
const TRACK = 30;

class Codex {
  #faces = new Map();
  #chosen = null;
  #shown = null;

  constructor(table) {
    this.table = table;
    this.area = new Area(() => table.paint());
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
    return [
      setup,
      own && this.#hand(own, all, view.phase),
      this.#areas(room, view, seat, all, own),
      h("div", { class: "codex-low" }, this.#places(view, all), this.#objectives(view, own), this.#track(room, view)),
    ].filter(Boolean);
  }

  prompt(room) {
    const { phase, last_round: last } = room.game.table;
    const words = {
      starting: "Choose the side of your starting card",
      color: "Pick your colour",
      objective: "Keep one of these two objectives",
      playing: this.#chosen
        ? "Now choose a corner in your area (F turns the card over)"
        : "Choose a card of your hand to place",
      drawing: "Draw a card from one of the six places",
    };
    return `${last ? "Last round. " : ""}${words[phase] ?? "Your turn"}`;
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
            `objective ${command.choose}`,
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

  #hand(own, options, phase) {
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
        lit(turn, { key: `flip-${number}`, label: `Turn card ${index + 1} over`, act: () => this.#flip(number) });
      else turn.addEventListener("click", () => this.#flip(number));
      const poor = phase === "playing" && other && !placeable && h("small", {}, "its cost is not in sight");
      return h("div", { class: "handslot" }, slot, h("div", { class: "row" }, turn, poor));
    });
    return h("section", { class: "codex-hand", "aria-label": "Your hand", "data-at": "hand" }, ...cards);
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
    const others = view.order.filter((other) => other !== seat);
    const player = view.players[seat];
    return h(
      "div",
      { class: "codex-areas" },
      h(
        "section",
        { class: "codex-main" },
        h(
          "div",
          { class: "row spread areahead" },
          h("strong", {}, mine ? "Your area" : `Area of ${this.table.who(seat)}`),
          symbols(player.symbols),
          this.area.buttons(),
        ),
        this.area.render(player.area, targets, place, seat),
      ),
      others.length > 0 && h("div", { class: "thumbs" }, ...others.map((other) => this.#thumb(view, other))),
    );
  }

  #thumb(view, seat) {
    const name = this.table.who(seat);
    const shown = thumbnail(view.players[seat].area, seat);
    const show = () => {
      this.#shown = seat;
      this.area.fit();
      this.table.paint();
    };
    return h(
      "button",
      {
        type: "button",
        class: "thumb",
        onclick: show,
        "data-at": `seat-${seat}`,
        "aria-label": `Show the area of ${name}`,
      },
      h("span", {}, name, " · ", view.players[seat].hand, " cards"),
      shown,
    );
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
            : back(content);
      const slot = h("div", { class: "place", "data-at": `place-${place}` }, frame(drawn));
      const order = command(place);
      const what =
        typeof content === "number" ? inWords(content, "front") : content ? `${content.kingdom} on its back` : "empty";
      return order
        ? lit(slot, {
            key: `place-${place}`,
            label: `Draw from ${PLACES[place]}: ${what}`,
            act: () => this.table.send(order),
          })
        : slot;
    });
    return h(
      "section",
      { class: "codex-places", "aria-label": "Cards to draw" },
      h("h3", {}, "To draw from"),
      h("div", { class: "placegrid" }, ...slots),
    );
  }

  #objectives(view, own) {
    const secret = own?.objective ?? null;
    return h(
      "section",
      { class: "codex-objectives" },
      h("h3", {}, "Objectives"),
      h(
        "div",
        { class: "placegrid" },
        ...view.common.map((number) => h("div", { class: "place" }, objective(number))),
        secret && h("div", { class: "place secret" }, objective(secret), h("small", {}, "yours")),
      ),
    );
  }

  #track(room, view) {
    const pawns = Object.entries(view.players);
    const spot = (points) => 14 + (Math.min(points, TRACK - 1) / (TRACK - 1)) * 572;
    return h(
      "section",
      { class: "codex-track" },
      h("h3", {}, "Score"),
      picture(
        `0 0 600 ${34 + pawns.length * 22}`,
        {
          role: "img",
          "aria-label": pawns
            .map(([seat, player]) => `${this.table.who(Number(seat))}: ${player.points} points`)
            .join(", "),
        },
        ...[0, 5, 10, 15, 20, 25].map((points) => [
          s("line", {
            class: points === 20 ? "goal" : "grid",
            x1: spot(points),
            x2: spot(points),
            y1: 20,
            y2: 30 + pawns.length * 22,
          }),
          label(spot(points), 10, points, { class: "tiny" }),
        ]),
        ...pawns.map(([seat, player], row) => [
          s("line", { class: "grid", x1: 14, x2: 586, y1: 36 + row * 22, y2: 36 + row * 22 }),
          at(
            spot(player.points),
            36 + row * 22,
            s(
              "g",
              { "data-flip": `pawn-${seat}` },
              player.color ? pawn(player.color) : s("circle", { r: 6, class: "edge" }),
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

const symbols = (counts) =>
  h(
    "span",
    { class: "symbols" },
    ...SYMBOLS.map((symbol) => h("span", { title: symbol }, icon(sign(symbol), symbol), counts[symbol])),
  );

const SAYS = {
  dealt: () => "The cards are dealt.",
  starting_placed: (event, who) => `${who(event.seat)} placed the starting card.`,
  color_picked: (event, who) => `${who(event.seat)} picked ${event.color}.`,
  objective_chosen: (event, who) => `${who(event.seat)} kept an objective.`,
  card_placed: (event, who) =>
    `${who(event.seat)} placed ${inWords(event.card, event.face).split(";")[0]}${event.earned ? ` for ${event.earned} point${event.earned > 1 ? "s" : ""}` : ""}.`,
  card_drawn: (event, who) => `${who(event.seat)} drew from the ${PLACES[event.place]}.`,
  turn_passed: (event, who) =>
    `${who(event.seat)} ${event.reason === "stuck" ? "can place nothing" : "is away"}: the turn passes.`,
  last_round_began: () => "The last round begins.",
  objectives_scored: (event, who) =>
    `${who(event.seat)}: ${event.gained.join(" + ")} for objectives, ${event.points} points in all.`,
};

function emblem() {
  return picture(
    "0 0 380 170",
    {},
    at(20, 8, card(41, "front")),
    at(20 + 116, 8 + 62, card(15, "front")),
    at(20 + 232, 8, card(26, "front")),
  );
}

function score(view, seat) {
  const player = view.table.players[seat];
  return player && [player.color && icon(pawn(player.color), player.color), h("b", {}, player.points)];
}

export const codex = {
  open: (table) => new Codex(table),
  describe: (event, who) => SAYS[event.type]?.(event, who) ?? null,
  fold,
  start,
  turn: (view) => (view.table.current === null ? [] : [view.table.current]),
  emblem,
  score,
};
