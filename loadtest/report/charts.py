"""The charts of a report, drawn from the data of `--json`."""

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any, TypeAlias

from loadtest.report import svg
from loadtest.report.svg import LEFT, RIGHT, WIDTH, Scale

Json: TypeAlias = dict[str, Any]
MOST_POINTS = 360
TOP, BOTTOM = 34, 26
LANE = 10
"""Height of the lane above a chart in which each fault has a mark."""
FAMILIES = {"kill": "kill", "freeze": "freeze", "stop": "stop", "failover": "store", "move": "store"}
"""The first word of a fault's kind gives its color; all others share one."""
MOST_LINES = 80
"""Faults up to which each has a line through the whole chart."""
BINS = 40
ROW = 46


def family(kind: str) -> str:
    return FAMILIES.get(kind.partition("-")[0], "network")


def _thin(values: Sequence[Any], combine: Callable[[list[float]], float]) -> list[float | None]:
    """At most `MOST_POINTS` values: neighbors are combined. Gaps stay gaps."""
    size = -(-len(values) // MOST_POINTS) or 1
    found: list[float | None] = []
    for chunk in (values[start : start + size] for start in range(0, len(values), size)):
        known = [value for value in chunk if value is not None]
        found.append(combine(known) if known else None)
    return found


class Frame:
    """The axes of a chart over the time of the run, with the marks of the faults."""

    def __init__(self, data: Json, height: float, title: str, unit: str) -> None:
        self._height = height
        self._title = title
        points = data["course"]["seconds"]
        self.times = [time for time in _thin([one["at_s"] for one in points], max) if time is not None]
        self.x = Scale(0.0, max(self.times, default=1.0), LEFT, WIDTH - RIGHT)
        self.base = height - BOTTOM
        self.parts = [svg.text(LEFT, 14, title, "title"), svg.text(WIDTH - RIGHT, 14, unit, "note", "end")]
        self._faults = data["course"]["faults"]

    def axes(self, y: Scale, label: Callable[[float], str]) -> None:
        for tick in y.ticks(4):
            self.parts.append(svg.line(LEFT, y(tick), WIDTH - RIGHT, y(tick), "grid"))
            self.parts.append(svg.text(LEFT - 8, y(tick) + 4, label(tick), "note", "end"))
        for tick in svg.time_ticks(self.x.high, 8):
            self.parts.append(svg.text(self.x(tick), self._height - 8, svg.seconds(tick), "note", "middle"))

    def faults(self) -> None:
        """A mark for each fault: in the lane above the chart, and through it if there are few."""
        for fault in self._faults:
            at, css = self.x(fault["at_s"]), family(fault["kind"])
            title = (
                f"{fault['kind']}: {fault['target']}, at {fault['at_s']:.1f} s, longest wait {fault['pause_s']:.2f} s"
            )
            if len(self._faults) <= MOST_LINES:
                self.parts.append(svg.line(at, TOP, at, self.base, f"through {css}"))
            self.parts.append(svg.rectangle(at - 1, TOP - LANE, 2, LANE - 2, f"mark {css}", title))

    def line(self, values: Sequence[float | None], y: Scale, css: str) -> None:
        points = [None if value is None else (self.x(time), y(value)) for time, value in zip(self.times, values)]  # noqa: B905
        self.parts.append(svg.path(points, f"line {css}"))

    def area(self, values: Sequence[float | None], y: Scale, css: str) -> None:
        points = [(self.x(time), y(value or 0.0)) for time, value in zip(self.times, values)]  # noqa: B905
        self.parts.append(svg.area(points, self.base, css))

    def legend(self, names: Sequence[tuple[str, str]]) -> None:
        at = float(LEFT + 9 * len(self._title) + 24)
        for css, name in names:
            self.parts.append(svg.line(at, 10, at + 16, 10, f"line {css}"))
            self.parts.append(svg.text(at + 21, 14, name, "note"))
            at += 21 + 7 * len(name) + 18

    def drawing(self, style: str) -> str:
        return svg.drawing(self._height, self._title, self.parts, style)


def _column(data: Json, name: str, combine: Callable[[list[float]], float]) -> list[float | None]:
    return _thin([one[name] for one in data["course"]["seconds"]], combine)


def throughput(data: Json, style: str = "") -> str:
    frame = Frame(data, 220, "Moves per second", "acknowledged moves")
    values = _column(data, "moves_per_s", fmean)
    y = Scale(0.0, 1.08 * max((value or 0.0 for value in values), default=1.0) or 1.0, frame.base, TOP)
    frame.axes(y, svg.number)
    frame.area(values, y, "fill")
    frame.faults()
    frame.line(values, y, "first")
    return frame.drawing(style)


def latency(data: Json, style: str = "") -> str:
    frame = Frame(data, 260, "Latency", "from a move to its acknowledgement, logarithmic")
    columns = [("third", "max", _column(data, "max_ms", max))]
    columns.append(("second", "p99", _column(data, "p99_ms", max)))
    columns.append(("first", "p50", _column(data, "p50_ms", median)))
    known = [value for _, _, values in columns for value in values if value]
    y = Scale(min(known, default=1.0) * 0.7, max(known, default=1000.0) * 1.3, frame.base, TOP, log=True)
    frame.axes(y, svg.milliseconds)
    frame.faults()
    for css, _, values in columns:
        frame.line(values, y, css)
    frame.legend([(css, name) for css, name, _ in reversed(columns)])
    return frame.drawing(style)


def cpu(data: Json, style: str = "") -> str:
    frame = Frame(data, 220, "CPU", "cores in use, by role")
    roles = list(dict.fromkeys(role for one in data["course"]["seconds"] for role in one["cores"]))
    columns = {role: _thin([one["cores"].get(role) for one in data["course"]["seconds"]], fmean) for role in roles}
    most = max((value or 0.0 for values in columns.values() for value in values), default=1.0)
    y = Scale(0.0, most * 1.08 or 1.0, frame.base, TOP)
    frame.axes(y, svg.number)
    frame.faults()
    classes = ("first", "second", "third", "fourth", "fifth")
    for css, values in zip(classes, columns.values(), strict=False):
        frame.line(values, y, css)
    frame.legend(list(zip(classes, roles, strict=False)))
    return frame.drawing(style)


def pauses(data: Json, style: str = "") -> str:
    """One histogram per kind of fault, over the longest wait of a move after each fault."""
    by_kind: dict[str, list[float]] = {}
    for fault in data["course"]["faults"]:
        by_kind.setdefault(fault["kind"], []).append(fault["pause_s"])
    label, end = 150.0, WIDTH - RIGHT - 190.0
    highest = max((pause for values in by_kind.values() for pause in values), default=1.0)
    x = Scale(0.0, highest * 1.02 or 1.0, label, end)
    height = TOP + ROW * len(by_kind) + BOTTOM
    title = "Pauses after faults"
    parts = [
        svg.text(0, 14, title, "title"),
        svg.text(end, 14, "longest wait of a move, one value per fault", "note", "end"),
    ]
    parts.append(svg.text(WIDTH - RIGHT, 14, "faults · median · p99 · max", "note", "end"))
    for tick in x.ticks(8):
        parts.append(svg.line(x(tick), TOP - 6, x(tick), height - BOTTOM, "grid"))
        parts.append(svg.text(x(tick), height - 8, svg.seconds(tick), "note", "middle"))
    for row, kind in enumerate(sorted(by_kind)):
        parts += _histogram(kind, by_kind[kind], x, TOP + ROW * (row + 1), data["pauses"][kind])
    return svg.drawing(height, title, parts, style)


def _histogram(kind: str, values: Sequence[float], x: Scale, base: float, summary: Json) -> list[str]:
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int(value / x.high * BINS))] += 1
    width = (x.end - x.begin) / BINS
    parts = [svg.text(0, base - 12, kind, "label"), svg.line(x.begin, base, x.end, base, "axis")]
    for place, count in enumerate(counts):
        if count:
            tall = max(3.0, (ROW - 12) * count / max(counts))
            low, high = place * x.high / BINS, (place + 1) * x.high / BINS
            title = f"{count} of {len(values)}: {low:.2f} to {high:.2f} s"
            css = f"bar {family(kind)}"
            parts.append(svg.rectangle(x.begin + place * width + 0.5, base - tall, width - 1, tall, css, title))
    middle = x(summary["median_s"])
    parts.append(svg.line(middle, base - ROW + 10, middle, base, "median", f"median {summary['median_s']:.2f} s"))
    shown = f"{summary['faults']} · {summary['median_s']:.2f} · {summary['p99_s']:.2f} · {summary['max_s']:.2f} s"
    parts.append(svg.text(WIDTH - RIGHT, base - 12, shown, "note", "end"))
    return parts


def memory(data: Json, style: str = "") -> str:
    """The largest process of each role over time."""
    frame = Frame(data, 220, "Memory", "MiB, largest process of each role")
    columns: dict[str, dict[float, float]] = {}
    for size in data["course"]["processes"]:
        column = columns.setdefault(size["role"], {})
        column[size["at_s"]] = max(column.get(size["at_s"], 0.0), size["rss_bytes"] / 2**20)
    most = max((value for column in columns.values() for value in column.values()), default=1.0)
    y = Scale(0.0, most * 1.08, frame.base, TOP)
    frame.axes(y, svg.number)
    classes = ("first", "second", "third", "fourth", "fifth")
    for css, column in zip(classes, columns.values(), strict=False):
        frame.parts.append(svg.path([(frame.x(at), y(value)) for at, value in column.items()], f"line {css}"))
    frame.legend(list(zip(classes, columns, strict=False)))
    return frame.drawing(style)
