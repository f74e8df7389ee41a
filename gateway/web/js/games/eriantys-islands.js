// The ring of islands with mother nature, and the clouds inside it.

import { barred, lit } from "../board.js";
import { at, label, picture, s } from "../dom.js";
import { COLOURS, student, tower } from "../glyphs.js";

const WIDE = { size: [1000, 560], middle: [500, 282], radii: [420, 212], land: 56 };
const NARROW = { size: [640, 730], middle: [320, 366], radii: [252, 292], land: 62 };
const GAP = 0.62;
const STEPS = 720;
/** The distance at which a number and a tower touch. */
const NEAR = 26;

/** Points of an ellipse at equal distances along it, beginning at the top. */
function walk({ middle: [x, y], radii: [across, down] }) {
  const points = Array.from({ length: STEPS + 1 }, (_, step) => {
    const angle = (step / STEPS) * 2 * Math.PI - Math.PI / 2;
    return [x + across * Math.cos(angle), y + down * Math.sin(angle)];
  });
  const lengths = [0];
  for (let step = 1; step <= STEPS; step += 1)
    lengths.push(
      lengths[step - 1] + Math.hypot(points[step][0] - points[step - 1][0], points[step][1] - points[step - 1][1]),
    );
  return (share) => points[lengths.findIndex((length) => length >= (((share % 1) + 1) % 1) * lengths[STEPS])];
}

/** The position of each tile: tiles of a group lie close together, groups apart. */
function places(groups, shape) {
  const whole = 12 + GAP * groups.length;
  const point = walk(shape);
  const found = new Map();
  let run = 0;
  for (const { tiles: joined } of groups) {
    const tiles = inOrder(joined);
    for (const tile of tiles) {
      found.set(tile, run + 0.5);
      run += 1;
    }
    run += GAP;
  }
  const first = found.get(1);
  return new Map([...found].map(([tile, place]) => [tile, point((place - first) / whole)]));
}

/** The tiles of a group along the ring. A group that spans the end of the ring starts before it. */
function inOrder(tiles) {
  if (!(tiles.includes(1) && tiles.includes(12)) || tiles.length === 12) return tiles;
  const cut = tiles.findIndex((tile, index) => index > 0 && tile !== tiles[index - 1] + 1);
  return [...tiles.slice(cut), ...tiles.slice(0, cut)];
}

const counted = (students) =>
  students
    .map((count, index) => (count ? `${count} ${COLOURS[index].toLowerCase()}` : ""))
    .filter(Boolean)
    .join(", ");

function crowd(students, radius) {
  const kinds = students.map((count, index) => [COLOURS[index], count]).filter(([, count]) => count);
  return kinds.map(([colour, count], index) => {
    const angle = (index / kinds.length) * 2 * Math.PI - (kinds.length === 2 ? Math.PI : Math.PI / 2);
    const far = kinds.length > 1 ? radius : 0;
    return at(
      far * Math.cos(angle),
      far * Math.sin(angle),
      s("g", { transform: "scale(1.25)" }, student(colour)),
      count > 1 && label(15, 11, count, { class: "count" }),
    );
  });
}

function mother() {
  return s(
    "g",
    { class: "mother", "data-flip": "mother" },
    s("path", { d: "M0 -20 C7 -20 8 -10 4 -8 L10 14 H-10 L-4 -8 C-8 -10 -7 -20 0 -20 Z" }),
    s("title", {}, "Mother nature"),
  );
}

const closed = () => s("g", { class: "noentry" }, s("circle", { r: 9 }), s("path", { d: "M-5 -5 L5 5 M5 -5 L-5 5" }));

/** The corners of a tile in which a tower can stand, the usual one first. Mother nature stands at the top right. */
const CORNERS = [
  [-1, -1],
  [-1, 1],
  [1, 1],
  [1, -1],
];

/** The place of a tower on its tile: in the first corner that is not on another tile of the group. */
function towerPlace(tile, tiles, where, land) {
  const [x, y] = where.get(tile);
  const others = tiles.filter((one) => one !== tile).map((one) => where.get(one));
  const corners = CORNERS.map(([right, down]) => [x + right * (land - 26), y + down * (land - 24)]);
  const isFree = ([across, below]) => others.every((other) => Math.hypot(other[0] - across, other[1] - below) > land);
  return corners.find(isFree) ?? corners[0];
}

/** The place of a tile's number: below the tile, beside a tower of its group that stands there. */
function numberPlace([x, y], land, towers) {
  const low = y + land - 8;
  const hidden = towers.find(([across, down]) => Math.abs(across - x) < NEAR && Math.abs(down - low) < NEAR);
  return [hidden ? hidden[0] + (hidden[0] > x ? -NEAR : NEAR) : x, low];
}

