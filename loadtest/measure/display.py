"""The live display of a run: one panel on a terminal, a line now and then anywhere else."""

import time
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table

from loadtest.checks.checker import VIOLATIONS
from loadtest.run import State

LINE_EVERY_S = 5.0


class Display:
    """Use it as a context, and call it with the state of the run as often as you like."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None
        self._last_line = 0.0
        self._last = (0.0, 0)

    def __enter__(self) -> "Display":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, state: State) -> None:
        now = time.perf_counter()
        if self._live is not None:
            self._live.update(_panel(state, self._rate(state, now), now), refresh=True)
        elif now - self._last_line >= LINE_EVERY_S and state.phase != "done":
            self._last_line = now
            self._console.print(_line(state, self._rate(state, now)), highlight=False, soft_wrap=True)

    def _rate(self, state: State, now: float) -> float:
        before, moves = self._last
        self._last = (now, state.figures.moves)
        return (state.figures.moves - moves) / (now - before) if before else 0.0


def _done(state: State, now: float) -> float:
    """How much of the run is over, 0 to 1."""
    plan = state.plan
    match state.phase:
        case "opening tables":
            return state.figures.playing / plan.rooms
        case "reading the records":
            return state.audited / max(1, state.rooms)
        case "playing" if plan.games is not None:
            return state.figures.games / (plan.games * plan.rooms)
        case "playing" if plan.duration_s:
            return min(1.0, (now - state.begun) / plan.duration_s)
        case _:
            return 1.0


def _latencies(state: State) -> str:
    found = state.figures.latencies_ms()
    return "  ".join(f"{name} {found[name]:.1f} ms" for name in ("p50", "p99") if name in found) or "-"


def _trouble(state: State) -> str:
    """What went wrong so far; empty if nothing did."""
    counts = {kind: state.findings.counts[kind] for kind in VIOLATIONS} | dict(state.figures.errors)
    counts["reconnects"] = state.figures.reconnects
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)


def _line(state: State, rate: float) -> str:
    figures = state.figures
    trouble = _trouble(state) or "no errors"
    return (
        f"{state.phase}: {rate:.0f} moves/s, {_latencies(state)}, {figures.playing} rooms, "
        f"{figures.games} games finished, {trouble}"
    )


def _panel(state: State, rate: float, now: float) -> RenderableType:
    figures = state.figures
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column(min_width=48)
    grid.add_row(state.phase, ProgressBar(total=1.0, completed=_done(state, now), width=48))
    grid.add_row("moves", f"[bold]{rate:,.0f}[/] per second, {figures.moves:,} so far")
    grid.add_row("latency", _latencies(state))
    grid.add_row("rooms", f"{figures.playing} playing, {figures.games} games finished")
    trouble = _trouble(state)
    grid.add_row("errors", f"[yellow]{trouble}[/]" if trouble else "[green]none[/]")
    return Panel(grid, title=f"{state.plan.game} over {', '.join(state.plan.dialects)}", expand=False)
