"""The simulation and the checker of the load tool notice bugs that are planted in the programs, within 500 seeds.

Each bug is one line that a mistaken change could bring; the tests that run the programs as they are would then fail.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import pytest

from gateway.cluster.room_directory import RoomDirectory
from loadtest.checks.checker import Findings
from shared.bus import commits, partition_log, scripts, updates
from shared.bus.commits import AnyOutcome, Commit
from shared.bus.store import Store
from shared.bus.updates import Missed
from shared.deliveries import StepMessage
from shared.room_views import Listing, Position
from tests.support import promise
from tests.support.fake_store import FakeServer
from tests.support.load_checker import findings_of
from tests.support.simulation import PARTITIONS, Simulation
from worker.room import room as rooms

MOST_SEEDS = 500


def assert_both_find_it(server: FakeServer | None = None, **options: Any) -> None:
    """Run simulations, with the faults in which the bug does harm, until each checker has found it in one. A
    simulation that a player ends, because it noticed the bug itself, counts for the simulation; the load tool's checker
    gets it as far as it came."""
    server = server or FakeServer()
    missing = {"simulation", "load tool"}
    for seed in range(MOST_SEEDS):
        simulation = Simulation(seed, server, **options)
        try:
            simulation.run()
        except AssertionError:
            missing.discard("simulation")
        with simulation.time.installed():
            if breaks_the_promise(simulation, server):
                missing.discard("simulation")
            if not findings_of(server, PARTITIONS, simulation.visits).clean:
                missing.discard("load tool")
        if not missing:
            return
    raise AssertionError(f"the bug was not found in {MOST_SEEDS} seeds by: {missing}")


def breaks_the_promise(simulation: Simulation, server: FakeServer) -> bool:
    try:
        promise.check(server, PARTITIONS, simulation.visits)
    except promise.Broken:
        return True
    return False


def test_programs_without_a_planted_bug_pass_both_checkers() -> None:
    server = FakeServer()
    for seed in range(5):
        simulation = Simulation(seed, server, kinds=Simulation.WITHOUT_LOSS)
        simulation.run()
        with simulation.time.installed():
            assert not breaks_the_promise(simulation, server)
            assert findings_of(server, PARTITIONS, simulation.visits).verdict() == Findings().verdict()


def test_an_update_that_is_sent_before_its_commit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    commit = commits.commit

    async def publish_first(store: Store, batches: Sequence[Commit], replicas: int = 0) -> list[AnyOutcome]:
        messages = [message for batch in batches for message in batch.publications]
        await store.pipe([("PUBLISH", channel, b"[" + items + b"]") for channel, items in messages])
        return await commit(
            store, [msgspec.structs.replace(one, messages=(), deliveries=()) for one in batches], replicas
        )

    monkeypatch.setattr(commits, "commit", publish_first)
    assert_both_find_it(kinds=("worker_crashes", "worker_loses_the_store"), rate=0.1)


def test_a_dropped_journal_entry_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = partition_log.encode_commit
    made = 0

    def without_some(records: list[bytes], written: list[Any]) -> bytes:
        nonlocal made
        made += 1
        return encode(records[:-1] if made % 40 == 0 else records, written)

    monkeypatch.setattr(partition_log, "encode_commit", without_some)
    assert_both_find_it(kinds=("worker_crashes", "worker_hands_over"))


def test_a_command_that_is_applied_twice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "known", lambda _history, _command: None)
    assert_both_find_it(kinds=("add_is_doubled", "gateway_loses_the_store"), rate=0.1)


def test_a_stale_owner_that_is_not_fenced_is_noticed() -> None:
    token = "if held[1] ~= token then return 'FENCED' end"
    cursor = "if cursor ~= before then return cursor == after and 'DONE' or 'FENCED' end"
    for fence in (token, cursor):
        assert fence in scripts.SOURCES["commit"]
    assert_both_find_it(FakeServer({token: "", cursor: ""}), kinds=("worker_pauses_in_a_commit", "time_flies"))


def test_a_gateway_that_drops_changes_published_while_it_reads_the_directory_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    apply = RoomDirectory.gathered

    def without_collected(rooms: RoomDirectory, listings: Iterable[Listing], _collected: object = ()) -> None:
        apply(rooms, listings)

    monkeypatch.setattr(RoomDirectory, "gathered", without_collected)
    with pytest.raises(AssertionError, match="the room directory of"):
        _run_simulations()


def test_a_gateway_that_does_not_notice_lost_steps_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    find = updates._missed

    def blind(position: Position, steps: Sequence[StepMessage]) -> Missed:
        found = find(position, steps)
        return Missed() if found.lost == "rewound" else found

    monkeypatch.setattr(updates, "_missed", blind)
    with pytest.raises(AssertionError, match="was not told that the store has lost"):
        _run_until_players_are_not_told()


def _run_until_players_are_not_told() -> None:
    """Run simulations, also beyond one in which a player has noticed something else first."""
    for seed in range(500):
        try:
            Simulation(seed, FakeServer(), kinds=("store_loses_its_tail",)).run()
        except AssertionError as error:
            if "was not told" in str(error):
                raise


def _run_simulations() -> None:
    server = FakeServer()
    for seed in range(60):
        Simulation(seed, server).run()
