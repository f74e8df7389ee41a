"""A whole run: opens the tables, measures while they play, stops them, and has the records checked."""

import asyncio
import secrets
import signal
import string
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

import orjson

from loadtest.checks.checker import Findings
from loadtest.checks.records import check_records
from loadtest.clients.play.client import Play
from loadtest.faults.injector import FaultInjector
from loadtest.measure.environment import cluster_settings, versions
from loadtest.measure.measurements import Measurements
from loadtest.measure.processes import TOOL, CpuMeter
from loadtest.plan import LoadPlan, PlanError
from loadtest.table import LoadTable, RunContext
from shared.runtime.http_client import HttpClient

OPENING_AT_ONCE = 16
TICKS_PER_S = 10
CONNECT_S = 5
SECOND_S = 1.0
SIZES_S = 5.0
"""Time between two samples of the memory and the open files of all processes."""


class Unreachable(Exception):
    """No server accepts connections; the text names the addresses."""


class Phase(StrEnum):
    OPENING = "opening tables"
    PLAYING = "playing"
    STOPPING = "stopping"
    CHECKING = "reading the records"
    DONE = "done"


@dataclass(slots=True)
class RunState:
    """The progress and the results of a run."""

    plan: LoadPlan
    measurements: Measurements
    findings: Findings
    meter: CpuMeter
    phase: Phase = Phase.OPENING
    begun: float = 0.0
    """The time at which the measured part began."""
    started: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))
    versions: dict[str, str] = field(default_factory=dict)
    cluster_settings: dict[str, str] = field(default_factory=dict)
    rooms: int = 0
    """Rooms whose records are to be checked."""
    rooms_checked: int = 0


OnProgress = Callable[[RunState], Any]


async def run(
    plan: LoadPlan, meter: CpuMeter, on_progress: OnProgress = lambda _state: None, period_s: float = 0.5
) -> RunState:
    """Carry out the plan. `on_progress` is called every `period_s` and once at the end.

    Raises `Unreachable` if there is no server, and `PlanError` if it does not offer the game.
    """
    await _require_server(plan)
    await _require_game(plan)
    measurements, findings = Measurements(time.perf_counter()), Findings(allow_rewound=plan.allow_rewound)
    state = RunState(plan, measurements, findings, meter)
    state.versions, state.cluster_settings = await versions(meter.data), cluster_settings(meter.data)
    context = RunContext(plan, _tag(), findings, measurements, asyncio.Semaphore(OPENING_AT_ONCE))
    meter.mark()
    async with (
        _periodic(1 / TICKS_PER_S, _ticker(context)),
        _periodic(period_s, _progress_sampler(state, on_progress)),
        _periodic(SECOND_S, _cpu_sampler(state)),
        _periodic(SIZES_S, _size_sampler(state)),
    ):
        tables = [asyncio.create_task(LoadTable(number, context).run()) for number in range(plan.rooms)]
        playing = asyncio.gather(*tables)
        checking = asyncio.create_task(_check_at_once(state, context))
        await _measure(state, context, playing)
        state.phase = Phase.STOPPING
        await playing
        checking.cancel()
        await asyncio.wait({checking})
        state.phase = Phase.CHECKING
        await _check(state, context)
        state.phase = Phase.DONE
        _leave(context)
    on_progress(state)
    return state


async def _measure(state: RunState, context: RunContext, playing: "asyncio.Future[Any]") -> None:
    """Measure from the moment that all tables play (with a number of games: from now) until the time or the games are
    over, or Ctrl-C is pressed."""
    plan, measurements = state.plan, state.measurements
    if plan.games is None:
        await context.all_begun.wait()
    state.phase = Phase.PLAYING
    state.begun = time.perf_counter()
    measurements.mark(state.begun)
    state.meter.mark()
    _size_sampler(state)()
    async with _faults(state, context):
        with _interruptible() as interrupted:
            await asyncio.wait({playing, interrupted}, timeout=plan.duration_s, return_when=asyncio.FIRST_COMPLETED)
    measurements.end(time.perf_counter())
    state.meter.sample()
    _size_sampler(state)()
    context.closing.set()


