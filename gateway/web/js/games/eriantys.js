// Eriantys: islands, schools, assistants and characters, and choices of several steps made from the options.

import { barred, lit, marksKey, narrowness } from "../board.js";
import { button, h, picture, s } from "../dom.js";
import { coin, COLOURS, icon, student, tower } from "../glyphs.js";
import { yourTurn } from "../words.js";
import { actionBar, swapButton } from "./eriantys-bar.js";
import { fold, price } from "./eriantys-fold.js";
import { builder } from "./eriantys-influence.js";
import { islands } from "./eriantys-islands.js";
import { panel, school, towersLeft } from "./eriantys-school.js";
import { CHARACTERS, describe } from "./eriantys-words.js";

const [MONK, JESTER, MINSTREL] = [1, 7, 10];
const NOBODY = [0, 0, 0, 0, 0];
const more = (counts, colour, by = 1) => counts.map((count, index) => count + (COLOURS[index] === colour ? by : 0));
const same = (some, others) => some.every((count, index) => count === others[index]);
const total = (counts) => counts.reduce((sum, count) => sum + count, 0);
/** `copy` tells students of one color apart; null stands for any of them. */
const isHeld = (copy, held) => (copy ?? held.copy ?? 0) === (held.copy ?? 0);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

class Eriantys {
  /** An unfinished choice: a student {colour, copy}, or a character {number, colour, given, taken}. */
  #held = null;
  #narrow;

  constructor(table) {
    this.table = table;
    this.#narrow = narrowness(table.host, table.paint);
  }

  half = () => this.#held !== null;

  cancel() {
    const had = this.half();
    this.#held = null;
    return had;
  }

