"""The command line: `python -m benchmarks.peers run | smoke | report`."""

import importlib.util
import resource
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.machine import describe_machine
from benchmarks.peers.npm import CACHE_VARIABLE, cache_folder
from benchmarks.peers.plot import draw, panels
from benchmarks.peers.report import figure, machine_section, results_section, update_page
from benchmarks.peers.results import Run, Series, encode_line, merged, read_results
from benchmarks.peers.runner import SeriesPlan, run_once
from benchmarks.peers.statistics import cpu_us, fault_counts, idle_kb
from benchmarks.peers.systems import ROOT, SYSTEMS, System
from benchmarks.peers.wires import SystemName
from benchmarks.peers.workloads import DEFAULT_WORKLOADS, parse_workload

PAGE = ROOT / "docs" / "benchmarks.md"
PLOT = ROOT / "docs" / "images" / "benchmarks.svg"
SMOKE_WORKLOAD = "20x2"
RESULTS = "results"
SMOKE = "smoke"

app = typer.Typer(
    help=f"Compare Tavolata with other game servers. {CACHE_VARIABLE} names the folder of packages and results.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_console = Console(stderr=True)

Systems = Annotated[list[SystemName] | None, typer.Option("--system", help="A system; all if there is none.")]


@app.command()
def run(
    systems: Systems = None,
    workloads: Annotated[str, typer.Option(metavar="NAME,...", help="ROOMSxPLAYERS, rate or idle.")] = ",".join(
        DEFAULT_WORKLOADS
    ),
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each system under each workload.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.5, help="Measured seconds of a run.")] = 5,
    warmup: Annotated[float, typer.Option(min=0, help="Seconds of play before them.")] = 2,
    out: Annotated[Path | None, typer.Option(help="File of the results (JSON lines); must not exist.")] = None,
) -> None:
    """Run a series and print its report."""
    plan = SeriesPlan(
        systems=_chosen(systems),
        workloads=[parse_workload(name) for name in workloads.split(",")],
        repeats=repeats,
        window_s=seconds,
        warmup_s=warmup,
        cache=cache_folder(),
    )
    series, runs = _carry_out(plan, out or _new_file(plan.cache, RESULTS))
    typer.echo(_markdown(series, runs))


@app.command()
def smoke(systems: Systems = None) -> None:
    """Run every system once, with 20 rooms for 2 seconds; exit with 1 if one does not play all rooms."""
    plan = SeriesPlan(
        systems=_chosen(systems),
        workloads=[parse_workload(SMOKE_WORKLOAD)],
        repeats=1,
        window_s=2,
        warmup_s=0.5,
        cache=cache_folder(),
    )
    _, runs = _carry_out(plan, _new_file(plan.cache, SMOKE))
    if not all(_is_complete(one) for one in runs):
        raise BenchmarkError("not every system played all rooms")


@app.command()
def report(
    results: Annotated[
        list[Path] | None, typer.Option(help="File of a series, or several that are merged; by default the last one.")
    ] = None,
    docs: Annotated[bool, typer.Option("--docs", help="Update docs/benchmarks.md and its plot.")] = False,
) -> None:
    """Print the report of a series as Markdown."""
    series, runs = merged([read_results(path) for path in results or [_last_results()]])
    if not docs:
        typer.echo(_markdown(series, runs))
        return
    PAGE.write_text(update_page(PAGE.read_text("utf-8"), series, runs), "utf-8")
    PLOT.write_text(draw(panels(series, runs)), "utf-8")


def _chosen(names: Sequence[SystemName] | None) -> list[System]:
    return [SYSTEMS[name] for name in names or SystemName]


def _new_file(cache: Path, kind: str) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    return cache / f"{kind}-{datetime.now(UTC):%Y%m%dT%H%M%S}.jsonl"


def _carry_out(plan: SeriesPlan, path: Path) -> tuple[Series, list[Run]]:
    """Install packages, make all runs and write each to the results file as soon as it ends."""
    if importlib.util.find_spec("picows") is None:
        raise BenchmarkError('the load generator needs picows: pip install -e ".[bench]"')
    _raise_file_limit()
    for system in plan.systems:
        with _console.status(f"installing packages of {system.title}"):
            system.install(plan.cache)
    series = Series(
        started=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        repeats=plan.repeats,
        window_s=plan.window_s,
        machine=describe_machine(),
        workloads=list(plan.workloads),
        versions={system.name: system.version(plan.cache) for system in plan.systems},
    )
    runs: list[Run] = []
    with path.open("xb", buffering=0) as file, _progress() as progress:
        file.write(encode_line(series))
        task = progress.add_task("", total=len(plan))
        for repeat, workload, system in plan.schedule():
            progress.update(task, description=f"{repeat + 1}/{plan.repeats} {workload.name} {system.name}")
            runs.append(run_once(plan, repeat, workload, system))
            file.write(encode_line(runs[-1]))
            progress.console.print(_line(runs[-1]), markup=False, highlight=False, soft_wrap=True)
            progress.advance(task)
    _console.print(f"results: {path}", markup=False, highlight=False, soft_wrap=True)
    return series, runs


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=_console)


def _line(run: Run) -> str:
    """One run in one line."""
    head = f"{run.repeat + 1} {run.workload:>7} {run.system:<12}"
    measured = run.measurement
    if measured is None:
        return f"{head} failed: {run.failure}"
    if measured.kb_per_player:
        figures = f"{figure(idle_kb(measured))} KiB per player"
    else:
        latency = f"p50 {figure(measured.p50_ms)} ms, p99 {figure(measured.p99_ms)} ms"
        figures = f"{figure(measured.moves_per_s)} moves/s, {latency}, {figure(cpu_us(measured))} µs per move"
    faults = "; ".join(f"{name} {count}" for name, count in fault_counts([measured]).items())
    return " ".join(part for part in (head, figures, faults, measured.first_error) if part)


def _is_complete(run: Run) -> bool:
    """Whether all rooms of the run were opened and played. Lost or disordered updates are findings, not failures."""
    measured = run.measurement
    if measured is None or not (measured.moves or measured.kb_per_player):
        return False
    faults = measured.faults
    return not (faults.unopened_rooms or faults.stalled_rooms or faults.disconnects or faults.unknown)


def _markdown(series: Series, runs: Sequence[Run]) -> str:
    return f"{machine_section(series, runs)}\n\n{results_section(series, runs)}"


def _last_results() -> Path:
    found = sorted(cache_folder().glob(f"{RESULTS}-*.jsonl"))
    if not found:
        raise BenchmarkError(f"there are no results in {cache_folder()}")
    return found[-1]


def _raise_file_limit() -> None:
    """Every player is an open file in the client and in a server; children inherit the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _exit_on_signal(number: int, frame: object) -> None:
    """Turn SIGTERM into an exception, so that the running servers are stopped."""
    sys.exit(128 + number)


def main() -> None:
    signal.signal(signal.SIGTERM, _exit_on_signal)
    try:
        app(prog_name="python -m benchmarks.peers", standalone_mode=False)
    except (BenchmarkError, OSError) as error:
        typer.echo(f"benchmarks.peers: {error}", err=True)
        sys.exit(1)
    except typer.TyperException as error:
        typer.echo(f"benchmarks.peers: {error.format_message()}", err=True)
        sys.exit(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
