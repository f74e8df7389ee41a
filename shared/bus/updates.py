"""The updates of a room: each step as its receivers may see it, kept for those who have missed it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.deliveries import StepMessage
from shared.ids import RoomId
from shared.room_views import Position

_decode = msgspec.json.Decoder(StepMessage).decode


def trimming(partition: Keys, room: RoomId, keep: int) -> RedisCommand:
    """The command that drops all but about `keep` of a room's last steps."""
    return ("XTRIM", partition.updates(room), "MAXLEN", "~", keep)


@dataclass(frozen=True, slots=True)
class Missed:
    """The steps after a position. With `lost` (`trimmed` or `rewound`) they are unknown, and a full view is needed."""

    steps: tuple[StepMessage, ...] = ()
    lost: str = ""


async def missed(store: Store, wanted: Sequence[tuple[Keys, RoomId, Position]], most: int = 10_000) -> list[Missed]:
    """For each room and position: the steps after it, if the position is part of the room's history."""
    ranges: list[RedisCommand] = [
        ("XRANGE", partition.updates(room), f"{position.offset}-0", "+", "COUNT", most)
        for partition, room, position in wanted
    ]
    replies = await store.pipe(ranges) if ranges else []
    return [_missed(position, reply) for (_, _, position), reply in zip(wanted, replies, strict=True)]


def _missed(position: Position, reply: list[Any]) -> Missed:
    if not reply:
        return Missed(lost="rewound")
    steps = tuple(_step(entry) for entry in reply)
    if steps[0].offset != position.offset or steps[-1].offset != position.offset + len(steps) - 1:
        return Missed(lost="trimmed")
    if steps[0].epoch != position.epoch:
        return Missed(lost="rewound")
    return Missed(steps[1:])


async def read(store: Store, partition: Keys, room: RoomId, after: int, most: int) -> tuple[list[StepMessage], bool]:
    """The steps after an offset, and whether some of them are kept no more."""
    reply = await store.call("XRANGE", partition.updates(room), f"({after}-0", "+", "COUNT", most)
    steps = [_step(entry) for entry in reply]
    return steps, bool(steps) and steps[0].offset != after + 1


async def latest(store: Store, partition: Keys, room: RoomId, most: int) -> list[StepMessage]:
    """The last steps, oldest first."""
    reply = await store.call("XREVRANGE", partition.updates(room), "+", "-", "COUNT", most)
    return [_step(entry) for entry in reversed(reply)]


def _step(entry: list[Any]) -> StepMessage:
    return _decode(entry[1][1])
