"""What a session wants and takes more than one step: names, seats, the lobby, coming back."""

import asyncio
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from gateway.cluster import player_names
from gateway.cluster.command_outbox import Busy
from gateway.dialects.answers import Entered, LoggedIn, RequestDone, RoomAttached, Welcomed
from gateway.dialects.requests import (
    AttendRequest,
    CreateRequest,
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
from gateway.transports import close_codes
from shared import commands
from shared.bus import player_names as name_claims
from shared.bus.store import StoreError
from shared.commands import Enter, Envelope, RoomCommand, Watch
from shared.deliveries import Reply
from shared.errors import Rejected
from shared.ids import LOBBY, PRIVATE_ROOMS, CommandId, RoomId, SessionId
from shared.room_events import RoomSpec
from shared.room_views import Position, RoomView

if TYPE_CHECKING:
    from gateway.session.session import Session

_decode_view = msgspec.json.Decoder(RoomView).decode
_TRIES = 6
_TURNED_AWAY = ("room/full", "room/started", "room/closed", "room/unknown", "room/exists", "room/wrong_dialect")
_UNFIT = ("room/bad_seats", "room/bad_options", "game/unknown")
"""What makes a table impossible; somebody else may have asked for it."""


class Refusal(Exception):
    """The cluster said no."""

    def __init__(self, code: str, text: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.text = text


class RequestRunner:
    """One request of a session, from asking to the answer."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._desk = session.desk

    async def run(self, request: Request) -> None:
        session, ref, room = self._session, getattr(request, "ref", None), getattr(request, "room", None)
        try:
            match request:
                case LoginRequest(name=name):
                    await self._login(name)
                    session.answer(ref, LoggedIn(name))
                case HelloRequest():
                    session.answer(ref, await self._hello(request))
                case LogoutRequest():
                    session.log_out()
                case CreateRequest() | JoinRequest() | MatchRequest() | RematchRequest():
                    await self._sit_down(request)
                case ReturnRequest():
                    await self._return(request)
                case AttendRequest():
                    await self._attend(request)
                case LeaveRequest():
                    await self._leave(request)
                case _:
                    raise Refusal("frame/unknown_type")
        except Refusal as turned:
            session.answer(ref, session.refused(turned.code, turned.text, room))
        except Busy as busy:
            session.answer(ref, session.refused(str(busy), room=room))
        except StoreError:
            session.answer(ref, session.refused("busy/store", room=room))

    # --- names ------------------------------------------------------------------------------------------------------

    async def _login(self, name: str) -> None:
        session, desk = self._session, self._desk
        if not player_names.is_good(name):
            raise Refusal("name/bad")
        if session.name == name:
            return
        await self._claim(name, session.sid)
        if session.name:
            desk.let_go(session.name, session.sid, session.gateway, session.number, keep=False)
        session.name = name

    async def _claim(self, name: str, sid: SessionId) -> None:
        """Raises `Turned`. From now on the store may hold the name for this connection, whatever we hear of it."""
        session = self._session
        session.claiming = (name, sid)
        if not await player_names.claim(self._desk, name, sid, session.number):
            raise Refusal("name/taken")

    async def _hello(self, request: HelloRequest) -> Welcomed:
        desk, session = self._desk, self._session
        if session.name:
            raise Refusal("session/twice")
        rooms: tuple[RoomId, ...] = ()
        if request.token is not None:
            claims = desk.tokens.check(request.token, desk.now_ms())
            if isinstance(claims, Rejected):
                raise Refusal(claims.code)
            older = desk.by_sid.get(claims.sid)
            if older is not None and older is not session:
                older.hang_up(close_codes.REPLACED)
                older.lost()
            await self._claim(claims.name, claims.sid)
            session.sid = claims.sid
            rooms, _ = await player_names.rooms_of(desk, claims.name)
            session.name = claims.name
        else:
            await self._login(request.name or "")
        desk.by_sid[session.sid] = session
        token = desk.tokens.issue(session.sid, session.name, desk.now_ms())
        return Welcomed(session.name, session.sid, token, rooms, tuple(sorted(desk.games)))

    # --- seats ------------------------------------------------------------------------------------------------------

    async def _sit_down(self, request: CreateRequest | JoinRequest | MatchRequest | RematchRequest) -> None:
        session, desk = self._session, self._desk
        if not session.name:
            raise Refusal("session/none")
        await self._check_rooms()
        command_id = CommandId(request.ref) if session.dialect.raw else session.mint_id()
        choice = {} if isinstance(request, RematchRequest) else request.choice
        of = request.room if isinstance(request, RematchRequest) else None
        avoid: list[RoomId] = []
        refusal = Refusal("command/too_old")
        for attempt in range(_TRIES):
            found = await self._find(request, command_id, attempt, tuple(avoid))
            if found is None:
                continue
            room, spec = found
            await name_claims.note(desk.store, session.name, room)
            new = isinstance(request, CreateRequest)
            body = Enter(session.name, spec, desk.new_seed(), choice, dialect=session.dialect.name, of=of, new=new)
            reply = await self._ask(
                room, command_id, body, request.wants, lambda done: self._entered(request.ref, done, request.wants)
            )
            if not reply.code:
                return
            refusal = Refusal(reply.code, reply.text)
            await name_claims.forget(desk.store, session.name, (room,))
            if isinstance(request, JoinRequest | RematchRequest) or not _try_elsewhere(request, spec, reply.code):
                break
            avoid.append(room)
        raise refusal

    async def _find(
        self,
        request: CreateRequest | JoinRequest | MatchRequest | RematchRequest,
        command_id: CommandId,
        attempt: int,
        avoid: tuple[RoomId, ...],
    ) -> tuple[RoomId, RoomSpec | None] | None:
        """Which room to go to, and how to open it if it is not there. None: an earlier sending of this very request has
        made more attempts than this."""
        desk = self._desk
        lobby_id = CommandId(command_id * (_TRIES + 2) + attempt)
        match request:
            case JoinRequest(room=room):
                return room, None
            case CreateRequest(spec=spec):
                body: RoomCommand = commands.Open(spec, RoomId(PRIVATE_ROOMS[secrets.randbelow(len(PRIVATE_ROOMS))]))
            case MatchRequest(game=game, seats=seats, options=options, open=opened):
                dialect = self._session.dialect.name
                card = desk.games.get(game)
                if opened is not None and seats is None and card is not None and opened.seats not in card.seats:
                    opened = msgspec.structs.replace(opened, seats=min(card.seats))
                body = commands.Match(game, seats, options, dialect, opened, avoid)
            case RematchRequest(room=room):
                return await self._next_room(room, command_id)
        game = request.spec.game if isinstance(request, CreateRequest) else request.game
        if game not in desk.games:
            await desk.learn_games()
        if game not in desk.games:
            raise Refusal("game/unknown" if desk.games else "busy/workers")
        reply = await self._ask(LOBBY, lobby_id, body)
        if reply.code == "command/too_old":
            return None
        if reply.code:
            raise Refusal(reply.code, reply.text)
        assert reply.to is not None
        return reply.to, reply.spec

    async def _next_room(self, room: RoomId, command_id: CommandId) -> tuple[RoomId, RoomSpec | None]:
        """The players of a finished game agree on the room of the next one: whoever asks first names it."""
        private = RoomId(PRIVATE_ROOMS[secrets.randbelow(len(PRIVATE_ROOMS))])
        agreed = await self._ask(room, command_id, commands.Rematch(private))
        if agreed.code:
            raise Refusal(agreed.code, agreed.text)
        assert agreed.to is not None
        return agreed.to, agreed.spec

    async def _check_rooms(self) -> None:
        """A player sits in so many running rooms at most; those that are over are forgotten."""
        session, desk = self._session, self._desk
        if len(await name_claims.rooms(desk.store, session.name)) < desk.settings.rooms_per_player:
            return
        kept, over = await player_names.rooms_of(desk, session.name)
        await name_claims.forget(desk.store, session.name, over)
        if len(kept) >= desk.settings.rooms_per_player:
            raise Refusal("session/too_many_rooms")

    async def _return(self, request: ReturnRequest) -> None:
        """Back to the seat of a lost player, by name alone."""
        session, desk = self._session, self._desk
        if request.room is not None:
            candidates = [request.room]
        else:
            noted = await name_claims.rooms(desk.store, request.name)
            found = [await player_names.keeps(desk, room, request.name) for room in noted]
            going_on = [listing.room for listing in found if listing is not None and listing.game == request.game]
            over = [room for room, listing in zip(noted, found, strict=True) if listing is None]
            candidates = going_on or over[-1:]
        refusal = Refusal("room/unknown")
        for room in candidates:
            body = Enter(request.name, by_name=True)
            reply = await self._ask(room, session.mint_id(), body, 0, lambda done: self._came_back(request, done))
            if reply.code:
                refusal = Refusal(reply.code, reply.text)
                continue
            await name_claims.note(desk.store, request.name, room)
            await player_names.take_over(desk, request.name, session.sid, session.number)
            return
        raise refusal

    def _came_back(self, request: ReturnRequest, reply: Reply) -> None:
        self._session.name = request.name
        self._entered(request.ref, reply, 0, back=True)

    def _entered(self, ref: Any, reply: Reply, wants: int, *, back: bool = False) -> None:
        """Called while the answer is being handed out, so that the steps right behind it find us attending."""
        session = self._session
        if session.dialect.raw:
            view = bytes(reply.view)
            session.answer(ref, RoomAttached(reply.room, reply.seat, reply.epoch, reply.offset, view))
        else:
            assert reply.seat is not None
            session.answer(ref, Entered(reply.room, reply.seat, _decode_view(reply.view), back))
        session.attach(reply, wants)

    # --- attending --------------------------------------------------------------------------------------------------

    async def _attend(self, request: AttendRequest) -> None:
        """A view of the room, or what was missed since a position."""
        session = self._session
        if not session.name:
            raise Refusal("session/none")
        body = Watch(view=request.after is None)
        reply = await self._ask(
            request.room, CommandId(request.ref), body, request.wants, lambda done: self._attending(request, done)
        )
        if reply.code:
            raise Refusal(reply.code, reply.text)

    def _attending(self, request: AttendRequest, reply: Reply) -> None:
        session, after = self._session, request.after
        if after is not None:
            self._desk.metrics.resumed("asked")
            session.answer(request.ref, RoomAttached(reply.room, reply.seat, after.epoch, after.offset, None))
            session.attach(reply, request.wants, after)
            return
        viewed = RoomAttached(reply.room, reply.seat, reply.epoch, reply.offset, bytes(reply.view))
        before = session.attachments.get(reply.room)
        if before is not None and not before.stale and before.seat == reply.seat and before.offset < reply.offset:

            def give(reason: str) -> None:
                session.answer(request.ref, msgspec.structs.replace(viewed, reason=reason))

            session.attach(reply, request.wants, before.position, give)
        else:
            session.answer(request.ref, viewed)
            session.attach(reply, request.wants)

    async def _leave(self, request: LeaveRequest) -> None:
        session = self._session
        attachment = session.attachments.get(request.room)
        if attachment is not None and attachment.seat is None:
            session.detach(attachment)
            session.answer(request.ref, RequestDone(request.room))
            return
        command_id = CommandId(request.ref) if session.dialect.raw else session.mint_id()
        reply = await self._ask(request.room, command_id, commands.Leave())
        if reply.code:
            raise Refusal(reply.code, reply.text)
        if attachment is not None:
            session.detach(attachment)
        await name_claims.forget(self._desk.store, session.name, (request.room,))
        step = Position(reply.epoch, reply.offset) if reply.offset else None
        session.answer(request.ref, RequestDone(request.room, step))

    # --- asking -----------------------------------------------------------------------------------------------------

    async def _ask(
        self,
        room: RoomId,
        command_id: CommandId,
        body: RoomCommand,
        wants: int = 0,
        on_success: Callable[[Reply], None] | None = None,
    ) -> Reply:
        """A command and its answer, however long the cluster takes; raises `Busy` if it was not even sent.

        `on_success` is called at once, before anything that the room says after its answer is handed out."""
        desk, session = self._desk, self._session
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

        def replied(reply: Reply) -> None:
            if future.done() or session.closed:
                if not reply.code and isinstance(body, Enter | Watch):
                    session.turn_away(room)
                return
            if not reply.code and on_success is not None:
                on_success(reply)
            future.set_result(reply)

        envelope = Envelope(room, session.sid, command_id, body, desk.gateway, session.number, desk.new_trace(), wants)
        desk.outgoing.send(envelope, replied)
        return await future


def _try_elsewhere(request: CreateRequest | MatchRequest, spec: RoomSpec | None, code: str) -> bool:
    """Whether a player who was turned away should be led to another table."""
    return code in _TURNED_AWAY or (isinstance(request, MatchRequest) and spec != request.open and code in _UNFIT)
