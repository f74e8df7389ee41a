"""The journal and the snapshots of a room."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from shared.bus import journal
from shared.bus.store import RedisCommand, Store, StoreRefused
from shared.ids import (
    CommandId,
    Epoch,
    Offset,
    RoomId,
    Seat,
    SessionId,
)
from shared.journal_records import JournalRecord
from shared.results import Snapshot
from tests.support import batches
from tests.support.bus import ROOM, P


def record(number: int) -> JournalRecord:
    return JournalRecord(1_000 + number, Epoch(7), SessionId("s-1"), CommandId(number), Seat(0), code="x" * number)


async def test_a_room_that_never_was_has_nothing(store: Store) -> None:
    assert await journal.load(store, [(P, ROOM)]) == [journal.StoredRoom(None, ())]


async def test_records_come_back_in_order_with_their_places(store: Store) -> None:
    places = [(1, 0), (1, 1), (2, 0), (10, 0), (10, 11)]
    await store.pipe([batches.filed(P, ROOM, o, n, record(n)) for o, n in places])
    (kept,) = await journal.load(store, [(P, ROOM)])
    assert [(offset, number) for offset, number, _ in kept.records] == places


async def test_a_record_that_cannot_be_read_damages_its_own_room_only(store: Store) -> None:
    good, bad = ROOM, RoomId(ROOM + 4)
    await store.call(*batches.filed(P, good, 1, 0, record(1)))
    await store.call("XADD", P.journal(bad), "1-0", "r", b"torn")
    kept, damaged = await journal.load(store, [(P, good), (P, bad)])
    assert (len(kept.records), kept.damage) == (1, "")
    assert (damaged.records, bool(damaged.damage)) == ((), True)


async def test_a_record_comes_back_as_it_was_filed(store: Store) -> None:
    await store.call(*batches.filed(P, ROOM, 1, 0, record(3)))
    ((_, _, found),) = [filed async for portion in journal.portions(store, P, ROOM) for filed in portion]
    assert found == record(3)


async def test_only_records_after_the_snapshot_are_loaded(store: Store) -> None:
    places = [(1, 0), (2, 0), (2, 1), (2, 2), (3, 0)]
    await store.pipe([batches.filed(P, ROOM, o, n, record(n)) for o, n in places])
    await store.pipe(journal.saving(P, ROOM, Snapshot(Offset(2), 1, b"body\nof two lines")))
    (kept,) = await journal.load(store, [(P, ROOM)])
    assert (kept.snapshot, [(o, n) for o, n, _ in kept.records]) == (b"body\nof two lines", [(2, 2), (3, 0)])


async def test_a_portion_is_read_as_far_as_the_snapshot_does_not_cover_it(store: Store) -> None:
    records = [msgspec.json.encode([ROOM, offset, 0, record(offset)]) for offset in (1, 2, 3)]
    await store.pipe(journal.writing(P, ROOM, records, ()))
    await store.pipe(journal.saving(P, ROOM, Snapshot(Offset(2), 0, b"body")))
    (kept,) = await journal.load(store, [(P, ROOM)])
    assert kept.records == ((3, 0, record(3)),)


async def test_a_record_is_found_by_its_place_within_a_portion(store: Store) -> None:
    records = [msgspec.json.encode([ROOM, offset, 0, record(offset)]) for offset in (1, 2, 3)]
    await store.pipe(journal.writing(P, ROOM, records, ()))
    assert await journal.at(store, P, ROOM, (Offset(2), 0)) == record(2)
    assert await journal.at(store, P, ROOM, (Offset(2), 1)) is None
    assert await journal.at(store, P, ROOM, (Offset(4), 0)) is None


async def test_rooms_are_loaded_together_in_the_order_asked_for(store: Store) -> None:
    other = RoomId(1005)
    await store.call(*batches.filed(P, other, 1, 0, record(1)))
    kept = await journal.load(store, [(P, ROOM), (P, other)])
    assert [len(one.records) for one in kept] == [0, 1]


async def test_long_journals_are_loaded_in_portions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    other, given = RoomId(1005), []
    await store.pipe([batches.filed(P, ROOM, 1, number, record(number)) for number in range(1, 21)])
    await store.pipe([batches.filed(P, other, 1, number, record(number)) for number in range(1, 11)])
    honest = store.pipe

    async def counted(wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        replies = await honest(wanted, errors=errors)
        given.append([len(reply or ()) for reply in replies])
        return replies

    monkeypatch.setattr(store, "pipe", counted)
    kept = await journal.load(store, [(P, ROOM), (P, other)])
    assert [[number for _, number, _ in one.records] for one in kept] == [list(range(1, 21)), list(range(1, 11))]
    assert given == [[0, 0], [8, 8], [8, 2], [4]]


async def test_a_step_cannot_be_filed_twice(store: Store) -> None:
    await store.call(*batches.filed(P, ROOM, 1, 0, record(1)))
    with pytest.raises(StoreRefused):
        await store.call(*batches.filed(P, ROOM, 1, 0, record(1)))
