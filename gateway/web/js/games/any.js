// Games without a module of their own: the view as grids, tables and lists, the options as cells, buttons and forms.

import { lit } from "../board.js";
import { h } from "../dom.js";

/** More options of one type than this are chosen in a form, field by field. */
const MOST_BUTTONS = 12;
/** Keys whose numbers are seats. */
const SEATS = new Set(["seat", "seats", "turn", "winner", "winners", "player", "players", "order", "by", "owner"]);
const PLACES = ["row", "column"];

const humane = (key) => key.replaceAll("_", " ");
const isSimple = (value) => value === null || typeof value !== "object";
const isList = (value) => Array.isArray(value) && value.length > 0;
const isRecord = (value) => !isSimple(value) && !Array.isArray(value);
const isRow = (value) => isList(value) && value.every(isSimple);
const isGrid = (value) => isList(value) && value.every((row) => isRow(row) && row.length === value[0].length);
const withoutType = (message) => Object.entries(message).filter(([key]) => key !== "type");

/** A value as words; `name` names a seat. */
function words(value, key, name) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" && SEATS.has(key)) return name(value);
  if (Array.isArray(value)) return value.map((part) => words(part, key, name)).join(", ") || "–";
  if (isRecord(value)) return describe(Object.entries(value), name);
  return String(value);
}

const describe = (fields, name) => fields.map(([key, value]) => `${humane(key)} ${words(value, key, name)}`).join(", ");

function sentence(message, name) {
  const fields = describe(withoutType(message), name);
  return humane(message.type) + (fields && `: ${fields}`);
}

// --- the view ---

function grid(rows, aimed) {
  const cell = (value, row, column) => {
    const shown = h("td", { "data-value": value ?? "" }, value === null ? "" : String(value));
    const target = aimed(row, column);
    return target ? lit(shown, { key: `cell-${row}-${column}`, ...target }) : shown;
  };
  const drawn = h(
    "table",
    { class: "grid" },
    h(
      "tbody",
      {},
      rows.map((values, row) =>
        h(
          "tr",
          {},
          values.map((value, column) => cell(value, row, column)),
        ),
      ),
    ),
  );
  drawn.style.setProperty("--rows", rows.length);
  drawn.style.setProperty("--columns", rows[0].length);
  return drawn;
}

function records(list, context) {
  const keys = [...new Set(list.flatMap(Object.keys))];
  return h(
    "table",
    { class: "records" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        keys.map((key) => h("th", { scope: "col" }, humane(key))),
      ),
    ),
    h(
      "tbody",
      {},
      list.map((record) =>
        h(
          "tr",
          {},
          keys.map((key) => h("td", {}, shape(record[key], key, context))),
        ),
      ),
    ),
  );
}

function shape(value, key, context) {
  if (isGrid(value)) return grid(value, context.aimed);
  if (isList(value) && value.every(isRecord)) return records(value, context);
  if (isList(value) && !isRow(value))
    return h(
      "ol",
      { class: "tree" },
      value.map((part) => h("li", {}, shape(part, key, context))),
    );
  if (!isRecord(value)) return h("span", {}, words(value, key, context.name));
  return h(
    "dl",
    { class: "tree" },
    Object.entries(value).map(([inner, part]) => [
      h("dt", {}, humane(inner)),
      h("dd", {}, shape(part, inner, context)),
    ]),
  );
}

// --- the options ---

/**
 * Finds the option that a cell of a grid stands for: the only one that names its row and column, or one of them.
 * `aimed` collects the options that were found, which need no button.
 */
function aiming(options, act, aimed) {
  const placed = options.filter((option) => PLACES.some((key) => Number.isInteger(option[key])));
  return (row, column) => {
    const fitting = placed.filter((one) => (one.row ?? row) === row && (one.column ?? column) === column);
    if (fitting.length !== 1) return null;
    aimed.add(fitting[0]);
    return { label: `${humane(fitting[0].type)} ${row}, ${column}`, act: () => act(fitting[0]) };
  };
}

function buttons(options, act, name) {
  return h(
    "div",
    { class: "choices" },
    options.map((option, index) =>
      lit(h("button", { type: "button" }, sentence(option, name)), {
        key: `${option.type}-${index}`,
        label: sentence(option, name),
        act: () => act(option),
      }),
    ),
  );
}

/** A form with a choice for each field; each choice leaves the options that fit those before it. */
function form(type, options, chosen, { act, paint, name }) {
  let left = options;
  const fields = [...new Set(options.flatMap((option) => withoutType(option).map(([key]) => key)))].map((key) => {
    const values = [...new Set(left.map((option) => JSON.stringify(option[key] ?? null)))];
    const value = values.includes(chosen[key]) ? chosen[key] : values[0];
    left = left.filter((option) => JSON.stringify(option[key] ?? null) === value);
    const choose = ({ target }) => {
      chosen[key] = target.value;
      paint();
    };
    const shown = (text) => h("option", { value: text, selected: text === value }, words(JSON.parse(text), key, name));
    return h("label", {}, `${humane(key)} `, h("select", { name: key, onchange: choose }, values.map(shown)));
  });
  const give = lit(h("button", { type: "button", class: "primary" }, humane(type)), {
    key: `form-${type}`,
    label: sentence(left[0], name),
    act: () => act(left[0]),
  });
  return h(
    "form",
    { class: "row wrap command", "data-command": type, onsubmit: (event) => event.preventDefault() },
    fields,
    give,
  );
}

function open(table) {
  const chosen = {};
  const { send: act, paint, name } = table;
  return {
    render(room, options) {
      const aimed = new Set();
      const view = shape(room.game, "", { aimed: aiming(options ?? [], act, aimed), name });
      const others = (options ?? []).filter((option) => !aimed.has(option));
      const commands = [...new Set(others.map(({ type }) => type))].map((type) => {
        const some = others.filter((option) => option.type === type);
        if (some.length <= MOST_BUTTONS) return buttons(some, act, name);
        return form(type, some, (chosen[type] ??= {}), { act, paint, name });
      });
      return [...commands, view];
    },
  };
}

export const any = {
  describe: ({ seat, ...event }, who) => (seat === undefined ? "" : `${who(seat)}: `) + sentence(event, who),
  start: null,
  fold: (_view, event) => event,
  open,
};
