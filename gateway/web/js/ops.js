// The operators' page: a live picture of the cluster, details of one room, buttons to drain a process.

import { $, button, h } from "./dom.js";
import { drawing, spark } from "./ops-picture.js";

const KEY = "tavolata.admin";
const EVERY_MS = 1_000;
const KEPT = 120;

class Ops {
  #token = sessionStorage.getItem(KEY) ?? "";
  #history = [];
  #before = null;
  #asked = new Set();
  #room = null;
  #timer = 0;

  start() {
    if (this.#token) this.#begin();
    else this.#door();
  }

  // --- the token ---

  #door(text = "") {
    clearInterval(this.#timer);
    const field = h("input", {
      type: "password",
      required: true,
      autocomplete: "off",
      id: "token",
      "aria-label": "Admin token",
    });
    const enter = (event) => {
      event.preventDefault();
      this.#token = field.value.trim();
      this.#begin();
    };
    $("#me").replaceChildren();
    $("#main").replaceChildren(
      h(
        "form",
        { class: "panel door", onsubmit: enter },
        h("h1", {}, "Operations"),
        h("p", { class: "quiet" }, "The token is shown when the cluster starts, and by: tavolata ps --admin-token"),
        field,
        text && h("p", { class: "wrong", role: "alert" }, text),
        h("button", { class: "primary" }, "Enter"),
      ),
    );
    field.focus();
  }

  async #begin() {
    const cluster = await this.#get("/api/ops/cluster");
    if (!cluster) return;
    sessionStorage.setItem(KEY, this.#token);
    $("#me").replaceChildren(button("Forget the token", () => this.#forget(), { class: "small" }));
    this.#furnish();
    this.#show(cluster);
    this.#timer = setInterval(() => this.#look(), EVERY_MS);
  }

  #forget() {
    sessionStorage.removeItem(KEY);
    this.#token = "";
    this.#door();
  }

  // --- asking ---

  async #get(path, body) {
    const headers = { Authorization: `Bearer ${this.#token}` };
    const answer = await fetch(
      path,
      body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers },
    ).catch(() => null);
    this.#banner(answer === null || answer.status === 503 ? "The cluster does not answer; trying again." : "");
    if (!answer || answer.status === 503) return null;
    const said = await answer.json();
    if (answer.ok) return said;
    if (answer.status === 401 || answer.status === 429) {
      sessionStorage.removeItem(KEY);
      const wait = answer.headers.get("Retry-After");
      this.#door(wait ? `Too many wrong tokens. Try again in ${wait} s.` : "This is not the admin token.");
      return null;
    }
    return { wrong: said.text };
  }

