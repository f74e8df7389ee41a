// Behavior that all boards share: elements that can be pressed, dragged or reached by keys, marks, and animation.

import { h } from "./dom.js";
import { setting } from "./settings.js";

const acts = new WeakMap();
const DRAG_FROM = 7;
const FLIGHT_MS = { slow: 900, normal: 420, fast: 200, off: 0 };
const REASON_MS = 4_000;
const NARROW = 620;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const still = () => setting("motion") === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches;
const flightTime = () => FLIGHT_MS[setting("motion")] ?? FLIGHT_MS.normal;

/** Highlights an element as a possible action. With `drag`, it can also be dragged onto elements lit by picking it. */
export function lit(element, { key, label, act, drag = false, picked = false }) {
  element.classList.add("lit");
  if (picked) element.classList.add("picked");
  for (const [name, value] of Object.entries({ tabindex: 0, role: "button", "aria-label": label, "data-key": key })) {
    element.setAttribute(name, value);
  }
  if (picked) element.setAttribute("aria-pressed", "true");
  if (drag) element.setAttribute("data-drag", "");
  acts.set(element, act);
  return element;
}

/** Marks an element as not possible now. Pressing it shows the reason beside it. */
export function barred(element, reason) {
  element.dataset.why = reason;
  if (!element.ownerSVGElement) element.title = reason;
  return element;
}

/** Explains the marks on a board; shown while there are some. */
export const marksKey = () =>
  h("p", { class: "markskey" }, h("span", { class: "swatch moved" }), h("span", {}, "changed since your last turn"));

/** A function that tells whether a board is narrow. The board is painted again when that changes. */
export function narrowness(host, paint) {
  const narrow = () => host.clientWidth < NARROW;
  let before = narrow();
  new ResizeObserver(() => narrow() !== before && ((before = narrow()), paint())).observe(host);
  return narrow;
}

const pressable = (target) => target?.closest?.(".lit") ?? null;

/**
 * The places of a game on the page: `host` for the board, `aside` in the side column, `bar` at the bottom of a narrow
 * screen.
 */
export class Board {
  host = h("div", { class: "board" });
  aside = h("div", { class: "boardside" });
  bar = h("div", { class: "actionbar" });
  #slots = [this.host, this.aside, this.bar];
  #around;
  #dragged = false;
  #reason = null;

