"""Performs the effects of sessions on the cluster: rooms, names, tokens, games. Frames and commands are performed by
the connection itself (gateway/connection.py), because they are frequent."""

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, assert_never

from gateway.cluster.background import BackgroundTasks
from gateway.cluster.command_outbox import CommandOutbox, CommandSender
from gateway.cluster.feeds import Feeds
from gateway.cluster.game_cards import GameCards
from gateway.cluster.identity import IdSource
from gateway.cluster.player_names import PlayerNames
from gateway.cluster.revocations import Revocations
from gateway.cluster.room_directory import DirectoryWatcher, RoomDirectory
from gateway.cluster.tokens import LATE_MS, Claims, Tokens
from gateway.dialects.requests import CountRejection
from gateway.metrics import Metrics
from gateway.session.attachments import Follower
from gateway.session.effects import (
    Attach,
    CheckToken,
    ClaimName,
    Close,
    CloseReplaced,
    CompleteCommand,
    CountResume,
    Detach,
    Draw,
    Effect,
    FindKeptRooms,
    ForgetRooms,
    IssueToken,
    NoteRoom,
    Question,
    ReadGames,
    ReadNotedRooms,
    Refresh,
    RegisterSession,
    ReleaseName,
    Reposition,
    RevokeSession,
    RoomEffect,
    StoreQuestion,
    Submit,
    TakeOverName,
    UnwatchRooms,
    WatchRooms,
    Withdraw,
)
from gateway.transports import close_codes
from gateway.transports.close_codes import CloseCode
from shared.bus.store import StoreError
from shared.commands import Gone, Unwatch, Watch
from shared.deliveries import Reply
from shared.errors import ErrorCode, Rejected
from shared.ids import GatewayId, RoomId, SessionId

log = logging.getLogger("tavolata.session")


class Performed(CommandSender, Follower, DirectoryWatcher, Protocol):
    """The connection that effects are performed for."""

    number: int
    sid: SessionId
    gateway: GatewayId
    """The id that the gateway had when the connection was opened: name claims and rooms hold this id."""

    def close(self, close_code: CloseCode) -> None: ...
    def lost(self) -> None: ...
    def resume(self, result: object) -> None:
        """The result of a question."""

    def fail(self, code: ErrorCode) -> None:
        """A question could not be answered."""

    def asking(self, work: Coroutine[Any, Any, None]) -> None:
        """Run the work that answers a question, until the connection goes."""


@dataclass(frozen=True, slots=True)
class ClusterServices:
    """The parts of the gateway that effects are performed on."""

    outbox: CommandOutbox
    feeds: Feeds
    rooms: RoomDirectory
    names: PlayerNames
    games: GameCards
    tokens: Tokens
    revocations: Revocations
    metrics: Metrics
    ids: IdSource
    tasks: BackgroundTasks
    now_ms: Callable[[], int]


