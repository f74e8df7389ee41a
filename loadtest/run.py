"""A whole run: opens the tables little by little, lets them play, stops, and has the records checked."""

import asyncio
import secrets
import string
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from loadtest.checks.checker import Findings
from loadtest.checks.records import audit
from loadtest.clients.play.client import Play
from loadtest.measure.measurements import Measurements
from loadtest.measure.processes import Meter
from loadtest.plan import LoadPlan
from loadtest.table import RunContext, Table

SEATING_AT_ONCE = 16
TICKS_PER_S = 10


class Unreachable(Exception):
    """No server answers; the text says where."""


@dataclass(slots=True)
class State:
    """A run as it can be watched."""

    plan: LoadPlan
    figures: Measurements
    findings: Findings
    meter: Meter
    phase: str = "opening tables"
    begun: float = 0.0
    """When the measured part began."""
    audited: int = 0
    rooms: int = 0


Watch = Callable[[State], Any]


async def run(plan: LoadPlan, meter: Meter, watch: Watch = lambda _state: None, every_s: float = 0.5) -> State:
    """Carry the plan out. `watch` is called every now and then, and once at the end."""
    await _reach(plan)
    figures, findings = Measurements(time.perf_counter()), Findings()
    state = State(plan, figures, findings, meter)
    hall = RunContext(plan, _tag(), findings, figures, asyncio.Semaphore(SEATING_AT_ONCE))
    meter.mark()
    async with _every(1 / TICKS_PER_S, _pulse(hall)), _every(every_s, _observe(state, watch)):
        tables = [asyncio.create_task(Table(number, hall).run()) for number in range(plan.rooms)]
        playing = asyncio.gather(*tables)
        await _measure(state, hall, playing)
        state.phase = "stopping"
        await playing
        state.phase = "reading the records"
        state.rooms = len(hall.rooms)
        await audit(plan.urls, hall.rooms, findings, lambda done: setattr(state, "audited", done))
        state.phase = "done"
        _part(hall)
    watch(state)
    return state


async def _measure(state: State, hall: RunContext, playing: "asyncio.Future[Any]") -> None:
    """From when all tables play (or, if games are counted, from now) until the time or the games are over."""
    plan, figures = state.plan, state.figures
    if plan.games is None:
        await hall.begun.wait()
    state.phase = "playing"
    state.begun = time.perf_counter()
    figures.mark(state.begun)
    state.meter.mark()
    await asyncio.wait({playing}, timeout=plan.duration_s)
    figures.end(time.perf_counter())
    state.meter.sample()
    hall.closing.set()


def _part(hall: RunContext) -> None:
    for link in hall.links.values():
        if isinstance(link.player, Play):
            link.say(link.player.depart())
        link.end()


async def _reach(plan: LoadPlan) -> None:
    """At least one of the servers must be there."""
    faults = []
    places = list(plan.tcp.values()) or [(urlsplit(url).hostname or "", urlsplit(url).port or 0) for url in plan.urls]
    for host, port in places:
        try:
            async with asyncio.timeout(5):
                _, writer = await asyncio.open_connection(host, port)
            writer.close()
            return
        except (OSError, TimeoutError) as fault:
            faults.append(f"{host}:{port} ({getattr(fault, 'strerror', None) or fault or 'no answer'})")
    raise Unreachable(f"no server at {', '.join(faults)}")


def _tag() -> str:
    """Four random letters: names of players begin with it."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(4))


def _pulse(hall: RunContext) -> Callable[[], None]:
    turn = 0

    def beat() -> None:
        nonlocal turn
        turn += 1
        for number, link in enumerate(list(hall.links.values())):
            link.nudge()
            if (turn + number) % TICKS_PER_S == 0:
                link.tick()

    return beat


def _observe(state: State, watch: Watch) -> Callable[[], None]:
    def look() -> None:
        if state.phase == "playing":
            state.meter.sample()
        watch(state)

    return look


@asynccontextmanager
async def _every(seconds: float, call: Callable[[], None]) -> AsyncIterator[None]:
    async def repeat() -> None:
        while True:
            await asyncio.sleep(seconds)
            call()

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()
