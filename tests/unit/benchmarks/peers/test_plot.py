"""The SVG of the peer comparison."""

from xml.etree import ElementTree as ET

import pytest

from benchmarks.peers.plot import PANEL_WIDTH, WIDTH, Bar, Panel, draw, panels
from benchmarks.peers.statistics import Spread
from tests.unit.benchmarks.peers.series import RUNS, series

SVG = "{http://www.w3.org/2000/svg}"


def test_there_is_one_panel_per_workload_and_one_bar_per_system() -> None:
    closed, idle = panels(series(), RUNS)
    assert closed.unit.startswith("server CPU per move")
    assert idle.unit.startswith("memory per idle player")
    assert [bar.label for bar in closed.bars] == ["Tavolata", "Colyseus"]
    assert [bar.ours for bar in closed.bars] == [True, False]


def test_the_drawing_is_well_formed_and_escapes_text() -> None:
    root = ET.fromstring(draw([Panel("a < b", "us & ms", [Bar("x", Spread(2, 1, 3), True)])]))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert root.tag == f"{SVG}svg"
    assert "a < b" in texts
    assert "2.00" in texts


def test_the_drawing_has_colors_for_light_and_dark_pages() -> None:
    style = ET.fromstring(draw(panels(series(), RUNS))).findtext(f"{SVG}style")
    assert style is not None
    assert "prefers-color-scheme: dark" in style


def test_bars_stay_inside_their_panel_and_keep_their_proportions() -> None:
    bars = [Bar("long", Spread(100, 90, 400), False), Bar("short", Spread(50, 50, 50), True)]
    root = ET.fromstring(draw([Panel("one", "us", bars)]))
    long, short = (rect for rect in root.iter(f"{SVG}rect") if rect.get("class") in ("peer", "ours"))
    ranges = list(root.iter(f"{SVG}line"))
    assert float(long.get("width", 0)) == pytest.approx(2 * float(short.get("width", 0)), abs=0.2)
    assert float(ranges[0].get("x2", 0)) < PANEL_WIDTH < WIDTH


def test_a_panel_without_values_can_be_drawn() -> None:
    assert ET.fromstring(draw([Panel("empty", "us", [])])).tag == f"{SVG}svg"
