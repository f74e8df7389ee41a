"""One connection's side of the `play` protocol (docs/protocols/play.md): all games, all features.

Commands and events of games pass through as raw JSON, so that this dialect serves every game.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from gateway.dialects.answers import (
    Answer,
    Refused,
    RequestDone,
    RoomAttached,
    RoomsChanged,
    SessionForgotten,
    Welcomed,
)
from gateway.dialects.contract import DeliveredStep, Opening, RoomQuery
from gateway.dialects.framing import fault_of
from gateway.dialects.play.codec import MalformedFrame, decode, encode, encode_ack, encode_error, request_keys
from gateway.dialects.play.messages import (
    PROTOCOL,
    AckOut,
    ActIn,
    AnyAttached,
    AnyIn,
    AnyRequest,
    AttachingIn,
    ByeIn,
    CreateIn,
    EnteredOut,
    FillIn,
    HelloIn,
    JoinIn,
    LeaveIn,
    MatchIn,
    PingIn,
    PongOut,
    RematchIn,
    ResumedOut,
    ResumeIn,
    RoomsChangedOut,
    RoomsIn,
    SayIn,
    SpectateIn,
    ViewIn,
    ViewOut,
    WatchingOut,
    WelcomeOut,
)
from gateway.dialects.requests import (
    ActRequest,
    AttendRequest,
    CloseConnection,
    ConfigureRequest,
    CountRejection,
    CreateRequest,
    ForgetRequest,
    HelloRequest,
    JoinRequest,
    LeaveRequest,
    ListRoomsRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    RematchRequest,
    SayRequest,
    WatchRoomsRequest,
)
from gateway.transports.close_codes import BYE, MALFORMED, OTHER_VERSION
from shared.commands import Wants
from shared.errors import CODES, ErrorCode
from shared.ids import RoomId
from shared.room_events import NOTHING, RoomSpec
from shared.room_views import Listing, Position

_MOST_OPTIONS = 8 * 1024
"""Bytes of a table's options."""
_MAX_MALFORMED = 20
"""Malformed messages in a row that close the connection."""
_HELLO = "hello"
_BYE = "bye"
"""The `ref` of a `HelloRequest` and of a `ForgetRequest`, which have no id on the wire."""
_WANTS = {"view": Wants.VIEW, "options": Wants.OPTIONS}


