"""Finished games as they can be watched again: the public events of every step, without chat and tokens.

The journal says who sat there and whether the game is over. Its events are not shown: a gateway knows no game's code,
so what may be seen are the public updates that the worker wrote, as many as are kept.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from gateway.desk import Desk
from shared.bus import journal, updates
from shared.ids import RoomId, Seat, SessionId, partition_of
from shared.rooms import Update

_decode_events = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_update = msgspec.json.Decoder(Update).decode


class _Kind(msgspec.Struct):
    type: str


class _Joined(msgspec.Struct):
    seat: Seat
    sid: SessionId = SessionId("")


class _Opened(msgspec.Struct):
    spec: dict[str, Any]


_decode_kind = msgspec.json.Decoder(_Kind).decode
_decode_joined = msgspec.json.Decoder(_Joined).decode
_decode_opened = msgspec.json.Decoder(_Opened).decode


@dataclass(slots=True)
class Recording:
    """A room's history, and who sat in it."""

    room: RoomId
    spec: dict[str, Any] = field(default_factory=dict)
    seats: dict[SessionId, Seat] = field(default_factory=dict)
    """Every session that ever held a seat."""
    steps: list[dict[str, Any]] = field(default_factory=list)
    finished: bool = False

    @property
    def private(self) -> bool:
        return bool(self.spec.get("private"))

    def public(self) -> dict[str, Any]:
        return {"room": self.room, "spec": self.spec, "steps": self.steps}


async def replay(desk: Desk, room: RoomId) -> Recording | None:
    """The recording of a room; None if there is none."""
    keys = desk.partitions[partition_of(room, len(desk.partitions))]
    filed = await journal.whole(desk.store, keys, room)
    if not filed:
        return None
    recording = Recording(room)
    for _, _, record in filed:
        for event in _decode_events(record.events):
            _follow(recording, event)
    if recording.finished:
        told, _ = await updates.read(desk.store, keys, room, 0, len(filed) + 1)
        recording.steps = [_step(_decode_update(step.public)) for step in told]
    return recording


def _follow(recording: Recording, event: msgspec.Raw) -> None:
    match _decode_kind(event).type:
        case "room.opened":
            recording.spec = _decode_opened(event).spec
        case "room.joined" | "room.back":
            joined = _decode_joined(event)
            if joined.sid:
                recording.seats[joined.sid] = joined.seat
        case "room.ended":
            recording.finished = True


def _step(update: Update) -> dict[str, Any]:
    events = [event for event in _decode_events(update.events) if _decode_kind(event).type != "room.said"]
    return {"offset": update.offset, "at": update.at, "by": update.by, "events": events}
