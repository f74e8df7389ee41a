"""The play protocol (docs/protocols/play.md): all games, all features. Game words pass through as they are."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

import msgspec

from gateway.dialects.answers import Answer, Refused, RequestDone, RoomAttached, RoomsChanged, Welcomed
from gateway.dialects.contract import DeliveredStep, Dialect, Opening
from gateway.dialects.framing import fault_of
from gateway.dialects.requests import (
    ActRequest,
    AttendRequest,
    CloseConnection,
    CountRejection,
    CreateRequest,
    HelloRequest,
    JoinRequest,
    LeaveRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    RematchRequest,
    SayRequest,
    WatchRoomsRequest,
)
from gateway.transports.close_codes import BYE, MALFORMED
from shared.commands import Wants
from shared.errors import CODES, ErrorCode
from shared.game import Choice
from shared.ids import CommandId, Epoch, Offset, RoomId
from shared.room_events import RoomSpec
from shared.room_views import Listing, Position

_encode = msgspec.json.Encoder().encode
_MOST_NONSENSE = 20
_MOST_DEEP = 100
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A string without an end reaches to the end of the frame: it matches too, so that none of it is read twice."""
_BRACKETS = re.compile(rb"[\[\]{}]")
_HELLO = "hello"
_WANTS = {"view": Wants.VIEW, "options": Wants.OPTIONS}


class _In(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=lambda name: name.lower().removesuffix("in")):
    """Base of what clients say."""


RequestId: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
_PLACE = msgspec.Meta(ge=0, le=2**53)
"""Of a step: what the store cannot look up must not get as far as the room's other readers."""


class HelloIn(_In, frozen=True, tag="hello"):
    name: str | None = None
    token: str | None = None


class ByeIn(_In, frozen=True, tag="bye"):
    pass


class PingIn(_In, frozen=True, tag="ping"):
    t: int | float | str | None = None


class RoomsIn(_In, frozen=True, tag="rooms"):
    id: RequestId
    game: str = ""
    status: str = ""
    seats: int | None = None
    live: bool = False


class CreateIn(_In, frozen=True, tag="create"):
    id: RequestId
    game: str
    seats: int
    options: dict[str, Any] = {}
    private: bool = False
    turn_ms: int = 0
    bots: int = 0
    wait_ms: int = 0
    choice: Choice = {}
    wants: tuple[str, ...] = ()


class JoinIn(_In, frozen=True, tag="join"):
    id: RequestId
    room: RoomId
    choice: Choice = {}
    wants: tuple[str, ...] = ()


class MatchIn(_In, frozen=True, tag="match"):
    id: RequestId
    game: str
    seats: int | None = None
    options: dict[str, Any] | None = None
    choice: Choice = {}
    wants: tuple[str, ...] = ()


class SpectateIn(_In, frozen=True, tag="spectate"):
    id: RequestId
    room: RoomId
    wants: tuple[str, ...] = ()


class ViewIn(_In, frozen=True, tag="view"):
    id: RequestId
    room: RoomId
    wants: tuple[str, ...] = ()


class ResumeIn(_In, frozen=True, tag="resume"):
    id: RequestId
    room: RoomId
    epoch: Annotated[Epoch, _PLACE]
    offset: Annotated[Offset, _PLACE]
    wants: tuple[str, ...] = ()


class LeaveIn(_In, frozen=True, tag="leave"):
    id: RequestId
    room: RoomId


class RematchIn(_In, frozen=True, tag="rematch"):
    id: RequestId
    room: RoomId
    wants: tuple[str, ...] = ()


class ActIn(_In, frozen=True, tag="act"):
    id: RequestId
    room: RoomId
    command: msgspec.Raw


class SayIn(_In, frozen=True, tag="say"):
    id: RequestId
    room: RoomId
    text: str
    to: str | None = None


_AnyRequest: TypeAlias = (
    RoomsIn | CreateIn | JoinIn | MatchIn | SpectateIn | ViewIn | ResumeIn | LeaveIn | RematchIn | ActIn | SayIn
)
_AnyIn: TypeAlias = HelloIn | ByeIn | PingIn | _AnyRequest
_decode = msgspec.json.Decoder(_AnyIn).decode


