"""The messages of `/ws/play` as a client sees them: only the fields that a player needs, unknown ones are ignored."""

from typing import Any, TypeAlias

import msgspec

NOTHING = msgspec.Raw(b"null")


class Message(msgspec.Struct, tag_field="type", omit_defaults=True):
    """The base of messages in both directions."""


class Hello(Message, tag="hello"):
    name: str = ""
    token: str = ""


class Create(Message, tag="create"):
    id: int
    game: str
    seats: int
    options: dict[str, Any] = {}
    wants: list[str] = []


class Join(Message, tag="join"):
    id: int
    room: int
    wants: list[str] = []


class AskView(Message, tag="view"):
    id: int
    room: int
    wants: list[str] = []


class Resume(Message, tag="resume"):
    id: int
    room: int
    epoch: int
    offset: int
    wants: list[str] = []


class Leave(Message, tag="leave"):
    id: int
    room: int


class Bye(Message, tag="bye"):
    pass


class Act(Message, tag="act"):
    id: int
    room: int
    command: msgspec.Raw


class Sitting(msgspec.Struct):
    seat: int
    name: str


class Position(msgspec.Struct):
    """The parts of a room's view that a player reads."""

    epoch: int
    offset: int
    status: str
    game: msgspec.Raw = NOTHING
    options: msgspec.Raw = NOTHING
    outcome: Any = None
    seats: list[Sitting] = []


class Welcome(Message, tag="welcome"):
    name: str
    token: str


class Entered(Message, tag="entered"):
    id: int
    room: int
    seat: int
    view: Position


class Resumed(Message, tag="resumed"):
    id: int
    room: int


class View(Message, tag="view"):
    room: int
    view: Position
    id: int | None = None
    reason: str = ""


class Update(Message, tag="update"):
    room: int
    epoch: int
    offset: int
    events: msgspec.Raw
    by: int | None = None
    id: int | None = None
    options: msgspec.Raw = NOTHING


class Ack(Message, tag="ack"):
    id: int
    room: int = 0
    epoch: int = 0
    offset: int = 0


class Error(Message, tag="error"):
    code: str
    text: str = ""
    id: int | None = None


class Pong(Message, tag="pong"):
    pass


class Rooms(Message, tag="rooms"):
    pass


class Watching(Message, tag="watching"):
    pass


class RoomsChanged(Message, tag="rooms_changed"):
    pass


ServerMessage: TypeAlias = (
    Update | Ack | View | Entered | Resumed | Welcome | Error | Pong | Rooms | RoomsChanged | Watching
)

_decoder: msgspec.json.Decoder[ServerMessage] = msgspec.json.Decoder(ServerMessage)
_encoder = msgspec.json.Encoder()


def decode(frame: bytes) -> ServerMessage:
    """Raises `msgspec.DecodeError` if the frame is not a message of the protocol."""
    return _decoder.decode(frame)


def encode(message: Message) -> bytes:
    return _encoder.encode(message)
