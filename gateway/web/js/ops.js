// The operators' page: a live picture of the cluster, lists of rooms and acts, details of one room, and the acts.

import { $, button, h } from "./dom.js";
import { OpsClient } from "./ops-client.js";
import { confirm, counted } from "./ops-confirm.js";
import { AuditList, RoomList } from "./ops-lists.js";
import { drawing, spark } from "./ops-picture.js";
import { explained, revoke, roomActs } from "./ops-room.js";
import { storeParts } from "./ops-store.js";
import { row, table } from "./ops-table.js";

const KEY = "tavolata.admin";
const EVERY_MS = 1_000;
const LISTS_EVERY = 5;
const KEPT = 120;

class Ops {
  #token = sessionStorage.getItem(KEY) ?? "";
  #history = [];
  #before = null;
  #asked = new Set();
  #room = null;
  #timer = 0;
  #looks = 0;
  #client;
  #mayAct = false;

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
      "aria-label": "Token of an operator",
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
        h(
          "p",
          { class: "quiet" },
          "Your own token, or the admin token, which is shown when the cluster starts, and by: tavolata ps --admin-token",
        ),
        field,
        text && h("p", { class: "wrong", role: "alert" }, text),
        h("button", { class: "primary" }, "Enter"),
      ),
    );
    field.focus();
  }

  async #begin() {
    this.#client = new OpsClient(
      this.#token,
      (text) => this.#banner(text),
      (text) => {
        sessionStorage.removeItem(KEY);
        this.#door(text);
      },
    );
    const cluster = await this.#client.get("cluster");
    if (!cluster) return;
    sessionStorage.setItem(KEY, this.#token);
    this.#mayAct = cluster.operator.role === "operate";
    $("#me").replaceChildren(
      h("span", { class: "quiet wideonly", id: "operator" }, `${cluster.operator.name} (${cluster.operator.role})`),
      button("Forget the token", () => this.#forget(), { class: "small" }),
    );
    this.#furnish(cluster.games);
    this.#show(cluster);
    this.#refreshLists();
    this.#timer = setInterval(() => this.#look(), EVERY_MS);
  }

  #forget() {
    sessionStorage.removeItem(KEY);
    this.#token = "";
    this.#door();
  }

  // --- asking ---

  #banner(text) {
    $("#banner").hidden = !text;
    $("#banner").textContent = text;
  }

  async #look() {
    const cluster = await this.#client.get("cluster");
    if (cluster) this.#show(cluster);
    if (this.#room) await this.#explain(this.#room);
    this.#looks += 1;
    if (this.#looks % LISTS_EVERY === 0) this.#refreshLists();
  }

  #refreshLists() {
    this.rooms.refresh();
    this.audit.refresh();
  }

  /** Asks an operator, and shows what has changed if the act was carried out. */
  async #act(question) {
    if (!(await question())) return;
    this.#refreshLists();
    await this.#look();
  }

  #order(path, body) {
    return this.#client.order(path, body);
  }

  #drain(process, kind, others) {
    const text =
      kind === "gateway"
        ? `It closes ${counted(process.connections ?? 0, "connection")}; the players come back at other gateways.`
        : `It hands over ${counted(process.partitions?.length ?? 0, "partition")}; no player is disconnected.`;
    const order = async (body) => {
      const outcome = await this.#order("drain", { ...body, process: process.id });
      if (outcome.ok) this.#asked.add(process.id);
      return outcome;
    };
    return confirm({
      title: `Drain ${process.id}?`,
      text: others ? text : `${text} No other ${kind} is alive.`,
      verb: "Drain",
      order,
      reasonNeeded: false,
    });
  }

  // --- the picture ---

  #furnish(games) {
    const field = h("input", {
      inputmode: "numeric",
      pattern: "[0-9]+",
      required: true,
      placeholder: "Number of a room",
      id: "room",
      "aria-label": "Number of a room",
    });
    const find = (event) => {
      event.preventDefault();
      this.#choose(Number(field.value));
    };
    this.figures = h("section", { class: "figures", "aria-label": "Figures" });
    this.picture = h("section", { class: "panel wideonly", "aria-label": "The cluster" });
    this.gateways = h("section", { class: "panel", id: "gateways" });
    this.workers = h("section", { class: "panel", id: "workers" });
    this.store = h("section", { class: "panel", id: "store" });
    this.room = h("div", { id: "explained" });
    this.rooms = new RoomList(
      (path) => this.#client.get(path),
      (number) => {
        field.value = number;
        this.#choose(number);
        this.room.scrollIntoView({ block: "nearest" });
      },
      games,
    );
    this.audit = new AuditList((path) => this.#client.get(path));
    $("#main").className = "ops";
    $("#main").replaceChildren(
      this.figures,
      this.picture,
      h("div", { class: "halves" }, this.gateways, this.workers),
      this.store,
      this.rooms.element,
      h(
        "section",
        { class: "panel" },
        h("h2", {}, "One room explained"),
        h("form", { class: "row", onsubmit: find }, field, h("button", {}, "Explain")),
        this.room,
      ),
      ...(this.#mayAct ? [this.#sessions()] : []),
      this.audit.element,
    );
  }

  /** Players without a seat have sessions, too. */
  #sessions() {
    const field = h("input", { id: "session", required: true, placeholder: "Name", "aria-label": "Name of a player" });
    const ask = (event) => {
      event.preventDefault();
      this.#act(() => revoke(field.value, (path, body) => this.#order(path, body)));
    };
    return h(
      "section",
      { class: "panel" },
      h("h2", {}, "Sessions"),
      h("form", { class: "row", onsubmit: ask }, field, h("button", { class: "danger" }, "Revoke")),
    );
  }

  #choose(number) {
    this.#room = number;
    return this.#explain(number);
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
      ...Object.entries(cluster.without_worker).map(([game, rooms]) =>
        figure(`rooms without a worker, ${game}`, rooms),
      ),
      figure("moves per second", rates.moves.toFixed(1)),
      figure("median to the answer", `${Math.max(0, ...live.map((one) => one.half_ms ?? 0)).toFixed(1)} ms`),
      figure("99 of 100 within", `${Math.max(0, ...live.map((one) => one.slow_ms ?? 0)).toFixed(1)} ms`),
      figure("resumes", sum(live, "resumes")),
      figure("gaps filled", sum(live, "gaps")),
      h("div", { class: "figure wide" }, h("span", {}, "moves per second"), spark(this.#history, KEPT)),
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
        "gateway",
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
        "worker",
      ),
    );
    this.store.replaceChildren(...storeParts(cluster.store));
    if (focus) $(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }

  #table(head, rows, processes, draining, kind) {
    const live = processes.filter((one) => one.live);
    const action = (one) => {
      const going = one.draining || draining.includes(one.id) || (this.#asked.has(one.id) && one.live);
      if (!one.live) return h("span", { class: "quiet" }, "gone");
      if (going) return h("span", { class: "quiet" }, "draining…");
      if (!this.#mayAct) return null;
      return button("Drain", () => this.#act(() => this.#drain(one, kind, live.length > 1)), {
        class: "small",
        "data-key": `drain-${one.id}`,
        "data-drain": one.id,
      });
    };
    return table(
      head,
      processes.map((one, index) =>
        row(
          { class: one.live ? "" : "dead", "data-process": one.id },
          one.id,
          ...rows[index].map((cell) => cell ?? "–"),
          action(one),
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

  async #explain(number) {
    const room = await this.#client.get(`rooms/${number}`);
    if (!room || number !== this.#room) return;
    if (room.wrong) {
      this.#room = null;
      this.room.replaceChildren(h("p", { class: "wrong", role: "alert" }, room.wrong));
      return;
    }
    const focus = document.activeElement?.dataset?.key;
    const acts = roomActs(room, (path, body) => this.#order(path, body));
    const parts = explained(room, acts, (question) => this.#act(question), this.#mayAct);
    this.room.replaceChildren(...parts.filter(Boolean));
    if (focus) $(`[data-key="${CSS.escape(focus)}"]`, this.room)?.focus();
  }
}

new Ops().start();
