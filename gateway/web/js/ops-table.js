// Tables of the operators' page. On a narrow screen every row becomes a block, and cells show their headings.

import { h } from "./dom.js";

/** A row begins with its heading. `attributes` are those of the row. */
export const row = (attributes, ...cells) => ({ attributes, cells });

/** A column without a heading has buttons or marks; empty cells of it are left out on a narrow screen. */
export function table(head, rows) {
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...head.map((text) => (text ? h("th", { scope: "col" }, text) : h("td"))))),
    h(
      "tbody",
      {},
      ...rows.map(({ attributes, cells: [first, ...others] }) =>
        h(
          "tr",
          attributes,
          h("th", { scope: "row" }, first),
          ...others.map((cell, index) => h("td", { "data-label": head[index + 1] }, cell)),
        ),
      ),
    ),
  );
}
