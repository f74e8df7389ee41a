"""Renders a series as Markdown, and puts it into the marked sections of a documentation page. Pure functions."""

import re
from collections.abc import Mapping, Sequence

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.results import Run, Series
from benchmarks.peers.statistics import (
    Metric,
    Spread,
    SystemSummary,
    cpu_us,
    foreign_share,
    idle_kb,
    p99_ms,
    ratio,
    summarize,
)
from benchmarks.peers.systems import SYSTEMS
from benchmarks.peers.workloads import Workload

NOISE_LIMIT = 0.05
"""The share of foreign CPU time above which a report carries a warning."""


def figure(value: float | None) -> str:
    """Three significant digits, as far as they are before or right behind the decimal point."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _spread(spread: Spread | None) -> str:
    if spread is None:
        return "-"
    if spread.low == spread.high:
        return figure(spread.median)
    return f"{figure(spread.median)} ({figure(spread.low)}-{figure(spread.high)})"


def _roles(parts: Mapping[str, float]) -> str:
    return ", ".join(f"{role} {figure(value)}" for role, value in parts.items()) or "-"


def _faults(summary: SystemSummary) -> str:
    return ", ".join(f"{name} {count}" for name, count in summary.faults().items()) or "0"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows)]


def results_section(series: Series, runs: Sequence[Run]) -> str:
    """One table per workload."""
    blocks: list[str] = []
    for workload in series.workloads:
        table = _idle_table(runs, workload) if workload.idle else _moves_table(runs, workload)
        blocks += [f"### {workload.title}", "", *table, ""]
    return "\n".join(blocks).rstrip()


def _moves_table(runs: Sequence[Run], workload: Workload) -> list[str]:
    header = (
        "system",
        "moves/s",
        "p50 ms",
        "p99 ms",
        "CPU µs per move",
        "of which",
        "CPU x Colyseus",
        "p99 x Colyseus",
        "client µs",
        "faults",
    )
    return _table(header, [_moves_row(runs, workload, one) for one in summarize(runs, workload.name)])


def _moves_row(runs: Sequence[Run], workload: Workload, summary: SystemSummary) -> list[str]:
    def median(metric: Metric) -> str:
        spread = summary.spread(metric)
        return figure(spread.median if spread else None)

    return [
        SYSTEMS[summary.system].title,
        median(lambda one: one.moves_per_s),
        median(lambda one: one.p50_ms),
        median(p99_ms),
        _spread(summary.spread(cpu_us)),
        _roles(summary.by_role(lambda one: one.cpu_us_per_move)),
        figure(ratio(runs, workload.name, summary.system, cpu_us)),
        figure(ratio(runs, workload.name, summary.system, p99_ms)),
        median(lambda one: one.client_us_per_move),
        _faults(summary),
    ]


def _idle_table(runs: Sequence[Run], workload: Workload) -> list[str]:
    header = ("system", "KiB per player", "of which", "x Colyseus", "faults")
    rows = [
        [
            SYSTEMS[summary.system].title,
            _spread(summary.spread(idle_kb)),
            _roles(summary.by_role(lambda one: one.kb_per_player)),
            figure(ratio(runs, workload.name, summary.system, idle_kb)),
            _faults(summary),
        ]
        for summary in summarize(runs, workload.name)
    ]
    return _table(header, rows)


def machine_section(series: Series, runs: Sequence[Run]) -> str:
    """The conditions of the series as a table, with a warning if other programs disturbed it."""
    machine = series.machine
    rows = [
        ["processor", f"{machine.cpu}, {machine.cores} cores"],
        ["memory", f"{machine.memory_gib:g} GiB"],
        ["system", machine.kernel],
        ["runtimes", f"Python {machine.python}, Node.js {machine.node}, Valkey {machine.store}"],
        *([SYSTEMS[name].title, version] for name, version in series.versions.items()),
        ["series", f"{series.started}, {series.repeats} x {series.window_s:g} s per system and workload"],
        ["CPU time of other programs", f"{foreign_share(runs):.0%} (median of all runs)"],
    ]
    lines = _table(("", ""), rows)
    if foreign_share(runs) > NOISE_LIMIT:
        lines += ["", "**Other programs used the machine during this series. Its figures are not reliable.**"]
    return "\n".join(lines)


def replace_section(page: str, name: str, body: str) -> str:
    """Replace the text between `<!-- name:begin -->` and `<!-- name:end -->`."""
    pattern = re.compile(rf"(<!-- {re.escape(name)}:begin -->\n).*?(<!-- {re.escape(name)}:end -->)", re.DOTALL)
    replaced, count = pattern.subn(lambda match: f"{match[1]}\n{body}\n\n{match[2]}", page)
    if count != 1:
        raise BenchmarkError(f"the page must contain one section {name!r}, and has {count}")
    return replaced


def update_page(page: str, series: Series, runs: Sequence[Run]) -> str:
    page = replace_section(page, "machine", machine_section(series, runs))
    return replace_section(page, "results", results_section(series, runs))
