// The players at a table: who they are, whose turn it is, who is away.

import { h } from "./dom.js";

const badge = (text, kind) => h("span", { class: `badge ${kind}` }, text);

/** `score(game, seat)` returns the game's score of a seat: text or an element. */
export function seatList(list, room, score) {
  const turn = room.turn ?? [];
  const taken = new Map(room.seats.map((seat) => [seat.seat, seat]));
  const items = Array.from({ length: room.spec.seats }, (_, number) => {
    const seat = taken.get(number);
    if (!seat)
      return room.status === "waiting"
        ? h("li", { class: "seat free" }, h("span", { class: "turnmark" }), h("span", { class: "who" }, "free seat"))
        : null;
    const on = turn.includes(number) && room.status === "playing";
    const won = room.outcome?.winners?.includes(number);
    return h(
      "li",
      { class: `seat${on ? " on" : ""}${won ? " won" : ""}`, "data-seat": number, "aria-current": on ? "true" : null },
      h("span", { class: "turnmark", "aria-hidden": "true" }, won ? "★" : on ? "▶" : ""),
      h("span", { class: "who" }, seat.name, number === room.you && h("small", {}, " (you)")),
      seat.bot && badge("bot", "bot"),
      seat.left && badge("left", "away"),
      !seat.left && !seat.here && !seat.bot && room.status !== "finished" && badge("away", "away"),
      on && h("span", { class: "hidden" }, "to move"),
      h("span", { class: "score" }, score(room.game, number)),
    );
  });
  list.replaceChildren(...items.filter(Boolean));
}
