"""The messages of `/ws/play` as a client sees them. Only what a player needs; unknown keys are ignored."""

from typing import Any, TypeAlias

import msgspec

NOTHING = msgspec.Raw(b"null")


class Message(msgspec.Struct, tag_field="type", tag=str.lower, omit_defaults=True):
    """Base of both directions: `class Ack(Message)` travels as `{"type": "ack", ...}`."""


class Hello(Message):
    name: str = ""
    token: str = ""


class Create(Message):
    id: int
    game: str
    seats: int
    options: dict[str, Any] = {}
    wants: list[str] = []


class Join(Message):
    id: int
    room: int
    wants: list[str] = []


class AskView(Message, tag="view"):
    id: int
    room: int
    wants: list[str] = []


class Resume(Message):
    id: int
    room: int
    epoch: int
    offset: int
    wants: list[str] = []


class Leave(Message):
    id: int
    room: int


class Bye(Message):
    pass


class Act(Message):
    id: int
    room: int
    command: msgspec.Raw


class Sitting(msgspec.Struct):
    seat: int
    name: str


class Position(msgspec.Struct):
    """The parts of a room's view that a player looks at."""

    epoch: int
    offset: int
    status: str
    game: msgspec.Raw = NOTHING
    options: msgspec.Raw = NOTHING
    outcome: Any = None
    seats: list[Sitting] = []


class Welcome(Message):
    name: str
    token: str


class Entered(Message):
    id: int
    room: int
    seat: int
    view: Position


class Resumed(Message):
    id: int
    room: int


class View(Message):
    room: int
    view: Position
    id: int | None = None
    reason: str = ""


class Update(Message):
    room: int
    epoch: int
    offset: int
    events: msgspec.Raw
    by: int | None = None
    id: int | None = None
    options: msgspec.Raw = NOTHING


class Ack(Message):
    id: int
    room: int = 0
    epoch: int = 0
    offset: int = 0


class Error(Message):
    code: str
    text: str = ""
    id: int | None = None


class Pong(Message):
    pass


class Rooms(Message):
    pass


class Watching(Message):
    pass


class RoomsChanged(Message, tag="rooms_changed"):
    pass


Heard: TypeAlias = Update | Ack | View | Entered | Resumed | Welcome | Error | Pong | Rooms | RoomsChanged | Watching

_heard: msgspec.json.Decoder[Heard] = msgspec.json.Decoder(Heard)
_encoder = msgspec.json.Encoder()


def hear(frame: bytes) -> Heard:
    """Raises `msgspec.DecodeError` for anything that is no message of the protocol."""
    return _heard.decode(frame)


def say(message: Message) -> bytes:
    return _encoder.encode(message)
