"""Draws a series as an SVG of bar charts, one panel per workload. Pure functions, no drawing library."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from benchmarks.peers.report import figure
from benchmarks.peers.results import Measurement, Run, Series
from benchmarks.peers.statistics import Metric, Spread, cpu_us, idle_kb, p99_ms, summarize
from benchmarks.peers.systems import SYSTEMS
from benchmarks.peers.wires import SystemName
from benchmarks.peers.workloads import Workload

WIDTH = 860
MARGIN = 24
GAP = 32
PANEL_WIDTH = (WIDTH - 2 * MARGIN - GAP) // 2
LABEL_WIDTH = 166
VALUE_WIDTH = 62
BAR_HEIGHT = 16
ROW_HEIGHT = 28
TITLE_HEIGHT = 44

# The background belongs to the drawing, so text and background always match, whatever page shows the image.
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 13px; font-weight: 600; }
.note { font-size: 11px; fill: #59636e; }
.background { fill: #ffffff; }
.peer { fill: #8c959f; }
.ours { fill: #0969da; }
.range { stroke: #1f2328; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .note { fill: #9198a1; }
  .background { fill: #0d1117; }
  .peer { fill: #656d76; }
  .ours { fill: #4493f8; }
  .range { stroke: #e6edf3; }
}
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """One system's figure, with the lowest and the highest value of its runs."""

    label: str
    spread: Spread
    ours: bool


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    unit: str
    bars: Sequence[Bar]

    @property
    def height(self) -> int:
        return TITLE_HEIGHT + ROW_HEIGHT * len(self.bars)


def _p50_ms(measurement: Measurement) -> float:
    return measurement.p50_ms


def panels(series: Series, runs: Sequence[Run]) -> list[Panel]:
    """CPU per move of workloads with moves, also latency of paced ones, memory of idle ones."""
    drawn: list[Panel] = []
    for workload in series.workloads:
        if workload.idle:
            drawn.append(_panel(runs, workload, "memory per idle player, KiB", idle_kb))
        elif workload.think_ms:
            drawn.append(_panel(runs, workload, "latency, median (p50), ms", _p50_ms))
            drawn.append(_panel(runs, workload, "latency, 99th percentile, ms", p99_ms))
        if not workload.idle:
            drawn.append(_panel(runs, workload, "server CPU per move, µs", cpu_us))
    return drawn


def _panel(runs: Sequence[Run], workload: Workload, unit: str, metric: Metric) -> Panel:
    bars: list[Bar] = []
    for summary in summarize(runs, workload.name):
        spread = summary.spread(metric)
        if spread is not None:
            bars.append(Bar(SYSTEMS[summary.system].title, spread, summary.system is SystemName.TAVOLATA))
    return Panel(workload.title, unit, bars)


def draw(shown: Sequence[Panel]) -> str:
    """The panels in two columns."""
    elements: list[str] = []
    top = MARGIN
    for first in range(0, len(shown), 2):
        row = shown[first : first + 2]
        for column, panel in enumerate(row):
            elements += _draw_panel(panel, MARGIN + column * (PANEL_WIDTH + GAP), top)
        top += max(panel.height for panel in row) + GAP
    height = top - GAP + MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="Comparison of game servers">'
    )
    background = f'<rect class="background" width="{WIDTH}" height="{height}" rx="6"/>'
    return "\n".join([head, f"<style>{STYLE}</style>", background, *elements, "</svg>"]) + "\n"


def _draw_panel(panel: Panel, left: int, top: int) -> list[str]:
    elements = [
        f'<text class="title" x="{left}" y="{top + 12}">{escape(panel.title)}</text>',
        f'<text class="note" x="{left}" y="{top + 29}">{escape(panel.unit)}; lower is better</text>',
    ]
    longest = max((bar.spread.high for bar in panel.bars), default=0.0)
    room = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH
    scale = room / longest if longest > 0 else 0.0
    for position, bar in enumerate(panel.bars):
        elements += _draw_bar(bar, left, top + TITLE_HEIGHT + position * ROW_HEIGHT, scale)
    return elements


def _draw_bar(bar: Bar, left: int, top: int, scale: float) -> list[str]:
    start = left + LABEL_WIDTH
    length, low, high = (
        round(max(0.0, value) * scale, 1) for value in (bar.spread.median, bar.spread.low, bar.spread.high)
    )
    middle = top + BAR_HEIGHT / 2
    baseline = top + BAR_HEIGHT - 4
    kind = "ours" if bar.ours else "peer"
    return [
        f'<text x="{start - 8}" y="{baseline}" text-anchor="end">{escape(bar.label)}</text>',
        f'<rect class="{kind}" x="{start}" y="{top}" width="{max(1.0, length)}" height="{BAR_HEIGHT}" rx="2"/>',
        f'<line class="range" x1="{start + low:.1f}" x2="{start + high:.1f}" y1="{middle}" y2="{middle}"/>',
        f'<text x="{start + max(length, high) + 6:.1f}" y="{baseline}">{figure(bar.spread.median)}</text>',
    ]
