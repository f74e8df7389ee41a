"""The report of a run: all measurements as plain data for `--json`, and as text for the terminal."""

from typing import Any

from rich.console import Console
from rich.table import Table

from loadtest.checks.checker import REMARKS, VIOLATIONS
from loadtest.measure.course import course, pauses, settings
from loadtest.measure.environment import machine
from loadtest.run import RunState

_NOISY_PERCENT = 2.0
"""Stolen time from which the report mentions it."""


def as_json(state: RunState) -> dict[str, Any]:
    """All measurements and findings. The names are those of the JSON file."""
    run, plan = state.measurements, state.plan
    moves, seconds = run.measured(0.0)
    cpu = state.meter.spent()
    return {
        "started": state.started,
        "games": plan.games_played,
        "dialects": plan.dialects_spoken,
        "rooms": plan.rooms,
        "moves": moves,
        "seconds": round(seconds, 3),
        "moves_per_second": round(moves / seconds, 1),
        "latency_ms": run.latencies_ms(),
        "longest_wait_ms": round(run.longest_wait * 1000, 1),
        "longest_silence_ms": round(run.longest_silence * 1000, 1),
        "games_finished": run.games,
        "rooms_checked": state.rooms_checked,
        "reconnects": run.reconnects,
        "busy": sum(count for code, count in run.errors.items() if code.startswith("busy/")),
        "errors": dict(run.errors),
        "cpu_us_per_move": {role: round(used / moves * 1e6, 1) for role, used in cpu.items()} if moves else {},
        "cpu_us_per_move_total": round(sum(cpu.values()) / moves * 1e6, 1) if cpu and moves else None,
        "cpu_us_per_move_tool": round(state.meter.tool() / moves * 1e6, 1) if moves else None,
        "cpu_stolen_percent": round(state.meter.stolen() * 100, 1),
        "counted": dict(sorted(run.counted.items())),
        "good": good(state),
        "findings": {kind: state.findings.counts[kind] for kind in (*VIOLATIONS, *REMARKS)},
        "words": state.findings.texts,
        "pauses": pauses(run.series.faults),
        "course": course(run.series),
        "settings": settings(plan, state.cluster_settings),
        "versions": state.versions,
        "machine": machine(),
    }


def good(state: RunState) -> bool:
    """Whether moves were made and the checker found no violation."""
    return state.findings.clean and state.measurements.moves > 0


def show(console: Console, state: RunState) -> None:
    found = as_json(state)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column()
    for name, text in _rows(found):
        grid.add_row(name, text)
    console.print(grid)
    for text in state.findings.texts:
        console.print(f"  {text}", style="red", highlight=False, markup=False, soft_wrap=not console.is_terminal)
    verdict = state.findings.verdict() if found["moves"] else "NOT GOOD: nothing was played"
    console.print(
        f"checker: {verdict}",
        style="green" if found["good"] else "bold red",
        highlight=False,
        soft_wrap=not console.is_terminal,
    )


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [
        ("moves", f"{found['moves']:,} in {found['seconds']:.1f} s"),
        ("moves per second", f"{found['moves_per_second']:,.0f}"),
        ("latency", ", ".join(f"{name} {ms:.2f} ms" for name, ms in found["latency_ms"].items()) or "-"),
        (
            "longest pause",
            f"{found['longest_wait_ms']:.0f} ms for one move, {found['longest_silence_ms']:.0f} ms for all",
        ),
        ("games finished", f"{found['games_finished']:,}"),
        ("records checked", f"{found['rooms_checked']:,} rooms"),
        *[(f"after {kind}", _pause(summary)) for kind, summary in found["pauses"].items()],
        ("cpu per move", _cpu(found)),
        ("errors", _counts(found["errors"]) or "none"),
        ("besides", _counts(_remarks(found)) or "no reconnects, resyncs or resends"),
    ]
    return [*rows, ("counted", _counts(found["counted"]))] if found["counted"] else rows


def _pause(summary: dict[str, Any]) -> str:
    times = ", ".join(f"{name} {summary[f'{name}_s']:.2f} s" for name in ("median", "p99", "max"))
    return f"longest wait of a move: {times} ({summary['faults']} faults)"


def _remarks(found: dict[str, Any]) -> dict[str, int]:
    remarks = {kind: found["findings"][kind] for kind in REMARKS}
    return {"reconnects": found["reconnects"], "busy answers": found["busy"], **remarks}


def _cpu(found: dict[str, Any]) -> str:
    if found["cpu_us_per_move_total"] is None:
        return "the server's processes cannot be read (--data, --pids)"
    parts = ", ".join(f"{role} {used:.1f}" for role, used in sorted(found["cpu_us_per_move"].items()))
    stolen = f"; {found['cpu_stolen_percent']:.0f} % of the machine's time was stolen from it by its host"
    noisy = found["cpu_stolen_percent"] >= _NOISY_PERCENT
    tool = f"; this tool itself {found['cpu_us_per_move_tool']:.1f}"
    return f"{found['cpu_us_per_move_total']:.1f} us ({parts}){tool}{stolen if noisy else ''}"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
