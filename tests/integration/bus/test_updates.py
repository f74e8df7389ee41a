"""The log of updates, and reading the updates that a client has missed."""

import msgspec

from shared.bus import updates
from shared.bus.store import RedisCommand, Store
from shared.bus.updates import Wanted
from shared.deliveries import StepMessage
from shared.ids import (
    CommitNumber,
    Epoch,
    Offset,
    RoomId,
    Seat,
)
from shared.room_views import Position
from tests.support.bus import ROOM, P, step_at, write_steps


async def missed(
    store: Store, offset: int, epoch: int = 7, commit: int = 0, top: int = 0, most: int = 100
) -> updates.Missed:
    wanted = Wanted(P, ROOM, Position(Epoch(epoch), Offset(offset)), CommitNumber(commit), Offset(top))
    (found,) = await updates.missed(store, [wanted], most)
    return found


async def test_missed_steps_are_those_after_the_position(store: Store) -> None:
    await write_steps(store, step_at(1), step_at(2), step_at(3))
    assert await missed(store, 1) == updates.Missed((step_at(2), step_at(3)))


async def test_a_position_at_the_last_step_has_missed_nothing(store: Store) -> None:
    await write_steps(store, step_at(1), step_at(2))
    assert await missed(store, 2) == updates.Missed()


async def test_steps_of_later_epochs_follow_those_of_earlier_ones(store: Store) -> None:
    await write_steps(store, step_at(1, 7), step_at(2, 8), step_at(3, 9))
    assert [step.epoch for step in (await missed(store, 1, 7)).steps] == [8, 9]


async def test_a_position_of_another_epoch_was_rewound(store: Store) -> None:
    await write_steps(store, step_at(1, 7), step_at(2, 8))
    assert await missed(store, 2, 7) == updates.Missed(lost="rewound")


async def test_a_position_beyond_the_top_was_rewound(store: Store) -> None:
    await write_steps(store, step_at(1), step_at(2))
    assert await missed(store, 3) == updates.Missed(lost="rewound")


async def test_a_position_of_a_room_without_updates_was_rewound(store: Store) -> None:
    assert await missed(store, 1) == updates.Missed(lost="rewound")


async def test_steps_with_a_hole_between_them_are_not_returned(store: Store) -> None:
    await write_steps(store, step_at(1), step_at(2), step_at(4))
    assert await missed(store, 1) == updates.Missed(lost="trimmed")


async def test_a_position_that_is_kept_no_more_was_trimmed(store: Store) -> None:
    await write_steps(store, step_at(5), step_at(6))
    assert await missed(store, 3) == updates.Missed(lost="trimmed")


async def test_the_parts_of_seats_and_spectators_are_kept_apart(store: Store) -> None:
    step = StepMessage(ROOM, Epoch(7), Offset(2), msgspec.Raw(b"1"), {Seat(12): msgspec.Raw(b"2")}, msgspec.Raw(b"3"))
    await write_steps(store, step_at(1), step)
    assert (await missed(store, 1)).steps == (step,)


async def test_missed_steps_are_read_in_portions(store: Store) -> None:
    steps = [msgspec.json.encode(step_at(number)) for number in range(1, 10)]
    for portion in (steps[:3], steps[3:5], steps[5:]):
        await store.pipe(updates.writing(P, ROOM, portion, 100))
    assert await missed(store, 1, most=3) == updates.Missed((step_at(2), step_at(3), step_at(4)), more=True)
    assert await missed(store, 1) == updates.Missed((step_at(2), step_at(3), step_at(4), step_at(5)), more=True)
    assert await missed(store, 6) == updates.Missed((step_at(7), step_at(8), step_at(9)))


async def test_steps_before_a_given_one_are_trimmed(store: Store) -> None:
    for first in range(1, 400, 50):
        await write_steps(store, *(step_at(number) for number in range(first, first + 50)))
    await store.call(*updates.trimming_before(P, ROOM, Offset(300)))
    assert (await missed(store, 1)).lost == "trimmed"
    assert not (await missed(store, 300)).lost


