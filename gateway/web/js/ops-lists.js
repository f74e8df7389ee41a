// Lists that operators page through: rooms, with filters, and the audit.

import { button, h } from "./dom.js";
import { counted } from "./ops-confirm.js";
import { row, table } from "./ops-table.js";

const STATUSES = ["waiting", "playing"];
const time = (ms) => new Date(ms).toLocaleString();

/** Buttons for the first and the next page. */
function pages(first, next, more, name) {
  return h(
    "div",
    { class: "row pages" },
    first && button("First page", first, { class: "small", "data-key": `${name}-first` }),
    more && button("Next page", next, { class: "small", "data-key": `${name}-next` }),
  );
}

/** The list of rooms. `get(path)` asks the API, `choose(room)` explains a room. */
export class RoomList {
  element = h("section", { class: "panel", id: "rooms" });
  #get;
  #choose;
  #after = 0;
  #form;
  #list = h("div", { "aria-live": "polite" });

  constructor(get, choose, games) {
    this.#get = get;
    this.#choose = choose;
    const option = (value, text) => h("option", { value }, text);
    const flag = (name, text) =>
      h("label", { class: "row" }, h("input", { type: "checkbox", name, id: `filter-${name}` }), text);
    const search = (event) => {
      event.preventDefault();
      this.#turn(0);
    };
    this.#form = h(
      "form",
      { class: "filters", onsubmit: search, onchange: search },
      h(
        "select",
        { name: "game", id: "filter-game", "aria-label": "Game" },
        option("", "All games"),
        ...games.map((game) => option(game, game)),
      ),
      h(
        "select",
        { name: "status", id: "filter-status", "aria-label": "Status" },
        option("", "Any status"),
        ...STATUSES.map((status) => option(status, status)),
      ),
      h("input", { name: "player", id: "filter-player", placeholder: "Player", "aria-label": "Name of a player" }),
      flag("quarantined", "quarantined"),
      flag("private", "private"),
      h("button", { class: "small" }, "Search"),
    );
    this.element.append(h("h2", {}, "Rooms"), this.#form, this.#list);
  }

  async #turn(after) {
    this.#after = after;
    await this.refresh();
  }

  async refresh() {
    const query = new URLSearchParams({ limit: 20, after: this.#after });
    for (const [name, value] of new FormData(this.#form)) if (value) query.set(name, value === "on" ? "true" : value);
    const found = await this.#get(`rooms?${query}`);
    if (!found || found.wrong) return;
    const focus = document.activeElement?.dataset?.key;
    this.#list.replaceChildren(
      found.rooms.length
        ? table(
            ["Room", "Game", "Status", "Players", ""],
            found.rooms.map((room) => this.#row(room)),
          )
        : h("p", { class: "quiet" }, "No room fits."),
      pages(this.#after ? () => this.#turn(0) : null, () => this.#turn(found.rooms.at(-1).room), found.more, "rooms"),
    );
    if (focus) this.#list.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }

  #row(room) {
    return row(
      { "data-room": room.room },
      button(room.room, () => this.#choose(room.room), { class: "small", "data-key": `room-${room.room}` }),
      room.game || "–",
      room.status || "–",
      room.names.join(", ") || "–",
      [
        room.private && h("span", { class: "badge" }, "private"),
        room.quarantine !== null && h("span", { class: "badge away", title: room.quarantine }, "quarantined"),
      ],
    );
  }
}

/** The acts of operators, latest first. */
export class AuditList {
  element = h("section", { class: "panel", id: "audit" });
  #get;
  #before = "";
  #list = h("div", { "aria-live": "polite" });

  constructor(get) {
    this.#get = get;
    this.element.append(h("h2", {}, "Audit"), this.#list);
  }

  async refresh(before = this.#before) {
    this.#before = before;
    const found = await this.#get(`audit?limit=20&before=${before}`);
    if (!found || found.wrong) return;
    const focus = document.activeElement?.dataset?.key;
    this.#list.replaceChildren(
      found.acts.length
        ? table(["Time", "Operator", "Act", "Outcome", "Reason"], found.acts.map(auditRow))
        : h("p", { class: "quiet" }, "No operator has acted yet."),
      pages(before ? () => this.refresh("") : null, () => this.refresh(found.acts.at(-1).entry), found.more, "audit"),
    );
    if (focus) this.#list.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }
}

function auditRow(act) {
  const place = act.room ? `room ${act.room}` : "";
  return row(
    { "data-entry": act.entry },
    time(act.at),
    act.author,
    [act.kind, place, act.subject].filter(Boolean).join(" "),
    act.code || (act.room ? counted(act.players, "player") : "done"),
    act.reason || "–",
  );
}
