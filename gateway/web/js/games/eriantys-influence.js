// The influence on islands, which decides who builds a tower where mother nature stops.

import { COLOURS } from "../glyphs.js";

const [CENTAUR, KNIGHT, MUSHROOM_MAN] = [6, 8, 9];
const KNIGHT_INFLUENCE = 2;

/** The influence on a group of islands by tower color: that of players or of teams. */
function influence(view, { tiles }) {
  const { players, professors, active } = view;
  const totals = new Map(players.map(({ tower }) => [tower, 0]));
  const add = (tower, count) => totals.set(tower, totals.get(tower) + count);
  for (const { students, tower } of tiles.map((tile) => view.tiles[tile - 1])) {
    students.forEach((count, index) => {
      const muted = active?.number === MUSHROOM_MAN && active.colour === COLOURS[index];
      if (professors[index] !== null && !muted) add(players[professors[index]].tower, count);
    });
    if (tower && active?.number !== CENTAUR) add(tower, 1);
  }
  if (active?.number === KNIGHT) add(players[view.turn].tower, KNIGHT_INFLUENCE);
  return totals;
}

/** The color of the towers that would be built if mother nature stopped on a group now, or null. */
export function builder(view, group) {
  const totals = [...influence(view, group)];
  const most = Math.max(...totals.map(([, total]) => total));
  const leaders = totals.filter(([, total]) => total === most);
  const [leader] = leaders[0];
  const owner = view.tiles[group.tiles[0] - 1].tower;
  return most > 0 && leaders.length === 1 && leader !== owner && !group.no_entry ? leader : null;
}