  /** `around` are elements that others paint, and that have places of pieces too. */
  constructor(...around) {
    this.#around = [...this.#slots, ...around];
    for (const slot of this.#slots) {
      slot.addEventListener("click", (event) => this.#click(event));
      slot.addEventListener("keydown", (event) => this.#key(event));
      slot.addEventListener("pointerdown", (event) => this.#down(event));
    }
  }

  /**
   * Replaces the old elements by new ones: an array for the board alone, or {board, aside, bar}. `flights` are pieces
   * that other players moved: {from, to, piece}. `marks` are the places that have changed since the player's last move.
   */
  paint(drawn, flights = [], marks = new Set()) {
    const { board, aside = [], bar = [] } = Array.isArray(drawn) ? { board: drawn } : drawn;
    const focus = this.#contains(document.activeElement) ? document.activeElement : null;
    const known = focus?.matches(":focus-visible") ? new Set(this.#keys().keys()) : null;
    const before = still() ? new Map() : this.#places("[data-flip], [data-at]");
    this.#reason?.remove();
    this.host.replaceChildren(...board);
    this.aside.replaceChildren(...aside);
    this.bar.replaceChildren(...bar);
    for (const element of marks.size ? this.#all("[data-flip], [data-at]", this.#around) : [])
      if (marks.has(element.dataset.flip ?? element.dataset.at)) element.classList.add("changed");
    if (focus) this.#refocus(focus, known);
    if (before.size) this.#move(before, flights);
  }

  /** Scrolls to the first lit element if none is in sight. */
  reveal() {
    const all = this.#all(".lit");
    const low = innerHeight - this.bar.offsetHeight;
    const inSight = ({ top, bottom, height }) => height > 0 && top >= 0 && bottom <= low;
    if (!all.length || all.some((element) => inSight(element.getBoundingClientRect()))) return;
    all[0].scrollIntoView({ block: "center", behavior: still() ? "auto" : "smooth" });
  }

  #all = (selector, slots = this.#slots) => slots.flatMap((slot) => [...slot.querySelectorAll(selector)]);

  #contains = (element) => this.#slots.some((slot) => slot.contains(element));

  #keys() {
    return new Map(this.#all("[data-key]").map((element) => [element.dataset.key, element]));
  }

  /** Keeps the focus where it was. After a choice by keyboard, moves it to an element that the choice has lit. */
  #refocus(before, known) {
    const keys = this.#keys();
    const same = keys.get(before.dataset.key);
    const chosen = same?.classList.contains("picked") && !before.classList.contains("picked");
    const fresh =
      known && (chosen || !same)
        ? [...keys].find(([key, element]) => !known.has(key) && element.classList.contains("lit"))?.[1]
        : null;
    const next = fresh ?? same ?? (known && this.#all(".lit")[0]);
    next?.focus({ preventScroll: !known });
  }

  // --- pressing ---

  #press(element) {
    acts.get(element)?.();
  }

  #click(event) {
    const element = pressable(event.target);
    const closed = event.target.closest?.("[data-why]");
    this.#reason?.remove();
    if (element && !this.#dragged) this.#press(element);
    else if (closed) this.#explain(closed);
    this.#dragged = false;
  }

  /** Shows beside an element why it cannot be pressed now. */
  #explain(element) {
    const box = element.getBoundingClientRect();
    const note = h("div", { class: "why", role: "status" }, element.dataset.why);
    const above = box.top > innerHeight / 2;
    const middle = Math.min(Math.max(box.x + box.width / 2, 110), innerWidth - 110);
    note.style.left = `${middle}px`;
    if (above) note.style.bottom = `${innerHeight - box.top + 6}px`;
    else note.style.top = `${box.bottom + 6}px`;
    document.body.append(note);
    this.#reason = note;
    setTimeout(() => note.remove(), REASON_MS);
  }

  #key(event) {
    const element = pressable(event.target);
    if (!element || event.altKey || event.ctrlKey || event.metaKey) return;
    if ((event.key === "Enter" || event.key === " ") && element.tagName !== "BUTTON") {
      event.preventDefault();
      this.#press(element);
    } else if (ARROWS[event.key] && !event.defaultPrevented) {
      this.#walk(event, element);
    }
  }

  /** Moves the focus to the nearest lit element in the direction of an arrow key. */
  #walk(event, from) {
    const [right, down] = ARROWS[event.key];
    const centre = (element) => {
      const box = element.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = centre(from);
    let best = null;
    let least = Infinity;
    for (const element of this.#all(".lit")) {
      const [there, below] = centre(element);
      const along = (there - x) * right + (below - y) * down;
      const across = Math.abs((there - x) * down) + Math.abs((below - y) * right);
      const cost = along + 2.5 * across;
      if (element !== from && along > 4 && cost < least) [best, least] = [element, cost];
    }
    if (!best) return;
    event.preventDefault();
    best.focus();
  }

  // --- dragging ---

  #down(event) {
    const element = pressable(event.target);
    this.#dragged = false;
    if (!element?.hasAttribute("data-drag") || event.button) return;
    const [x, y] = [event.clientX, event.clientY];
    const copy = shadow(element);
    const key = element.dataset.key;
    let ghost = null;
    const move = ({ clientX, clientY }) => {
      if (!ghost && Math.hypot(clientX - x, clientY - y) > DRAG_FROM) {
        ghost = copy;
        document.body.append(ghost);
        if (!element.classList.contains("picked")) this.#press(element);
      }
      if (ghost) ghost.style.transform = `translate(${clientX - x}px, ${clientY - y}px)`;
    };
    const up = ({ clientX, clientY, type }) => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", up);
      document.removeEventListener("pointercancel", up);
      ghost?.remove();
      if (!ghost || type === "pointercancel") return;
      this.#dragged = true;
      setTimeout(() => (this.#dragged = false));
      const target = pressable(document.elementFromPoint(clientX, clientY));
      if (target && target.dataset.key !== key && this.#contains(target)) this.#press(target);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", up);
    document.addEventListener("pointercancel", up);
  }

  // --- motion ---

  #places(selector) {
    const places = new Map();
    for (const element of this.#all(selector, this.#around)) {
      places.set(element.dataset.flip ?? element.dataset.at, element.getBoundingClientRect());
    }
    return places;
  }

  #move(before, flights) {
    for (const element of this.#all("[data-flip]")) {
      const old = before.get(element.dataset.flip);
      if (old) slide(element, old);
    }
    const after = flights.length ? this.#places("[data-flip], [data-at]") : null;
    for (const { from, to, piece } of flights) {
      const [start, end] = [before.get(from), after.get(to)];
      if (start && end) fly(start, end, piece());
    }
  }
}

/** A copy of an element that can float over everything. */
function shadow(element) {
  const box = element.getBoundingClientRect();
  const ghost = h("div", { class: "ghost", "aria-hidden": "true" });
  Object.assign(ghost.style, {
    left: `${box.x}px`,
    top: `${box.y}px`,
    width: `${box.width}px`,
    height: `${box.height}px`,
  });
  let copy = element.cloneNode(true);
  if (element.ownerSVGElement) {
    const shape = element.getBBox();
    const svg = element.ownerSVGElement.cloneNode(false);
    svg.setAttribute("viewBox", `${shape.x} ${shape.y} ${shape.width} ${shape.height}`);
    svg.removeAttribute("class");
    copy.removeAttribute("transform");
    svg.append(copy);
    copy = svg;
  }
  ghost.append(copy);
  return ghost;
}

function slide(element, old) {
  const now = element.getBoundingClientRect();
  const scale = element.ownerSVGElement?.getScreenCTM()?.a || 1;
  const [x, y] = [(old.x - now.x) / scale, (old.y - now.y) / scale];
  if (Math.hypot(x, y) < 1) return;
  element.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], {
    duration: flightTime(),
    easing: "ease-in-out",
  });
}

function fly(start, end, piece) {
  const ghost = h("div", { class: "flight", "aria-hidden": "true" }, piece);
  document.body.append(ghost);
  const centre = (box) => `translate(${box.x + box.width / 2}px, ${box.y + box.height / 2}px) translate(-50%, -50%)`;
  const motion = ghost.animate([{ transform: centre(start) }, { transform: centre(end) }], {
    duration: flightTime() * 1.4,
    easing: "ease-in-out",
  });
  motion.onfinish = motion.oncancel = () => ghost.remove();
}
