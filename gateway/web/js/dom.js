// Creates elements. Text always becomes a text node, so nothing that players write is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** An HTML element: `h("p", {class: "quiet"}, "text")`. Properties that begin with `on` are listeners. */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

export function picture(viewBox, properties, ...children) {
  return s("svg", { viewBox, ...properties }, ...children);
}

export const at = (x, y, ...children) => s("g", { transform: `translate(${x} ${y})` }, ...children);

export function label(x, y, text, properties) {
  return s("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central", ...properties }, text);
}

/** A button for pointer and keyboard. */
export function button(text, press, properties) {
  return h("button", { type: "button", onclick: press, ...properties }, text);
}

export const $ = (selector, root = document) => root.querySelector(selector);

const sheets = new Map();

/** Adds a style sheet of the page once; resolves when it is in force. */
export function style(name) {
  if (!sheets.has(name)) {
    const link = h("link", { rel: "stylesheet", href: new URL(`../css/${name}.css`, import.meta.url).href });
    sheets.set(name, new Promise((done) => (link.onload = link.onerror = done)));
    document.head.append(link);
  }
  return sheets.get(name);
}
