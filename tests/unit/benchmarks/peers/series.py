"""Records of a small series for the tests of statistics, report and plot."""

from benchmarks.peers.results import Faults, MachineInfo, Measurement, Run, Series
from benchmarks.peers.wires import SystemName
from benchmarks.peers.workloads import parse_workload

OURS = SystemName.TAVOLATA
PEER = SystemName.COLYSEUS


def moves(repeat: int, system: SystemName, cpu: float, *, p99: float = 2.0, gaps: int = 0, foreign: float = 0.0) -> Run:
    role = "node" if system is PEER else "gateway"
    measurement = Measurement(
        moves=1000,
        moves_per_s=200.0,
        p50_ms=1.0,
        p99_ms=p99,
        cpu_us_per_move={role: cpu - 10, "valkey": 10.0},
        client_us_per_move=20.0,
        foreign_cpu_share=foreign,
        faults=Faults(gaps=gaps),
    )
    return Run(repeat=repeat, workload="200x2", system=system, measurement=measurement)


def idle(repeat: int, system: SystemName, kb: float) -> Run:
    return Run(repeat=repeat, workload="idle", system=system, measurement=Measurement(kb_per_player={"node": kb}))


def failed(repeat: int, system: SystemName) -> Run:
    return Run(repeat=repeat, workload="200x2", system=system, failure="it did not start")


def series() -> Series:
    machine = MachineInfo(
        cpu="Fast <One>", cores=2, memory_gib=7.5, kernel="Linux 6", python="3.11.7", node="20.1.0", store="9.0.1"
    )
    return Series(
        started="2026-01-02 03:04 UTC",
        repeats=3,
        window_s=5,
        machine=machine,
        workloads=[parse_workload("200x2"), parse_workload("idle")],
        versions={OURS: "commit 0123456", PEER: "colyseus 0.18.8"},
    )


RUNS = [
    moves(0, OURS, 100.0),
    moves(0, PEER, 50.0),
    moves(1, PEER, 100.0, gaps=2),
    moves(1, OURS, 150.0),
    moves(2, OURS, 300.0, p99=8.0),
    failed(2, PEER),
    idle(0, OURS, 20.0),
    idle(0, PEER, 40.0),
]
