"""The `tavolata load` command."""

import asyncio
import gc
import random
import resource
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar
from urllib.parse import urlsplit

import msgspec
import typer
import uvloop
from rich.console import Console

from loadtest.clients.registry import PLAY, dialects_of
from loadtest.measure import idle as idling
from loadtest.measure import report
from loadtest.measure.display import Display
from loadtest.measure.processes import Meter, role_of
from loadtest.plan import LoadPlan, PlanError, options_of, pids_of, tcp_of, urls_of
from loadtest.run import Unreachable, run
from shared.runtime.bootstrap import prefer_throughput

DURATION_S = 20.0
WIDTH_OF_FILES = 160
T = TypeVar("T")


def load(
    url: Annotated[
        str, typer.Option(help="Where the gateways are: ws://host:port, several separated by commas.")
    ] = "ws://127.0.0.1:8000",
    game: Annotated[str, typer.Option(help="What to play.")] = "stones",
    dialect: Annotated[str, typer.Option(help="How to talk: play, a dialect of the game, or mixed.")] = PLAY,
    rooms: Annotated[int, typer.Option(min=1, help="Tables at once.")] = 200,
    players: Annotated[int, typer.Option(min=1, max=8, help="Players at each table.")] = 2,
    duration: Annotated[
        float | None, typer.Option(min=0.1, show_default="20", help="Seconds to play, once all tables do.")
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games at each table; then no time is set.")] = None,
    think: Annotated[float, typer.Option(min=0, metavar="MS", help="Milliseconds to think before a move.")] = 0,
    expert: Annotated[bool, typer.Option("--expert", help="Eriantys: with characters and coins.")] = False,
    options: Annotated[str, typer.Option(metavar="JSON", help="Options of the game.")] = "",
    tcp: Annotated[bool, typer.Option("--tcp", help="Over TCP; a PORT, HOST:PORT or DIALECT=PORT may follow.")] = False,
    place: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all figures there.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the players' choices.", show_default="random")] = None,
    pids: Annotated[
        str, typer.Option(metavar="ROLE=PID,...", help="The server's processes, if they are not those of --data.")
    ] = "",
    data: Annotated[Path, typer.Option(help="Folder of the cluster, to see its processes.")] = Path(".tavolata"),
    patience: Annotated[float, typer.Option(min=1, help="Seconds without a move until a table is given up.")] = 60,
    idle: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Instead of playing: open N idle sessions, tell their cost.")
    ] = None,
) -> None:
    """Let many players play, measure it, and check that nothing was lost, doubled or told wrongly.

    Exit code 1 if the checker found anything or a game could not be finished.
    """
    try:
        if place and not tcp:
            raise PlanError(f"unexpected argument {place[0]!r}")
        urls = urls_of(url)
        named = {pid: role or role_of(pid) for pid, role in pids_of(pids).items()}
        spoken = dialects_of(game, dialect)
        plan = LoadPlan(
            urls=urls,
            game=game,
            dialects=spoken,
            rooms=rooms,
            players=players,
            duration_s=DURATION_S if duration is None and games is None else duration,
            games=games,
            think_s=think / 1000,
            options=options_of(game, options, expert),
            seed=random.getrandbits(32) if seed is None else seed,
            tcp=tcp_of(place or [""], spoken, urlsplit(urls[0]).hostname or "") if tcp else {},
            patience_s=patience + think / 1000,
        )
    except PlanError as fault:
        raise typer.BadParameter(str(fault)) from None
    _allow_many_sockets()
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH_OF_FILES)
    if idle is not None:
        _idle(console, urls, idle, data, named)
    else:
        _play(console, plan, Meter(data, named), json)


def _play(console: Console, plan: LoadPlan, meter: Meter, json: Path | None) -> None:
    _collect_seldom()
    prefer_throughput()
    try:
        with Display(console) as display:
            state = _run(run(plan, meter, display))
    except Unreachable as fault:
        _give_up(str(fault))
    report.show(console, state)
    if json is not None:
        try:
            json.write_bytes(msgspec.json.format(msgspec.json.encode(report.figures(state)), indent=2) + b"\n")
        except OSError as fault:
            _give_up(f"cannot write {json}: {fault.strerror}")
    if not report.good(state):
        raise typer.Exit(1)


def _idle(console: Console, urls: tuple[str, ...], count: int, data: Path, named: dict[int, str]) -> None:
    with console.status("opening sessions") as status:
        cost = _run(idling.measure(urls, count, data, named, lambda done: status.update(f"{done} of {count} sessions")))
    console.print(f"{cost.sessions} idle sessions opened, {len(cost.faults)} failed", highlight=False)
    if cost.gateways:
        mib = 1024 * 1024
        console.print(
            f"memory of {cost.gateways} gateways: {cost.before_bytes / mib:.1f} MiB before, "
            f"{cost.after_bytes / mib:.1f} MiB with them: {cost.kib_each:.1f} KiB for each connection",
            highlight=False,
        )
    else:
        console.print("the gateways' processes cannot be seen (--data, --pids)", highlight=False)
    if cost.faults:
        _give_up(cost.faults[0])


def _collect_seldom() -> None:
    """Pauses of our own must not look like the server's."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def _allow_many_sockets() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _give_up(text: str) -> NoReturn:
    sys.stderr.write(f"tavolata: {text}\n")
    raise typer.Exit(1)
