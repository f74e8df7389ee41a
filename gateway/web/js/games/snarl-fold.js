// Folds the events of a game of Snarl into a spectator's views (see shared/games/snarl/views.py): those of the part of
// the level that players have seen, or of the whole level if the events show it.

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

const SIGHT = 2;
const CELLS = "#.+";
const NOTHING_SEEN = { rows: [], rooms: [], exit: null, key: null };

/** Writes the tiles of a window over a row, from a column on. Unseen tiles are blanks. */
function overwritten(row, left, tiles) {
  const cells = tiles.map((tile) => CELLS[tile]).join("");
  const from = Math.max(left, 0);
  const shown = cells.slice(from - left);
  return row.slice(0, from).padEnd(from) + shown + row.slice(from + shown.length);
}

/** The explored part of a level after players have looked through these windows, too. */
function explore(board, windows) {
  const rows = [...board.rows];
  let { exit, key } = board;
  for (const { position, layout, items } of windows) {
    layout.forEach((tiles, down) => {
      const row = position[0] - SIGHT + down;
      if (row < 0) return;
      while (rows.length <= row) rows.push("");
      rows[row] = overwritten(rows[row], position[1] - SIGHT, tiles);
    });
    key = items.find((item) => item.kind === "key")?.position ?? key;
    exit = items.find((item) => item.kind === "exit")?.position ?? exit;
  }
  return { ...board, rows, exit, key };
}

/** Extends the explored part by what players see after the event. A whole level stays as it is. */
function look(view, { windows, sighted }) {
  if (!sighted || !view.board || view.board.rooms.length) return view;
  return { ...view, board: explore(view.board, Object.values(windows)), adversaries: sighted };
}

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

function levelBegan(view, { number, players, board, places, adversaries, windows, sighted }) {
  const where = new Map(places.map((actor) => [actor.number, actor.position]));
  const party = view.party.map((one) =>
    players.includes(one.seat) ? { ...one, standing: "active", position: where.get(one.seat) ?? null } : one,
  );
  const seen = board ?? (sighted ? explore(NOTHING_SEEN, Object.values(windows)) : null);
  return { ...view, level: number, party, key: null, exits: [], ejects: [], board: seen, adversaries, window: null };
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
  player_moved: (view, event) => look(MOVES[event.result](view, event), event),
  adversary_moved: (view, event) => look(adversaryMoved(view, event), event),
  player_disconnected: (view, event) => look(disconnected(view, event), event),
  level_ended: (view) => ({ ...view, turn: null }),
  game_ended: (view, { end, ranking }) => ({ ...view, turn: null, end, ranking }),
};

export const fold = (view, event) => FOLDS[event.type]?.(view, event) ?? view;
