"""Requests that need several round trips: logging in, taking a seat, matchmaking, returning, resuming, leaving.

Each is a generator without IO. It yields a command or a question and is resumed with the reply or the result; it yields
`AnswerClient` to send an answer. A generator runs synchronously from a reply to its next question, so the steps that
follow a reply in the same delivery find the session attached.
"""

from collections.abc import Generator, Mapping
from typing import Any, TypeAlias, cast
from unicodedata import normalize

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, RequestDone, RoomAttached, SessionForgotten, Welcomed
from gateway.dialects.requests import (
    AttendRequest,
    CreateRequest,
    ForgetRequest,
    HelloRequest,
    JoinRequest,
    LeaveRequest,
    LoginRequest,
    LogoutRequest,
    MatchRequest,
    RematchRequest,
    Request,
    ReturnRequest,
)
from gateway.session.attachments import PendingAnswer
from gateway.session.effects import (
    CheckToken,
    ClaimName,
    CloseReplaced,
    CountResume,
    Draw,
    FindKeptRooms,
    ForgetRooms,
    IssueToken,
    NoteRoom,
    Question,
    ReadGames,
    ReadNotedRooms,
    RegisterSession,
    ReleaseName,
    RevokeSession,
    Submit,
    TakeOverName,
)
from gateway.session.state import ReturnByName, SessionState
from shared import commands, name_rules
from shared.bus.meta import GameCard
from shared.commands import Enter, RoomCommand, Watch
from shared.deliveries import Reply
from shared.errors import ErrorCode, Rejected
from shared.ids import LOBBY, PRIVATE_ROOMS, CommandId, RoomId, SessionId
from shared.room_events import RoomSpec
from shared.room_views import Listing, Position, RoomView

_decode_view = msgspec.json.Decoder(RoomView).decode
_ATTEMPTS = 6
"""Tables that a player is led to before the request is refused."""
_SEED_LIMIT = 2**62
_KEY_BITS = 96
"""Unpredictable bits in the key of a private room."""
_NOT_SENT: tuple[ErrorCode, ...] = ("busy/backlog", "busy/no_worker", "busy/store", "busy/store_full")
"""The outbox has refused the command: no room has seen it."""
_NO_SEAT: tuple[ErrorCode, ...] = (
    "room/full",
    "room/started",
    "room/closed",
    "room/unknown",
    "room/exists",
    "room/wrong_dialect",
)
"""The table has no seat for this player; another one may have."""
_IMPOSSIBLE: tuple[ErrorCode, ...] = ("room/bad_seats", "room/bad_options", "game/unknown")
"""The table cannot be opened as it was asked for, perhaps by another player."""


class AnswerClient(msgspec.Struct, frozen=True):
    """Hand an answer to the conversation."""

    ref: Any
    answer: Answer


class Destination(msgspec.Struct, frozen=True):
    """The room to enter, how to open it if it does not exist, and its key if it is private."""

    room: RoomId
    spec: RoomSpec | None = None
    key: str = ""


SeatRequest: TypeAlias = CreateRequest | JoinRequest | MatchRequest | RematchRequest
RequestStep: TypeAlias = Submit | Question | AnswerClient


