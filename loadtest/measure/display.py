"""The live display of a run: a panel on a terminal, a line every few seconds elsewhere."""

import time
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table

from loadtest.checks.checker import VIOLATIONS
from loadtest.run import Phase, RunState

LINE_PERIOD_S = 5.0


class Display:
    """A context manager that is called with the state of the run to refresh the display."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None
        self._last_line = 0.0
        self._last = (0.0, 0)
        self._texts_shown = 0

    def __enter__(self) -> "Display":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, state: RunState) -> None:
        now = time.perf_counter()
        self._show_violations(state)
        if self._live is not None:
            self._live.update(_panel(state, self._rate(state, now), now), refresh=True)
        elif now - self._last_line >= LINE_PERIOD_S and state.phase is not Phase.DONE:
            self._last_line = now
            self._console.print(_line(state, self._rate(state, now)), highlight=False, soft_wrap=True)

    def _show_violations(self, state: RunState) -> None:
        """Print violations when they are found; the report repeats them."""
        if state.phase is Phase.DONE:
            return
        for text in state.findings.texts[self._texts_shown :]:
            at = time.strftime("%H:%M:%S")
            self._console.print(f"{at} {text}", style="red", highlight=False, markup=False, soft_wrap=True)
        self._texts_shown = len(state.findings.texts)

    def _rate(self, state: RunState, now: float) -> float:
        before, moves = self._last
        self._last = (now, state.measurements.moves)
        return (state.measurements.moves - moves) / (now - before) if before else 0.0


def _done(state: RunState, now: float) -> float:
    """The share of the current phase that is done, 0 to 1."""
    plan = state.plan
    match state.phase:
        case Phase.OPENING:
            return state.measurements.playing / plan.rooms
        case Phase.CHECKING:
            return state.rooms_checked / max(1, state.rooms)
        case Phase.PLAYING if plan.games is not None:
            return state.measurements.games / (plan.games * plan.rooms)
        case Phase.PLAYING if plan.duration_s:
            return min(1.0, (now - state.begun) / plan.duration_s)
        case _:
            return 1.0


def _latencies(state: RunState) -> str:
    found = state.measurements.latencies_ms()
    return "  ".join(f"{name} {found[name]:.1f} ms" for name in ("p50", "p99") if name in found) or "-"


def _problems(state: RunState) -> str:
    """Violations, errors and reconnects so far, as text; empty if there are none."""
    counts = {kind: state.findings.counts[kind] for kind in VIOLATIONS} | dict(state.measurements.errors)
    counts["reconnects"] = state.measurements.reconnects
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)


def _faults(state: RunState, now: float) -> str:
    """The number of faults so far, and the last one."""
    marks = state.measurements.series.faults
    if not marks:
        return "none yet"
    last = marks[-1]
    course = "under way" if last.ended is None else f"longest wait {last.pause:.1f} s"
    return f"{len(marks)} so far; {last.kind} ({last.target}) {now - last.begun:.0f} s ago, {course}"


def _line(state: RunState, rate: float) -> str:
    run = state.measurements
    problems = _problems(state) or "no errors"
    if state.plan.faults is not None:
        problems += f"; faults: {_faults(state, time.perf_counter())}"
    return (
        f"{state.phase}: {rate:.0f} moves/s, {_latencies(state)}, {run.playing} rooms, "
        f"{run.games} games finished, {problems}"
    )


def _panel(state: RunState, rate: float, now: float) -> RenderableType:
    run = state.measurements
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column(min_width=48)
    grid.add_row(state.phase, ProgressBar(total=1.0, completed=_done(state, now), width=48))
    grid.add_row("moves", f"[bold]{rate:,.0f}[/] per second, {run.moves:,} so far")
    grid.add_row("latency", _latencies(state))
    grid.add_row("rooms", f"{run.playing} playing, {run.games} games finished")
    problems = _problems(state)
    grid.add_row("errors", f"[yellow]{problems}[/]" if problems else "[green]none[/]")
    if state.plan.faults is not None:
        grid.add_row("faults", _faults(state, now))
    title = f"{', '.join(state.plan.games_played)} over {', '.join(state.plan.dialects_spoken)}"
    return Panel(grid, title=title, expand=False)
