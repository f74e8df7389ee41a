// The form that opens a table. Its fields come from the game's own schema, so games without a module have a form too.

import { h } from "./dom.js";

const TIMERS = [
  [0, "No limit"],
  [30_000, "30 seconds"],
  [60_000, "1 minute"],
  [120_000, "2 minutes"],
  [300_000, "5 minutes"],
];
const WAITS = [
  [0, "All seats are taken"],
  [10_000, "10 seconds without a newcomer"],
  [60_000, "1 minute without a newcomer"],
];
const WORDS = {
  expert: "Expert rules: coins and characters",
  grace_ms: "Seconds to wait for a player who has lost the connection",
  alone_ms: "Seconds until the last player who is left wins",
  stones: "Stones",
  count: "Levels",
  start: "First level",
  move_time_ms: "Seconds for a move; 0: no limit",
  levels: "Dungeon",
  whole_level: "Spectators see the whole level",
};

const humane = (key) => WORDS[key] ?? (key.charAt(0).toUpperCase() + key.slice(1)).replaceAll("_", " ");

/** `open` is called with the game's name and the table's spec. */
export function createForm(app, open) {
  const form = h("form", { class: "create", id: "create" });
  const cards = [...app.cards.values()];
  const game = h(
    "select",
    { id: "create-game" },
    ...cards.map((card) => h("option", { value: card.name }, card.title)),
  );
  const body = h("div", { class: "create-body" });
  let fields = null;
  const choose = () => {
    fields = fieldsOf(app.cards.get(game.value));
    body.replaceChildren(...fields.elements);
  };
  game.addEventListener("change", choose);
  if (app.cards.has("eriantys")) game.value = "eriantys";
  choose();
  form.append(field("Game", game), body, h("button", { class: "primary" }, "Open the table"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open(game.value, fields.spec());
  });
  return form;
}

function field(text, input) {
  return h("label", { class: input.type === "checkbox" ? "check" : "field" }, h("span", {}, text), input);
}

function numbers(from, to) {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

function fieldsOf(card) {
  const seats = h(
    "select",
    { id: "create-seats" },
    ...card.seats.map((number) => h("option", { value: number }, number)),
  );
  if (card.seats.includes(2)) seats.value = 2;
  const bots = h("select", { id: "create-bots" });
  const fill = () => {
    const before = bots.value;
    bots.replaceChildren(...numbers(0, seats.value - 1).map((number) => h("option", { value: number }, number)));
    bots.value = Math.min(before || 0, seats.value - 1);
  };
  seats.addEventListener("change", fill);
  fill();
  const turn = h("select", { id: "create-turn" }, ...TIMERS.map(([ms, text]) => h("option", { value: ms }, text)));
  const hidden = h("input", { type: "checkbox", id: "create-private" });
  const unwatched = h("input", { type: "checkbox", id: "create-unwatched" });
  const wait = h("select", { id: "create-wait" }, ...WAITS.map(([ms, text]) => h("option", { value: ms }, text)));
  const options = optionFields(card.options);
  return {
    elements: [
      h("div", { class: "pair" }, field("Seats", seats), field("Bots in them", bots)),
      field("Time for a turn", turn),
      ...(card.least ? [field("Begin when", wait)] : []),
      ...options.elements,
      field("Private: found only with its link", hidden),
      field("No spectators", unwatched),
    ],
    spec: () => ({
      seats: Number(seats.value),
      bots: Number(bots.value),
      turn_ms: Number(turn.value),
      wait_ms: Number(wait.value),
      private: hidden.checked,
      spectators: unwatched.checked ? "none" : "open",
      options: options.values(),
    }),
  };
}

// --- options from a JSON schema ---

function resolved(schema, root) {
  const name = schema?.$ref?.split("/").at(-1);
  return name ? root.$defs[name] : schema;
}

function optionFields(root) {
  const rows = Object.entries(resolved(root, root).properties ?? {})
    .map(([key, schema]) => optionField(key, resolved(schema, root), schema.default, root))
    .filter(Boolean);
  const [rare, plain] = [rows.filter((row) => row.rare), rows.filter((row) => !row.rare)];
  const more = rare.length
    ? h("details", {}, h("summary", {}, "More settings"), ...rare.map((row) => row.element))
    : null;
  return {
    elements: [...plain.map((row) => row.element), more].filter(Boolean),
    values: () => Object.assign({}, ...rows.map((row) => row.value())),
  };
}

/** Durations are milliseconds on the wire, and seconds in the form. */
function numberField(key, schema, fallback, only) {
  const isTime = key.endsWith("_ms");
  const unit = isTime ? 1000 : 1;
  const input = h("input", {
    type: "number",
    id: `option-${key}`,
    value: (fallback ?? 0) / unit,
    min: schema.minimum === undefined ? undefined : schema.minimum / unit,
    max: schema.maximum === undefined ? undefined : schema.maximum / unit,
    step: isTime ? "any" : 1,
  });
  return {
    element: field(humane(key), input),
    value: () => only(Math.round(Number(input.value) * unit)),
    rare: isTime,
  };
}

/** An input for one option, with its value if it is not the default; null if no form field fits the option. */
function optionField(key, schema, fallback, root) {
  const id = `option-${key}`;
  const only = (value) => (value === fallback ? {} : { [key]: value });
  if (schema.type === "boolean") {
    const input = h("input", { type: "checkbox", id, checked: Boolean(fallback) });
    return { element: field(humane(key), input), value: () => only(input.checked), rare: false };
  }
  if (schema.type === "integer" || schema.type === "number") return numberField(key, schema, fallback, only);
  const words = (schema.enum ? [schema] : (schema.anyOf ?? []))
    .flatMap((part) => part.enum ?? [])
    .filter((word) => typeof word === "string");
  if (words.length) {
    const choices = [
      ["", fallback ?? "default"],
      ...words.filter((word) => word !== fallback).map((word) => [word, word]),
    ];
    const input = h("select", { id }, ...choices.map(([value, text]) => h("option", { value }, text)));
    return {
      element: field(humane(key), input),
      value: () => (input.value ? { [key]: input.value } : {}),
      rare: false,
    };
  }
  if (schema.type === "object" && schema.properties) {
    const inner = Object.entries(schema.properties)
      .map(([name, part]) => optionField(name, resolved(part, root), part.default, root))
      .filter(Boolean);
    const value = () => {
      const values = Object.assign({}, ...inner.map((row) => row.value()));
      return Object.keys(values).length ? { [key]: values } : {};
    };
    const element = h("fieldset", {}, h("legend", {}, humane(key)), ...inner.map((row) => row.element));
    return { element, value, rare: true };
  }
  return null;
}
