// Folds the public events of a game of Codex Naturalis into views (see shared/games/codex/views.py).

const CENTRE = 40;
const NO_SYMBOLS = { fungi: 0, plant: 0, animal: 0, insect: 0, quill: 0, inkwell: 0, manuscript: 0 };
const newcomer = () => ({
  area: [],
  symbols: { ...NO_SYMBOLS },
  points: 0,
  color: null,
  hand: 3,
  objective: null,
  objective_points: 0,
});

const TABLE = {
  phase: "starting",
  order: [],
  current: null,
  round: 0,
  last_round: false,
  common: [],
  places: [],
  players: {},
  result: null,
};

const changed = (table, seat, change) => ({
  ...table,
  players: { ...table.players, [seat]: { ...table.players[seat], ...change(table.players[seat]) } },
});

const FOLDS = {
  dealt: (_table, { order, common, places }) => ({
    ...TABLE,
    order,
    common,
    places,
    players: Object.fromEntries(order.map((seat) => [seat, newcomer()])),
  }),
  turn_began: (table, { seat, round }) => ({ ...table, current: seat, round }),
  phase_began: (table, { phase }) => ({ ...table, phase }),
  starting_placed: (table, { seat, card, face, symbols }) =>
    changed(table, seat, () => ({ area: [{ card, face, i: CENTRE, j: CENTRE }], symbols })),
  color_picked: (table, { seat, color }) => changed(table, seat, () => ({ color })),
  card_placed: (table, { seat, card, face, i, j, points, symbols }) =>
    changed(table, seat, ({ area, hand }) => ({
      area: [...area, { card, face, i, j }],
      symbols,
      points,
      hand: hand - 1,
    })),
  card_drawn: (table, { seat }) => changed(table, seat, ({ hand }) => ({ hand: hand + 1 })),
  place_changed: (table, { place, card }) => ({ ...table, places: table.places.with(place, card) }),
  last_round_began: (table) => ({ ...table, last_round: true }),
  objectives_scored: (table, { seat, objective, gained, points }) =>
    changed(table, seat, () => ({ points, objective, objective_points: gained.reduce((sum, part) => sum + part, 0) })),
  game_ended: (table, { reason, winners, standings }) => ({
    ...table,
    current: null,
    result: { reason, winners, standings },
  }),
};

export const start = { table: TABLE, you: null, own: null };

export function fold(view, event) {
  const change = FOLDS[event.type];
  return change ? { ...view, table: change(view.table, event) } : view;
}
