"""Requests that need several round trips: logging in, resuming, watching, leaving. Those for a seat are in
gateway/session/seat_requests.py.

Each is a generator without IO. It yields a command or a question and is resumed with the reply or the result; it yields
`AnswerClient` to send an answer. A generator runs synchronously from a reply to its next question, so the steps that
follow a reply in the same delivery find the session attached.
"""

from collections.abc import Generator, Mapping
from typing import Any
from unicodedata import normalize

from gateway.dialects.answers import LoggedIn, RequestDone, RoomAttached, SessionForgotten, Welcomed
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
from gateway.session.effects import (
    CheckToken,
    ClaimName,
    CloseReplaced,
    CountResume,
    FindKeptRooms,
    ForgetRooms,
    IssueToken,
    ReadGames,
    ReadNotedRooms,
    RegisterSession,
    ReleaseName,
    RevokeSession,
)
from gateway.session.request_steps import (
    AnswerClient,
    Refusal,
    RequestStep,
    ask,
    attach_with_view,
    reason_of_view,
    send_views,
)
from gateway.session.seat_requests import return_to_seat, take_seat
from gateway.session.state import SessionState
from shared import commands, name_rules
from shared.bus.meta import GameCard
from shared.commands import Watch
from shared.errors import Rejected
from shared.ids import CommandId, RoomId, SessionId
from shared.room_views import Listing, Position


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
            yield from take_seat(state, request)
        case ReturnRequest():
            yield from return_to_seat(state, request)
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


# --- watching and leaving ---------------------------------------------------------------------------------------------


def _watch(state: SessionState, request: AttendRequest) -> Generator[RequestStep, Any, None]:
    """A view of the room, or the steps after a position."""
    if not state.name:
        raise Refusal("session/none")
    after = request.after
    watch = Watch(after is None, request.key)
    seen = state.seen(request.room)
    reply = yield from ask(request.room, CommandId(request.ref), watch, request.wants)
    if reply.code:
        raise Refusal(reply.code, reply.text)
    if after is not None:
        state.effects.append(CountResume("asked"))
        resumed = RoomAttached(reply.room, reply.seat, after.epoch, after.offset, None, key=reply.key)
        yield AnswerClient(request.ref, resumed)
        yield from send_views(state.attach(reply, request.wants, after, key=request.key))
        return
    yield from attach_with_view(state, request.ref, reply, request.wants, reason_of_view(seen, reply), request.key)


def _leave(state: SessionState, request: LeaveRequest) -> Generator[RequestStep, Any, None]:
    attachment = state.attachments.get(request.room)
    if attachment is not None and attachment.seat is None:
        yield from send_views(state.detach(request.room))
        yield AnswerClient(request.ref, RequestDone(request.room))
        return
    reply = yield from ask(request.room, state.command_id(request.ref), commands.Leave())
    if reply.code:
        raise Refusal(reply.code, reply.text)
    yield from send_views(state.detach(request.room))
    yield ForgetRooms(state.name, (request.room,))
    step = Position(reply.epoch, reply.offset) if reply.offset else None
    yield AnswerClient(request.ref, RequestDone(request.room, step))
