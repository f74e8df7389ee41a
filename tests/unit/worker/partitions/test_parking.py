"""Rooms that their owner cannot play: commands wait for one that can, and nothing is quarantined."""

import dataclasses

import msgspec

from shared.bus import parked_commands
from shared.bus.journal import StoredRoom
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.commands import Enter, Envelope, RoomCommand, Watch
from shared.ids import CommandId, Epoch, GameVersion, GatewayId, Partition, RoomId, SessionId, TraceId
from shared.results import Result
from shared.room_events import RoomSpec
from tests.support.batches import replies_for
from tests.support.room_bench import SETTINGS, finished, started, take
from tests.support.toys import TOY
from worker.games import GameCatalog
from worker.partitions.partition import OwnedPartition

ROOM, OTHER = RoomId(1000), RoomId(1004)
G1 = GatewayId("g-1")
STONES = GameVersion("stones@1")


def owned(*, elsewhere: tuple[str, ...] = ()) -> OwnedPartition:
    """A partition of a worker that knows the game toy only."""
    catalog = GameCatalog((TOY,))
    catalog.follow([[GameVersion(game) for game in elsewhere]])
    return OwnedPartition(Partition(0), Keys(Partition(0), 4), Lease(Epoch(7), "w", "5-0", 0), catalog, SETTINGS)


def envelope(body: RoomCommand, room: RoomId = ROOM, command: int = 9, trace: str = "") -> Envelope:
    return Envelope(room, SessionId("ada"), CommandId(command), body, G1, 1, TraceId(trace))


def handled(partition: OwnedPartition, *envelopes: Envelope) -> list[Result]:
    return partition.handle([("6-0", envelopes)])


def unplayable() -> OwnedPartition:
    partition = owned()
    assert partition.load(ROOM, started().stored()) == ""
    return partition


def test_a_room_of_an_unknown_game_is_not_quarantined() -> None:
    partition = unplayable()
    assert partition.quarantined == set()
    assert partition.missing([("6-0", (envelope(take(1)),))]) == []


def test_a_command_to_it_is_parked_without_an_answer() -> None:
    (result,) = handled(unplayable(), envelope(take(1)))
    assert result.more.parked == (parked_commands.encoded(envelope(take(1))), 1)
    assert replies_for([result], G1) == []


def test_a_command_that_its_gateway_repeats_is_parked_once() -> None:
    first, again = handled(unplayable(), envelope(take(1), trace="a"), envelope(take(1), trace="b"))
    assert first.more.parked is not None
    assert again.more.parked is None


def test_other_rooms_of_the_partition_go_on() -> None:
    partition = unplayable()
    partition.load(OTHER, StoredRoom(None, ()))
    _, result = handled(partition, envelope(take(1)), envelope(Enter("ada", RoomSpec("toy", 2)), OTHER))
    assert result.more.opened == "toy@1"


def test_a_new_owner_begins_with_the_parked_commands_in_their_order() -> None:
    before = unplayable()
    handled(before, envelope(take(1), command=12), envelope(Watch(), command=3))
    after = owned()
    after.begin(dict(reversed(before.parked.items())))
    assert [(entry_id, one.id) for entry_id, (one,) in after.waiting] == [("5-0", 12), ("5-0", 3)]


def test_a_parked_command_that_was_handled_leaves_the_store_with_its_result() -> None:
    parked = parked_commands.encoded(envelope(Enter("ada", RoomSpec("toy", 2))))
    partition = owned()
    partition.unfinished = {GameVersion("toy@1"): 0, STONES: 0}
    partition.begin({parked: 1})
    partition.load(ROOM, StoredRoom(None, ()))
    results = partition.handle(partition.waiting)
    commit = partition.encode(results, "5-0")
    assert ("HDEL", partition.keys.parked, parked) in commit.writes
    assert ("HSET", partition.keys.games, "toy@1", 1) in commit.writes
    assert partition.unfinished == {"toy@1": 1, STONES: 0}


def test_a_room_of_a_game_that_only_others_know_makes_its_partition_need_that_game() -> None:
    partition = owned(elsewhere=("stones@1", "stones@2"))
    partition.load(ROOM, StoredRoom(None, ()))
    results = handled(partition, envelope(Enter("ada", RoomSpec("stones", 2))))
    commit = partition.encode(results, "6-0")
    assert ("HSET", partition.keys.games, "stones@2", 0) in commit.writes
    assert [write[0] for write in commit.writes if write[1] == partition.keys.parked] == ["HSET"]


def test_a_room_of_a_game_that_no_worker_knows_is_refused() -> None:
    partition = owned()
    partition.load(ROOM, StoredRoom(None, ()))
    results = handled(partition, envelope(Enter("ada", RoomSpec("stones", 2))))
    assert [reply.code for reply in replies_for(results, G1)] == ["game/unknown"]


def test_a_finished_room_is_shown_by_a_worker_that_knows_its_game() -> None:
    partition = owned(elsewhere=("stones@1",))
    partition.load(ROOM, finished().stored())
    (result,) = handled(partition, envelope(Watch()))
    assert result.more.parked is not None
    assert result.more.wanted == STONES


def test_a_finished_room_whose_game_no_worker_knows_cannot_be_shown() -> None:
    partition = owned()
    partition.load(ROOM, finished().stored())
    results = handled(partition, envelope(Watch()))
    assert [reply.code for reply in replies_for(results, G1)] == ["game/unknown"]


def test_commands_from_a_time_without_an_owner_count_from_when_the_partition_was_taken() -> None:
    partition = owned()
    partition.lease = dataclasses.replace(partition.lease, taken_ms=7_000)
    assert (partition.time_of("6000-1"), partition.time_of("8000-0")) == (7_000, 8_000)


def test_a_parked_command_comes_back_as_it_was() -> None:
    sent = envelope(take(2))
    (back,) = parked_commands.envelopes({parked_commands.encoded(sent): 1})
    assert msgspec.json.encode(back) == msgspec.json.encode(sent)
