"""The `tavolata load` command: its options, and how a run and its failures are shown."""

import asyncio
import gc
import random
import sys
from collections.abc import Coroutine, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar
from urllib.parse import urlsplit

import orjson
import typer
import uvloop
from rich.console import Console
from typer.core import TyperCommand

from loadtest.clients.eriantys import AM24
from loadtest.clients.registry import PLAY, dialects_of, framing_of
from loadtest.cluster_file import KnownCluster, running_cluster
from loadtest.faults.kinds import FaultKind, FaultPlan
from loadtest.measure import idle as idle_sessions
from loadtest.measure import report
from loadtest.measure.display import Display
from loadtest.measure.processes import CpuMeter, role_of
from loadtest.mix import listeners_of, mixed_kinds
from loadtest.plan import (
    Address,
    LoadPlan,
    PlanError,
    TableKind,
    faults_of,
    options_of,
    pids_of,
    tcp_of,
    urls_of,
)
from loadtest.report.page import html
from loadtest.run import Unreachable, run
from shared.bus.store_changes import has_replicas, has_slots
from shared.runtime import open_files
from shared.runtime.bootstrap import prefer_throughput

DURATION_S = 20.0
DEFAULT_URL = "ws://127.0.0.1:8000"
WIDTH_OF_FILES = 160
T = TypeVar("T")


def hide_flag_types(params: Iterable[Any]) -> None:
    """Typer prints `<bool>` behind flags in --help, as if they took a value."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""


class Command(TyperCommand):
    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)
        hide_flag_types(params)
        return params


def load(
    url: Annotated[
        str,
        typer.Option(
            show_default="the gateways of --data, or ws://127.0.0.1:8000",
            help="Addresses of gateways: ws://host:port, separated by commas.",
        ),
    ] = "",
    game: Annotated[str, typer.Option(help="Game to play.")] = "stones",
    dialect: Annotated[
        str, typer.Option(help="Dialect of the clients: play, dialects of the game, separated by commas, or mixed.")
    ] = PLAY,
    mix: Annotated[bool, typer.Option("--mix", help="Play all games and dialects, in place of one game.")] = False,
    rooms: Annotated[int, typer.Option(min=1, help="Number of tables.")] = 200,
    players: Annotated[int, typer.Option(min=1, max=8, help="Players per table.")] = 2,
    duration: Annotated[
        float | None, typer.Option(min=0.1, show_default="20", help="Seconds to measure, once all tables play.")
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games per table, instead of a duration.")] = None,
    think: Annotated[float, typer.Option(min=0, metavar="MS", help="Milliseconds before each move.")] = 0,
    expert: Annotated[bool, typer.Option("--expert", help="Eriantys with characters and coins.")] = False,
    options: Annotated[str, typer.Option(metavar="JSON", help="Options of the tables.")] = "",
    tcp: Annotated[bool, typer.Option("--tcp", help="Use TCP; PORT, HOST:PORT or DIALECT=PORT may follow.")] = False,
    place: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    texts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file of an eriantys.am24 listener's option texts.")
    ] = None,
    faults: Annotated[
        str, typer.Option(metavar="LIST", help="Faults to make in the cluster of --data, separated by commas, or all.")
    ] = "",
    every: Annotated[float, typer.Option(min=0.1, help="Seconds from one fault to the next.")] = 5,
    overlap: Annotated[
        bool, typer.Option("--overlap", help="Make the next fault even if an ended process is not replaced yet.")
    ] = False,
    spare_first: Annotated[
        bool, typer.Option("--spare-first", help="Never end the first worker and the first gateway.")
    ] = False,
    check_at_once: Annotated[
        bool, typer.Option("--check-at-once", help="Check each game when it ends, instead of at the end of the run.")
    ] = False,
    allow_rewound: Annotated[
        bool, typer.Option("--allow-rewound", help="Undone moves are no violation: the store may lose its last writes.")
    ] = False,
    report_file: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="File for a page (HTML) with all measurements.")
    ] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="File for all measurements.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the players' choices and of the faults.", show_default="random")
    ] = None,
    pids: Annotated[
        str, typer.Option(metavar="ROLE=PID,...", help="Processes to measure, instead of those of --data.")
    ] = "",
    data: Annotated[Path, typer.Option(help="Data folder of the cluster, to find its processes.")] = Path(".tavolata"),
    patience: Annotated[
        float, typer.Option(min=1, help="Seconds without a move after which a table is given up.")
    ] = 60,
    idle: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Open N idle sessions instead, and print their memory.")
    ] = None,
) -> None:
    """Play with many headless clients, measure the cluster, and check that no move was lost, doubled or shown wrongly.

    The exit code is 1 if the checker found a violation or a game was not finished.
    """
    seed = random.getrandbits(32) if seed is None else seed
    cluster = running_cluster(data)
    try:
        if place and not tcp:
            raise PlanError(f"unexpected argument {place[0]!r}")
        urls = urls_of(url or _urls_of_cluster(cluster))
        named = {pid: role or role_of(pid) for pid, role in pids_of(pids).items()}
        if mix:
            kinds = _mix(cluster, texts)
        else:
            dialects = dialects_of(game, dialect)
            addresses = tcp_of(place or [""], dialects, urlsplit(urls[0]).hostname or "") if tcp else {}
            choices = options_of(game, options, expert)
            kind = TableKind(game=game, dialects=dialects, players=players, options=choices, tcp=addresses)
            kinds = (_with_texts(kind, texts),)
        fault_fields = {"every_s": every, "seed": seed, "overlap": overlap, "spare_first": spare_first}
        plan = LoadPlan(
            urls=urls,
            kinds=kinds,
            rooms=rooms,
            duration_s=DURATION_S if duration is None and games is None else duration,
            games=games,
            think_s=think / 1000,
            seed=seed,
            patience_s=patience + think / 1000,
            faults=_fault_plan(faults, cluster, data, **fault_fields) if faults else None,
            check_at_once=check_at_once,
            allow_rewound=allow_rewound,
        )
    except PlanError as error:
        raise typer.BadParameter(str(error)) from None
    open_files.raise_limit()  # every player needs a socket
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH_OF_FILES)
    if idle is not None:
        _idle(console, urls, idle, data, named)
    else:
        _play(console, plan, CpuMeter(data, named), json, report_file)


def _urls_of_cluster(cluster: KnownCluster | None) -> str:
    """Every gateway's own address: a client that loses one uses the next."""
    gateways = cluster.of_role("gateway") if cluster is not None else []
    return ",".join(f"ws://127.0.0.1:{gateway.port}" for gateway in gateways) or DEFAULT_URL


