// Folds the events of a game of Snarl into a spectator's views (see shared/games/snarl/views.py).

export const start = {
  you: null,
  level: 0,
  last: 0,
  party: [],
  turn: null,
  turns: 0,
  key: null,
  exits: [],
  ejects: [],
  board: null,
  adversaries: [],
  window: null,
  end: null,
  ranking: [],
};

const newcomer = (seat) => ({ seat, standing: "active", exits: 0, ejects: 0, keys: 0, position: null });
const member = (view, seat, change) => ({
  ...view,
  party: view.party.map((one) => (one.seat === seat ? { ...one, ...change(one) } : one)),
});

const MOVES = {
  OK: (view, { seat, to }) => member(view, seat, () => ({ position: to })),
  Key: (view, { seat, to }) =>
    member({ ...view, key: seat, board: view.board && { ...view.board, key: null } }, seat, ({ keys }) => ({
      position: to,
      keys: keys + 1,
    })),
  Exit: (view, { seat }) =>
    member({ ...view, exits: [...view.exits, seat] }, seat, ({ exits }) => ({
      position: null,
      standing: "exited",
      exits: exits + 1,
    })),
  Eject: (view, { seat }) =>
    member({ ...view, ejects: [...view.ejects, seat] }, seat, ({ ejects }) => ({
      position: null,
      standing: "ejected",
      ejects: ejects + 1,
    })),
};

function levelBegan(view, { number, players, board, places, adversaries }) {
  const where = new Map(places.map((actor) => [actor.number, actor.position]));
  const party = view.party.map((one) =>
    players.includes(one.seat) ? { ...one, standing: "active", position: where.get(one.seat) ?? null } : one,
  );
  return { ...view, level: number, party, key: null, exits: [], ejects: [], board, adversaries, window: null };
}

function adversaryMoved(view, { kind, number, to, expelled }) {
  const adversaries = to
    ? view.adversaries.map((one) => (one.kind === kind && one.number === number ? { ...one, position: to } : one))
    : view.adversaries;
  const moved = { ...view, adversaries };
  if (expelled === null || expelled === undefined) return moved;
  return MOVES.Eject(moved, { seat: expelled });
}

function disconnected(view, { seat, ejected }) {
  const after = ejected ? { ...view, ejects: [...view.ejects, seat] } : view;
  return member(after, seat, ({ ejects }) => ({
    position: null,
    standing: "disconnected",
    ejects: ejects + (ejected ? 1 : 0),
  }));
}

const FOLDS = {
  game_began: (view, { order, first, last }) => ({ ...view, level: first, last, party: order.map(newcomer) }),
  level_began: levelBegan,
  turn_came: (view, { seat }) => ({ ...view, turn: seat, turns: view.turns + 1 }),
  player_moved: (view, event) => MOVES[event.result](view, event),
  adversary_moved: adversaryMoved,
  player_disconnected: disconnected,
  level_ended: (view) => ({ ...view, turn: null }),
  game_ended: (view, { end, ranking }) => ({ ...view, turn: null, end, ranking }),
};

export const fold = (view, event) => FOLDS[event.type]?.(view, event) ?? view;
