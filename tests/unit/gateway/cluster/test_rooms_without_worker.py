"""Rooms that no live worker can play: their commands are refused before they are added."""

import msgspec
import pytest

from shared.bus import unfinished_rooms
from shared.bus.directory import ListingChange
from shared.bus.registry import WORKERS
from shared.commands import Act, Envelope, Gone
from shared.ids import CommandId, GameVersion, RoomId, SessionId
from shared.room_events import RoomStatus
from shared.room_views import Listing
from tests.support.gateway_bench import GATEWAY, KEYS, GatewayBench

OLD, NEW = GameVersion("stones@1"), GameVersion("stones@2")
ROOM, OTHER = RoomId(1000), RoomId(1001)


async def gateway_with(*workers: dict[str, object]) -> GatewayBench:
    """A gateway that has a room of the old version in partition 0, and these workers."""
    bench = GatewayBench()
    for number, status in enumerate(workers):
        body = msgspec.json.encode(status)
        await WORKERS.heartbeat(bench.store, f"w-{number}", 60_000, body, first=True)
    await bench.store.pipe(unfinished_rooms.counting(KEYS[0], {OLD: 1}, {OLD}))
    await bench.store.pipe(unfinished_rooms.counting(KEYS[1], {NEW: 1}, {NEW}))
    bench.node.rooms.change(
        ListingChange(room, Listing(room, "stones", 2, RoomStatus.PLAYING, version=version))
        for room, version in ((ROOM, 1), (OTHER, 2))
    )
    await bench.node.read_rooms_without_worker()
    return bench


async def test_a_room_is_without_a_worker_if_no_live_worker_plays_its_version() -> None:
    bench = await gateway_with({"plays": [NEW], "partitions": [0, 1]})
    assert bench.node.rooms_without_worker.includes(ROOM)
    assert not bench.node.rooms_without_worker.includes(OTHER)
    assert bench.node.rooms_without_worker.counts == {OLD: 1}


async def test_a_room_is_without_a_worker_if_the_owner_of_its_partition_cannot_play_it() -> None:
    bench = await gateway_with({"plays": [NEW], "partitions": [0]}, {"plays": [OLD], "partitions": [1]})
    assert bench.node.rooms_without_worker.counts == {OLD: 1, NEW: 1}


async def test_a_room_has_a_worker_while_its_partition_changes_hands() -> None:
    bench = await gateway_with({"plays": [NEW], "partitions": [1]}, {"plays": [OLD], "partitions": []})
    assert not bench.node.rooms_without_worker.counts


@pytest.mark.parametrize("workers", [(), ({},)], ids=["no worker", "a worker that does not announce its games"])
async def test_no_room_counts_as_without_a_worker_if_that_is_not_known(workers: tuple[dict[str, object], ...]) -> None:
    bench = await gateway_with(*workers)
    assert not bench.node.rooms_without_worker.counts


def act(room: RoomId) -> Envelope:
    return Envelope(room, SessionId("s-ada"), CommandId(1), Act(msgspec.Raw(b"{}")), GATEWAY, 1)


async def test_a_command_to_a_room_that_waits_is_refused_and_not_added() -> None:
    bench = await gateway_with({"plays": [NEW]})
    assert bench.node.outbox.send(act(ROOM), None) == "busy/no_worker"
    assert bench.node.outbox.send(act(OTHER), None) is None
    assert [envelope.room for envelope in await bench.added()] == [OTHER]


async def test_the_report_of_a_lost_connection_is_added_nevertheless() -> None:
    bench = await gateway_with({"plays": [NEW]})
    bench.node.outbox.send_own(ROOM, SessionId("s-ada"), 1, Gone())
    assert [envelope.body for envelope in await bench.added()] == [Gone()]