  #banner(text) {
    $("#banner").hidden = !text;
    $("#banner").textContent = text;
  }

  async #look() {
    const cluster = await this.#get("/api/ops/cluster");
    if (cluster) this.#show(cluster);
    if (this.#room) this.#explain(this.#room, await this.#get(`/api/ops/rooms/${this.#room}`));
  }

  async #drain(process) {
    this.#asked.add(process);
    await this.#get("/api/ops/drain", { process });
    await this.#look();
  }

  // --- the picture ---

  #furnish() {
    const field = h("input", {
      inputmode: "numeric",
      pattern: "[0-9]+",
      required: true,
      placeholder: "Number of a room",
      id: "room",
      "aria-label": "Number of a room",
    });
    const find = async (event) => {
      event.preventDefault();
      this.#room = Number(field.value);
      this.#explain(this.#room, await this.#get(`/api/ops/rooms/${this.#room}`));
    };
    this.figures = h("section", { class: "figures", "aria-label": "Figures" });
    this.picture = h("section", { class: "panel", "aria-label": "The cluster" });
    this.gateways = h("section", { class: "panel", id: "gateways" });
    this.workers = h("section", { class: "panel", id: "workers" });
    this.room = h("div", { id: "explained" });
    $("#main").className = "ops";
    $("#main").replaceChildren(
      this.figures,
      this.picture,
      h("div", { class: "halves" }, this.gateways, this.workers),
      h(
        "section",
        { class: "panel" },
        h("h2", {}, "One room explained"),
        h("form", { class: "row", onsubmit: find }, field, h("button", {}, "Explain")),
        this.room,
      ),
    );
  }

  #show(cluster) {
    const rates = this.#rates(cluster);
    const focus = document.activeElement?.dataset?.key;
    this.#history = [...this.#history, rates.moves].slice(-KEPT);
    const sum = (list, key) => list.reduce((total, one) => total + (one[key] ?? 0), 0);
    const live = cluster.gateways.filter((one) => one.live);
    const figure = (text, value) => h("div", { class: "figure" }, h("b", {}, value), h("span", {}, text));
    this.figures.replaceChildren(
      figure("connections", sum(live, "connections")),
      figure("rooms playing", cluster.rooms.playing),
      figure("rooms waiting", cluster.rooms.waiting),
      figure("moves per second", rates.moves.toFixed(1)),
      figure("median to the answer", `${Math.max(0, ...live.map((one) => one.half_ms ?? 0)).toFixed(1)} ms`),
      figure("99 of 100 within", `${Math.max(0, ...live.map((one) => one.slow_ms ?? 0)).toFixed(1)} ms`),
      figure("resumes", sum(live, "resumes")),
      figure("gaps filled", sum(live, "gaps")),
      h("div", { class: "figure wide" }, spark(this.#history), h("span", {}, "moves per second, last two minutes")),
    );
    this.picture.replaceChildren(drawing(cluster, rates));
    this.gateways.replaceChildren(
      h("h2", {}, "Gateways"),
      this.#table(
        ["Gateway", "Port", "Sockets", "Open", "Answers/s", "p99", ""],
        cluster.gateways.map((one) => [
          one.port,
          one.connections,
          one.pending,
          (rates.answers.get(one.id) ?? 0).toFixed(1),
          `${(one.slow_ms ?? 0).toFixed(1)} ms`,
        ]),
        cluster.gateways,
        cluster.draining,
      ),
    );
    this.workers.replaceChildren(
      h("h2", {}, "Workers"),
      this.#table(
        ["Worker", "Partitions", "Rooms", "Moves/s", "Lag", ""],
        cluster.workers.map((one) => [
          one.partitions?.length,
          one.rooms,
          (rates.byWorker.get(one.id) ?? 0).toFixed(1),
          `${one.lag_ms ?? 0} ms`,
        ]),
        cluster.workers,
        cluster.draining,
      ),
    );
    if (focus) $(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }

  #table(head, rows, processes, draining) {
    const button_ = (one) => {
      const going = one.draining || draining.includes(one.id) || (this.#asked.has(one.id) && one.live);
      if (!one.live) return h("span", { class: "quiet" }, "gone");
      return going
        ? h("span", { class: "quiet" }, "draining…")
        : button("Drain", () => this.#drain(one.id), {
            class: "small",
            "data-key": `drain-${one.id}`,
            "data-drain": one.id,
          });
    };
    return h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
      h(
        "tbody",
        {},
        ...processes.map((one, index) =>
          h(
            "tr",
            { class: one.live ? "" : "dead", "data-process": one.id },
            h("th", { scope: "row" }, one.id),
            ...rows[index].map((cell) => h("td", {}, cell ?? "–")),
            h("td", {}, button_(one)),
          ),
        ),
      ),
    );
  }

  #rates(cluster) {
    const before = this.#before;
    this.#before = cluster;
    const seconds = before ? (cluster.now_ms - before.now_ms) / 1000 : 0;
    const rate = (list, old, key) =>
      new Map(
        list.map((one) => [
          one.id,
          seconds > 0
            ? Math.max(
                0,
                ((one[key] ?? 0) - (old?.find((other) => other.id === one.id)?.[key] ?? one[key] ?? 0)) / seconds,
              )
            : 0,
        ]),
      );
    const byWorker = rate(cluster.workers, before?.workers, "moves");
    return {
      byWorker,
      answers: rate(cluster.gateways, before?.gateways, "answers"),
      moves: [...byWorker.values()].reduce((sum, one) => sum + one, 0),
    };
  }

  // --- one room ---

  #explain(number, room) {
    if (!room || number !== this.#room) return;
    if (room.wrong) {
      this.#room = null;
      this.room.replaceChildren(h("p", { class: "wrong", role: "alert" }, room.wrong));
      return;
    }
    const pair = (name, value) => [h("dt", {}, name), h("dd", {}, value)];
    const status = room.listing?.status ?? "over";
    this.room.replaceChildren(
      h(
        "dl",
        {},
        ...pair("Room", `${room.room}, ${status}`),
        ...pair("Partition", room.partition),
        ...pair("Owner", room.owner.worker ?? "nobody"),
        ...pair("Epoch", `${room.epoch} (last step), ${room.owner.epoch ?? "none"} (owner)`),
        ...pair("Offset", room.offset),
        ...pair("Spectators at", room.spectators.join(", ") || "no gateway"),
      ),
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h("tr", {}, ...["Seat", "Name", "Connected at", "State"].map((text) => h("th", { scope: "col" }, text))),
        ),
        h(
          "tbody",
          {},
          ...room.seats.map((seat) =>
            h(
              "tr",
              {},
              h("td", {}, seat.seat),
              h("td", {}, seat.name),
              h(
                "td",
                {},
                seat.bot ? "the room itself" : seat.here ? `${seat.gateway}, connection ${seat.connection}` : "–",
              ),
              h("td", {}, seat.bot ? "bot" : seat.left ? "left" : seat.here ? "here" : "away"),
            ),
          ),
        ),
      ),
      h("h3", {}, "Last events"),
      h(
        "ol",
        { class: "events" },
        ...room.last
          .toReversed()
          .map((step) => h("li", {}, h("b", {}, step.offset), " ", step.events.map(briefly).join("; "))),
      ),
    );
  }
}

function briefly({ type, ...rest }) {
  const text = JSON.stringify(rest);
  return `${type} ${text.length > 110 ? `${text.slice(0, 110)}…` : text}`;
}

new Ops().start();
