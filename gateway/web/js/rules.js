// The rules of a game in a drawer: the goal, a turn in a few lines, a key of the symbols, then the whole rules.

import { button, h, style } from "./dom.js";

const GAMES = {
  codex: () => import("./rules/codex.js"),
  eriantys: () => import("./rules/eriantys.js"),
  snarl: () => import("./rules/snarl.js"),
  stones: () => import("./rules/stones.js"),
};
const NARROW = "(max-width: 900px)";

/** Opens the drawer. Returns an object with `close()`, or null if the page has no rules of this game. */
export async function openRules(app, game) {
  if (document.querySelector("#rules")) return null;
  if (!Object.hasOwn(GAMES, game)) {
    app.toast("The page has no rules of this game.");
    return null;
  }
  const [{ rules }] = await Promise.all([GAMES[game](), style("rules"), style("table")]);
  const drawer = h(
    "dialog",
    { class: "drawer", id: "rules", "aria-labelledby": "rules-title", onclose: () => drawer.remove() },
    h(
      "div",
      { class: "row spread drawerhead" },
      h("h2", { id: "rules-title" }, `${app.title(game)}: the rules`),
      button("Close", () => drawer.close(), { class: "small" }),
    ),
    h("div", { class: "drawerbody", tabindex: 0 }, ...short(rules), whole(rules)),
    h(
      "div",
      { class: "drawerfoot" },
      button("Play", () => drawer.close(), { class: "primary", id: "rules-done" }),
    ),
  );
  drawer.addEventListener("keydown", (event) => event.key === "Escape" && drawer.close());
  document.body.append(drawer);
  // On a wide screen the game can be played while the rules are open.
  if (matchMedia(NARROW).matches) drawer.showModal();
  else drawer.show();
  return { close: () => drawer.close() };
}

const short = ({ goal, turn, key }) => [
  h("p", { class: "goal" }, h("strong", {}, "Goal: "), goal),
  h("ol", { class: "turn" }, ...turn.map((line) => h("li", {}, line))),
  h("h3", {}, "Symbols"),
  h("dl", { class: "legend" }, ...key().flatMap(([drawn, text]) => [h("dt", {}, drawn), h("dd", {}, text)])),
];

const whole = ({ sections }) =>
  h(
    "details",
    {},
    h("summary", {}, "The whole rules"),
    ...sections.flatMap(([title, ...paragraphs]) => [
      h("h3", {}, title),
      ...paragraphs.map((text) =>
        Array.isArray(text) ? h("ul", {}, ...text.map((one) => h("li", {}, one))) : h("p", {}, text),
      ),
    ]),
  );
