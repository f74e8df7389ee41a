// Entry point of the page: the connection, the bar on top, and the view that the address names.

import { $, button, h } from "./dom.js";
import { games } from "./games/index.js";
import { lobby } from "./lobby.js";
import { Play } from "./play.js";
import { replay } from "./replay.js";
import { recall } from "./session.js";
import { table } from "./table.js";
import { sentence } from "./words.js";

const PLACES = [
  [/^\/t\/(\d+)$/, (app, room) => table(app, Number(room))],
  [/^\/replay\/(\d+)$/, (app, room) => replay(app, Number(room))],
  [/^\/$/, (app) => lobby(app)],
];
const TOAST_MS = 6_000;

class App {
  #leave = null;

  constructor(identity) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.identity = identity;
    this.play = new Play(`${scheme}//${location.host}/ws/play`, identity);
    this.cards = new Map();
    this.main = $("#main");
  }

  async begin() {
    this.play.on("state", (state) => this.#banner(state));
    this.play.on("welcome", () => this.#me());
    this.play.on("trouble", (refusal) => this.toast(sentence(refusal)));
    this.play.on("hello_refused", (refusal) => this.#stranger(refusal));
    addEventListener("popstate", () => this.#arrive());
    addEventListener("online", () => this.play.check());
    document.addEventListener("visibilitychange", () => document.hidden || this.play.check());
    document.addEventListener("click", (event) => this.#follow(event));
    this.#me();
    this.play.connect();
    await this.learnGames();
    this.#arrive();
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

  #arrive() {
    this.#leave?.();
    this.#leaveFinished();
    this.place("");
    for (const [pattern, open] of PLACES) {
      const found = pattern.exec(location.pathname);
      if (found) {
        this.#leave = open(this, ...found.slice(1));
        return;
      }
    }
    this.go("/");
  }

  /** Detaches from tables that are over and not shown. Their seats remain, for a later visit. */
  #leaveFinished() {
    for (const room of this.play.over) if (location.pathname !== `/t/${room}`) this.play.leave(room).catch(() => {});
  }

  /** Sets the bar and the window's title to the current view. */
  place(text, ...more) {
    $("#place").replaceChildren(h("span", {}, text), ...more);
    document.title = text ? `${text} · Tavolata` : "Tavolata";
  }

  // --- the bar and what is said on top ---

  #me() {
    const { name } = this.identity;
    const edit = button(name, () => this.#rename(), { class: "name", title: "Change your name", id: "name" });
    $("#me").replaceChildren(edit);
  }

  #rename() {
    const field = h("input", { value: this.identity.name, maxlength: 32, required: true, "aria-label": "Your name" });
    const done = (event) => {
      event.preventDefault();
      const name = field.value.trim();
      if (!name || name === this.identity.name) return this.#me();
      if (!this.play.seated.length) {
        $("#me").replaceChildren(h("span", { class: "quiet" }, "…"));
        return this.play.rename(name);
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

  #stranger(refusal) {
    const wanted = this.identity.name;
    if (this.identity.token) this.identity.forget();
    else this.identity.another();
    if (!/^Guest\d+$/.test(wanted))
      this.toast(`${wanted}: ${sentence(refusal)} You are ${this.identity.name} for now.`);
    this.play.introduce();
  }

  #banner(state) {
    const banner = $("#banner");
    const said = {
      offline: ["Reconnecting. Nothing you did is lost."],
      connecting: ["Reconnecting. Nothing you did is lost."],
      replaced: [
        "This session is open in another window.",
        button("Use it here", () => this.play.connect()),
        button("Be somebody else here", () => this.play.rename(`Guest${1000 + Math.floor(Math.random() * 9000)}`)),
      ],
      refused: ["The server closed the connection.", button("Connect again", () => this.play.connect())],
    }[state];
    const first = state === "connecting" && !this.play.welcome;
    banner.hidden = !said || first;
    banner.replaceChildren(...(said ?? []));
  }

  /** Shows a short message that disappears by itself. */
  toast(text) {
    const note = h("p", { class: "toast" }, text);
    $("#toasts").append(note);
    setTimeout(() => note.remove(), TOAST_MS);
  }

  refused = (refusal) => this.toast(sentence(refusal));
}

const app = new App(await recall());
app.games = games;
await app.begin();
