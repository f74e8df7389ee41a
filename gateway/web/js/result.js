// The end of a game: who won and why, the final scores, and what to do next.

import { button, h } from "./dom.js";
import { ending, listed } from "./words.js";

export function headline(room, me) {
  const { winners, names = [] } = room.outcome ?? {};
  if (!winners?.length) return "The game is over: nobody won";
  if (!winners.includes(room.you)) return `${listed([...names])} won`;
  const others = names.filter((name) => name !== me);
  return others.length ? `You won, with ${listed(others)}!` : "You won!";
}

/** `line(seat)` returns the game's account of a seat, if it has one; `rematch` begins the next game. */
export function resultCard(app, room, number, line, rematch) {
  const { winners = [], scores = {} } = room.outcome ?? {};
  const seats = [...room.seats].sort(
    (one, other) =>
      winners.includes(other.seat) - winners.includes(one.seat) ||
      (scores[other.seat] ?? 0) - (scores[one.seat] ?? 0) ||
      one.seat - other.seat,
  );
  const rows = seats.map(({ seat, name }) =>
    h(
      "tr",
      { class: winners.includes(seat) ? "won" : "" },
      h(
        "th",
        { scope: "row" },
        winners.includes(seat) ? "★ " : "",
        name,
        seat === room.you && h("small", {}, " (you)"),
      ),
      h("td", {}, line(seat) ?? scores[seat] ?? ""),
    ),
  );
  const { reason } = room.outcome ?? {};
  return h(
    "div",
    { class: "result" },
    h("p", { class: "says" }, headline(room, app.identity.name)),
    reason && h("p", { class: "quiet" }, `The game ended: ${ending(reason)}.`),
    h("table", { class: "finals" }, h("caption", { class: "hidden" }, "Final scores"), h("tbody", {}, ...rows)),
    h("div", { class: "row wrap" }, ...next(room, number, rematch)),
  );
}

function next(room, number, rematch) {
  const seated = room.you !== undefined;
  const again = room.rematch ? `Join the next game (table ${room.rematch})` : "Play again";
  return [
    seated && button(again, rematch, { class: "primary", id: "rematch" }),
    !seated &&
      room.rematch &&
      !room.spec.private &&
      h("a", { class: "button", href: `/t/${room.rematch}`, "data-go": true }, "Watch the next game"),
    h("a", { class: "button", href: `/replay/${number}`, "data-go": true, id: "replay" }, "Replay"),
    h("a", { class: "button quiet", href: "/", "data-go": true }, "Lobby"),
  ].filter(Boolean);
}