function group(view, { tiles, no_entry: closings }, where, land, target) {
  const order = inOrder(tiles);
  const path = [order[0], ...order].map((tile) => where.get(tile).join(" ")).join(" L ");
  const here = tiles.includes(view.mother);
  /** The tile that has a note about its group instead of its number. */
  const noted = target?.note ? order[Math.floor(order.length / 2)] : null;
  const towers = tiles.filter((tile) => view.tiles[tile - 1].tower).map((tile) => towerPlace(tile, tiles, where, land));
  const students = tiles.reduce(
    (sum, tile) => sum.map((count, index) => count + view.tiles[tile - 1].students[index]),
    [0, 0, 0, 0, 0],
  );
  const owner = view.tiles[tiles[0] - 1].tower;
  const words = [
    `Island ${tiles.join(" and ")}`,
    counted(students) || "no students",
    owner && `${owner.toLowerCase()} towers`,
    here && "mother nature is here",
    closings && `${closings} no-entry`,
  ]
    .filter(Boolean)
    .join("; ");
  const drawn = s(
    "g",
    { class: "island" },
    s("path", { class: "shore", d: `M ${path}`, "stroke-width": land * 2 + 8 }),
    s("path", { class: "land", d: `M ${path}`, "stroke-width": land * 2 - 6 }),
    ...tiles.map((tile) =>
      at(...where.get(tile), s("g", { "data-at": `tile-${tile}` }, s("circle", { r: land - 20, class: "meadow" }))),
    ),
    // Above all meadows of the group: its tiles overlap.
    ...tiles.map((tile) => {
      const { students: those, tower: built } = view.tiles[tile - 1];
      return [
        at(...where.get(tile), ...crowd(those, 27)),
        built && at(...towerPlace(tile, tiles, where, land), s("g", { transform: "scale(1.5)" }, tower(built))),
      ];
    }),
    ...tiles.map((tile) =>
      at(
        ...numberPlace(where.get(tile), land, towers),
        tile === noted ? label(0, 0, target.note, { class: "tilenote" }) : label(0, 0, tile, { class: "tilenumber" }),
      ),
    ),
    here && at(where.get(view.mother)[0] + land - 20, where.get(view.mother)[1] - land + 30, mother()),
    ...Array.from({ length: closings }, (_, number) =>
      at(where.get(tiles[0])[0] - 14 + number * 16, where.get(tiles[0])[1] - land + 12, closed()),
    ),
    s("title", {}, words),
  );
  if (target?.why) return barred(drawn, target.why);
  if (target) {
    // Shapes above the picture are the button: the numbers and letters on the pieces are not its label.
    const discs = tiles.map((tile) => at(...where.get(tile), s("circle", { r: land, class: "disc" })));
    const between = s("path", { class: "between", d: `M ${path}`, "stroke-width": land * 2 });
    drawn.append(
      lit(s("g", {}, between, ...discs), {
        key: `island-${tiles[0]}`,
        label: `${target.label}: ${words}`,
        act: target.act,
      }),
    );
  }
  return drawn;
}

function cloud(students, number, x, y, order) {
  const tokens = students.flatMap((count, index) => Array.from({ length: count }, () => COLOURS[index]));
  const drawn = s(
    "g",
    { class: "cloud", "data-at": `cloud-${number}` },
    s("path", {
      class: "puff",
      d: "M-46 20 C-66 18 -64 -12 -44 -12 C-42 -36 -6 -42 4 -24 C22 -38 50 -26 46 -6 C66 -2 64 22 44 20 Z",
    }),
    ...tokens.map((colour, place) => at((place - (tokens.length - 1) / 2) * 23, -3, student(colour))),
    label(0, 33, `Cloud ${number + 1}`, { class: "cloudnumber" }),
    s("title", {}, `Cloud ${number + 1}: ${counted(students) || "empty"}`),
  );
  return at(
    x,
    y,
    order
      ? lit(drawn, { key: `cloud-${number}`, label: `Take cloud ${number + 1}: ${counted(students)}`, act: order })
      : drawn,
  );
}

function facts(view, bag, narrow) {
  const parts = [
    `Round ${view.round}`,
    `${bag} in the bag`,
    ...(view.expert ? [narrow ? `${view.bank} coins` : `${view.bank} coins in the bank`] : []),
  ];
  return narrow ? parts : [parts.join(" · ")];
}

/**
 * `target(group)` and `take(cloud)` return the action of pressing one, if there is one now; that of a group may have a
 * `note`, which is written on it. `target` may also return {why}, the reason why there is none.
 */
export function islands(view, narrow, target, take) {
  const shape = narrow ? NARROW : WIDE;
  const where = places(view.groups, shape);
  const [x, y] = shape.middle;
  const count = view.clouds.length;
  const columns = narrow ? Math.ceil(count / 2) : count;
  const clouds = view.clouds.map((students, number) => {
    const [column, row] = [number % columns, Math.floor(number / columns)];
    const rows = Math.ceil(count / columns);
    return cloud(
      students,
      number,
      x + (column - (columns - 1) / 2) * 136,
      y - 6 + (row - (rows - 1) / 2) * 92,
      take(number),
    );
  });
  const bag = view.bag.reduce((sum, one) => sum + one, 0);
  const low = y + (narrow ? 112 : 58);
  return picture(
    `0 0 ${shape.size.join(" ")}`,
    { class: narrow ? "islands narrow" : "islands", role: "group", "aria-label": "Islands" },
    ...view.groups.map((one) => group(view, one, where, shape.land, target(one))),
    ...clouds,
    ...facts(view, bag, narrow).map((text, line) =>
      label(x, low + line * (narrow ? 27 : 22), text, { class: "centre" }),
    ),
  );
}
