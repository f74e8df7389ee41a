"""The command streams."""

from shared.bus import command_streams
from shared.bus.registry import WORKERS
from shared.bus.store import Store
from shared.ids import (
    Partition,
)
from tests.support.bus import LONG_MS, P, envelope


async def read(store: Store, cursor: str = "0-0", count: int = 100) -> list[command_streams.StreamEntry]:
    return (await command_streams.read(store, {Partition(1): (P, cursor)}, count, None)).get(Partition(1), [])


async def test_an_empty_stream_has_nothing_to_read(store: Store) -> None:
    assert await read(store) == []


async def test_commands_come_back_as_they_were_added(store: Store) -> None:
    await store.call(*command_streams.adding(P, [envelope(1), envelope(2)]))
    ((_, found),) = await read(store)
    assert found == (envelope(1), envelope(2))


async def test_only_what_comes_after_the_cursor_is_read(store: Store) -> None:
    first = (await store.call(*command_streams.adding(P, [envelope(1)]))).decode()
    await store.call(*command_streams.adding(P, [envelope(2)]))
    ((_, found),) = await read(store, first)
    assert found == (envelope(2),)


async def test_a_batch_has_a_limit(store: Store) -> None:
    for number in range(5):
        await store.call(*command_streams.adding(P, [envelope(number)]))
    assert len(await read(store, count=3)) == 3


async def test_the_time_of_a_command_is_that_of_its_entry(store: Store) -> None:
    await WORKERS.heartbeat(store, "x", LONG_MS, b"{}", first=True)
    before = (await WORKERS.members(store)).now_ms
    entry = (await store.call(*command_streams.adding(P, [envelope(1)]))).decode()
    assert command_streams.time_of(entry) >= before


async def test_trimming_keeps_what_comes_after_the_cursor(store: Store) -> None:
    ids = [(await store.call(*command_streams.adding(P, [envelope(number)]))).decode() for number in range(300)]
    await store.call(*command_streams.trimming(P, ids[200]))
    assert [entry for entry, _ in await read(store, ids[200], 1_000)] == ids[201:]


async def test_trimming_drops_most_of_what_came_before(store: Store) -> None:
    ids = [(await store.call(*command_streams.adding(P, [envelope(number)]))).decode() for number in range(300)]
    await store.call(*command_streams.trimming(P, ids[299]))
    assert len(await read(store, count=1_000)) < 200
