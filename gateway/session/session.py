"""One connection's conversation with the cluster, without IO of its own: frames in, commands and frames out.

The dialect's conversation says what it wants; the session has it done (gateway/session/requests.py for what takes
several steps) and brings back the answers and the steps of rooms. Commands of play take a short way that never waits.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from gateway.cluster.command_outbox import Busy
from gateway.cluster.feeds import Attachment, PendingView
from gateway.desk import Desk
from gateway.dialects.answers import Answer, Refused, RoomAttached, RoomsChanged
from gateway.dialects.contract import DeliveredStep, Dialect, Opening
from gateway.dialects.requests import (
    ActRequest,
    CloseConnection,
    ConfigureRequest,
    CountRejection,
    LogoutRequest,
    Output,
    Request,
    SayRequest,
    WatchRoomsRequest,
)
from gateway.session.requests import RequestRunner
from gateway.transports import close_codes
from gateway.transports.close_codes import CloseCode
from gateway.transports.contract import Transport
from gateway.transports.limits import TokenBucket
from shared import commands
from shared.commands import Envelope, Gone, RoomCommand, Unwatch, Watch
from shared.deliveries import Reply, StepMessage
from shared.errors import CODES, ErrorCode
from shared.ids import CommandId, Epoch, Offset, RoomId, SessionId
from shared.room_views import Listing, Position

log = logging.getLogger("tavolata.session")

_encode = msgspec.json.Encoder().encode
_MOST_ERRANDS = 256
_MOST_GARBAGE = 10_000
"""Of one connection at once, beyond what it may send: then it is not worth an answer."""


class Session:
    """What this gateway knows of one connection."""

    def __init__(self, desk: Desk, transport: Transport, dialect: Dialect, opening: Opening, address: str) -> None:
        self.desk = desk
        self.number = desk.next_connection()
        self.gateway = desk.gateway
        """The id that names and rooms know this connection by, whatever the gateway is called later."""
        self.dialect = dialect
        self.address = address
        self.sid: SessionId = desk.new_session_id()
        self.name = ""
        self.claiming = ("", self.sid)
        """The name that was asked for last, and for which session: the store may hold it, though we never heard so."""
        self.closed = False
        self._departed = False
        self.heard = desk.now()
        self.slow_since: float | None = None
        self.attachments: dict[RoomId, Attachment] = {}
        self._transport = transport
        self._spectators_share = desk.settings.outbox_bytes // 4
        """Spectators are shed before players."""
        self._bucket = TokenBucket(desk.settings.rate, desk.settings.burst, self.heard)
        self._garbage = TokenBucket(desk.settings.rate, _MOST_GARBAGE, self.heard)
        self._outbox: list[bytes] = []
        self._refs: dict[tuple[RoomId, CommandId], Any] = {}
        """What the dialect calls a command on its way; clients of a raw one number them themselves."""
        self._last_id = 0
        self._errands: deque[Request] = deque()
        self._runner: asyncio.Task[None] | None = None
        self._conversation = dialect.converse(opening)

    # --- from the client --------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Begin the conversation, or say at once that there are too many."""
        self.desk.opened(self)
        if self.desk.crowd.enter(self.address):
            self.carry_out(self._conversation.open())
        else:
            self.garbage("busy/connections")
            self.hang_up(close_codes.CROWDED)

    def receive(self, frame: bytes) -> None:
        now = self.heard = self.desk.now()
        if self.closed:
            return
        if self._bucket.take(now):
            self.carry_out(self._conversation.receive(frame))
        else:
            self.garbage("busy/rate", frame)

    def garbage(self, code: ErrorCode, frame: bytes = b"") -> None:
        if self.closed:
            return
        self.desk.metrics.rejected(code)
        self.carry_out(self._conversation.invalid_frame(code, frame))
        if not self._garbage.take(self.desk.now()):
            log.info("connection %d of %s sends far too much and is closed", self.number, self.address)
            self.hang_up(close_codes.FLOOD)

    def tick(self, now_ms: int) -> None:
        self.carry_out(self._conversation.tick(now_ms))

    @property
    def tick_ms(self) -> int:
        return self._conversation.tick_ms

    def lost(self) -> None:
        """The connection is gone, whoever closed it."""
        if self.desk.sessions.get(self.number) is not self:
            return
        self.closed = True
        self._depart()
        self.desk.closed(self)

    def _depart(self) -> None:
        """Nobody is served here any more: rooms and the name hear of it at once, even if the socket takes its time."""
        if self._departed:
            return
        self._departed = True
        if self._runner is not None:
            self._runner.cancel()
        for room in self.desk.outgoing.abandon(self.number):
            if room not in self.attachments:
                self.turn_away(room)
        for attachment in list(self.attachments.values()):
            self.detach(attachment, told=False)
        for name, sid in dict.fromkeys(((self.name, self.sid), self.claiming)):
            if name:
                self.desk.let_go(name, sid, self.gateway, self.number, keep=self.dialect.raw)

    def log_out(self) -> None:
        """The name is free again, unless a room keeps it."""
        if self.name:
            self.desk.let_go(self.name, self.sid, self.gateway, self.number, keep=False)
            self.name = ""

    # --- to the client ----------------------------------------------------------------------------------------------

    def write(self, frame: bytes) -> None:
        if not self._outbox:
            self.desk.flush_soon(self)
        self._outbox.append(frame)

    def flush(self) -> None:
        outbox, self._outbox = self._outbox, []
        if outbox and not self.closed:
            self._transport.send(outbox)

    def hang_up(self, why: CloseCode) -> None:
        """Send what was said so far, and close."""
        if self.closed:
            return
        self.flush()
        self.closed = True
        self._transport.close(why)
        asyncio.get_running_loop().call_soon(self._depart)

    def buffered(self) -> int:
        return self._transport.buffered()

    def pause(self) -> None:
        """The client does not read as fast as we write."""
        self.slow_since = self.desk.now()
        self.desk.slow.add(self)

    def resume(self) -> None:
        """It has caught up: what it was spared is replaced by fresh views."""
        self.slow_since = None
        self.desk.slow.discard(self)
        for attachment in self.attachments.values():
            if attachment.stale:
                self.refresh(attachment, "slow")

    def check_life(self, now: float) -> None:
        """Called now and then: a client that is silent is pinged, one that stays so, or never reads, is closed."""
        settings = self.desk.settings
        if self.slow_since is not None and not self._transport.buffered():
            self.resume()
        slow_ms = 0.0 if self.slow_since is None else (now - self.slow_since) * 1_000
        if slow_ms > settings.write_ms:
            if not self.closed:
                log.info("connection %d of %s reads too slowly and is closed", self.number, self.address)
            self.hang_up(close_codes.SLOW)
            if slow_ms > settings.write_ms * 2:
                self._transport.abort()
            return
        silent_ms = (now - self.heard) * 1_000
        if not settings.ping_ms or silent_ms < settings.ping_ms or not self._transport.ping():
            return
        if silent_ms > settings.ping_ms * 3:
            self.hang_up(close_codes.SILENT)
            self._transport.abort()

    # --- carrying out what the conversation wants ---------------------------------------------------------------------

    def carry_out(self, outs: Iterable[Output]) -> None:
        for out in outs:
            if isinstance(out, bytes):  # these two are frequent, and `match` is slow
                self.write(out)
                continue
            if type(out) is ActRequest and not self._errands:
                self.command(out)
                continue
            match out:
                case SayRequest() | ConfigureRequest() if not self._errands:
                    self.command(out)
                case LogoutRequest() if not self._errands:
                    self.log_out()
                case CloseConnection(close_code=close_code):
                    self.hang_up(close_code)
                    return
                case CountRejection(code=complaint):
                    self.desk.metrics.rejected(complaint)
                case WatchRoomsRequest(game=game, on=on):
                    self._watch_rooms(game, on)
                case _:
                    self._queue(out)

    def command(self, request: ActRequest | SayRequest | ConfigureRequest) -> None:
        """A command from a seat: on its way at once, answered later."""
        body: RoomCommand
        if type(request) is ActRequest:
            command = request.command
            body = commands.Act(command if type(command) is msgspec.Raw else msgspec.Raw(_encode(command)))
        elif type(request) is SayRequest:
            body = commands.Say(request.text, request.to)
        else:
            body = commands.Configure(request.seats, request.options)
        desk, room = self.desk, request.room
        if self.dialect.raw:
            command_id = request.ref
        else:
            command_id = self.mint_id()
            self._refs[room, command_id] = request.ref
        envelope = Envelope(room, self.sid, command_id, body, desk.gateway, self.number, desk.new_trace())
        try:
            desk.outgoing.send(envelope, self._replied, self._applied)
        except Busy as busy:
            self._refs.pop((room, command_id), None)
            self.answer(request.ref, self.refused(str(busy), room=room))

    def mint_id(self) -> CommandId:
        self._last_id += 1
        return CommandId(self._last_id)

    def _queue(self, request: Request) -> None:
        """What takes several steps is done one after the other, in the order it was asked for."""
        if len(self._errands) >= _MOST_ERRANDS:
            room = getattr(request, "room", None)
            self.answer(getattr(request, "ref", None), self.refused("busy/rate", room=room))
            return
        self._errands.append(request)
        if self._runner is None:
            self._runner = asyncio.get_running_loop().create_task(self._run_errands())

    async def _run_errands(self) -> None:
        try:
            while self._errands and not self.closed:
                request = self._errands[0]
                if isinstance(request, ActRequest | SayRequest | ConfigureRequest):
                    self.command(request)
                else:
                    await RequestRunner(self).run(request)
                self._errands.popleft()
        except Exception:
            log.exception("connection %d: carrying out %s failed", self.number, type(request).__name__)
            self.hang_up(close_codes.BROKEN)
        finally:
            self._runner = None

    def _watch_rooms(self, game: str, on: bool) -> None:
        rooms = self.desk.rooms
        if not on:
            rooms.unwatch(self)
            return
        rooms.watch(self, game, self._rooms_changed)
        self._rooms_changed({})

    def _rooms_changed(self, changed: Mapping[RoomId, Listing | None]) -> None:
        self.carry_out(self._conversation.rooms_changed(RoomsChanged(changed)))

    # --- answers ----------------------------------------------------------------------------------------------------

    def answer(self, ref: Any, answer: Answer) -> None:
        if isinstance(answer, Refused):
            self.desk.metrics.rejected(answer.code)
        self.carry_out(self._conversation.answer(ref, answer))

    def refused(self, code: str, text: str = "", room: RoomId | None = None) -> Refused:
        return Refused(code, text or CODES.get(code, code), room)

    def _replied(self, reply: Reply) -> None:
        """The answer to a command from a seat."""
        if not reply.code:
            self._applied(reply.id, reply.room, reply.epoch, reply.offset)
            return
        ref = reply.id if self.dialect.raw else self._refs.pop((reply.room, reply.id), None)
        self.answer(ref, self.refused(reply.code, reply.text, reply.room))

    def _applied(self, command_id: CommandId, room: RoomId, epoch: Epoch, offset: Offset) -> None:
        if self.dialect.ack is not None:
            self.write(self.dialect.ack(command_id, room, epoch, offset))

    # --- rooms ------------------------------------------------------------------------------------------------------

    def attach(
        self, reply: Reply, wants: int, position: Position | None = None, give: Callable[[str], None] | None = None
    ) -> None:
        """From the step of this answer on (or from an earlier position), the room is ours to attend to. `give` hands
        out the answer's view as soon as all steps up to it were told."""
        before = self.attachments.get(reply.room)
        if before is not None:
            self.desk.hub.detach(before)
            if before.due is not None:
                give = _both(before.due.give, give)
        top = Position(reply.epoch, reply.offset)
        at = position or top
        due = None if give is None or at == top else PendingView(top, give)
        if give is not None and due is None:
            give("")
        attachment = Attachment(self, reply.room, reply.seat, wants, at.epoch, at.offset, reply.since, due=due)
        self.attachments[reply.room] = attachment
        self.desk.hub.attach(attachment, top)

    def detach(self, attachment: Attachment, *, told: bool = True) -> None:
        """Stop attending; the room is told that a connection is gone, unless it knows."""
        self.attachments.pop(attachment.room, None)
        if attachment.due is not None:
            attachment.due.give("")
        last_spectator = self.desk.hub.detach(attachment)
        if attachment.seat is not None and not told:
            self.desk.send_own(attachment.room, self.sid, self.number, Gone())
        elif last_spectator:
            self._unwatch(attachment.room)

    def turn_away(self, room: RoomId) -> None:
        """The room takes, or may take, a connection for present that is gone."""
        self.desk.send_own(room, self.sid, self.number, Gone())
        if not self.desk.hub.spectated(room):
            self._unwatch(room)

    def _unwatch(self, room: RoomId) -> None:
        """Nobody looks on here any more; unless somebody else is on the way: that must not be undone."""
        if not self.desk.outgoing.others_come(room, self.number):
            self.desk.send_own(room, self.sid, self.number, Unwatch())

    def deliver(self, attachment: Attachment, told: StepMessage, raw: bytes) -> None:
        if attachment.seat is None and self.slow_since is None and self._transport.buffered() > self._spectators_share:
            self.pause()
        if self.slow_since is None:
            if self.dialect.raw:
                self.write(raw)
            else:
                self._translate(attachment, told, raw)
            return
        attachment.stale = True
        if not self.dialect.raw:
            self.hang_up(close_codes.SLOW)

    def _translate(self, attachment: Attachment, told: StepMessage, raw: bytes) -> None:
        try:
            step = DeliveredStep(raw)
            update = step.update
            ref = None
            if update.id is not None and update.by == attachment.seat and (update.room, update.id) in self._refs:
                ref = self._refs.pop((update.room, update.id))
                self.desk.settled(self.number, update.room, update.id)
            self.carry_out(self._conversation.deliver(step, ref))
        except Exception:  # a mistake in one conversation must not cost the others that are told of the step
            log.exception("connection %d: telling step %s of room %s failed", self.number, told.offset, told.room)
            self.hang_up(close_codes.BROKEN)

    def lost_track(self, attachment: Attachment, reason: str) -> None:
        self.desk.metrics.resumed(reason)
        if self.dialect.raw:
            self.refresh(attachment, reason)
        else:
            self.hang_up(close_codes.LOST_TRACK)

    def refresh(self, attachment: Attachment, reason: str) -> None:
        """Ask the owner for a fresh view, unless there is one at hand."""
        due, attachment.due = attachment.due, None
        if due is not None:
            due.give(reason)
            self.desk.hub.refreshed(attachment, due.top.epoch, due.top.offset)
            return

        def viewed(reply: Reply) -> None:
            if self.closed or reply.code or self.attachments.get(attachment.room) is not attachment:
                return
            attachment.seat = reply.seat
            self.desk.hub.refreshed(attachment, reply.epoch, reply.offset)
            attending = RoomAttached(reply.room, reply.seat, reply.epoch, reply.offset, bytes(reply.view), reason)
            self.carry_out(self._conversation.answer(None, attending))

        attachment.stale = True
        self.desk.send_own(attachment.room, self.sid, self.number, Watch(), viewed, attachment.wants)


def _both(first: Callable[[str], None], second: Callable[[str], None] | None) -> Callable[[str], None]:
    """Views that wait for the same steps."""

    def give(reason: str) -> None:
        first(reason)
        if second is not None:
            second(reason)

    return give
