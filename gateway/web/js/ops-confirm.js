// The question before an act: what it touches, and the reason for it.

import { $, button, h } from "./dom.js";
import { newId } from "./ops-client.js";

export const counted = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

/**
 * Asks, and orders the act. `order(body)` sends it; resolves to true once it is carried out, to false if the operator
 * has cancelled. If it is uncertain whether the act was carried out, the same act can be sent again from the dialog.
 */
export function confirm({ title, text, verb, order, reasonNeeded = true }) {
  const id = newId();
  const asked = document.activeElement?.dataset?.key;
  const reason = h("input", { id: "reason", maxlength: 200, required: reasonNeeded, autocomplete: "off" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const go = h("button", { class: "danger", id: "confirm" }, verb);
  const dialog = h(
    "dialog",
    { class: "panel", "aria-labelledby": "question" },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "question" }, title),
      h("p", {}, text),
      h("label", { for: "reason" }, reasonNeeded ? "Reason, for the audit" : "Reason, for the audit (optional)"),
      reason,
      wrong,
      h(
        "div",
        { class: "row end" },
        button("Cancel", () => dialog.close(), { id: "cancel" }),
        go,
      ),
    ),
  );
  return new Promise((resolve) => {
    let done = false;
    dialog.addEventListener("close", () => {
      dialog.remove();
      // The button that was pressed may have been drawn again meanwhile.
      if (asked) $(`[data-key="${CSS.escape(asked)}"]`)?.focus();
      resolve(done);
    });
    dialog.addEventListener("submit", async (event) => {
      event.preventDefault();
      go.disabled = true;
      wrong.textContent = "";
      const { ok, again, text: refusal } = await order({ id, reason: reason.value.trim() });
      go.disabled = false;
      if (ok) {
        done = true;
        dialog.close();
      } else {
        wrong.textContent = again ? `${refusal} Press again: the act is carried out once.` : refusal;
      }
    });
    document.body.append(dialog);
    dialog.showModal();
    reason.focus();
  });
}
