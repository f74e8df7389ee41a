"""The numbers of unfinished rooms by game version."""

from shared.bus import capabilities, keys, unfinished_rooms
from shared.bus.store import Store
from shared.ids import GameVersion

OLD, NEW = GameVersion("stones@1"), GameVersion("stones@2")


async def test_a_partition_needs_the_game_versions_that_were_counted(store: Store) -> None:
    first, second = keys.all_keys(2)
    await store.pipe(unfinished_rooms.counting(first, {OLD: 1, NEW: 2}, {OLD, NEW}))
    await store.pipe(unfinished_rooms.counting(first, {NEW: 2}, {OLD}))
    assert (await capabilities.read(store, (first, second))).unfinished == [{NEW: 2}, {}]
