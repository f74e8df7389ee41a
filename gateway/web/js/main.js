// Entry point of the page: the connection, the bar on top, and the view that the address names.

import { Player } from "../client.js";
import { $, button, h } from "./dom.js";
import { guest, recall } from "./session.js";
import { applyTheme, setting } from "./settings.js";
import { sentence } from "./words.js";

/** The views by address. Their modules are loaded when they are first shown. */
const PLACES = [
  [/^\/t\/(\d+)$/, async () => (await import("./table.js")).table],
  [/^\/replay\/(\d+)$/, async () => (await import("./replay.js")).replay],
  [/^\/$/, async () => (await import("./lobby.js")).lobby],
];
const TOAST_MS = 6_000;

class App {
  #leave = null;
  #visits = 0;

  constructor(identity) {
    this.identity = identity;
    this.cards = new Map();
    /** Keys of private tables, by number. */
    this.keys = new Map();
    this.main = $("#main");
  }

  async begin() {
    addEventListener("popstate", () => this.#arrive());
    addEventListener("online", () => this.player.check());
    document.addEventListener("visibilitychange", () => document.hidden || this.player.check());
    document.addEventListener("click", (event) => this.#follow(event));
    this.#me();
    this.#connect();
    await this.learnGames();
    this.#arrive();
  }

  /** Begins a session, or goes on with the one of the identity, in a new client. It tries until a gateway answers. */
  #connect() {
    const { name, token } = this.identity;
    const patient = { patienceMs: Infinity, connectMs: Infinity };
    this.player = new Player(location.origin, token ? { token, ...patient } : { name, ...patient });
    this.player.on("state", () => this.#banner());
    this.player.on("complaint", ({ text }) => this.toast(sentence(text)));
    this.player.on("welcome", (welcome) => {
      this.identity.keep(welcome);
      this.#me();
    });
  }

  /** The same with the present view, which followed the client that has ended. There may be none yet: see `begin`. */
  #reconnect() {
    this.#connect();
    this.#banner();
    if (this.#visits) this.#arrive();
  }

  /** The client, once the cluster has accepted its session. A name may turn out to be taken until then. */
  async accepted() {
    for (;;) {
      const { player } = this;
      try {
        return await player.ready;
      } catch (error) {
        if (player === this.player) throw error;
      }
    }
  }

  /** Fetches the list of games, again and again until the cluster has some. */
  async learnGames() {
    for (;;) {
      try {
        const { games: cards } = await (await fetch("/api/games")).json();
        this.cards = new Map(cards.map((card) => [card.name, card]));
        if (cards.length) return;
      } catch {
        // The gateway cannot be reached; the banner shows it.
      }
      await new Promise((wake) => setTimeout(wake, 1_000));
    }
  }

  title(game) {
    return this.cards.get(game)?.title ?? game;
  }

  // --- places ---

  go(path) {
    const here = path.includes("#") ? location.pathname + location.hash : location.pathname;
    if (path !== here) history.pushState(null, "", path);
    this.#arrive();
  }

  #follow(event) {
    const link = event.target.closest?.("a[data-go]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    this.go(link.getAttribute("href"));
  }

  async #arrive() {
    this.#leave?.();
    this.#leave = null;
    const visit = (this.#visits += 1);
    this.#leaveFinished();
    this.place("");
    const matches = PLACES.map(([pattern, module]) => [module, pattern.exec(location.pathname)]);
    const [load, found] = matches.find(([, match]) => match) ?? [];
    if (!load) return this.#nowhere();
    const show = await load();
    // Another address may have been opened while the module was loaded.
    if (visit === this.#visits) this.#leave = show(this, ...found.slice(1).map(Number));
    return undefined;
  }

  #nowhere() {
    this.main.className = "";
    this.main.replaceChildren(
      h(
        "div",
        { class: "panel lonely" },
        h("h1", {}, "There is no such page"),
        h("p", {}, "The address may be misspelled."),
        h("a", { class: "button primary", href: "/", "data-go": true }, "To the lobby"),
      ),
    );
  }

  /** Detaches from tables that are over and not shown. Their seats remain, for a later visit. */
  #leaveFinished() {
    for (const attended of this.player.tables)
      if (attended.over && location.pathname !== `/t/${attended.room}`) attended.leave().catch(() => {});
  }

  /** Sets the bar and the window's title to the current view. */
  place(text, ...more) {
    $("#place").replaceChildren(...(text ? [h("h1", {}, text)] : []), ...more);
    document.body.classList.toggle("at-table", Boolean(text));
    document.title = text ? `${text} · Tavolata` : "Tavolata";
  }

  // --- the bar and what is said on top ---

  #me() {
    const { name } = this.identity;
    const edit = button(name, () => this.#rename(), { class: "name", title: "Change your name", id: "name" });
    const gear = button("⚙", () => this.#settings(), {
      class: "gear",
      "aria-label": "Settings",
      id: "settings-button",
    });
    $("#me").replaceChildren(gear, edit);
  }

