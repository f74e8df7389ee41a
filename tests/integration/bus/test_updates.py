"""What was told, and what somebody missed of it."""

import msgspec

from shared.bus import updates
from shared.bus.store import Store
from shared.deliveries import StepMessage
from shared.ids import (
    Epoch,
    Offset,
    Seat,
)
from shared.room_views import Position
from tests.support.bus import ROOM, P, tell, told


async def missed(store: Store, offset: int, epoch: int = 7) -> updates.Missed:
    (found,) = await updates.missed(store, [(P, ROOM, Position(Epoch(epoch), Offset(offset)))])
    return found


async def test_what_was_missed_are_the_steps_after_the_position(store: Store) -> None:
    await tell(store, told(1), told(2), told(3))
    assert await missed(store, 1) == updates.Missed((told(2), told(3)))


async def test_who_has_seen_everything_missed_nothing(store: Store) -> None:
    await tell(store, told(1), told(2))
    assert await missed(store, 2) == updates.Missed()


async def test_steps_of_later_epochs_follow_those_of_earlier_ones(store: Store) -> None:
    await tell(store, told(1, 7), told(2, 8), told(3, 9))
    assert [step.epoch for step in (await missed(store, 1, 7)).steps] == [8, 9]


async def test_a_position_of_another_epoch_was_rewound(store: Store) -> None:
    await tell(store, told(1, 7), told(2, 8))
    assert await missed(store, 2, 7) == updates.Missed(lost="rewound")


async def test_a_position_beyond_the_top_was_rewound(store: Store) -> None:
    await tell(store, told(1), told(2))
    assert await missed(store, 3) == updates.Missed(lost="rewound")


async def test_a_position_of_a_room_without_updates_was_rewound(store: Store) -> None:
    assert await missed(store, 1) == updates.Missed(lost="rewound")


async def test_nobody_is_told_of_steps_with_a_hole_between_them(store: Store) -> None:
    await tell(store, told(1), told(2), told(4))
    assert await missed(store, 1) == updates.Missed(lost="trimmed")


async def test_a_position_that_is_kept_no_more_was_trimmed(store: Store) -> None:
    await tell(store, told(5), told(6))
    assert await missed(store, 3) == updates.Missed(lost="trimmed")


async def test_the_parts_of_seats_and_spectators_are_kept_apart(store: Store) -> None:
    step = StepMessage(ROOM, Epoch(7), Offset(2), msgspec.Raw(b"1"), {Seat(12): msgspec.Raw(b"2")}, msgspec.Raw(b"3"))
    await tell(store, told(1), step)
    assert (await missed(store, 1)).steps == (step,)


async def test_only_so_many_updates_are_kept(store: Store) -> None:
    await tell(store, *(told(number) for number in range(1, 400)))
    await store.call(*updates.trimming(P, ROOM, 10))
    assert (await missed(store, 1)).lost == "trimmed"


async def test_asking_for_nothing_finds_nothing(store: Store) -> None:
    assert await updates.missed(store, []) == []


async def test_updates_can_be_read_from_an_offset(store: Store) -> None:
    await tell(store, told(1), told(2), told(3))
    assert await updates.read(store, P, ROOM, 1, 10) == ([told(2), told(3)], False)


async def test_reading_says_when_the_first_steps_are_gone(store: Store) -> None:
    await tell(store, told(3))
    assert await updates.read(store, P, ROOM, 1, 10) == ([told(3)], True)