def _mix(cluster: KnownCluster | None, texts: Path | None) -> tuple[TableKind, ...]:
    listeners = listeners_of(cluster)
    spoken = tuple(listeners.addresses)
    return mixed_kinds(listeners.addresses, _texts_for(spoken, listeners.addresses, texts or listeners.texts))


def _with_texts(kind: TableKind, texts: Path | None) -> TableKind:
    return replace(kind, texts=_texts_for(kind.dialects, kind.tcp, texts))


def _fault_plan(text: str, cluster: KnownCluster | None, data: Path, **fields: Any) -> FaultPlan:
    if cluster is None:
        raise PlanError(f"--faults needs a cluster of `tavolata up`, and none is running on {data} (--data)")
    possible = set(FaultKind)
    if not has_replicas(cluster.redis_url):
        possible.discard(FaultKind.FAILOVER)
    if not has_slots(cluster.redis_url):
        possible -= {FaultKind.MOVE_SLOTS, FaultKind.RESIZE_STORE}
    return FaultPlan(kinds=faults_of(text, possible), **fields)


def _texts_for(dialects: tuple[str, ...], addresses: dict[str, Address], path: Path | None) -> dict[str, Any]:
    """The texts of the AM24 listener, if a player needs them; raises `PlanError` for options that original programs
    cannot be played with."""
    for name in dialects:
        if framing_of(name) is not None and name not in addresses:
            raise PlanError(f"{name} is spoken over TCP only: --tcp {name}=PORT")
    if AM24 not in dialects:
        return {}
    if path is None:
        raise PlanError(f"{AM24} needs --texts, the file of its listener")
    try:
        found: dict[str, Any] = orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise PlanError(f"--texts: {path}: {error}") from None
    return found


def _play(console: Console, plan: LoadPlan, meter: CpuMeter, json: Path | None, page: Path | None) -> None:
    _collect_garbage_rarely()
    prefer_throughput()
    try:
        with Display(console) as display:
            state = _run(run(plan, meter, display))
    except Unreachable as error:
        _fail(str(error))
    except PlanError as error:
        raise typer.BadParameter(str(error)) from None
    report.show(console, state)
    found = report.as_json(state)
    if json is not None:
        _write(json, orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    if page is not None:
        _write(page, html(found).encode())
    if not report.good(state):
        raise typer.Exit(1)


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        _fail(f"cannot write {path}: {error.strerror}")


def _idle(console: Console, urls: tuple[str, ...], count: int, data: Path, named: dict[int, str]) -> None:
    with console.status("opening sessions") as status:
        cost = _run(
            idle_sessions.measure(urls, count, data, named, lambda done: status.update(f"{done} of {count} sessions"))
        )
    console.print(f"{cost.sessions} idle sessions opened, {len(cost.faults)} failed", highlight=False)
    if cost.gateways:
        mib = 1024 * 1024
        console.print(
            f"memory of {cost.gateways} gateways: {cost.before_bytes / mib:.1f} MiB before, "
            f"{cost.after_bytes / mib:.1f} MiB with them: {cost.kib_per_session:.1f} KiB for each connection",
            highlight=False,
        )
    else:
        console.print("the gateways' processes cannot be read (--data, --pids)", highlight=False)
    if cost.faults:
        _fail(cost.faults[0])


def _collect_garbage_rarely() -> None:
    """Garbage collections of the tool would be measured as pauses of the server."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def _fail(text: str) -> NoReturn:
    sys.stderr.write(f"tavolata: {text}\n")
    raise typer.Exit(1)
