// The dialog with the settings, and the keys of the page. Loaded when it is opened.

import { button, h } from "./dom.js";
import { change, setting } from "./settings.js";

const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const MOTIONS = [
  ["off", "Off"],
  ["slow", "Slow"],
  ["normal", "Normal"],
  ["fast", "Fast"],
];
const KEYS = [
  ["Tab, arrows", "go to the next lit thing"],
  ["Enter", "press it"],
  ["Escape", "cancel an unfinished choice"],
  ["?", "open the rules"],
  ["1 … 9, 0", "play an assistant; choose a card; take stones"],
  ["g r y p b", "choose a student of that color"],
  ["f", "turn a card over"],
  ["w a s d, arrows", "walk one step, with Shift two; a dot stays"],
];

const choice = (name, text, choices) =>
  h(
    "label",
    { class: "field" },
    h("span", {}, text),
    h(
      "select",
      { id: `setting-${name}`, onchange: (event) => change(name, event.target.value) },
      ...choices.map(([value, words]) => h("option", { value, selected: setting(name) === value }, words)),
    ),
  );

function check(name, text, hint, turned) {
  const input = h("input", {
    type: "checkbox",
    id: `setting-${name}`,
    checked: setting(name),
    onchange: () => turned(input),
  });
  return h("label", { class: "check" }, h("span", {}, text, h("small", { class: "block" }, hint)), input);
}

async function turnNotifications(input, app) {
  change("notify", false);
  if (!input.checked) return;
  // The browser asks for permission only after the player has turned the switch on.
  const answer = "Notification" in window ? await Notification.requestPermission() : "denied";
  input.checked = answer === "granted";
  change("notify", input.checked);
  if (!input.checked) app.toast("Your browser does not allow notifications of this page.");
}

async function turnSound(input) {
  change("sound", input.checked);
  if (input.checked) (await import("./alerts.js")).play("turn");
}

export function openSettings(app) {
  const dialog = h(
    "dialog",
    { class: "dialog", id: "settings", "aria-labelledby": "settings-title", onclose: () => dialog.remove() },
    h(
      "div",
      { class: "row spread" },
      h("h2", { id: "settings-title" }, "Settings"),
      button("Close", () => dialog.close(), { class: "small" }),
    ),
    choice("theme", "Colors", THEMES),
    choice("motion", "Animation", MOTIONS),
    check("sound", "Sound", "A short tone for your turn, a message, the end of a game", turnSound),
    check("notify", "Notifications", "While this tab is hidden: your turn, a message, the end of a game", (input) =>
      turnNotifications(input, app),
    ),
    h("h3", {}, "Keys"),
    h("dl", { class: "keys" }, ...KEYS.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