class PlayConversation:
    """One connection's side of the protocol."""

    __slots__ = ("_asked", "_filter", "_has_session", "_listed", "_malformed_in_a_row", "_rooms")

    tick_ms = 0

    def __init__(self, opening: Opening) -> None:
        self._rooms = opening.rooms
        self._has_session = False
        self._malformed_in_a_row = 0
        self._filter: RoomsIn | None = None
        self._listed: set[RoomId] = set()
        """The rooms in the client's copy of the list, while it watches the list."""
        self._asked: dict[int, type[AnyAttached]] = {}
        """The type of the answer to each open request that is answered with a view."""

    def open(self) -> Iterable[Output]:
        return ()

    def receive(self, frame: bytes) -> Iterable[Output]:
        try:
            message = decode(frame)
        except MalformedFrame as error:
            return self._malformed(error)
        self._malformed_in_a_row = 0
        if isinstance(message, ActIn):  # checked first: nearly all messages are moves
            if self._has_session:
                return (ActRequest(message.room, message.command, message.id),)
            return self._without_session(message)
        return self._handle(message)

    def _handle(self, message: AnyIn) -> Iterable[Output]:
        match message:
            case PingIn(t=t):
                return (encode(PongOut(t=t)),)
            case HelloIn(protocol=protocol) if protocol and not _speaks(protocol):
                code = "protocol/version"
                text = f"{CODES[code]}: {PROTOCOL}"
                return (CountRejection(code), encode_error(code, text), CloseConnection(OTHER_VERSION))
            case HelloIn():
                self._has_session = True
                return (HelloRequest(message.name, message.token, _HELLO),)
            case ByeIn(forget=forget):
                if forget and self._has_session:  # closed once the tokens are invalid
                    return (ForgetRequest(_BYE),)
                return (LogoutRequest(), CloseConnection(BYE))
        if not self._has_session:
            return self._without_session(message)
        match message:
            case SayIn(id=id_, room=room, text=text, to=to):
                return (SayRequest(room, text, to, id_),)
            case FillIn(id=id_, room=room):
                return (ConfigureRequest(room, 0, {}, id_, fill=True),)
            case LeaveIn(id=id_, room=room):
                return (LeaveRequest(room, id_),)
            case RoomsIn():
                return (ListRoomsRequest(lambda: self._list_rooms(message), message.id),)
            case ActIn():
                return (ActRequest(message.room, message.command, message.id),)
        return self._attach(message)

    def _attach(self, message: AttachingIn) -> Iterable[Output]:
        if isinstance(message, CreateIn | MatchIn) and len(encode(message.options)) > _MOST_OPTIONS:
            code, text = "room/bad_options", f"the options have more than {_MOST_OPTIONS} bytes"
            return (CountRejection(code), encode_error(code, text, message.id))
        if message.id in self._asked:  # the answer to the first copy answers this one, too
            return ()
        wants = sum(_WANTS.get(name, 0) for name in set(message.wants))
        self._asked[message.id] = EnteredOut
        match message:
            case CreateIn():
                return (CreateRequest(_spec(message), message.choice, message.id, wants),)
            case JoinIn():
                return (JoinRequest(message.room, message.choice, message.id, wants, message.key),)
            case MatchIn():
                opened = RoomSpec(message.game, message.seats or 2, message.options or {})
                return (
                    MatchRequest(
                        message.game, message.seats, message.options, opened, message.choice, message.id, wants
                    ),
                )
            case SpectateIn():
                self._asked[message.id] = WatchingOut
                return (AttendRequest(message.room, wants, message.id, key=message.key),)
            case ViewIn():
                self._asked[message.id] = ViewOut
                return (AttendRequest(message.room, wants, message.id, key=message.key),)
            case ResumeIn():
                self._asked[message.id] = ResumedOut
                position = Position(message.epoch, message.offset)
                return (AttendRequest(message.room, wants, message.id, position, message.key),)
            case RematchIn():
                return (RematchRequest(message.room, wants, message.id),)

    def _list_rooms(self, message: RoomsIn) -> Iterable[Output]:
        page = self._rooms.page(RoomQuery(message.game, message.status, message.seats, message.after, message.limit))
        if not message.live or not message.after:
            self._listed.clear()
        if message.live:
            self._listed |= page.rooms
        self._filter = message
        return (
            b'{"type":"rooms","id":%d,' % message.id + page.body[1:],
            WatchRoomsRequest(message.game, on=message.live),
        )

    def _matches_filter(self, room: Listing) -> bool:
        wanted = self._filter
        return wanted is not None and wanted.status in ("", room.status) and wanted.seats in (None, room.seats)

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        changed: list[Listing] = []
        gone: list[RoomId] = []
        for room, listing in change.changed.items():
            if listing is not None and self._matches_filter(listing):
                changed.append(listing)
            elif room in self._listed:
                gone.append(room)
        if not changed and not gone:
            return ()
        self._listed.difference_update(gone)
        self._listed.update(room.room for room in changed)
        shown = (*(room.room for room in changed), None, *gone)
        message = change.encoded.get(shown)
        if message is None:
            message = encode(RoomsChangedOut(changed=tuple(changed), gone=tuple(gone)))
            change.encoded[shown] = message
        return (message,)

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        match answer:
            case Refused(code=code, text=text, room=room):
                if ref in (_HELLO, _BYE):
                    self._has_session = ref == _BYE or code == "session/twice"
                    return (encode_error(code, text),)
                self._asked.pop(ref, None)
                return (encode_error(code, text, ref, room),)
            case Welcomed(name=name, sid=sid, token=token, rooms=seated, games=games):
                return (
                    encode(
                        WelcomeOut(session=sid, name=name, token=token, rooms=seated, games=games, protocol=PROTOCOL)
                    ),
                )
            case SessionForgotten():
                return (CloseConnection(BYE),)
            case RoomAttached():
                return (self._attached(ref, answer),)
            case RequestDone(room=room, step=None):
                return (encode(AckOut(id=ref, room=room)),)
            case RequestDone(room=room, step=Position(epoch=epoch, offset=offset)):
                return (encode_ack(ref, room, epoch, offset),)
        return ()

    def _attached(self, ref: int | None, answer: RoomAttached) -> bytes:
        kind = ViewOut if ref is None else self._asked.pop(ref, ViewOut)
        message = kind(
            id=ref,
            room=answer.room,
            seat=answer.seat,
            epoch=answer.epoch,
            offset=answer.offset,
            key=answer.key,
            reason=answer.reason,
            view=NOTHING if answer.view is None else msgspec.Raw(answer.view),
        )
        return encode(message)

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        return (step.raw,)

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        if code.startswith("busy/"):
            keys = request_keys(frame)
            return (encode_error(code, CODES[code], keys.id, keys.room),)
        return self._count_malformed(encode_error(code, CODES[code]))

    def tick(self, now_ms: int) -> Iterable[Output]:
        return ()

    def _without_session(self, message: AnyRequest) -> Iterable[Output]:
        code = "session/none"
        return (encode_error(code, CODES[code], message.id, getattr(message, "room", None)), CountRejection(code))

    def _malformed(self, error: MalformedFrame) -> Iterable[Output]:
        code = fault_of(str(error))
        reply = encode_error(code, f"{CODES[code]}: {error}", error.keys.id, error.keys.room)
        return (CountRejection(code), *self._count_malformed(reply))

    def _count_malformed(self, error: bytes) -> Iterable[Output]:
        """Send the error, and close after too many in a row."""
        self._malformed_in_a_row += 1
        if self._malformed_in_a_row < _MAX_MALFORMED:
            return (error,)
        return (error, CloseConnection(MALFORMED))


def _speaks(protocol: str) -> bool:
    """Whether a client of this version can be served: the major versions are the same."""
    return protocol.partition(".")[0] == PROTOCOL.partition(".")[0]


def _spec(message: CreateIn) -> RoomSpec:
    return RoomSpec(
        message.game,
        message.seats,
        message.options,
        message.private,
        message.turn_ms,
        message.bots,
        message.wait_ms,
        spectators=message.spectators,
    )
