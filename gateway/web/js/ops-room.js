// One room explained: its place in the cluster, its seats, its last events, and the acts on it.

import { button, h } from "./dom.js";
import { confirm, counted } from "./ops-confirm.js";
import { row, table } from "./ops-table.js";

const pair = (name, value) => [h("dt", {}, name), h("dd", {}, value)];
const stateOf = (seat) => (seat.bot ? "bot" : seat.left ? "left" : seat.here ? "here" : "away");
const placeOf = (seat) =>
  seat.bot ? "the room itself" : seat.here ? `${seat.gateway}, connection ${seat.connection}` : "–";
const playersOf = (room) => room.seats.filter((seat) => !seat.bot && !seat.left).map((seat) => seat.name);

function briefly({ type, ...rest }) {
  const text = JSON.stringify(rest);
  return `${type} ${text.length > 110 ? `${text.slice(0, 110)}…` : text}`;
}

/** The questions before the acts on a room. `order(path, body)` sends an act. */
export function roomActs(room, order) {
  const to = (act, more) => (body) => order(`rooms/${room.room}/${act}`, { ...body, ...more });
  const names = playersOf(room);
  const listed = names.length ? ` (${names.join(", ")})` : "";
  return {
    close: () =>
      confirm({
        title: `Close room ${room.room}?`,
        text: `The game ends without a result for ${counted(names.length, "player")}${listed}.`,
        verb: "Close the room",
        order: to("close"),
      }),
    remove: (player) =>
      confirm({
        title: `Remove ${player} from room ${room.room}?`,
        text: `1 of ${counted(names.length, "player")} loses the seat and gets no other one in this room.`,
        verb: `Remove ${player}`,
        order: to("remove", { player }),
      }),
    free: () =>
      confirm({
        title: `Free room ${room.room}?`,
        text: `It is quarantined: ${room.quarantine}. If it can be loaded, it goes on for ${counted(names.length, "player")}${listed}.`,
        verb: "Free the room",
        order: to("free"),
      }),
    revoke: (name) => revoke(name, order),
  };
}

export function revoke(name, order) {
  return confirm({
    title: `Revoke the session of ${name}?`,
    text: "1 player is disconnected, and all tokens of the session become invalid.",
    verb: "Revoke the session",
    order: (body) => order("revoke", { ...body, name }),
  });
}

/** `act(question)` asks and, if something was done, shows the room again. */
export function explained(room, acts, act, mayAct) {
  const over = room.status === "finished" || room.status === "closed";
  const press = (text, question, key) =>
    button(text, () => act(question), { class: "small danger", "data-key": key, "data-act": key });
  return [
    room.quarantine !== null &&
      h(
        "div",
        { class: "notice", role: "note" },
        h("p", {}, h("b", {}, "Quarantined: "), room.quarantine),
        room.damage && h("p", {}, room.damage),
        mayAct && press("Free", acts.free, "free"),
      ),
    h(
      "dl",
      {},
      ...pair("Room", `${room.room}, ${room.listing?.status ?? (room.status || "unknown")}`),
      ...pair("Partition", room.partition),
      ...pair("Owner", room.owner.worker ?? "nobody"),
      ...pair("Epoch", `${room.epoch} (last step), ${room.owner.epoch ?? "none"} (owner)`),
      ...pair("Offset", room.offset),
      ...pair("Spectators at", room.spectators.join(", ") || "no gateway"),
    ),
    mayAct && !over && press("Close the room", acts.close, "close"),
    seatTable(room, acts, mayAct && !over, press),
    h("h3", {}, "Last events"),
    h(
      "ol",
      { class: "events" },
      ...room.last
        .toReversed()
        .map((step) => h("li", {}, h("b", {}, step.offset), " ", step.events.map(briefly).join("; "))),
    ),
  ];
}

function seatTable(room, acts, mayAct, press) {
  const buttons = (seat) =>
    h(
      "div",
      { class: "row" },
      press("Remove", () => acts.remove(seat.name), `remove-${seat.seat}`),
      press("Revoke", () => acts.revoke(seat.name), `revoke-${seat.seat}`),
    );
  return table(
    ["Seat", "Name", "Connected at", "State", ""],
    room.seats.map((seat) =>
      row({}, seat.seat, seat.name, placeOf(seat), stateOf(seat), mayAct && !seat.bot && !seat.left && buttons(seat)),
    ),
  );
}
