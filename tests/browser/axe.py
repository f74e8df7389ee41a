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
