"""Requests for a seat: at a named table, a new one, one that the lobby finds, the next one of the same players, or the
seat that a player has lost. They are generators, see gateway/session/requests.py."""

from collections.abc import Generator, Mapping
from typing import Any, TypeAlias

import msgspec

from gateway.dialects.answers import Entered, ViewReason
from gateway.dialects.requests import CreateRequest, JoinRequest, MatchRequest, RematchRequest, ReturnRequest
from gateway.session.effects import (
    Draw,
    FindKeptRooms,
    ForgetRooms,
    NoteRoom,
    ReadGames,
    ReadNotedRooms,
    TakeOverName,
)
from gateway.session.request_steps import (
    AnswerClient,
    Refusal,
    RequestStep,
    ask,
    attach_with_view,
    reason_of_view,
    send_views,
    view_of,
)
from gateway.session.state import ReturnByName, SessionState
from shared import commands
from shared.bus.meta import GameCard
from shared.commands import Enter, RoomCommand
from shared.deliveries import Reply
from shared.errors import ErrorCode
from shared.ids import LOBBY, PRIVATE_ROOMS, CommandId, RoomId
from shared.room_events import RoomSpec
from shared.room_views import Listing, RoomView

_decode_view = msgspec.json.Decoder(RoomView).decode
_ENTERED_KEPT = 8
"""Answered requests for a seat of which copies are recognized. Copies come soon after the answer or never."""
_ATTEMPTS = 6
"""Tables that a player is led to before the request is refused."""
_SEED_LIMIT = 2**62
_KEY_BITS = 96
"""Unpredictable bits in the key of a private room."""
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


class Destination(msgspec.Struct, frozen=True):
    """The room to enter, how to open it if it does not exist, and its key if it is private."""

    room: RoomId
    spec: RoomSpec | None = None
    key: str = ""


SeatRequest: TypeAlias = CreateRequest | JoinRequest | MatchRequest | RematchRequest


def take_seat(state: SessionState, request: SeatRequest) -> Generator[RequestStep, Any, None]:
    if not state.name:
        raise Refusal("session/none")
    for ref, room in state.entered:
        if ref == request.ref:
            yield from _answer_again(state, request, room)
            return
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
        seen = state.seen(room)
        reply = yield from ask(room, command_id, _enter(state, request, found, seed), request.wants)
        if not reply.code:
            if state.dialect.raw:
                state.entered = (*state.entered, (request.ref, room))[-_ENTERED_KEPT:]
            yield from _entered(state, request.ref, reply, request.wants, reason_of_view(seen, reply))
            return
        refusal = Refusal(reply.code, reply.text)
        yield ForgetRooms(state.name, (room,))
        if not _may_try_elsewhere(request, found.spec, reply.code):
            break
        avoid.append(room)
    raise refusal


def _answer_again(state: SessionState, request: SeatRequest, room: RoomId) -> Generator[RequestStep, Any, None]:
    """Answer a copy of a request that was answered with this room. The lobby must not be asked: if the client has left
    the room, or the store has lost it, the lobby would find another seat, and the request would be carried out
    twice."""
    attachment = state.attachments.get(room)
    if attachment is None or attachment.seat is None:
        raise Refusal("command/too_old")
    seen, watch = attachment.position, commands.Watch(key=attachment.key, again=attachment.command)
    reply = yield from ask(room, state.command_id(request.ref), watch, request.wants)
    if reply.code:
        raise Refusal(reply.code, reply.text)
    reason = reason_of_view(seen, reply)
    if reason:  # a client may ignore a second answer, but not that the store has lost steps which it has seen
        yield AnswerClient(None, view_of(reply, reason))
    yield from _entered(state, request.ref, reply, request.wants, reason)


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
    reply = yield from ask(LOBBY, CommandId(command_id * (_ATTEMPTS + 2) + attempt), body)
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
    reply = yield from ask(room, command_id, commands.Rematch(private, key))
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


def return_to_seat(state: SessionState, request: ReturnRequest) -> Generator[RequestStep, Any, None]:
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
        reply = yield from ask(room, state.mint_id(), enter)
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
    state: SessionState, ref: Any, reply: Reply, wants: int, reason: ViewReason = "", *, back: bool = False
) -> Generator[RequestStep, Any, None]:
    if state.dialect.raw:
        yield from attach_with_view(state, ref, reply, wants, reason)
        return
    assert reply.seat is not None
    yield AnswerClient(ref, Entered(reply.room, reply.seat, _decode_view(reply.view), back))
    yield from send_views(state.attach(reply, wants))
