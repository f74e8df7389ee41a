// The players at a table: who they are, who plays with whom, whose turn it is, who is away.

import { h } from "./dom.js";

const badge = (text, kind) => h("span", { class: `badge ${kind}` }, text);

/**
 * `module` is the game's, with `score(view, seat)`, `panel(view, seat)` and `teams(view)`, each where the game has one;
 * `game` is the object that its `open` returned.
 */
export function seatList(list, room, module, game) {
  const taken = new Map(room.seats.map((seat) => [seat.seat, seat]));
  const numbers = Array.from({ length: room.spec.seats }, (_, number) => number);
  const item = (number) => seatItem(taken.get(number), number, room, module, game);
  const teams = room.game ? module.teams?.(room.game, room) : null;
  const items = teams
    ? teams.flatMap(({ title, seats }) => [h("li", { class: "team" }, title), ...seats.map(item)])
    : numbers.map(item);
  list.replaceChildren(...items.filter(Boolean));
}

function seatItem(seat, number, room, module, game) {
  if (!seat)
    return room.status === "waiting"
      ? h("li", { class: "seat free" }, h("span", { class: "turnmark" }), h("span", { class: "who" }, "free seat"))
      : null;
  const on = room.status === "playing" && (room.turn ?? []).includes(number);
  const won = room.outcome?.winners?.includes(number);
  const others = room.game && number !== room.you && !(room.you === undefined && module.allShown);
  return h(
    "li",
    { class: `seat${on ? " on" : ""}${won ? " won" : ""}`, "data-seat": number, "aria-current": on ? "true" : null },
    h("span", { class: "turnmark", "aria-hidden": "true" }, won ? "★" : on ? "▶" : ""),
    h("span", { class: "who" }, seat.name, number === room.you && h("small", {}, " (you)")),
    seat.bot && badge("bot", "bot"),
    seat.left && badge("left", "away"),
    !seat.left && !seat.here && !seat.bot && room.status !== "finished" && badge("away", "away"),
    on && h("span", { class: "hidden" }, "to move"),
    h("span", { class: "score" }, room.game ? module.score?.(room.game, number, room) : null),
    others && module.panel?.(room.game, number, room, game),
  );
}
