// Stones: one to three are taken in turn.

import { lit } from "../board.js";
import { at, h, picture } from "../dom.js";
import { pebble } from "../glyphs.js";

const ROW = 7;

function heap(count, take) {
  const rows = Math.max(1, Math.ceil(count / ROW));
  const stones = Array.from({ length: count }, (_, number) =>
    at(
      36 + (number % ROW) * 54,
      34 + Math.floor(number / ROW) * 48,
      pebble(((number * 37) % 24) - 12, number >= count - take),
    ),
  );
  return picture(
    `0 0 ${ROW * 54 + 18} ${rows * 48 + 20}`,
    { class: "heap", role: "img", "aria-label": `${count} stones` },
    ...stones,
  );
}

const plural = (count) => (count === 1 ? "1 stone" : `${count} stones`);

function open(table) {
  let hover = 0;
  return {
    render(room, options) {
      const takes = (options ?? []).map(({ count }) => {
        const pressed = lit(h("button", { type: "button", class: "take" }, `Take ${count}`), {
          key: `take-${count}`,
          label: `Take ${plural(count)}`,
          act: () => table.send({ type: "take", count }),
        });
        const mark = (number) => () => {
          hover = number;
          [...document.querySelectorAll(".pebble")].forEach((one, index, all) =>
            one.classList.toggle("marked", index >= all.length - hover),
          );
        };
        pressed.addEventListener("pointerenter", mark(count));
        pressed.addEventListener("pointerleave", mark(0));
        return pressed;
      });
      return [
        h("p", { class: "big" }, plural(room.game.stones)),
        heap(room.game.stones, options ? hover : 0),
        h("div", { class: "choices" }, ...takes),
      ];
    },
    prompt: () => "Your turn: take one to three stones",
    key(event, _room, options) {
      const wanted = options.find(({ count }) => String(count) === event.key);
      if (wanted) table.send(wanted);
      return Boolean(wanted);
    },
  };
}

function fold(view, event) {
  if (event.type === "started") return { stones: event.stones, seats: event.seats, turn: event.seats[0], winner: null };
  if (event.type !== "taken") return view;
  const stones = view.stones - event.count;
  const next = view.seats[(view.seats.indexOf(event.seat) + 1) % view.seats.length];
  return { ...view, stones, turn: next, winner: stones ? null : event.seat };
}

export const stones = {
  open,
  fold,
  start: null,
  goal: () => "Goal: take the last stone",
  turn: (view) => (view.stones ? [view.turn] : []),
  describe: (event, who) =>
    event.type === "taken"
      ? `${who(event.seat)} took ${plural(event.count)}.`
      : event.type === "started"
        ? `There are ${plural(event.stones)}.`
        : null,
};