class _Loose(msgspec.Struct):
    """As much of a malformed message as its error should name."""

    id: Any = None
    room: Any = None


_decode_loose = msgspec.json.Decoder(_Loose).decode


class Play:
    """One connection's side of the protocol."""

    tick_ms = 0

    def __init__(self, opening: Opening) -> None:
        self._rooms = opening.rooms
        self._known = False
        self._nonsense = 0
        self._filter: RoomsIn | None = None
        self._listed: set[RoomId] = set()
        """The rooms that the client knows of, if it is told what changes."""
        self._asked: dict[int, str] = {}
        """Requests that are answered by a view, and what that is to be called."""

    def open(self) -> Iterable[Output]:
        return ()

    def receive(self, frame: bytes) -> Iterable[Output]:
        try:
            if not frame.isascii():
                frame.decode()
            if len(frame) > _MOST_DEEP and _too_deep(frame):
                return self._malformed(b"", "it is nested too deeply")
            said = _decode(frame)
        except UnicodeDecodeError:
            return self._malformed(b"", "it is not UTF-8")
        except msgspec.MsgspecError as error:
            return self._malformed(frame, str(error))
        self._nonsense = 0
        if isinstance(said, ActIn):
            return (ActRequest(said.room, said.command, said.id),) if self._known else self._stranger(said)
        return self._other(said)

    def _other(self, said: _AnyIn) -> Iterable[Output]:
        match said:
            case PingIn(t=t):
                return (_encode({"type": "pong", "t": t}),)
            case HelloIn():
                self._known = True
                return (HelloRequest(said.name, said.token, _HELLO),)
            case ByeIn():
                return (LogoutRequest(), CloseConnection(BYE))
        if not self._known:
            return self._stranger(said)
        match said:
            case SayIn(id=id_, room=room, text=text, to=to):
                return (SayRequest(room, text, to, id_),)
            case LeaveIn(id=id_, room=room):
                return (LeaveRequest(room, id_),)
            case RoomsIn():
                return self._list(said)
            case ActIn():
                return (ActRequest(said.room, said.command, said.id),)
        return self._seating(said)

    def _seating(
        self, said: CreateIn | JoinIn | MatchIn | SpectateIn | ViewIn | ResumeIn | RematchIn
    ) -> Iterable[Output]:
        """Requests that end with attending to a room."""
        wants = sum(_WANTS.get(word, 0) for word in set(said.wants))
        self._asked[said.id] = "entered"
        match said:
            case CreateIn():
                spec = RoomSpec(
                    said.game, said.seats, said.options, said.private, said.turn_ms, said.bots, said.wait_ms
                )
                return (CreateRequest(spec, said.choice, said.id, wants),)
            case JoinIn():
                return (JoinRequest(said.room, said.choice, said.id, wants),)
            case MatchIn():
                opened = RoomSpec(said.game, said.seats or 2, said.options or {})
                return (MatchRequest(said.game, said.seats, said.options, opened, said.choice, said.id, wants),)
            case SpectateIn():
                self._asked[said.id] = "watching"
                return (AttendRequest(said.room, wants, said.id),)
            case ViewIn():
                self._asked[said.id] = "view"
                return (AttendRequest(said.room, wants, said.id),)
            case ResumeIn():
                self._asked[said.id] = "resumed"
                return (AttendRequest(said.room, wants, said.id, Position(said.epoch, said.offset)),)
            case RematchIn():
                return (RematchRequest(said.room, wants, said.id),)

    def _list(self, said: RoomsIn) -> Iterable[Output]:
        self._filter = said
        listed = [room for room in self._rooms.listed(said.game) if self._wanted(room)]
        self._listed = {room.room for room in listed} if said.live else set()
        answer = _encode({"type": "rooms", "id": said.id, "rooms": listed})
        return (answer, WatchRoomsRequest(said.game, on=said.live))

    def _wanted(self, room: Listing) -> bool:
        wanted = self._filter
        return wanted is not None and wanted.status in ("", room.status) and wanted.seats in (None, room.seats)

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        changed: list[Listing] = []
        gone: list[RoomId] = []
        for room, listing in change.changed.items():
            if listing is not None and self._wanted(listing):
                changed.append(listing)
            elif room in self._listed:
                gone.append(room)
        if not changed and not gone:
            return ()
        self._listed.difference_update(gone)
        self._listed.update(room.room for room in changed)
        return (_encode({"type": "rooms_changed", "changed": changed, "gone": gone}),)

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        match answer:
            case Refused(code=code, text=text, room=room):
                if ref == _HELLO:
                    self._known = code == "session/twice"
                    return (_error(code, text),)
                self._asked.pop(ref, None)
                return (_error(code, text, ref, room),)
            case Welcomed(name=name, sid=sid, token=token, rooms=seated, games=games):
                welcome = {"type": "welcome", "session": sid, "name": name, "token": token, "rooms": seated}
                return (_encode(welcome | {"games": games}),)
            case RoomAttached():
                return (self._attending(ref, answer),)
            case RequestDone(room=room, step=None):
                return (_encode({"type": "ack", "id": ref, "room": room}),)
            case RequestDone(room=room, step=Position(epoch=epoch, offset=offset)):
                return (ack(ref, room, epoch, offset),)
        return ()

    def _attending(self, ref: int | None, answer: RoomAttached) -> bytes:
        kind = "view" if ref is None else self._asked.pop(ref, "view")
        said: dict[str, Any] = {"type": kind}
        if ref is not None:
            said["id"] = ref
        said |= {"room": answer.room, "seat": answer.seat, "epoch": answer.epoch, "offset": answer.offset}
        if answer.reason:
            said["reason"] = answer.reason
        if answer.view is not None:
            said["view"] = msgspec.Raw(answer.view)
        return _encode(said)

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        return (step.raw,)

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        if code.startswith("busy/"):
            loose = _loose(frame)
            return (_error(code, CODES[code], loose.id, loose.room),)
        return self._error_or_end(_error(code, CODES.get(code, code)))

    def tick(self, now_ms: int) -> Iterable[Output]:
        return ()

    def _stranger(self, said: _AnyRequest) -> Iterable[Output]:
        code = "session/none"
        return (_error(code, CODES[code], said.id, getattr(said, "room", None)), CountRejection(code))

    def _malformed(self, frame: bytes, why: str) -> Iterable[Output]:
        loose = _loose(frame)
        code = fault_of(why)
        return (CountRejection(code), *self._error_or_end(_error(code, f"{CODES[code]}: {why}", loose.id, loose.room)))

    def _error_or_end(self, error: bytes) -> Iterable[Output]:
        self._nonsense += 1
        if self._nonsense < _MOST_NONSENSE:
            return (error,)
        return (error, CloseConnection(MALFORMED))


def _too_deep(frame: bytes) -> bool:
    """Whether reading it could exhaust somebody's stack; what games say is read by workers only."""
    if frame.count(b"[") + frame.count(b"{") <= _MOST_DEEP:
        return False
    depth = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub(b"", frame)):
        depth += 1 if bracket in b"[{" else -1
        if depth > _MOST_DEEP:
            return True
    return False


def _loose(frame: bytes) -> _Loose:
    try:
        said = _decode_loose(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Loose()
    return _Loose(said.id if type(said.id) is int else None, said.room if type(said.room) is int else None)


def _error(code: str, text: str, ref: int | None = None, room: int | None = None) -> bytes:
    error: dict[str, Any] = {"type": "error", "code": code, "text": text}
    if ref is not None:
        error["id"] = ref
    if room is not None:
        error["room"] = room
    return _encode(error)


def ack(command_id: CommandId, room: RoomId, epoch: Epoch, offset: Offset) -> bytes:
    return b'{"type":"ack","id":%d,"room":%d,"epoch":%d,"offset":%d}' % (command_id, room, epoch, offset)


DIALECT = Dialect("play", "/ws/play", Play, raw=True, ack=ack)