class Refusal(Exception):
    """The request is refused with this code."""

    def __init__(self, code: str, text: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.text = text


def run(state: SessionState, request: Request) -> Generator[RequestStep, Any, None]:
    """One request, from the question to the answer; raises `Refusal`."""
    match request:
        case LoginRequest(name=name, ref=ref):
            yield from _log_in(state, name)
            yield AnswerClient(ref, LoggedIn(name))
        case HelloRequest(ref=ref):
            welcome = yield from _hello(state, request)
            yield AnswerClient(ref, welcome)
        case LogoutRequest():
            state.log_out()
        case ForgetRequest(ref=ref):
            yield RevokeSession(state.sid)
            state.log_out()
            yield AnswerClient(ref, SessionForgotten())
        case CreateRequest() | JoinRequest() | MatchRequest() | RematchRequest():
            yield from _take_seat(state, request)
        case ReturnRequest():
            yield from _return(state, request)
        case AttendRequest():
            yield from _watch(state, request)
        case LeaveRequest():
            yield from _leave(state, request)
        case _:
            raise Refusal("frame/unknown_type")


# --- names ------------------------------------------------------------------------------------------------------------


def _log_in(state: SessionState, name: str, *, token: bool = False) -> Generator[RequestStep, Any, None]:
    if not name_rules.is_valid(name):
        raise Refusal("name/bad")
    if state.name == name:
        return
    yield from _claim(state, ClaimName(name, state.sid, token))
    if state.name and name_rules.folded(state.name) != name_rules.folded(name):
        state.effects.append(ReleaseName(state.name, state.sid, keep=False))
    state.name = name


def _claim(state: SessionState, claim: ClaimName) -> Generator[RequestStep, Any, None]:
    state.claiming = (claim.name, claim.sid)
    claimed: bool = yield claim
    if not claimed:
        raise Refusal("name/taken")


def _hello(state: SessionState, request: HelloRequest) -> Generator[RequestStep, Any, Welcomed]:
    if state.name:
        raise Refusal("session/twice")
    rooms: tuple[RoomId, ...] = ()
    if request.token is None:
        yield from _log_in(state, normalize("NFC", request.name or ""), token=True)
    else:
        rooms = yield from _take_up(state, request.token)
    state.has_token = True
    state.effects.append(RegisterSession(state.sid))
    token: str = yield IssueToken(state.sid, state.name)
    games: Mapping[str, GameCard] = yield ReadGames()
    return Welcomed(state.name, state.sid, token, rooms, tuple(sorted(games)))


def _take_up(state: SessionState, token: str) -> Generator[RequestStep, Any, tuple[RoomId, ...]]:
    """Continue the session of a token; returns the rooms that keep its name. The session has its name only once all
    questions are answered: if the store fails in between, the client may say hello again."""
    claims: tuple[SessionId, str] | Rejected = yield CheckToken(token)
    if isinstance(claims, Rejected):
        raise Refusal(claims.code)
    sid, name = claims
    # The older connection releases the name. That must reach the store before the claim, or it would undo the claim.
    state.effects.append(CloseReplaced(sid))
    yield from _claim(state, ClaimName(name, sid, token=True, presented=True))
    state.sid = sid
    noted: tuple[RoomId, ...] = yield ReadNotedRooms(name)
    listings: tuple[Listing | None, ...] = yield FindKeptRooms(name, noted)
    state.name = name
    return tuple(listing.room for listing in listings if listing is not None)


# --- seats ------------------------------------------------------------------------------------------------------------


def _take_seat(state: SessionState, request: SeatRequest) -> Generator[RequestStep, Any, None]:
    if not state.name:
        raise Refusal("session/none")
    yield from _check_room_limit(state)
    command_id = state.command_id(request.ref)
    avoid: list[RoomId] = []
    refusal = Refusal("command/too_old")
    for attempt in range(_ATTEMPTS):
        found = yield from _find_room(state, request, command_id, attempt, tuple(avoid))
        if found is None:
            continue
        room = found.room
        yield NoteRoom(state.name, room)
        seed: int = yield Draw(_SEED_LIMIT)
        reply = yield from _ask(room, command_id, _enter(state, request, found, seed), request.wants)
        if not reply.code:
            yield from _entered(state, request.ref, reply, request.wants)
            return
        refusal = Refusal(reply.code, reply.text)
        yield ForgetRooms(state.name, (room,))
        if not _may_try_elsewhere(request, found.spec, reply.code):
            break
        avoid.append(room)
    raise refusal


def _enter(state: SessionState, request: SeatRequest, found: Destination, seed: int) -> Enter:
    enter = Enter(
        state.name,
        found.spec,
        seed,
        dialect=state.dialect.name,
        key=found.key,
        token=state.has_token,
        address=state.seat_address,
    )
    if isinstance(request, RematchRequest):
        return msgspec.structs.replace(enter, of=request.room)
    return msgspec.structs.replace(enter, choice=request.choice, new=isinstance(request, CreateRequest))


def _find_room(
    state: SessionState, request: SeatRequest, command_id: CommandId, attempt: int, avoid: tuple[RoomId, ...]
) -> Generator[RequestStep, Any, Destination | None]:
    """The room to enter. None: the client has sent this very request before, and its first run got further than this
    attempt."""
    body: RoomCommand
    key = ""
    match request:
        case JoinRequest(room=room, key=key):
            return Destination(room, key=key)
        case RematchRequest(room=room):
            return (yield from _agree_on_next_room(room, command_id))
        case CreateRequest(spec=spec):
            yield from _known_games(spec.game)
            private = yield from _draw_private_room()
            if spec.private and state.has_token:  # the other dialects cannot carry a key: there the number is secret
                key = yield from _draw_key()
            body = commands.Open(spec, private)
        case MatchRequest(game=game):
            games = yield from _known_games(game)
            body = _match(state, request, games[game], avoid)
    # Each attempt has an id of its own, derived from the request's: sent again, the lobby answers it as before.
    reply = yield from _ask(LOBBY, CommandId(command_id * (_ATTEMPTS + 2) + attempt), body)
    if reply.code == "command/too_old":
        return None
    return _destination(reply, key)


def _match(state: SessionState, request: MatchRequest, card: GameCard, avoid: tuple[RoomId, ...]) -> commands.Match:
    opened = request.open
    if opened is not None and request.seats is None and opened.seats not in card.seats:
        opened = msgspec.structs.replace(opened, seats=min(card.seats))
    return commands.Match(request.game, request.seats, request.options, state.dialect.name, opened, avoid)


def _known_games(game: str) -> Generator[RequestStep, Any, Mapping[str, GameCard]]:
    games: Mapping[str, GameCard] = yield ReadGames(game)
    if game not in games:
        raise Refusal("game/unknown" if games else "busy/workers")
    return games


def _agree_on_next_room(room: RoomId, command_id: CommandId) -> Generator[RequestStep, Any, Destination]:
    """The players of a finished game agree on the room of the next one: the first request names it, and its key."""
    private = yield from _draw_private_room()
    key = yield from _draw_key()
    reply = yield from _ask(room, command_id, commands.Rematch(private, key))
    return _destination(reply, reply.key)


def _destination(reply: Reply, key: str) -> Destination:
    if reply.code:
        raise Refusal(reply.code, reply.text)
    if reply.to is None:  # the remembered result of another request, for which the client has used the same id
        raise Refusal("command/bad", "the id was used for another request")
    return Destination(reply.to, reply.spec, key)


def _draw_key() -> Generator[RequestStep, Any, str]:
    drawn: int = yield Draw(2**_KEY_BITS)
    return f"{drawn:0{_KEY_BITS // 4}x}"


def _draw_private_room() -> Generator[RequestStep, Any, RoomId]:
    """The number of a private room cannot be guessed."""
    drawn: int = yield Draw(len(PRIVATE_ROOMS))
    return RoomId(PRIVATE_ROOMS[drawn])


def _check_room_limit(state: SessionState) -> Generator[RequestStep, Any, None]:
    """Refuse a player who has seats in too many running rooms; rooms that are over do not count."""
    noted: tuple[RoomId, ...] = yield ReadNotedRooms(state.name)
    if len(noted) < state.rooms_per_player:
        return
    listings: tuple[Listing | None, ...] = yield FindKeptRooms(state.name, noted)
    over = tuple(room for room, listing in zip(noted, listings, strict=True) if listing is None)
    yield ForgetRooms(state.name, over)
    if len(noted) - len(over) >= state.rooms_per_player:
        raise Refusal("session/too_many_rooms")


def _may_try_elsewhere(request: SeatRequest, spec: RoomSpec | None, code: str) -> bool:
    """Whether a refused player should be led to another table."""
    if isinstance(request, JoinRequest | RematchRequest):
        return False
    return code in _NO_SEAT or (isinstance(request, MatchRequest) and spec != request.open and code in _IMPOSSIBLE)


def _return(state: SessionState, request: ReturnRequest) -> Generator[RequestStep, Any, None]:
    """Back to the seat of a player who is away, by name alone."""
    if state.return_by_name is ReturnByName.OFF:
        raise Refusal("room/not_gone")
    candidates: list[RoomId]
    if request.room is not None:
        candidates = [request.room]
    else:
        noted: tuple[RoomId, ...] = yield ReadNotedRooms(request.name)
        listings: tuple[Listing | None, ...] = yield FindKeptRooms(request.name, noted)
        running = [listing.room for listing in listings if listing is not None and listing.game == request.game]
        over = [room for room, listing in zip(noted, listings, strict=True) if listing is None]
        candidates = running or over[-1:]
    refusal = Refusal("room/unknown")
    for room in candidates:
        enter = Enter(request.name, by_name=True, address=state.seat_address)
        reply = yield from _ask(room, state.mint_id(), enter)
        if reply.code:
            refusal = Refusal(reply.code, reply.text)
            continue
        state.name = request.name
        yield from _entered(state, request.ref, reply, 0, back=True)
        yield NoteRoom(request.name, room)
        yield TakeOverName(request.name, state.sid)
        return
    raise refusal


def _entered(
    state: SessionState, ref: Any, reply: Reply, wants: int, *, back: bool = False
) -> Generator[RequestStep, Any, None]:
    if state.dialect.raw:
        view = bytes(reply.view)
        answer = RoomAttached(reply.room, reply.seat, reply.epoch, reply.offset, view, key=reply.key)
        yield AnswerClient(ref, answer)
    else:
        assert reply.seat is not None
        yield AnswerClient(ref, Entered(reply.room, reply.seat, _decode_view(reply.view), back))
    yield from _send_views(state.attach(reply, wants))


# --- watching and leaving ---------------------------------------------------------------------------------------------


def _watch(state: SessionState, request: AttendRequest) -> Generator[RequestStep, Any, None]:
    """A view of the room, or the steps after a position."""
    if not state.name:
        raise Refusal("session/none")
    after = request.after
    watch = Watch(after is None, request.key)
    reply = yield from _ask(request.room, CommandId(request.ref), watch, request.wants)
    if reply.code:
        raise Refusal(reply.code, reply.text)
    if after is not None:
        state.effects.append(CountResume("asked"))
        resumed = RoomAttached(reply.room, reply.seat, after.epoch, after.offset, None, key=reply.key)
        yield AnswerClient(request.ref, resumed)
        yield from _send_views(state.attach(reply, request.wants, after, key=request.key))
        return
    viewed = RoomAttached(reply.room, reply.seat, reply.epoch, reply.offset, bytes(reply.view), key=reply.key)
    before = state.attachments.get(reply.room)
    if before is not None and not before.stale and before.seat == reply.seat and before.offset < reply.offset:
        # The client has not been sent all steps up to the view. It must see them first: its updates have no hole.
        pending = (request.ref, viewed)
        yield from _send_views(state.attach(reply, request.wants, before.position, pending, request.key))
    else:
        yield AnswerClient(request.ref, viewed)
        yield from _send_views(state.attach(reply, request.wants, key=request.key))


def _leave(state: SessionState, request: LeaveRequest) -> Generator[RequestStep, Any, None]:
    attachment = state.attachments.get(request.room)
    if attachment is not None and attachment.seat is None:
        yield from _send_views(state.detach(request.room))
        yield AnswerClient(request.ref, RequestDone(request.room))
        return
    reply = yield from _ask(request.room, state.command_id(request.ref), commands.Leave())
    if reply.code:
        raise Refusal(reply.code, reply.text)
    yield from _send_views(state.detach(request.room))
    yield ForgetRooms(state.name, (request.room,))
    step = Position(reply.epoch, reply.offset) if reply.offset else None
    yield AnswerClient(request.ref, RequestDone(request.room, step))


def _send_views(views: tuple[PendingAnswer, ...]) -> Generator[RequestStep, Any, None]:
    for ref, attached in views:
        yield AnswerClient(ref, attached)


def _ask(room: RoomId, command_id: CommandId, body: RoomCommand, wants: int = 0) -> Generator[RequestStep, Any, Reply]:
    """A command and its reply, however long the cluster takes; raises `Refusal` if the command was not sent."""
    reply = cast(Reply, (yield Submit(room, command_id, body, wants)))
    if reply.code in _NOT_SENT:
        raise Refusal(reply.code)
    return reply
