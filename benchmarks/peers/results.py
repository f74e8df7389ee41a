"""The records of a series of runs, stored as JSON lines: one `series` record, then one `run` record per run."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.wires import SystemName
from benchmarks.peers.workloads import Workload


class MachineInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The machine and the runtimes of a series."""

    cpu: str
    cores: int
    memory_gib: float
    kernel: str
    python: str
    node: str
    store: str


class Series(msgspec.Struct, frozen=True, kw_only=True, tag="series"):
    """The conditions that all runs of a file share."""

    started: str
    repeats: int
    window_s: float
    machine: MachineInfo
    workloads: list[Workload]
    versions: dict[SystemName, str]


class Faults(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Deviations from a correct run; all are 0 in a valid one."""

    gaps: int = 0
    duplicates: int = 0
    refused: int = 0
    disconnects: int = 0
    unknown: int = 0
    stalled_rooms: int = 0
    unopened_rooms: int = 0


class Measurement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The figures of one run. Values by process are keyed by role (`node`, `gateway`, `worker`, `valkey`)."""

    moves: int = 0
    moves_per_s: float = 0.0
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    cpu_us_per_move: dict[str, float] = {}
    client_us_per_move: float = 0.0
    kb_per_player: dict[str, float] = {}
    foreign_cpu_share: float = 0.0
    """Share of the machine's CPU time that neither the servers nor the client used, busy or stolen by the host."""
    faults: Faults = Faults()
    first_error: str = ""


class Run(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="run"):
    """One run of one system. `failure` is set instead of `measurement` when it could not be completed."""

    repeat: int
    workload: str
    system: SystemName
    measurement: Measurement | None = None
    failure: str = ""


_decode = msgspec.json.Decoder(Series | Run).decode


def encode_line(record: Series | Run) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def decode_lines(lines: Iterable[bytes]) -> tuple[Series, Sequence[Run]]:
    """Raise `BenchmarkError` unless the first line is the series and all others are runs."""
    try:
        records = [_decode(line) for line in lines]
    except msgspec.MsgspecError as error:
        raise BenchmarkError(f"malformed results: {error}") from error
    if not records or not isinstance(records[0], Series):
        raise BenchmarkError("malformed results: the first line must describe the series")
    return records[0], [record for record in records if isinstance(record, Run)]


def read_results(path: Path) -> tuple[Series, Sequence[Run]]:
    with path.open("rb") as file:
        return decode_lines(file)


def merged(parts: Sequence[tuple[Series, Sequence[Run]]]) -> tuple[Series, Sequence[Run]]:
    """Several short series as one, with the repeats of each behind those of the ones before. Raise `BenchmarkError`
    unless all have the same machine, versions, workloads and length of a run."""
    first, runs, repeats = parts[0][0], [], 0
    for series, some in parts:
        alike = msgspec.structs.replace(series, started=first.started, repeats=first.repeats)
        if alike != first:
            raise BenchmarkError("these series cannot be merged: their conditions differ")
        runs += [msgspec.structs.replace(run, repeat=repeats + run.repeat) for run in some]
        repeats += series.repeats
    return msgspec.structs.replace(first, repeats=repeats), runs