async def test_only_so_many_updates_are_kept(store: Store) -> None:
    for number in range(1, 400):
        await store.pipe(updates.writing(P, ROOM, [msgspec.json.encode(step_at(number))], 10))
    assert (await missed(store, 1)).lost == "trimmed"


async def test_asking_for_nothing_finds_nothing(store: Store) -> None:
    assert await updates.missed(store, [], 100) == []


async def test_updates_can_be_read_from_an_offset(store: Store) -> None:
    for number in (1, 2, 3):
        await write_steps(store, step_at(number))
    assert await updates.read(store, P, ROOM, 1, 10) == ([step_at(2), step_at(3)], False)
    assert await updates.read(store, P, ROOM, 1, 1) == ([step_at(2)], True)


async def test_steps_are_read_from_the_middle_of_a_portion(store: Store) -> None:
    await store.pipe(updates.writing(P, ROOM, [msgspec.json.encode(step_at(number)) for number in (1, 2, 3)], 10))
    assert await missed(store, 2) == updates.Missed((step_at(3),))
    assert await updates.read(store, P, ROOM, 2, 10) == ([step_at(3)], False)


def logged(commit: int, *offsets: int, epoch: int = 7, room: RoomId = ROOM) -> RedisCommand:
    """The command that adds the steps of a commit to the log of the partition."""
    steps = [msgspec.structs.replace(step_at(offset, epoch), room=room, commit=commit) for offset in offsets]
    return ("XADD", P.updates_log, f"{commit}-{epoch}", "b", msgspec.json.encode(steps))


def offsets(found: updates.Missed) -> list[int]:
    assert not found.lost
    return [step.offset for step in found.steps]


async def test_missed_steps_are_read_from_the_log_by_commit_number(store: Store) -> None:
    await store.pipe([logged(4, 1), logged(5, 9, room=RoomId(ROOM + 4)), logged(6, 2, 3), logged(8, 4, epoch=9)])
    assert offsets(await missed(store, 1, commit=4)) == [2, 3, 4]
    assert offsets(await missed(store, 3, commit=6)) == [4]
    assert offsets(await missed(store, 4, 9, commit=8)) == []


async def test_a_commit_that_the_store_has_lost_was_rewound(store: Store) -> None:
    await store.pipe([logged(4, 1), logged(5, 2, epoch=9)])
    assert await missed(store, 2, 7, commit=5) == updates.Missed(lost="rewound")


async def test_steps_that_were_trimmed_from_the_log_are_read_from_the_room(store: Store) -> None:
    await write_steps(store, step_at(1), step_at(2))
    await store.pipe([logged(6, 3)])
    assert offsets(await missed(store, 1, commit=4, top=3)) == [2, 3]


async def test_a_position_without_a_commit_is_found_in_the_room_or_in_the_log(store: Store) -> None:
    await write_steps(store, step_at(1), step_at(2))
    await store.pipe([logged(5, 2), logged(6, 3), logged(7, 4)])
    assert offsets(await missed(store, 1, top=2)) == [2]
    assert offsets(await missed(store, 1, top=4)) == [2, 3, 4]
    assert offsets(await missed(store, 3, top=3)) == [4]


async def test_a_hole_between_room_and_log_means_that_steps_were_trimmed(store: Store) -> None:
    await write_steps(store, step_at(1))
    await store.pipe([logged(6, 3)])
    assert await missed(store, 1, top=3) == updates.Missed(lost="trimmed")


async def test_a_position_of_another_epoch_was_rewound_also_if_not_all_steps_were_read(store: Store) -> None:
    for offset in range(1, 8):
        await write_steps(store, step_at(offset, 8))
    await store.pipe([logged(9, 8, epoch=8)])
    assert await missed(store, 2, 7, top=8) == updates.Missed(lost="rewound")