  #hold(held) {
    this.#held = held;
    this.table.paint();
  }

  #send(command) {
    this.#held = null;
    this.table.send(command);
  }

  key(event, _room, options) {
    const wanted = options.find(
      (command) => command.type === "play_assistant" && String(command.value % 10) === event.key,
    );
    const colour = COLOURS.find((name) => name.charAt(0).toLowerCase() === event.key);
    if (wanted) this.#send(wanted);
    else if (colour && options.some((command) => command.type === "move_to_island" && command.colour === colour))
      this.#hold({ colour });
    else return false;
    return true;
  }

  // --- what is offered ---

  #offer(options) {
    const whole = this.#held?.number
      ? options.filter((one) => one.type === "play_character" && one.number === this.#held.number)
      : [];
    return {
      all: options,
      whole,
      find: (type, test = () => true) => options.find((one) => one.type === type && test(one)),
    };
  }

  #island(offer, view, group) {
    const inside = (tile) => group.tiles.includes(tile);
    const held = this.#held;
    const found = held?.number
      ? offer.whole.find(
          ({ choice }) =>
            choice && inside(choice.tile) && (choice.type === "choose_island" || choice.colour === held.colour),
        )
      : held
        ? offer.find(held.step ?? "move_to_island", (one) => one.colour === held.colour && inside(one.tile))
        : (offer.find("move_mother", ({ steps }) => this.#reached(view, steps) === group) ??
          offer.find("choose_island", (one) => inside(one.tile)));
    if (!found) {
      const why = this.#unreachable(offer, view, group);
      return why && { why };
    }
    const act = () => this.#send(found);
    if (found.type !== "move_mother") return { label: "Here", act };
    const note = stopInWords(view, group);
    return { label: `Mother nature, ${plural(found.steps, "step")}, ${note}`, act, note };
  }

  /** The reason why an island cannot be chosen now, or null if none of them can. */
  #unreachable(offer, view, group) {
    if (!this.#held && offer.find("move_to_island")) return "First choose a student from your entrance";
    if (!offer.find("move_mother")) return null;
    const most = Math.ceil(view.players[view.turn].assistant / 2);
    return group.tiles.includes(view.mother)
      ? "Mother nature has to move on"
      : `Too far: your assistant allows ${plural(most, "step")}`;
  }

  #reached(view, steps) {
    const from = view.groups.findIndex((group) => group.tiles.includes(view.mother));
    return view.groups[(from + steps) % view.groups.length];
  }

  #entrance(offer, colour, copy) {
    const held = this.#held;
    const name = colour.toLowerCase();
    if (held?.given) return this.#swapping(offer, "given", colour, copy);
    if (held?.number) return null;
    const offered =
      offer.find("move_to_island", (one) => one.colour === colour) ??
      offer.find("move_to_hall", (one) => one.colour === colour);
    const picked = held?.colour === colour && !held.step && isHeld(copy, held);
    return (
      offered && { label: `Your ${name} student`, picked, press: () => this.#hold(picked ? null : { colour, copy }) }
    );
  }

  #hall(offer, colour) {
    if (this.#held?.taken && this.#held.number === MINSTREL) return this.#swapping(offer, "taken", colour, null);
    const found =
      this.#held &&
      !this.#held.number &&
      this.#held.colour === colour &&
      offer.find("move_to_hall", (one) => one.colour === colour);
    return found && { label: `To the ${colour.toLowerCase()} row of your dining room`, press: () => this.#send(found) };
  }

  /** Adds a student to one side of a swap if an option has at least as many; puts a chosen student back. */
  #swapping(offer, side, colour, copy) {
    const held = this.#held;
    const chosen = held[side][COLOURS.indexOf(colour)];
    const grown = { ...held, [side]: more(held[side], colour) };
    const covers = (choice) =>
      ["given", "taken"].every((part) => choice[part].every((count, index) => count >= grown[part][index]));
    const name = colour.toLowerCase();
    const full = !offer.whole.some(({ choice }) => covers(choice));
    if (chosen && (full || (copy !== null && copy < chosen)))
      return {
        label: `Keep the ${name} student`,
        chosen,
        picked: true,
        press: () => this.#hold({ ...held, [side]: more(held[side], colour, -1) }),
      };
    if (full) return null;
    return {
      label: `${side === "given" ? "Give" : "Take"} a ${name} student (${chosen} chosen)`,
      chosen,
      picked: copy === null && chosen > 0,
      press: () => this.#hold(grown),
    };
  }

  // --- the picture ---

  render(room, options) {
    const view = room.game;
    if (!options) this.#held = null;
    const offer = this.#offer(options ?? []);
    const narrow = this.#narrow();
    const mine = room.you;
    const characters = view.characters.map((card) => this.#character(card, offer, view, mine));
    const act = {
      entrance: (colour, copy) => this.#entrance(offer, colour, copy),
      hall: (colour) => this.#hall(offer, colour),
      card: (colour) => this.#ofCard(this.#openCard(view), offer, colour, null),
      swap: this.#swap(offer),
    };
    const cloud = (number) => {
      const found = offer.find("take_cloud", (one) => one.cloud === number);
      return found && (() => this.#send(found));
    };
    const hand = mine !== undefined && view.phase !== "over" && this.#assistants(view, mine, offer);
    const planning = offer.all.some((one) => one.type === "play_assistant");
    return {
      board: [
        mine !== undefined && marksKey(),
        islands(view, narrow, (group) => this.#island(offer, view, group), cloud),
        this.#extra(offer),
        mine === undefined
          ? h("div", { class: "schools" }, ...view.players.map((_, seat) => school(view, seat, this.table.who(seat))))
          : h("div", { class: "ownrow" }, school(view, mine, "You", options ? act : null), !narrow && hand),
      ].filter(Boolean),
      aside: characters.length
        ? [h("section", { class: "characters", "aria-label": "Characters" }, ...characters)]
        : [],
      bar: narrow && options ? (planning ? [hand] : actionBar(view, mine, this.#openCard(view), act, cloud)) : [],
    };
  }

  #assistants(view, seat, offer) {
    const { hand } = view.players[seat];
    const planning = offer.all.some((one) => one.type === "play_assistant");
    return h(
      "div",
      { class: `assistants${planning ? "" : " resting"}`, role: "group", "aria-label": "Your assistants" },
      h("h2", {}, planning ? "Your assistants" : "Your assistants for later rounds"),
      ...hand.map((value) => this.#assistant(view, value, offer, planning)),
    );
  }

  #assistant(view, value, offer, planning) {
    const found = offer.find("play_assistant", (one) => one.value === value);
    const steps = Math.ceil(value / 2);
    const card = h("div", { class: "assistant" }, h("b", {}, value), " ", h("small", {}, plural(steps, "step")));
    if (found)
      return lit(card, {
        key: `assistant-${value}`,
        label: `${value} ${plural(steps, "step")}: assistant ${value}, mother nature goes up to ${plural(steps, "step")}`,
        act: () => this.#send(found),
      });
    const other = view.players.findIndex((player) => player.assistant === value);
    return planning && other >= 0 ? barred(card, `${this.table.who(other)} has played ${value} in this round`) : card;
  }

  /** The character that is being played, or undefined. */
  #openCard = (view) => view.characters.find((card) => card.number === this.#held?.number);

  #character(card, offer, view, mine) {
    const { name, text } = CHARACTERS[card.number];
    const offered = offer.all.filter((one) => one.type === "play_character" && one.number === card.number);
    const open = this.#held?.number === card.number;
    const active = view.active?.number === card.number;
    const head = h(
      "div",
      { class: "characterhead" },
      h("b", {}, name),
      h("span", { class: "purse", title: `costs ${price(card)}` }, icon(coin()), price(card)),
    );
    const element = h(
      "div",
      {
        class: `character${open ? " picked" : ""}${active ? " active" : ""}`,
        "data-at": `character-${card.number}`,
        "data-character": card.number,
      },
      head,
      h("p", {}, text),
      h("div", { class: "row wrap tokens" }, this.#onCard(card, offer, open), open && swapButton(this.#swap(offer))),
    );
    if (open || active) return element;
    if (!offered.length) return offer.all.length ? barred(element, this.#closed(card, view, mine)) : element;
    const begin = () => (offered[0].choice === null ? this.#send(offered[0]) : this.#hold(begun(offered[0])));
    head.append(
      lit(h("button", { type: "button", class: "small" }, "Play"), {
        key: `character-${card.number}`,
        label: `Play the ${name} for ${price(card)}`,
        act: begin,
      }),
    );
    return element;
  }

  /** The reason why a character cannot be played now. */
  #closed(card, view, mine) {
    const { coins } = view.players[mine];
    if (view.phase === "planning") return "Characters are played in your own turn, after the assistants";
    if (view.active) return "You have played a character in this turn";
    if (coins < price(card)) return `It costs ${plural(price(card), "coin")}, and you have ${coins}`;
    return "It would change nothing now";
  }

  /** The students on a card, or the colors it asks for, as buttons while the card is being played. */
  #onCard(card, offer, open) {
    const tokens = card.students.flatMap((count, index) =>
      Array.from({ length: count }, (_, copy) => [COLOURS[index], copy]),
    );
    const asks = open && !tokens.length && offer.whole.some(({ choice }) => choice?.type === "choose_colour");
    const shown = (asks ? COLOURS.map((colour) => [colour, 0]) : tokens).map(([colour, copy]) =>
      this.#token(card, offer, open, colour, copy),
    );
    const closings = card.no_entry ? [h("small", {}, ` ${plural(card.no_entry, "tile")} left`)] : [];
    return [...shown, ...closings];
  }

  #token(card, offer, open, colour, copy) {
    const token = h("span", { class: "token" }, icon(student(colour), colour.toLowerCase()));
    const can = open && this.#ofCard(card, offer, colour, copy);
    if (!can) return token;
    return lit(token, {
      key: `card-${card.number}-${colour}-${copy}`,
      label: can.label,
      act: can.press,
      drag: card.number === MONK,
      picked: can.picked,
    });
  }

  /** The action of pressing a student, or a color, of the card that is being played. */
  #ofCard(card, offer, colour, copy) {
    const held = this.#held;
    if (card.number === JESTER) return this.#swapping(offer, "taken", colour, copy);
    const found = offer.whole.find(({ choice }) => choice.colour === colour);
    return (
      found && {
        label: total(card.students) ? `The ${colour.toLowerCase()} student` : colour.toLowerCase(),
        press: () => (card.number === MONK ? this.#hold({ ...held, colour, copy }) : this.#send(found)),
        picked: held.colour === colour && isHeld(copy, held),
      }
    );
  }

  /** The swap of the students that are chosen so far, if it is possible: {count, press}. */
  #swap(offer) {
    const held = this.#held;
    const found =
      held?.given && offer.whole.find(({ choice }) => same(choice.given, held.given) && same(choice.taken, held.taken));
    return found && { count: total(held.given), press: () => this.#send(found) };
  }

  /** Choices of a character that was activated in another dialect, and the button that ends it. */
  #extra(offer) {
    const press = (command, text) =>
      lit(h("button", { type: "button" }, text), { key: `extra-${text}`, label: text, act: () => this.#send(command) });
    const items = offer.all.flatMap((one) => {
      if (one.type === "choose_colour") return [press(one, one.colour.toLowerCase())];
      if (one.type === "swap_with_card") return [press(one, `${one.entrance} for ${one.card}`.toLowerCase())];
      if (one.type === "swap_with_hall")
        return [press(one, `${one.entrance} for ${one.hall} of the dining room`.toLowerCase())];
      if (one.type === "end_selection") return [press(one, "No more")];
      return [];
    });
    const sent = [...new Set(offer.all.filter((one) => one.type === "send_student").map((one) => one.colour))];
    items.push(
      ...sent.map((colour) =>
        button(`Send ${colour.toLowerCase()}`, () => this.#hold({ colour, step: "send_student" }), { class: "small" }),
      ),
    );
    return items.length ? h("div", { class: "choices" }, ...items) : null;
  }

  prompt(room, options) {
    const { phase, moves, players, last_round: last } = room.game;
    const held = this.#held;
    const words = {
      planning: "play an assistant. Low goes first, high walks further",
      students: held
        ? `${held.colour?.toLowerCase()} student: dining room or island?`
        : `choose a student from your entrance (student ${turnOf(moves, players)})`,
      mother: "move mother nature to a lit island, then take a cloud",
      cloud: "take a cloud. Its students come to your entrance",
      character: "your character still asks for a choice",
    };
    const text = held?.number ? this.#question(room.game, options) : words[phase];
    return yourTurn(`${text}${options.length ? "" : "…"}`, last && "last round");
  }

  /** What the character that is being played asks for. */
  #question(view, options) {
    const { number, given, colour } = this.#held;
    const { name } = CHARACTERS[number];
    const forIsland = options.some((one) => one.number === number && one.choice?.type === "choose_island");
    if (given) return `choose what you give and take, then swap (${name})`;
    if (colour || forIsland) return `choose an island (${name})`;
    return `choose a ${total(this.#openCard(view).students) ? "student from the card" : "color"} (${name})`;
  }

  paused = (room) => (room.game?.paused ? "The game waits for somebody to come back" : null);

  flights(event, room) {
    const piece = (colour) => () => picture("-12 -12 24 24", {}, student(colour));
    switch (event.type) {
      case "student_to_island":
        return [{ from: `entrance-${event.seat}`, to: `tile-${event.tile}`, piece: piece(event.colour) }];
      case "student_to_hall":
        return [
          { from: `entrance-${event.seat}`, to: `hall-${event.seat}-${event.colour}`, piece: piece(event.colour) },
        ];
      case "cloud_taken":
        return [
          {
            from: `cloud-${event.cloud}`,
            to: `entrance-${event.seat}`,
            piece: () => picture("-12 -12 24 24", {}, puff()),
          },
        ];
      case "card_to_island":
        return [{ from: `character-${event.number}`, to: `tile-${event.tile}`, piece: piece(event.colour) }];
      case "card_to_hall":
        return [
          { from: `character-${event.number}`, to: `hall-${event.seat}-${event.colour}`, piece: piece(event.colour) },
        ];
      case "towers_placed":
        return event.tiles.map((tile) => ({
          from: `towers-${event.seat}`,
          to: `tile-${tile}`,
          piece: () => picture("-12 -12 24 24", {}, tower(room.game.players[event.seat].tower)),
        }));
      default:
        return [];
    }
  }
}

/** What happens where mother nature stops on a group of islands. */
function stopInWords(view, group) {
  if (group.no_entry) return "closed";
  const color = builder(view, group);
  if (!color) return "no change";
  return color === view.players[view.turn].tower ? "you build" : `${color.toLowerCase()} builds`;
}

/** Which student of a turn is to be moved now: four are moved with three players, else three. */
function turnOf(left, players) {
  const all = players.length === 3 ? 4 : 3;
  return `${all - left + 1} of ${all}`;
}

const puff = () =>
  s("path", { class: "puff", d: "M-10 5 C-14 4 -13 -3 -9 -3 C-8 -9 0 -9 1 -5 C5 -8 11 -5 10 -1 C14 0 13 5 9 5 Z" });

function begun({ number, choice }) {
  return choice.type === "exchange" ? { number, given: NOBODY, taken: NOBODY } : { number };
}

/** The places that an event has changed. */
function marks(event) {
  switch (event.type) {
    case "student_to_island":
    case "card_to_island":
    case "no_entry_placed":
      return [`tile-${event.tile}`];
    case "student_to_hall":
    case "card_to_hall":
    case "students_returned":
      return [`hall-${event.seat}-${event.colour}`];
    case "hall_swapped":
      return [event.entrance, event.hall].map((colour) => `hall-${event.seat}-${colour}`);
    case "character_played":
      return [`character-${event.number}`];
    case "mother_moved":
      return ["mother"];
    case "towers_placed":
      return event.tiles.map((tile) => `tile-${tile}`);
    case "professor_taken":
      return [`professor-${event.seat}-${event.colour}`];
    default:
      return [];
  }
}

const TEAM = { BLACK: "Black", WHITE: "White" };

/** In a game of four, partners share the towers and the victory. */
function teams(view, room) {
  if (view.players.length !== 4) return null;
  return Object.keys(TEAM).map((color) => {
    const seats = view.players.flatMap((player, seat) => (player.tower === color ? [seat] : []));
    const left = seats.reduce((sum, seat) => sum + view.players[seat].towers, 0);
    const side =
      room.you === undefined ? `${TEAM[color]} team` : seats.includes(room.you) ? "Your team" : "The other team";
    return {
      title: [
        side,
        h("span", { class: "score" }, h("span", {}, icon(tower(color), `${TEAM[color]} towers`), `${left} left`)),
      ],
      side,
      left,
      seats,
    };
  });
}

/** Assistant, coins and towers of a seat, as far as no school board shows them. Teams have their towers in common. */
function score(view, seat, room) {
  const player = view.players[seat];
  const away = room.you !== undefined && room.you !== seat;
  const towers = [icon(tower(player.tower), `${player.tower.toLowerCase()} towers`), player.towers];
  return [
    away && player.assistant !== null && h("span", {}, `assistant ${player.assistant}`),
    away && view.expert && h("span", { class: "purse" }, icon(coin(), "coins"), player.coins),
    h(
      "span",
      { title: "towers left to build", "data-at": away ? `towers-${seat}` : null },
      view.players.length < 4 && [...towers, " left"],
    ),
  ];
}

const goal = () => "Goal: be first to build all your towers";

const hint = () =>
  "Where mother nature stops, the most influence builds one: students count for the owner of their professor";

/** The towers that each player, or each team, has still to build. */
function progress(view, who, room) {
  const sides =
    teams(view, room)?.map(({ side, left }) => `${side.toLowerCase()} ${left}`) ??
    view.players.map(({ towers }, seat) => `${who(seat)} ${towers}`);
  return `Towers to build: ${sides.join(", ")}`;
}

/** A seat at the end of the game. */
function result(view, seat) {
  const built = view.tiles.filter((tile) => tile.tower === view.players[seat].tower).length;
  const professors = view.professors.filter((owner) => owner === seat).length;
  const left = towersLeft(view, seat);
  return `${plural(built, "tower")} on islands, ${left} left; ${plural(professors, "professor")}`;
}

export const eriantys = {
  open: (table) => new Eriantys(table),
  describe,
  fold,
  start: null,
  turn: (view) => (view.phase === "over" ? [] : [view.turn]),
  marks,
  goal,
  hint,
  progress,
  score,
  panel,
  allShown: true,
  teams,
  result,
};
