// Games without a module: its view as data, its options as buttons.

import { lit } from "../board.js";
import { h } from "../dom.js";

const words = ({ type, ...rest }) =>
  [
    type.replaceAll("_", " "),
    ...Object.entries(rest).map(
      ([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`,
    ),
  ].join(" · ");

function tree(value) {
  if (value === null || typeof value !== "object") return h("span", {}, String(value));
  return h(
    "dl",
    { class: "tree" },
    ...Object.entries(value).flatMap(([key, part]) => [h("dt", {}, key), h("dd", {}, tree(part))]),
  );
}

export const any = {
  describe: (event, who) => `${event.seat === undefined ? "" : `${who(event.seat)}: `}${words(event)}`,
  start: null,
  fold: (_view, event) => event,
  open: (table) => ({
    render: (room, options) => [
      h(
        "div",
        { class: "choices" },
        ...(options ?? []).map((command, index) =>
          lit(h("button", { type: "button" }, words(command)), {
            key: `option-${index}`,
            label: words(command),
            act: () => table.send(command),
          }),
        ),
      ),
      tree(room.game),
    ],
  }),
};
