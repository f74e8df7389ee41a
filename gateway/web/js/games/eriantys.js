// Eriantys: islands, schools, assistants and characters, and choices of several steps made from the options.

import { lit } from "../board.js";
import { button, h, picture, s } from "../dom.js";
import { coin, COLOURS, icon, student, tower } from "../glyphs.js";
import { fold, price } from "./eriantys-fold.js";
import { islands } from "./eriantys-islands.js";
import { school } from "./eriantys-school.js";
import { CHARACTERS, describe } from "./eriantys-words.js";

const [MONK, JESTER, MINSTREL] = [1, 7, 10];
const NARROW = 620;
const NOBODY = [0, 0, 0, 0, 0];
const more = (counts, colour, by = 1) => counts.map((count, index) => count + (COLOURS[index] === colour ? by : 0));
const same = (some, others) => some.every((count, index) => count === others[index]);
const total = (counts) => counts.reduce((sum, count) => sum + count, 0);

class Eriantys {
  /** An unfinished choice: a student {colour, copy}, or a character {number, colour, given, taken}. */
  #held = null;

  constructor(table) {
    this.table = table;
    new ResizeObserver(() => this.#narrow() !== this.wasNarrow && table.paint()).observe(table.host);
  }

  #narrow = () => this.table.host.clientWidth < NARROW;

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
    if (!found) return null;
    const text = found.type === "move_mother" ? `Mother nature, ${found.steps} steps` : "Here";
    return { label: text, act: () => this.#send(found) };
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
    const picked = held?.colour === colour && !held.step && copy === (held.copy ?? 0);
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
    if (copy !== null && copy < chosen)
      return {
        label: `Keep the ${name} student`,
        picked: true,
        press: () => this.#hold({ ...held, [side]: more(held[side], colour, -1) }),
      };
    if (!offer.whole.some(({ choice }) => covers(choice)))
      return chosen
        ? {
            label: `Keep the ${name} student`,
            picked: true,
            press: () => this.#hold({ ...held, [side]: more(held[side], colour, -1) }),
          }
        : null;
    return {
      label: `${side === "given" ? "Give" : "Take"} a ${name} student (${chosen} chosen)`,
      picked: copy === null && chosen > 0,
      press: () => this.#hold(grown),
    };
  }

  // --- the picture ---

  render(room, options) {
    const view = room.game;
    if (!options) this.#held = null;
    const offer = this.#offer(options ?? []);
    this.wasNarrow = this.#narrow();
    const take = (number) => {
      const found = offer.find("take_cloud", ({ cloud }) => cloud === number);
      return found && (() => this.#send(found));
    };
    const mine = room.you;
    const act = {
      entrance: (colour, copy) => this.#entrance(offer, colour, copy),
      hall: (colour) => this.#hall(offer, colour),
    };
    const seats = view.players.map((_, seat) => seat);
    const ordered = mine === undefined ? seats : [mine, ...seats.filter((seat) => seat !== mine)];
    return [
      islands(view, this.wasNarrow, (group) => this.#island(offer, view, group), take),
      this.#extra(offer),
      mine !== undefined && this.#assistants(view, mine, offer),
      view.characters.length > 0 &&
        h("div", { class: "characters" }, ...view.characters.map((card) => this.#character(card, offer, view))),
      h(
        "div",
        { class: "schools" },
        ...ordered.map((seat) => school(view, seat, this.table.who(seat), seat === mine && options ? act : null)),
      ),
    ].filter(Boolean);
  }

  #assistants(view, seat, offer) {
    const { hand } = view.players[seat];
    const planning = offer.all.some((one) => one.type === "play_assistant");
    return h(
      "div",
      { class: `assistants${planning ? "" : " resting"}`, role: "group", "aria-label": "Your assistants" },
      ...hand.map((value) => {
        const found = offer.find("play_assistant", (one) => one.value === value);
        const steps = Math.ceil(value / 2);
        const card = h(
          "div",
          { class: "assistant" },
          h("b", {}, value),
          h("small", {}, `${steps} step${steps > 1 ? "s" : ""}`),
        );
        return found
          ? lit(card, {
              key: `assistant-${value}`,
              label: `Assistant ${value}: mother nature goes up to ${steps} steps`,
              act: () => this.#send(found),
            })
          : card;
      }),
    );
  }

  #character(card, offer, view) {
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
      h("div", { class: "row wrap" }, this.#onCard(card, offer, open), open && this.#done(offer)),
    );
    if (!offered.length || open) return element;
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

  /** The students on a card, or the colors it asks for, as buttons while the card is being played. */
  #onCard(card, offer, open) {
    const tokens = card.students.flatMap((count, index) =>
      Array.from({ length: count }, (_, copy) => [COLOURS[index], copy]),
    );
    const asks = open && !tokens.length && offer.whole.some(({ choice }) => choice?.type === "choose_colour");
    const shown = (asks ? COLOURS.map((colour) => [colour, 0]) : tokens).map(([colour, copy]) =>
      this.#token(card, offer, open, colour, copy),
    );
    const closings = card.no_entry ? [h("small", {}, `${card.no_entry} no-entry tiles`)] : [];
    return [...shown, ...closings];
  }

  #token(card, offer, open, colour, copy) {
    const token = h("span", { class: "token" }, icon(student(colour), colour.toLowerCase()));
    const key = `card-${card.number}-${colour}-${copy}`;
    if (!open) return token;
    if (card.number === JESTER) {
      const can = this.#swapping(offer, "taken", colour, copy);
      return can ? lit(token, { key, label: can.label, act: can.press, picked: can.picked }) : token;
    }
    const found = offer.whole.find(({ choice }) => choice.colour === colour);
    if (!found) return token;
    const press = () => (card.number === MONK ? this.#hold({ ...this.#held, colour, copy }) : this.#send(found));
    return lit(token, {
      key,
      label: `The ${colour.toLowerCase()} student`,
      act: press,
      drag: card.number === MONK,
      picked: this.#held.colour === colour && this.#held.copy === copy,
    });
  }

  #done(offer) {
    const held = this.#held;
    const found =
      held.given && offer.whole.find(({ choice }) => same(choice.given, held.given) && same(choice.taken, held.taken));
    return (
      found &&
      lit(h("button", { type: "button", class: "small primary" }, `Swap ${total(held.given)}`), {
        key: "swap",
        label: "Swap these students",
        act: () => this.#send(found),
      })
    );
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
    const { phase, moves, last_round: last } = room.game;
    const held = this.#held;
    const words = {
      planning: "Play an assistant: low numbers go first, high ones walk further",
      students: held
        ? "Where to? An island, or its row in your dining room"
        : `Move ${moves} student${moves === 1 ? "" : "s"}: choose one of your entrance`,
      mother: "Move mother nature to one of the lit islands",
      cloud: "Take a cloud",
      character: "Your character still asks for a choice",
    };
    const asked = held?.given
      ? "Choose what you give and what you take, then swap"
      : held?.colour
        ? "Choose an island"
        : "Choose on the card, or an island";
    const text = held?.number ? asked : (words[phase] ?? "Your turn");
    return `${last ? "Last round. " : ""}${text}${options.length ? "" : "…"}`;
  }

  paused = (room) => (room.game?.paused ? "The game waits for somebody to come back" : null);

  flights(event) {
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
          piece: () => picture("-12 -12 24 24", {}, tower("GREY")),
        }));
      default:
        return [];
    }
  }
}