@contextmanager
def _interruptible() -> Iterator["asyncio.Future[None]"]:
    """A future that the first Ctrl-C completes: the run ends early, with a report. The second one ends the tool."""
    loop = asyncio.get_running_loop()
    interrupted: asyncio.Future[None] = loop.create_future()

    def interrupt() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        interrupted.set_result(None)

    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        yield interrupted
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _check(state: RunState, context: RunContext) -> None:
    """Compare the records of all games that have ended since the last call."""
    rooms, context.rooms = context.rooms, {}
    before = state.rooms_checked
    state.rooms = before + len(rooms)
    await check_records(
        state.plan.urls, rooms, state.findings, lambda done: setattr(state, "rooms_checked", before + done)
    )


async def _check_at_once(state: RunState, context: RunContext) -> None:
    """Check games soon after their end, if the plan says so: a cluster that keeps finished rooms for a short time has
    removed them by the end of a long run."""
    checked: asyncio.Task[None] | None = None
    try:
        while state.plan.check_at_once:
            await asyncio.sleep(SECOND_S)
            checked = asyncio.create_task(_check(state, context))
            await asyncio.shield(checked)
    finally:
        if checked is not None:
            await checked


def _leave(context: RunContext) -> None:
    for connection in context.connections.values():
        if isinstance(connection.player, Play):
            connection.send(connection.player.leave())
        connection.end()


async def _require_server(plan: LoadPlan) -> None:
    """At least one of the servers must accept connections."""
    faults = []
    addresses = [address for kind in plan.kinds for address in kind.tcp.values()] or [
        (urlsplit(url).hostname or "", urlsplit(url).port or 0) for url in plan.urls
    ]
    for host, port in addresses:
        try:
            async with asyncio.timeout(CONNECT_S):
                _, writer = await asyncio.open_connection(host, port)
            writer.close()
            return
        except (OSError, TimeoutError) as error:
            faults.append(f"{host}:{port} ({getattr(error, 'strerror', None) or error or 'no answer'})")
    raise Unreachable(f"no server at {', '.join(faults)}")


async def _require_game(plan: LoadPlan) -> None:
    """The server must offer the game. Without an answer (over TCP, `--url` may lead nowhere) the run will show it."""
    url = urlsplit(plan.urls[0])
    client = HttpClient(url.hostname or "", url.port or 0, tls=url.scheme == "wss")
    try:
        async with asyncio.timeout(CONNECT_S):
            response = await client.get("/api/games")
    except (OSError, TimeoutError):
        return
    finally:
        client.close()
    if response.status == 200:
        games = [game["name"] for game in orjson.loads(response.body)["games"]]
        for name in plan.games_played:
            if games and name not in games:
                raise PlanError(f"--game: the server has {', '.join(games)}, not {name!r}")


def _tag() -> str:
    """Four random letters that begin the names of all players of a run."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(4))


def _ticker(context: RunContext) -> Callable[[], None]:
    """A function, to be called ten times a second, that has all players retry and a tenth of them tick."""
    count = 0

    def tick() -> None:
        nonlocal count
        count += 1
        for number, connection in enumerate(list(context.connections.values())):
            connection.retry()
            if (count + number) % TICKS_PER_S == 0:
                connection.tick()

    return tick


def _progress_sampler(state: RunState, on_progress: OnProgress) -> Callable[[], None]:
    def sample() -> None:
        if state.phase is Phase.PLAYING:
            state.meter.sample()
        on_progress(state)

    return sample


def _cpu_sampler(state: RunState) -> Callable[[], None]:
    def sample() -> None:
        if state.phase is Phase.PLAYING:
            cpu = {**state.meter.spent(), TOOL: state.meter.tool()}
            state.measurements.series.sample(time.perf_counter(), cpu)

    return sample


def _size_sampler(state: RunState) -> Callable[[], None]:
    def sample() -> None:
        if state.phase is Phase.PLAYING:
            series = state.measurements.series
            series.sizes += state.meter.sizes(time.perf_counter() - series.started)

    return sample


@asynccontextmanager
async def _faults(state: RunState, context: RunContext) -> AsyncIterator[None]:
    """Make the faults of the plan meanwhile."""
    if state.plan.faults is None:
        yield
        return
    injector = FaultInjector(
        state.plan.faults,
        state.meter.data,
        context.connections.values,
        state.measurements.series.faults,
        state.findings,
    )
    task = asyncio.create_task(injector.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
    if not task.cancelled():
        task.result()


@asynccontextmanager
async def _periodic(seconds: float, call: Callable[[], None]) -> AsyncIterator[None]:
    async def repeat() -> None:
        while True:
            await asyncio.sleep(seconds)
            call()

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()
