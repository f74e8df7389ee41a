"""The report of a run on terminals and in files."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from loadtest.checks.checker import Findings
from loadtest.measure import report
from loadtest.measure.measurements import Measurements
from loadtest.measure.processes import CpuMeter
from loadtest.plan import LoadPlan
from loadtest.run import RunState


def shown(width: int, *, terminal: bool) -> list[str]:
    findings = Findings()
    findings.add("lost", "room 1000 seat 0: move 7, acknowledged as step 12, is not in the record")
    measurements = Measurements(0.0)
    measurements.mark(1.0)
    measurements.acked(1.0, 1.5)
    measurements.end(2.0)
    output = io.StringIO()
    console = Console(file=output, width=width, force_terminal=terminal, color_system=None, legacy_windows=False)
    state = RunState(LoadPlan(urls=("ws://127.0.0.1:1",)), measurements, findings, CpuMeter(Path("/nowhere"), {}))
    report.show(console, state)
    return output.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wrapped_inside_a_word_on_a_terminal(width: int) -> None:
    lines = shown(width, terminal=True)
    assert max(len(line) for line in lines) <= width
    text = " ".join(" ".join(lines).split())
    assert Findings().verdict().removeprefix("all good: ").replace("0 lost", "1 lost") in text
    assert "lost: room 1000 seat 0: move 7, acknowledged as step 12, is not in the record" in text


def test_the_verdict_is_one_line_in_a_file() -> None:
    [line] = [line for line in shown(60, terminal=False) if line.startswith("checker: ")]
    assert line.endswith("0 unfinished, 0 rewound")
