"""The report as a page: everything in one file, and every fault in its charts."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import orjson
import pytest

from loadtest.checks.checker import MEANINGS, Findings
from loadtest.faults.kinds import FaultKind, FaultMark, FaultPlan
from loadtest.measure import report
from loadtest.measure.measurements import Measurements
from loadtest.measure.processes import CpuMeter
from loadtest.measure.series import ProcessSize
from loadtest.plan import LoadPlan
from loadtest.report import charts, svg
from loadtest.report.page import html, style
from loadtest.run import RunState


def finished_run(faults: int = 3, seconds: int = 30) -> RunState:
    findings = Findings()
    findings.add("lost", "room 1000 seat 0: move 7 <is> not in the record")
    measurements = Measurements(0.0)
    measurements.mark(1.0)
    for number in range(faults):
        kind = list(FaultKind)[number % len(FaultKind)]
        measurements.series.faults.append(FaultMark(kind, 2.0 + number, "worker :1", ended=2.5 + number, pause=0.5))
    for second in range(seconds):
        measurements.acked(second + 1.0, second + 1.2)
        measurements.series.sample(second + 2.0, {"worker": second * 0.3})
    measurements.series.sizes.append(ProcessSize(1.0, "worker", 1, 2, 50 * 2**20, 20))
    measurements.end(31.0)
    plan = LoadPlan(urls=("ws://127.0.0.1:1",), faults=FaultPlan(kinds=tuple(FaultKind)))
    return RunState(plan, measurements, findings, CpuMeter(Path("/nowhere"), {}))


def data_of(state: RunState) -> dict[str, Any]:
    """The data as `--json` writes it."""
    found: dict[str, Any] = orjson.loads(orjson.dumps(report.as_json(state)))
    return found


def test_the_page_requests_nothing_from_anywhere() -> None:
    page = html(data_of(finished_run()))
    outside = page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?://|src=|@import|url\(|<link|<script", outside)


def test_the_page_shows_violations_with_their_texts_escaped() -> None:
    page = html(data_of(finished_run()))
    assert "Violations found" in page
    assert "move 7 &lt;is&gt; not in the record" in page
    assert all(meaning in page for meaning in MEANINGS.values())


@pytest.mark.parametrize("draw", [charts.throughput, charts.latency, charts.cpu])
@pytest.mark.parametrize("faults", [0, 3, 200])
def test_charts_over_time_mark_every_fault(draw: Any, faults: int) -> None:
    drawing = ET.fromstring(draw(data_of(finished_run(faults))))
    marks = [shape for shape in drawing.iter() if shape.get("class", "").startswith("mark ")]
    assert len(marks) == faults


def test_a_long_run_has_as_many_points_as_a_screen_can_show() -> None:
    drawing = ET.fromstring(charts.throughput(data_of(finished_run(0, seconds=4_000))))
    [line] = [shape for shape in drawing.iter() if shape.get("class", "") == "line first"]
    assert 180 <= line.get("d", "").count("L") <= charts.MOST_POINTS


def test_every_kind_of_fault_has_a_histogram() -> None:
    data = data_of(finished_run(len(FaultKind)))
    drawing = ET.fromstring(charts.pauses(data, style("chart.css")))
    labels = [shape.text for shape in drawing.iter() if shape.get("class") == "label"]
    assert labels == sorted(FaultKind)


def test_a_run_without_faults_or_time_has_a_page_too() -> None:
    state = finished_run(0, seconds=0)
    assert "<h1>Load report</h1>" in html(data_of(state))


def test_the_time_axis_has_ticks_at_whole_minutes() -> None:
    assert svg.time_ticks(25.0, 8) == [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]
    assert [at / 60 for at in svg.time_ticks(3600.4, 8)] == [0, 10, 20, 30, 40, 50, 60]