const puff = () =>
  s("path", { class: "puff", d: "M-10 5 C-14 4 -13 -3 -9 -3 C-8 -9 0 -9 1 -5 C5 -8 11 -5 10 -1 C14 0 13 5 9 5 Z" });

function begun({ number, choice }) {
  return choice.type === "exchange" ? { number, given: NOBODY, taken: NOBODY } : { number };
}

function score(view, seat) {
  const player = view.players[seat];
  const professors = view.professors.flatMap((owner, index) =>
    owner === seat ? [icon(student(COLOURS[index]), `${COLOURS[index].toLowerCase()} professor`)] : [],
  );
  return [
    ...professors,
    h(
      "span",
      { title: "towers left to build" },
      icon(tower(player.tower), `${player.tower.toLowerCase()} towers left`),
      player.towers,
    ),
  ];
}

function emblem() {
  return picture(
    "-130 -30 260 60",
    {},
    ...COLOURS.map((colour, index) => {
      const token = student(colour);
      token.setAttribute("transform", `translate(${(index - 2) * 46} ${index % 2 ? 6 : -4}) scale(1.7)`);
      return token;
    }),
  );
}

export const eriantys = {
  open: (table) => new Eriantys(table),
  describe,
  fold,
  start: null,
  turn: (view) => (view.phase === "over" ? [] : [view.turn]),
  emblem,
  score,
};
