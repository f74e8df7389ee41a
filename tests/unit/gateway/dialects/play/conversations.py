"""Conversations of `play` in different stages, and shorthands for their messages."""

from typing import Any

import msgspec

from gateway.cluster.room_directory import RoomDirectory
from gateway.dialects.answers import Answer, RoomAttached
from gateway.dialects.contract import Opening
from gateway.dialects.play.conversation import PlayConversation
from gateway.dialects.requests import (
    CountRejection,
    ListRoomsRequest,
    Output,
)
from shared.ids import Epoch, Offset, RoomId, Seat
from shared.room_views import Listing

ROOM = RoomId(1000)
COMMAND = {"type": "take", "count": 2}


class Client:
    """A conversation and its client."""

    def __init__(self, *, hello: bool = True, rooms: tuple[Listing, ...] = ()) -> None:
        listed = RoomDirectory(lambda _call: None)
        listed.gathered(rooms)
        self.play = PlayConversation(Opening({}, listed))
        self.rejections: list[str] = []
        if hello:
            self.say(type="hello", name="ada")

    def say(self, **message: Any) -> list[Output]:
        return self.send(msgspec.json.encode(message))

    def send(self, frame: bytes) -> list[Output]:
        outs: list[Output] = []
        for out in self.play.receive(frame):
            outs += out.answer() if isinstance(out, ListRoomsRequest) else (out,)
        self.rejections += [out.code for out in outs if isinstance(out, CountRejection)]
        return [out for out in outs if not isinstance(out, CountRejection)]

    def reply(self, **message: Any) -> dict[str, Any]:
        """The immediate reply."""
        (frame,) = self.say(**message)
        return read(frame)

    def answer(self, ref: Any, answer: Answer) -> dict[str, Any]:
        (frame,) = self.play.answer(ref, answer)
        return read(frame)


def read(out: Output) -> dict[str, Any]:
    assert isinstance(out, bytes)
    decoded: dict[str, Any] = msgspec.json.decode(out)
    return decoded


def attending(view: bytes | None = b'{"a":1}', **fields: Any) -> RoomAttached:
    return RoomAttached(ROOM, Seat(1), Epoch(7), Offset(5), view, **fields)
