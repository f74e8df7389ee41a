// Behavior that all boards share: elements that can be pressed, dragged or reached by keys, and animation.

import { h } from "./dom.js";

const acts = new WeakMap();
const DRAG_FROM = 7;
const FLIGHT_MS = 420;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

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

const pressable = (target) => target?.closest?.(".lit") ?? null;

export class Board {
  #host;
  #dragged = false;

  constructor(host) {
    this.#host = host;
    host.addEventListener("click", (event) => this.#click(event));
    host.addEventListener("keydown", (event) => this.#key(event));
    host.addEventListener("pointerdown", (event) => this.#down(event));
  }

  /** Replaces the old elements by new ones. `flights` are pieces that other players moved: {from, to, piece}. */
  paint(nodes, flights = []) {
    const focus = this.#host.contains(document.activeElement) ? document.activeElement : null;
    const known = focus?.matches(":focus-visible") ? new Set(this.#keys().keys()) : null;
    const before = still() ? new Map() : this.#places("[data-flip], [data-at]");
    this.#host.replaceChildren(...nodes);
    if (focus) this.#refocus(focus, known);
    if (before.size) this.#move(before, flights);
  }

  #keys() {
    return new Map([...this.#host.querySelectorAll("[data-key]")].map((element) => [element.dataset.key, element]));
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
    const next = fresh ?? same ?? (known && this.#host.querySelector(".lit"));
    next?.focus({ preventScroll: !known });
  }

  // --- pressing ---

  #press(element) {
    acts.get(element)?.();
  }

  #click(event) {
    const element = pressable(event.target);
    if (element && !this.#dragged) this.#press(element);
    this.#dragged = false;
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
    for (const element of this.#host.querySelectorAll(".lit")) {
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
      if (target && target.dataset.key !== key && this.#host.contains(target)) this.#press(target);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", up);
    document.addEventListener("pointercancel", up);
  }

  // --- motion ---

  #places(selector) {
    const places = new Map();
    for (const element of this.#host.querySelectorAll(selector)) {
      places.set(element.dataset.flip ?? element.dataset.at, element.getBoundingClientRect());
    }
    return places;
  }

  #move(before, flights) {
    for (const element of this.#host.querySelectorAll("[data-flip]")) {
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
    duration: FLIGHT_MS,
    easing: "ease-in-out",
  });
}

function fly(start, end, piece) {
  const ghost = h("div", { class: "flight", "aria-hidden": "true" }, piece);
  document.body.append(ghost);
  const centre = (box) => `translate(${box.x + box.width / 2}px, ${box.y + box.height / 2}px) translate(-50%, -50%)`;
  const motion = ghost.animate([{ transform: centre(start) }, { transform: centre(end) }], {
    duration: FLIGHT_MS * 1.4,
    easing: "ease-in-out",
  });
  motion.onfinish = motion.oncancel = () => ghost.remove();
}
