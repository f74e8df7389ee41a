"""`tavolata replay-check`: replays every room of a store with the games at hand, without writing."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from deploy.errors import CommandError
from shared.bus import journal, keys, meta, partition_log
from shared.bus.keys import Keys
from shared.bus.partition_log import UnwrittenRooms
from shared.bus.store import Store
from shared.ids import LOBBY, RoomId
from worker.games import GameCatalog
from worker.replay_check import CheckedRoom, check_room


async def rooms(store: Store) -> list[tuple[Keys, RoomId, UnwrittenRooms]]:
    """All rooms that the store has, each with the unwritten history of its partition."""
    number = await meta.partitions(store)
    if not number:
        raise CommandError("the store has no data of a cluster")
    partitions = keys.all_keys(number)
    unwritten = await partition_log.unwritten(store, partitions)
    found: list[tuple[Keys, RoomId, UnwrittenRooms]] = []
    for partition, logged in zip(partitions, unwritten, strict=True):
        numbers = await journal.rooms(store, partition) | logged.rooms.keys()
        found += [(partition, room, logged) for room in sorted(numbers - {LOBBY})]
    return found


async def check(
    store: Store, catalog: GameCatalog, on_rooms: Callable[[int], None] = lambda _rooms: None
) -> AsyncIterator[CheckedRoom]:
    """Check all rooms, one after the other. `on_rooms` is called with their number."""
    found = await rooms(store)
    on_rooms(len(found))
    for partition, room, logged in found:
        stored, place = await journal.whole(store, partition, room)
        # The logs were read first. Since then, a part of what they had may have been written to the room's journal.
        last = stored.records[-1][:2] if stored.records else (0, 0)
        later = tuple(entry for entry in logged.records(room) if entry[:2] > last)
        stored = replace(stored, records=stored.records + later)
        if stored.records or stored.damage:
            yield check_room(catalog, room, stored, place)


def described(checked: CheckedRoom) -> str:
    """A room that differs, in one line."""
    if checked.unknown:
        return f"room {checked.room}: {checked.game} is not among the games"
    return f"room {checked.room} ({checked.game}), step {checked.step}: {checked.difference}"
