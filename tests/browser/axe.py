"""Runs axe-core, the checker of accessibility, in a page."""

import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page

SCRIPT = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
MISSING = "THE CHECKS OF ACCESSIBILITY WERE SKIPPED: axe-core is not installed (npm install)"
_RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map(
  ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`)"""


def require_axe() -> str:
    if not SCRIPT.exists():
        if sys.__stderr__ is not None:
            sys.__stderr__.write(f"\n{MISSING}\n")
        pytest.skip(MISSING)
    return SCRIPT.read_text()


def violations(page: Page, script: str) -> list[str]:
    """The violations that axe-core finds, best practices included."""
    page.evaluate(script)
    found: list[str] = page.evaluate(_RUN)
    return found


LEAST_CONTRAST = 4.5
_CONTRAST = """(least) => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (channels) => {
    const linear = (c) => (c <= 0.04 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = channels.map((channel) => linear(channel / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratio = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const paint = (shape) => {
    const { fill, stroke, strokeWidth } = getComputedStyle(shape);
    const width = (parseFloat(strokeWidth) / 2) * (shape.getScreenCTM()?.a ?? 1);
    if (fill.startsWith("rgb(")) return [fill, false];
    return fill === "none" && stroke.startsWith("rgb(") && width > 8 ? [stroke, true] : null;
  };
  const under = (text, x, y) => {
    const svg = text.closest("svg");
    const parts = [...svg.querySelectorAll("path, rect, circle, ellipse, text")];
    for (const shape of parts.slice(0, parts.indexOf(text)).reverse()) {
      const found = shape.tagName === "text" ? null : paint(shape);
      if (!found) continue;
      const [color, stroked] = found;
      const point = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
      if (stroked ? shape.isPointInStroke(point) : shape.isPointInFill(point)) return numbers(color);
    }
    for (let element = svg; element; element = element.parentElement) {
      const { backgroundColor } = getComputedStyle(element);
      if (backgroundColor.startsWith("rgb(")) return numbers(backgroundColor);
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("svg text")].flatMap((text) => {
    const { left, top, width, height } = text.getBoundingClientRect();
    const { fill, strokeWidth, paintOrder } = getComputedStyle(text);
    if (!width || (paintOrder.startsWith("stroke") && parseFloat(strokeWidth) > 2)) return [];
    const found = ratio(numbers(fill), under(text, left + width / 2, top + height / 2));
    return found < least ? [`${text.textContent} (${text.getAttribute("class")}): ${found.toFixed(2)}`] : [];
  });
}"""


def pale_texts(page: Page) -> list[str]:
    """The texts in drawings whose contrast with the shape below them is too low. axe-core cannot decide on these."""
    found: list[str] = page.evaluate(_CONTRAST, LEAST_CONTRAST)
    return sorted(set(found))
