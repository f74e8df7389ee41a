// Gateways, the store and workers, drawn with the lines between them.

import { at, h, label, picture, s } from "./dom.js";

const [WIDE, BOX, ROW] = [900, 250, 74];
const STRIP = 64;

const column = (count, height) => Array.from({ length: count }, (_, index) => (height / (count + 1)) * (index + 1));

function box(x, y, one, lines, kind) {
  return at(
    x - BOX / 2,
    y - 27,
    s("rect", { class: `node ${kind}${one.live === false ? " dead" : ""}`, width: BOX, height: 54, rx: 10 }),
    ...lines.map((text, index) => label(BOX / 2, 18 + index * 20, text, { class: index ? "" : "title" })),
  );
}

function wire(from, to, rate, live) {
  const middle = (from[0] + to[0]) / 2;
  return s("path", {
    class: `wire${rate > 0 ? " busy" : ""}${live ? "" : " dead"}`,
    d: `M${from[0]} ${from[1]} C${middle} ${from[1]} ${middle} ${to[1]} ${to[0]} ${to[1]}`,
    "stroke-width": 1.5 + Math.min(6, Math.log2(1 + rate)),
  });
}

/** The partitions that a worker owns, as a strip of cells. */
function strip(x, y, held, partitions) {
  const wide = (BOX - 20) / partitions;
  const mine = new Set(held ?? []);
  return at(
    x - BOX / 2 + 10,
    y + 16,
    ...Array.from({ length: partitions }, (_, number) =>
      s("rect", {
        class: mine.has(number) ? "held" : "free",
        x: number * wide,
        width: Math.max(0.8, wide - 0.6),
        height: 7,
      }),
    ),
  );
}

export function drawing({ gateways, workers, partitions }, rates) {
  const height = Math.max(150, ROW * Math.max(gateways.length, workers.length) + 40);
  const [left, middle, right] = [BOX / 2 + 10, WIDE / 2, WIDE - BOX / 2 - 10];
  const [ys, zs] = [column(gateways.length, height), column(workers.length, height)];
  const store = [middle, height / 2];
  return picture(
    `0 0 ${WIDE} ${height}`,
    { class: "cluster", role: "img", "aria-label": `${gateways.length} gateways, ${workers.length} workers` },
    ...gateways.map((one, index) =>
      wire([left + BOX / 2, ys[index]], [middle - 55, store[1]], rates.answers.get(one.id) ?? 0, one.live),
    ),
    ...workers.map((one, index) =>
      wire([middle + 55, store[1]], [right - BOX / 2, zs[index]], rates.byWorker.get(one.id) ?? 0, one.live),
    ),
    at(
      middle - 55,
      store[1] - 38,
      s("path", {
        class: "node store",
        d: "M0 12 C0 -4 110 -4 110 12 V64 C110 80 0 80 0 64 Z M0 12 C0 28 110 28 110 12",
      }),
      label(55, 46, "store", { class: "title" }),
    ),
    ...gateways.map((one, index) =>
      box(
        left,
        ys[index],
        one,
        [one.id, one.connections === 1 ? "1 connection" : `${one.connections ?? 0} connections`],
        "gateway",
      ),
    ),
    ...workers.flatMap((one, index) => [
      box(right, zs[index], one, [`${one.id} · ${one.partitions?.length ?? 0} partitions`], "worker"),
      strip(right, zs[index] - 14, one.partitions, partitions),
    ]),
  );
}

/** The last values as a line, the newest at the right end. `kept` values fill the width. */
export function spark(values, kept) {
  const most = Math.max(1, Math.ceil(Math.max(...values)));
  const first = kept - values.length;
  const points = values.map(
    (value, index) => `${((first + index) / (kept - 1)) * 300} ${STRIP - 2 - (value / most) * (STRIP - 4)}`,
  );
  return h(
    "div",
    { class: "chart" },
    h("span", { class: "scale", "aria-hidden": "true" }, h("span", {}, most), h("span", {}, 0)),
    picture(
      `0 0 300 ${STRIP}`,
      {
        class: "spark",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `now ${(values.at(-1) ?? 0).toFixed(1)} moves per second`,
      },
      points.length > 1 && s("polyline", { points: points.join(" ") }),
    ),
    h("span", { class: "times", "aria-hidden": "true" }, h("span", {}, "2 minutes ago"), h("span", {}, "now")),
  );
}
