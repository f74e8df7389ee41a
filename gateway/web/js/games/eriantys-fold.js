// Folds the events of a game of Eriantys into views (see shared/games/eriantys/events.py).

import { COLOURS } from "../glyphs.js";
import { CHARACTERS } from "./eriantys-words.js";

const SWAPS = { 7: 3, 10: 2 };
const ASKING = new Set([1, 3, 5, 7, 9, 10, 11, 12]);
const CLOSES = 5;

const index = (colour) => COLOURS.indexOf(colour);
const plus = (counts, colour, number = 1) => counts.with(index(colour), counts[index(colour)] + number);
const sum = (some, others) => some.map((count, place) => count + others[place]);

const player = (view, seat, change) => ({
  ...view,
  players: view.players.with(seat, { ...view.players[seat], ...change(view.players[seat]) }),
});
const card = (view, number, change) => ({
  ...view,
  characters: view.characters.map((one) => (one.number === number ? { ...one, ...change(one) } : one)),
});
const onCard = (view, number, colour, count) =>
  card(view, number, ({ students }) => ({ students: plus(students, colour, count) }));
const onTile = (view, tile, colour) => ({
  ...view,
  tiles: view.tiles.with(tile - 1, { ...view.tiles[tile - 1], students: plus(view.tiles[tile - 1].students, colour) }),
});
const towers = (view, tiles, tower) => ({
  ...view,
  tiles: view.tiles.map((tile, place) => (tiles.includes(place + 1) ? { ...tile, tower } : tile)),
});

function noEntry(view, tile, count) {
  const groups = view.groups.map((group) =>
    group.tiles.includes(tile) ? { ...group, no_entry: group.no_entry + count } : group,
  );
  return card({ ...view, groups }, CLOSES, ({ no_entry: left }) => ({ no_entry: left - count }));
}

function joined(view, { first, second }) {
  const [one, other] = [view.groups[first], view.groups[second]];
  const tiles = [...one.tiles, ...other.tiles].sort((a, b) => a - b);
  const groups = view.groups.with(first, { tiles, no_entry: one.no_entry + other.no_entry }).toSpliced(second, 1);
  return { ...view, groups, mother: tiles.includes(view.mother) ? tiles[0] : view.mother };
}

function paid(view, { seat, number, price, manner }) {
  const owed = ASKING.has(number) && manner !== "whole";
  const active = { number, manner, left: owed ? (SWAPS[number] ?? 1) : 0, owed, colour: null };
  const first = view.characters.find((one) => one.number === number).used ? 0 : 1;
  const after = player({ ...view, active, bank: view.bank + price - first }, seat, ({ coins }) => ({
    coins: coins - price,
  }));
  return card(after, number, () => ({ used: true }));
}

const FOLDS = {
  began: (_view, { view }) => view,
  clouds_filled: (view, { clouds }) => ({
    ...view,
    clouds: view.clouds.map((cloud, place) => sum(cloud, clouds[place])),
    bag: clouds.reduce((bag, drawn) => bag.map((count, place) => count - drawn[place]), view.bag),
  }),
  last_round_called: (view, { reason }) => ({ ...view, last_round: reason }),
  planning_began: (view, { round, order, dry }) => ({ ...view, round, order, dry, phase: "planning" }),
  action_began: (view, { order }) => ({ ...view, order, phase: "students" }),
  turn_began: (view, { seat, phase, moves }) => ({ ...view, turn: seat, phase, moves, active: null }),
  phase_began: (view, { phase }) => ({ ...view, phase }),
  turn_skipped: (view) => ({ ...view, active: null, moves: 0 }),
  assistant_played: (view, { seat, value }) =>
    player(view, seat, ({ hand }) => ({ hand: hand.filter((one) => one !== value), assistant: value })),
  student_to_hall: (view, { seat, colour }) =>
    player({ ...view, moves: view.moves - 1 }, seat, ({ entrance, hall }) => ({
      entrance: plus(entrance, colour, -1),
      hall: plus(hall, colour),
    })),
  student_to_island: (view, { seat, colour, tile }) =>
    onTile(
      player({ ...view, moves: view.moves - 1 }, seat, ({ entrance }) => ({ entrance: plus(entrance, colour, -1) })),
      tile,
      colour,
    ),
  coin_taken: (view, { seat }) => player({ ...view, bank: view.bank - 1 }, seat, ({ coins }) => ({ coins: coins + 1 })),
  professor_taken: (view, { colour, seat }) => ({ ...view, professors: view.professors.with(index(colour), seat) }),
  mother_moved: (view, { tile }) => ({ ...view, mother: tile }),
  no_entry_used: (view, { tile }) => noEntry(view, tile, -1),
  no_entry_placed: (view, { tile }) => noEntry(view, tile, 1),
  towers_returned: (view, { seat, tiles }) =>
    player(towers(view, tiles, null), seat, (one) => ({ towers: one.towers + tiles.length })),
  towers_placed: (view, { seat, tiles }) =>
    player(towers(view, tiles, view.players[seat].tower), seat, (one) => ({ towers: one.towers - tiles.length })),
  groups_joined: joined,
  cloud_taken: (view, { seat, cloud }) =>
    player({ ...view, clouds: view.clouds.with(cloud, [0, 0, 0, 0, 0]) }, seat, ({ entrance }) => ({
      entrance: sum(entrance, view.clouds[cloud]),
    })),
  character_played: paid,
  choice_made: (view, { colour }) =>
    view.active
      ? {
          ...view,
          active: { ...view.active, left: Math.max(0, view.active.left - 1), owed: false, colour: colour ?? null },
        }
      : view,
  choice_closed: (view) => (view.active ? { ...view, active: { ...view.active, left: 0, owed: false } } : view),
  card_to_island: (view, { number, colour, tile }) => onTile(onCard(view, number, colour, -1), tile, colour),
  card_to_hall: (view, { seat, number, colour }) =>
    player(onCard(view, number, colour, -1), seat, ({ hall }) => ({ hall: plus(hall, colour) })),
  card_refilled: (view, { number, colour }) => onCard({ ...view, bag: plus(view.bag, colour, -1) }, number, colour, 1),
  card_swapped: (view, { seat, number, card: taken, entrance: given }) =>
    player(onCard(onCard(view, number, given, 1), number, taken, -1), seat, ({ entrance }) => ({
      entrance: plus(plus(entrance, given, -1), taken),
    })),
  hall_swapped: (view, { seat, entrance: given, hall: taken }) =>
    player(view, seat, ({ entrance, hall }) => ({
      entrance: plus(plus(entrance, given, -1), taken),
      hall: plus(plus(hall, taken, -1), given),
    })),
  students_returned: (view, { seat, colour, count }) =>
    player({ ...view, bag: plus(view.bag, colour, count) }, seat, ({ hall }) => ({ hall: plus(hall, colour, -count) })),
  player_lost: (view, { seat }) => ({ ...view, away: [...view.away, seat].sort((a, b) => a - b) }),
  player_back: (view, { seat }) => ({ ...view, away: view.away.filter((one) => one !== seat) }),
  paused: (view) => ({ ...view, paused: true }),
  resumed: (view) => ({ ...view, paused: false }),
  finished: (view, { winners, reason }) => ({
    ...view,
    phase: "over",
    winners,
    ending: reason,
    active: null,
    paused: false,
  }),
};

export const fold = (view, event) => FOLDS[event.type]?.(view, event) ?? view;

/** The present price of a character on the table. */
export const price = ({ number, used }) => CHARACTERS[number].cost + (used ? 1 : 0);
