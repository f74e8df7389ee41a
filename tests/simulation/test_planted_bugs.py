"""The simulation and the checker of the load tool notice bugs that are planted in the programs, within 500 seeds.

Each bug is one line that a mistaken change could bring; the tests that run the programs as they are would then fail.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec
import pytest

from gateway.cluster.room_directory import RoomDirectory
from loadtest.checks.checker import Findings
from shared.bus import commits, partition_log, scripts
from shared.bus.commits import AnyOutcome, Commit
from shared.bus.store import Store
from shared.room_views import Listing
from tests.support import promise
from tests.support.fake_store import FakeServer
from tests.support.load_checker import findings_of
from tests.support.simulation import PARTITIONS, Simulation
from worker.room import room as rooms

MOST_SEEDS = 500
Checker: TypeAlias = Callable[[Simulation, FakeServer], bool]


def seeds_until(found: Checker, server: FakeServer | None = None, **options: Any) -> int:
    """Run simulations until the checker finds the bug in one; the number of seeds that it took. A simulation that a
    player ends, because it noticed the bug itself, is checked as far as it came."""
    server = server or FakeServer()
    for seed in range(MOST_SEEDS):
        simulation = Simulation(seed, server, **options)
        with suppress(AssertionError):
            simulation.run()
        with simulation.time.installed():
            if found(simulation, server):
                return seed + 1
    raise AssertionError(f"the bug was not found in {MOST_SEEDS} seeds")


def by_promise(simulation: Simulation, server: FakeServer) -> bool:
    try:
        promise.check(server, PARTITIONS, simulation.visits)
    except promise.Broken:
        return True
    return False


def by_load_tool(simulation: Simulation, server: FakeServer) -> bool:
    return not findings_of(server, PARTITIONS, simulation.visits).clean


CHECKERS = pytest.mark.parametrize("found", [by_promise, by_load_tool])


def test_programs_without_a_planted_bug_pass_both_checkers() -> None:
    server = FakeServer()
    for seed in range(10):
        simulation = Simulation(seed, server)
        simulation.run()
        with simulation.time.installed():
            assert not by_promise(simulation, server)
            assert findings_of(server, PARTITIONS, simulation.visits).verdict() == Findings().verdict()


@CHECKERS
def test_an_update_that_is_sent_before_its_commit_is_noticed(found: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = commits.commit

    async def publish_first(store: Store, batches: Sequence[Commit], replicas: int = 0) -> list[AnyOutcome]:
        messages = [message for batch in batches for message in batch.messages]
        await store.pipe([("PUBLISH", channel, b"[" + items + b"]") for channel, items in messages])
        return await commit(store, [msgspec.structs.replace(one, messages=()) for one in batches], replicas)

    monkeypatch.setattr(commits, "commit", publish_first)
    assert seeds_until(found)


@CHECKERS
def test_a_dropped_journal_entry_is_noticed(found: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = partition_log.encode_commit
    made = 0

    def without_some(records: list[bytes], written: list[Any]) -> bytes:
        nonlocal made
        made += 1
        return encode(records[:-1] if made % 50 == 0 else records, written)

    monkeypatch.setattr(partition_log, "encode_commit", without_some)
    assert seeds_until(found)


@CHECKERS
def test_a_command_that_is_applied_twice_is_noticed(found: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "known", lambda _history, _command: None)
    assert seeds_until(found)


@CHECKERS
def test_a_stale_owner_that_is_not_fenced_is_noticed(found: Checker) -> None:
    token = "if held[1] ~= token then return 'FENCED' end"
    cursor = "if cursor ~= before then return cursor == after and 'DONE' or 'FENCED' end"
    for fence in (token, cursor):
        assert any(fence in str(source) for _, _, source in scripts.LOADING)
    # Mostly pauses of workers: with all kinds of faults it takes many more seeds.
    assert seeds_until(found, FakeServer({token: "", cursor: ""}), kinds=("worker_pauses", "time_flies"), rate=0.1)


def test_a_gateway_that_drops_changes_published_while_it_reads_the_directory_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    apply = RoomDirectory.gathered

    def without_collected(rooms: RoomDirectory, listings: Iterable[Listing], _collected: object = ()) -> None:
        apply(rooms, listings)

    monkeypatch.setattr(RoomDirectory, "gathered", without_collected)
    with pytest.raises(AssertionError, match="the room directory of"):
        _run_simulations()


def _run_simulations() -> None:
    server = FakeServer()
    for seed in range(60):
        Simulation(seed, server).run()
