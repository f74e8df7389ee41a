"""Faults on the players' side, and the marks that faults leave."""

import asyncio
from pathlib import Path

import pytest

from loadtest.checks.checker import Findings
from loadtest.faults import connections, injector
from loadtest.faults.injector import FaultInjector
from loadtest.faults.kinds import FaultKind, FaultMark, FaultPlan


class LoggedPlayerConnection:
    """Stands in for a player's connection."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def drop(self) -> None:
        self.log.append("dropped")

    def read_nothing(self, held: bool) -> None:
        self.log.append("held" if held else "released")


async def inject(
    kind: FaultKind, data: Path, *, count: int
) -> tuple[list[LoggedPlayerConnection], list[FaultMark], Findings]:
    """Make faults until there are `count` that have ended."""
    players = [LoggedPlayerConnection() for _ in range(20)]
    marks: list[FaultMark] = []
    findings = Findings()
    plan = FaultPlan(kinds=(kind,), every_s=0.001)
    faults = FaultInjector(plan, data, lambda: players, marks, findings)  # type: ignore[arg-type, return-value]
    task = asyncio.create_task(faults.run())
    while sum(mark.ended is not None for mark in marks) < count and not findings.texts:
        await asyncio.sleep(0.001)
    task.cancel()
    await asyncio.wait({task})
    return players, marks, findings


async def test_a_storm_drops_every_connection(tmp_path: Path) -> None:
    players, marks, _ = await inject(FaultKind.RECONNECT_STORM, tmp_path, count=1)
    assert all("dropped" in player.log for player in players)
    assert marks[0].ended is not None
    assert marks[0].ended >= marks[0].begun


async def test_slow_readers_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SLOW_S", 0.001)
    players, _, _ = await inject(FaultKind.SLOW_READERS, tmp_path, count=3)
    assert any(player.log for player in players)
    assert all(player.log.count("held") == player.log.count("released") for player in players)


async def test_a_change_of_the_store_is_completed_if_the_run_ends_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def moved_in_two_steps(_url: str, _way: object) -> str:
        begun.set()
        await go_on.wait()
        return "7"

    async def ways(_url: str) -> list[str]:
        return ["whole"]

    monkeypatch.setattr(injector, "move_partitions", moved_in_two_steps)
    monkeypatch.setattr(injector, "ways_to_move", ways)
    marks: list[FaultMark] = []
    plan = FaultPlan(kinds=(FaultKind.MOVE_SLOTS,), every_s=0.001)
    task = asyncio.create_task(FaultInjector(plan, tmp_path, list, marks, Findings()).run())
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    await asyncio.wait({task})
    assert [mark.target for mark in marks] == ["slots 7, whole"]
    assert marks[0].ended is not None


async def test_a_fault_that_cannot_be_made_is_a_finding(tmp_path: Path) -> None:
    _, _, findings = await inject(FaultKind.KILL_WORKER, tmp_path, count=1)
    assert "after kill-worker: no cluster is running" in findings.texts[0]
