// An area of Codex Naturalis that can be moved and zoomed, and its small picture.

import { lit } from "../board.js";
import { at, button, h, picture, s } from "../dom.js";
import { coveredInWords } from "./codex-cards.js";
import { card, HEIGHT, STEP_X, STEP_Y, WIDTH } from "./codex-draw.js";

const ZOOMS = 1.3;
const [MOST, LEAST] = [4, 0.35];

const place = ({ i, j }) => [(j - 40) * STEP_X, (i - 40) * STEP_Y];

/** A cell in words, as seen from the starting card. */
function whereInWords({ i, j }) {
  const [down, right] = [i - 40, j - 40];
  const parts = [
    down && `${Math.abs(down)} ${down > 0 ? "down" : "up"}`,
    right && `${Math.abs(right)} ${right > 0 ? "right" : "left"}`,
  ];
  return `${parts.filter(Boolean).join(", ")} of the starting card`;
}

/** The smallest box around these cells. */
function box(cells, margin) {
  const places = cells.length ? cells.map(place) : [[0, 0]];
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
  return [left, top, Math.max(...xs) + WIDTH + margin - left, Math.max(...ys) + HEIGHT + margin - top];
}

const cards = (area, seat) =>
  area.map((placed) =>
    at(...place(placed), s("g", { "data-at": `cell-${seat}-${placed.i}-${placed.j}` }, card(placed.card, placed.face))),
  );

export const thumbnail = (area, seat) =>
  picture(box(area, 20).join(" "), { class: "thumbpicture", "aria-hidden": "true" }, ...cards(area, seat));

export class Area {
  #paint;
  #zoom = 1;
  #shift = [0, 0];
  #seat = null;

  constructor(paint) {
    this.#paint = paint;
  }

  fit() {
    this.#zoom = 1;
    this.#shift = [0, 0];
  }

  #scale(factor) {
    this.#zoom = Math.min(MOST, Math.max(LEAST, this.#zoom * factor));
    this.#paint();
  }

  buttons() {
    const tool = (text, name, act, key) =>
      button(text, act, { class: "small tool", "aria-label": name, title: name, "data-key": key });
    return h(
      "span",
      { class: "row tools" },
      tool("−", "Smaller", () => this.#scale(1 / ZOOMS), "zoom-out"),
      tool("+", "Larger", () => this.#scale(ZOOMS), "zoom-in"),
      tool("⤢", "Show all", () => (this.fit(), this.#paint()), "zoom-fit"),
    );
  }

  /** `targets` are commands that place a card; `act` is called with the one that was chosen. */
  render(area, targets, act, seat) {
    if (seat !== this.#seat) this.fit();
    this.#seat = seat;
    const [left, top, wide, high] = box([...area, ...targets], 70);
    const [w, t] = [wide / this.#zoom, high / this.#zoom];
    const view = [left + (wide - w) / 2 + this.#shift[0], top + (high - t) / 2 + this.#shift[1], w, t];
    const spots = targets.map((command) => {
      const [x, y] = place(command);
      const spot = s("rect", { class: "spot", width: WIDTH, height: HEIGHT, rx: 9 });
      return at(
        x,
        y,
        lit(s("g", {}, spot), {
          key: `cell-${command.i}-${command.j}`,
          label: `Place it over ${coveredInWords(area, command.i, command.j)}; ${whereInWords(command)}`,
          act: () => act(command),
        }),
      );
    });
    const svg = picture(
      view.join(" "),
      { class: "area", role: "group", "aria-label": "Area" },
      ...cards(area, seat),
      ...spots,
    );
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.#grab(event, svg, view));
    return svg;
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaY) < 1) return;
    event.preventDefault();
    this.#scale(event.deltaY < 0 ? 1.12 : 1 / 1.12);
  }

  #grab(event, svg, view) {
    if (event.target.closest(".lit") || event.button) return;
    const [x, y] = [event.clientX, event.clientY];
    const scale = svg.getScreenCTM().a;
    const [right, down] = this.#shift;
    svg.setPointerCapture(event.pointerId);
    svg.onpointermove = (moved) => {
      this.#shift = [right - (moved.clientX - x) / scale, down - (moved.clientY - y) / scale];
      svg.setAttribute(
        "viewBox",
        [view[0] + this.#shift[0] - right, view[1] + this.#shift[1] - down, view[2], view[3]].join(" "),
      );
    };
    svg.onpointerup = svg.onpointercancel = () => (svg.onpointermove = null);
  }
}
