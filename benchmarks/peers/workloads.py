"""The workloads: how many rooms there are, and whether their players move at once, after a pause, or not at all."""

import re

import msgspec

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.wires import SystemName

RATE = "rate"
IDLE = "idle"
DEFAULT_WORKLOADS = ("200x2", "1000x2", RATE, IDLE)

_CLOSED_LOOP = re.compile(r"(\d+)x(\d+)")


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of load. `think_ms` is the mean pause before a move; 0 means that players move at once."""

    name: str
    rooms: int
    players: int = 2
    think_ms: int = 0
    idle: bool = False

    @property
    def title(self) -> str:
        size = f"{self.rooms:,} rooms x {self.players} players"
        if self.idle:
            return f"{size}, idle"
        if self.think_ms:
            return f"{size}, about {self.rooms * 1000 // self.think_ms} moves/s"
        return f"{size}, closed loop"


def parse_workload(name: str) -> Workload:
    """Read `ROOMSxPLAYERS`, `rate` or `idle`."""
    if name == RATE:
        return Workload(name=name, rooms=100, think_ms=200)
    if name == IDLE:
        return Workload(name=name, rooms=1000, idle=True)
    match = _CLOSED_LOOP.fullmatch(name)
    if match is None or int(match[1]) < 1 or int(match[2]) < 2:
        raise BenchmarkError(f"unknown workload {name!r}: expected ROOMSxPLAYERS, {RATE} or {IDLE}")
    return Workload(name=name, rooms=int(match[1]), players=int(match[2]))


class LoadJob(msgspec.Struct, frozen=True, kw_only=True):
    """The task of one load process. `servers` maps process ids to roles."""

    system: SystemName
    urls: list[str]
    servers: dict[int, str]
    workload: Workload
    window_s: float
    warmup_s: float
