"""The updates of a room: what its players were told, so that it can be told again to those who missed it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from shared.bus.keys import Keys
from shared.bus.store import Command, Store
from shared.envelopes import Told
from shared.ids import Epoch, Offset, RoomId, Seat
from shared.rooms import NOTHING, Position

_WATCHERS = b"w"


def appending(partition: Keys, told: Told) -> Command:
    """The command that appends a step. Its first field is named after the epoch."""
    command = ("XADD", partition.updates(told.room), f"{told.offset}-0", told.epoch, bytes(told.public))
    if not told.seats and told.watchers is NOTHING:
        return command
    parts: list[str | bytes] = []
    for seat, part in told.seats.items():
        parts += [f"s{seat}", bytes(part)]
    if told.watchers != NOTHING:
        parts += [_WATCHERS, bytes(told.watchers)]
    return (*command, *parts)


def trimming(partition: Keys, room: RoomId, keep: int) -> Command:
    """The command that forgets all but about so many of a room's last steps."""
    return ("XTRIM", partition.updates(room), "MAXLEN", "~", keep)


@dataclass(frozen=True, slots=True)
class Missed:
    """What came after a position; with `lost` (`trimmed` or `rewound`) that cannot be told, only a view helps."""

    steps: tuple[Told, ...] = ()
    lost: str = ""


async def missed(store: Store, wanted: Sequence[tuple[Keys, RoomId, Position]], most: int = 10_000) -> list[Missed]:
    """For each room and position: the steps after it, if the position is part of the room's history."""
    ranges: list[Command] = [
        ("XRANGE", partition.updates(room), f"{position.offset}-0", "+", "COUNT", most)
        for partition, room, position in wanted
    ]
    replies = await store.pipe(ranges) if ranges else []
    return [_missed(room, position, reply) for (_, room, position), reply in zip(wanted, replies, strict=True)]


def _missed(room: RoomId, position: Position, reply: list[Any]) -> Missed:
    if not reply:
        return Missed(lost="rewound")
    steps = tuple(_told(room, entry) for entry in reply)
    if steps[0].offset != position.offset or steps[-1].offset != position.offset + len(steps) - 1:
        return Missed(lost="trimmed")
    if steps[0].epoch != position.epoch:
        return Missed(lost="rewound")
    return Missed(steps[1:])


async def read(store: Store, partition: Keys, room: RoomId, after: int, most: int) -> tuple[list[Told], bool]:
    """The steps after an offset, and whether some of them are kept no more."""
    reply = await store.call("XRANGE", partition.updates(room), f"({after}-0", "+", "COUNT", most)
    steps = [_told(room, entry) for entry in reply]
    return steps, bool(steps) and steps[0].offset != after + 1


async def latest(store: Store, partition: Keys, room: RoomId, most: int) -> list[Told]:
    """The last steps, oldest first."""
    reply = await store.call("XREVRANGE", partition.updates(room), "+", "-", "COUNT", most)
    return [_told(room, entry) for entry in reversed(reply)]


def _told(room: RoomId, entry: list[Any]) -> Told:
    offset = Offset(int(entry[0].partition(b"-")[0]))
    epoch, public, *others = entry[1]
    parts = {others[at]: others[at + 1] for at in range(0, len(others), 2)}
    seats = {Seat(int(name[1:])): msgspec.Raw(part) for name, part in parts.items() if name.startswith(b"s")}
    watchers = msgspec.Raw(parts[_WATCHERS]) if _WATCHERS in parts else NOTHING
    return Told(room, Epoch(int(epoch)), offset, msgspec.Raw(public), seats, watchers)
