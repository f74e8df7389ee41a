"""The updates of a room: each step as its receivers may see it, kept for those who have missed it.

A room's own updates are a stream of portions; the latest steps are in the partition's log of updates.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from shared.bus import partition_log
from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.deliveries import StepMessage
from shared.ids import CommitNumber, Offset, RoomId
from shared.room_views import Position

_decode = msgspec.json.Decoder(StepMessage).decode
_decode_portion = msgspec.json.Decoder(tuple[StepMessage, ...]).decode
_PORTIONS_AT_ONCE = 2
"""Portions of a room that are read at once. The second one has steps after any position in the first."""


def writing(partition: Keys, room: RoomId, steps: Sequence[bytes], keep: int) -> list[RedisCommand]:
    """The commands that write steps to a room's updates as one portion, and drop all but about the last `keep`."""
    if not steps:
        return []
    key, last = partition.updates(room), _decode(steps[-1]).offset
    writes = [partition_log.adding(key, (last, 0), steps)]
    if last > keep:
        writes.append(("XTRIM", key, "MINID", "~", f"{last - keep}-0"))
    return writes


def trimming_before(partition: Keys, room: RoomId, first: Offset) -> RedisCommand:
    """The command that drops the steps before this one, or most of them."""
    return ("XTRIM", partition.updates(room), "MINID", "~", f"{first}-0")


@dataclass(frozen=True, slots=True)
class Missed:
    """The steps after a position. With `lost` (`trimmed` or `rewound`) they are unknown, and a full view is needed."""

    steps: tuple[StepMessage, ...] = ()
    lost: Literal["", "trimmed", "rewound"] = ""
    more: bool = False
    """Further steps may follow."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A room and a position: the steps after it are wanted, at least up to `top`."""

    partition: Keys
    room: RoomId
    position: Position
    commit: CommitNumber = CommitNumber(0)
    """The commit of the position's step, if it is known."""
    top: Offset = Offset(0)


async def missed(store: Store, wanted: Sequence[Wanted], most: int) -> list[Missed]:
    """For each room and position: up to `most` steps after it, if the position is part of the room's history.

    Where the position's commit is known, the log of the partition most often has all that came after it. Otherwise the
    room's own updates are read. If they do not reach far enough, the log is read from its beginning and the room's
    updates once more, in this order: a step is written to the room before it is trimmed from the log."""
    found: dict[int, Missed] = {}
    in_log = [at for at, one in enumerate(wanted) if one.commit]
    for at, steps in await _read_logs(store, wanted, in_log, whole=False):
        if (after := _after(wanted[at].position, steps)) is not None:
            found[at] = after
    rest = [at for at in range(len(wanted)) if at not in found]
    for at, steps, full in await _read_rooms(store, wanted, rest):
        if (after := _of_room(wanted[at], steps, full=full)) is not None:
            found[at] = after
    rest = [at for at in rest if at not in found]
    logged = dict(await _read_logs(store, wanted, rest, whole=True))
    for at, steps, full in await _read_rooms(store, wanted, rest):
        position = wanted[at].position
        after = _of_room(wanted[at], steps, full=full)
        found[at] = after or _missed(position, _merged(position, steps, logged[at]))
    return [_bounded(found[at], most) for at in range(len(wanted))]


async def _read_logs(
    store: Store, wanted: Sequence[Wanted], chosen: Sequence[int], *, whole: bool
) -> list[tuple[int, list[StepMessage]]]:
    """The steps of rooms in the logs of their partitions: all of them, or those since the oldest position."""
    begins: dict[Keys, tuple[int, int]] = {}
    for at in chosen:
        one = wanted[at]
        begin = (0, 0) if whole else (one.commit, one.position.epoch)
        begins[one.partition] = min(begin, begins.get(one.partition, begin))
    logs = [(partition.updates_log, f"{commit}-{epoch}") for partition, (commit, epoch) in begins.items()]
    rooms = {wanted[at].room for at in chosen}
    steps: dict[RoomId, list[StepMessage]] = {room: [] for room in rooms}
    for entries in await partition_log.read(store, logs):
        for _, body in entries:
            for room, step in partition_log.logged_steps(body):
                if room in rooms:
                    steps[room].append(_decode(step))
    return [(at, steps[wanted[at].room]) for at in chosen]


async def _read_rooms(
    store: Store, wanted: Sequence[Wanted], chosen: Sequence[int]
) -> list[tuple[int, list[StepMessage], bool]]:
    """The first steps from their positions on that the rooms' own updates have, and whether there may be more."""
    if not chosen:
        return []
    ranges: list[RedisCommand] = [
        ("XRANGE", one.partition.updates(one.room), f"{one.position.offset}-0", "+", "COUNT", _PORTIONS_AT_ONCE)
        for one in (wanted[at] for at in chosen)
    ]
    replies = await store.pipe(ranges)
    return [(at, _steps(reply), len(reply) == _PORTIONS_AT_ONCE) for at, reply in zip(chosen, replies, strict=True)]


def _of_room(wanted: Wanted, steps: Sequence[StepMessage], *, full: bool) -> Missed | None:
    """The steps after a position, if the room's own updates have the position and enough of what follows it."""
    after = _after(wanted.position, steps)
    if after is None or full:
        return None if after is None else Missed(after.steps, more=True)
    return after if steps[-1].offset >= wanted.top else None


def _bounded(missed: Missed, most: int) -> Missed:
    return Missed(missed.steps[:most], more=True) if len(missed.steps) > most else missed


def _after(position: Position, steps: Sequence[StepMessage]) -> Missed | None:
    """The steps after a position, if the position is among the steps and there is no hole behind it."""
    missed = _missed(position, [step for step in steps if step.offset >= position.offset])
    return None if missed.lost else missed


def _merged(position: Position, *parts: Iterable[StepMessage]) -> list[StepMessage]:
    """Steps from a position on, without repetitions, in order."""
    by_offset = {step.offset: step for part in parts for step in part if step.offset >= position.offset}
    return [by_offset[offset] for offset in sorted(by_offset)]


def _missed(position: Position, steps: Sequence[StepMessage]) -> Missed:
    # First: of a long history only the first portions are read, and with the end of the log they may have a hole.
    if not steps or (steps[0].offset == position.offset and steps[0].epoch != position.epoch):
        return Missed(lost="rewound")
    if steps[0].offset != position.offset or steps[-1].offset != position.offset + len(steps) - 1:
        return Missed(lost="trimmed")
    return Missed(tuple(steps[1:]))


async def read(store: Store, partition: Keys, room: RoomId, after: int, most: int) -> tuple[list[StepMessage], bool]:
    """The steps after an offset that the room's own updates have, from about `most` portions, and whether there may be
    more."""
    reply = await store.call("XRANGE", partition.updates(room), f"({after}-0", "+", "COUNT", most)
    return [step for step in _steps(reply) if step.offset > after], len(reply) == most


async def latest(store: Store, partition: Keys, room: RoomId) -> list[StepMessage]:
    """The last portion of the room's own updates, oldest step first."""
    return _steps(await store.call("XREVRANGE", partition.updates(room), "+", "-", "COUNT", 1))


def _steps(entries: list[Any]) -> list[StepMessage]:
    return [step for entry in entries for step in _decode_portion(entry[1][1])]