class EffectPerformer:
    """Performs the effects of all sessions of one gateway."""

    def __init__(self, services: ClusterServices) -> None:
        self._services = services
        self._by_sid: dict[SessionId, Performed] = {}

    def perform(self, connection: Performed, effect: Effect) -> None:
        match effect:
            case CountRejection(code=code):
                self._services.metrics.rejected(code)
            case CountResume(outcome=outcome):
                self._services.metrics.resumed(outcome)
            case CompleteCommand():
                reply = Reply(connection.number, effect.room, effect.id, "", "", effect.epoch, effect.offset)
                self._services.outbox.answer(reply)
            case Attach() | Detach() | Withdraw() | Refresh() | Reposition() | WatchRooms() | UnwatchRooms():
                self._perform_on_rooms(connection, effect)
            case ReleaseName(name=name, sid=sid, keep=keep):
                release = self._services.names.release(name, sid, connection.gateway, connection.number, keep=keep)
                self._services.tasks.spawn(release)
            case CloseReplaced(sid=sid):
                self._close_replaced(connection, sid)
            case RegisterSession(sid=sid):
                connection.sid = sid
                self._by_sid[sid] = connection
            case bytes() | Submit() | Close():
                raise AssertionError("the connection performs these itself")
            case _:
                self._answer(connection, effect)

    def forget(self, connection: Performed) -> None:
        """Drop what is kept for a connection that is closed."""
        if self._by_sid.get(connection.sid) is connection:
            del self._by_sid[connection.sid]
        self._services.rooms.unwatch(connection)

    def close_session(self, sid: SessionId, close_code: CloseCode) -> None:
        """Close the connection of this session at this gateway, if there is one."""
        connection = self._by_sid.get(sid)
        if connection is not None:
            connection.close(close_code)

    def _close_replaced(self, connection: Performed, sid: SessionId) -> None:
        older = self._by_sid.get(sid)
        if older is not None and older is not connection:
            older.close(close_codes.REPLACED)
            older.lost()

    # --- rooms --------------------------------------------------------------------------------------------------------

    def _perform_on_rooms(self, connection: Performed, effect: RoomEffect) -> None:
        match effect:
            case Attach(attachment=attachment, top=top):
                self._services.feeds.attach(attachment, top, connection)
            case Detach(attachment=attachment, gone=gone):
                was_last_spectator = self._services.feeds.detach(attachment)
                if attachment.seat is not None and gone:
                    self._report_gone(connection, attachment.room)
                elif was_last_spectator:
                    self._unwatch(connection, attachment.room)
            case Withdraw(room=room):
                self._report_gone(connection, room)
                if not self._services.feeds.has_spectator(room):
                    self._unwatch(connection, room)
            case Refresh(attachment=attachment):
                attachment.refresh_id = self._services.outbox.send_own(
                    attachment.room,
                    connection.sid,
                    connection.number,
                    Watch(key=attachment.key),
                    connection,
                    attachment.wants,
                )
            case Reposition(attachment=attachment, position=position):
                self._services.feeds.reposition(attachment, position)
            case WatchRooms(game=game):
                self._services.rooms.watch(connection, game)
            case UnwatchRooms():
                self._services.rooms.unwatch(connection)
            case _:
                assert_never(effect)

    def _report_gone(self, connection: Performed, room: RoomId) -> None:
        self._services.outbox.send_own(room, connection.sid, connection.number, Gone())

    def _unwatch(self, connection: Performed, room: RoomId) -> None:
        """The gateway has no spectator of the room any more. If another one is about to come, the room must not be
        notified: it might carry out the Unwatch after the other's Watch."""
        if not self._services.outbox.expects_spectator(room, connection.number):
            self._services.outbox.send_own(room, connection.sid, connection.number, Unwatch())

    # --- questions ----------------------------------------------------------------------------------------------------

    def _answer(self, connection: Performed, question: Question) -> None:
        match question:
            case IssueToken(sid=sid, name=name):
                connection.resume(self._services.tokens.issue(sid, name, self._services.now_ms()))
            case Draw(limit=limit):
                connection.resume(self._services.ids.draw(limit))
            case RevokeSession():
                # Not ended with the connection: a client may say that its tokens are to be invalid, and be gone.
                self._services.tasks.spawn(self._read_and_resume(connection, question))
            case _:
                connection.asking(self._read_and_resume(connection, question))

    def _read(self, connection: Performed, question: StoreQuestion) -> Coroutine[Any, Any, object]:
        """The work that answers a question from the store."""
        names = self._services.names
        match question:
            case ClaimName(name=name, sid=sid, token=token, presented=presented):
                return names.claim(name, sid, connection.gateway, connection.number, token=token, presented=presented)
            case TakeOverName(name=name, sid=sid):
                return names.take_over(name, sid, connection.gateway, connection.number)
            case ReadNotedRooms(name=name):
                return names.noted_rooms(name)
            case FindKeptRooms(name=name, rooms=rooms):
                return names.kept_rooms(name, rooms)
            case NoteRoom(name=name, room=room):
                return names.note(name, room)
            case ForgetRooms(name=name, rooms=rooms):
                return names.forget(name, rooms)
            case ReadGames(wanted=wanted):
                return self._services.games.including(wanted)
            case CheckToken(token=token):
                return self._check_token(token)
            case RevokeSession(sid=sid):
                return self._services.revocations.revoke(sid)
            case _:
                assert_never(question)

    async def _check_token(self, token: str) -> tuple[SessionId, str] | Rejected:
        claims = self._services.tokens.check(token, self._services.now_ms())
        if isinstance(claims, Rejected) and claims.code == "token/expired":
            claims = await self._check_late(token, claims)
        claims = await self._services.revocations.check(claims)
        return claims if isinstance(claims, Rejected) else (claims.sid, claims.name)

    async def _check_late(self, token: str, refused: Rejected) -> Claims | Rejected:
        """Accept a token that has expired if a room with long turns waits for its session."""
        claims = self._services.tokens.check(token, self._services.now_ms(), LATE_MS)
        awaited = isinstance(claims, Claims) and await self._services.names.is_awaited(claims.name, claims.sid)
        return claims if awaited else refused

    async def _read_and_resume(self, connection: Performed, question: StoreQuestion) -> None:
        try:
            result = await self._read(connection, question)
        except StoreError:
            connection.fail("busy/store")
            return
        except Exception:
            log.exception("connection %d: a question to the store failed", connection.number)
            connection.close(close_codes.BROKEN)
            return
        connection.resume(result)