  async #settings() {
    (await import("./settings-dialog.js")).openSettings(this);
  }

  #rename() {
    const field = h("input", { value: this.identity.name, maxlength: 32, required: true, "aria-label": "Your name" });
    const done = (event) => {
      event.preventDefault();
      const name = field.value.trim();
      if (!name || name === this.identity.name) return this.#me();
      if (!this.player.seated.length) {
        $("#me").replaceChildren(h("span", { class: "quiet" }, "…"));
        return this.become(name);
      }
      this.toast("You have a seat at a table; leave it before you change your name.");
      return this.#me();
    };
    const form = h(
      "form",
      { class: "rename", onsubmit: done },
      field,
      h("button", { class: "small" }, "Take this name"),
    );
    form.addEventListener("keydown", (event) => event.key === "Escape" && this.#me());
    $("#me").replaceChildren(form);
    field.select();
  }

  /** Ends the session and begins another one under this name. */
  async become(name) {
    await this.player.bye();
    this.identity.forget();
    this.identity.name = name;
    this.#reconnect();
  }

  /** Handles a refused session: forgets its token, or chooses another name. */
  #stranger(refusal) {
    const wanted = this.identity.name;
    if (this.identity.token) this.identity.forget();
    else {
      this.identity.another();
      if (!/^Guest\d+$/.test(wanted))
        this.toast(`${wanted}: ${sentence(refusal)} You are ${this.identity.name} for now.`);
    }
    this.#reconnect();
  }

  #banner() {
    const { state, welcome, error } = this.player;
    const isLost = state === "connecting" || state === "offline";
    const said = error ? this.#ending(error) : isLost && welcome ? ["Reconnecting. Nothing you did is lost."] : [];
    $("#banner").hidden = !said.length;
    $("#banner").replaceChildren(...said);
  }

  /** Says why the session has ended, or goes on with another one. */
  #ending(error) {
    if (error.code === "close/4001")
      return [
        "This session is open in another window.",
        button("Use it here", () => this.#reconnect()),
        button("Be somebody else here", () => this.become(guest())),
      ];
    if (error.code === "protocol/version" || error.code === "close/4006")
      return ["This page is older than the server.", button("Reload the page", () => location.reload())];
    if (error.code.startsWith("close/"))
      return ["The server closed the connection.", button("Connect again", () => this.#reconnect())];
    if (error.code !== "client/closed") this.#stranger(error);
    return [];
  }

  /** A tone or a notification, if the player has turned them on. `kind` is `turn`, `chat` or `end`. */
  async alert(kind, text) {
    const { hidden } = document; // as of now, not of the time when the module is there
    if (setting("sound") || setting("notify")) (await import("./alerts.js")).alert(kind, text, hidden);
  }

  /** Shows a short message that disappears by itself. */
  toast(text) {
    const note = h("p", { class: "toast" }, text);
    $("#toasts").append(note);
    setTimeout(() => note.remove(), TOAST_MS);
  }

  refused = (refusal) => this.toast(sentence(refusal));
}

applyTheme();
const app = new App(await recall());
await app.begin();
