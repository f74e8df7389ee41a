"""One client's connection: passes input to its session, performs the effects, limits rates, sheds slow clients."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from gateway.cluster.background import BackgroundTasks
from gateway.cluster.command_outbox import CommandOutbox
from gateway.cluster.identity import GatewayIdentity
from gateway.dialects.answers import RoomsChanged, ViewReason
from gateway.dialects.contract import DeliveredStep
from gateway.performer import EffectPerformer
from gateway.session.attachments import Attachment
from gateway.session.effects import Close, Effect, Submit
from gateway.session.session import Session
from gateway.transports import close_codes
from gateway.transports.close_codes import CloseCode
from gateway.transports.contract import Transport
from gateway.transports.limits import RateLimit
from shared.commands import Envelope, Watch
from shared.deliveries import Reply
from shared.errors import ErrorCode
from shared.ids import GatewayId
from shared.runtime.settings import GatewaySettings

log = logging.getLogger("tavolata.session")

_MOST_INVALID = 10_000
"""Invalid or excessive frames of one connection, beyond its rate, that are answered before it is closed."""


class ConnectionSet(Protocol):
    """All connections of a gateway (gateway/connections.py)."""

    def add(self, connection: "Connection") -> bool:
        """False if there are too many connections."""

    def remove(self, connection: "Connection") -> bool:
        """False if the connection was removed before."""

    def flush_soon(self, connection: "Connection") -> None: ...
    def slowed_down(self, connection: "Connection") -> None: ...
    def caught_up(self, connection: "Connection") -> None: ...


class ConnectionServices:
    """The parts of the gateway that connections use, and the limits that are the same for all of them."""

    def __init__(
        self,
        settings: GatewaySettings,
        identity: GatewayIdentity,
        outbox: CommandOutbox,
        performer: EffectPerformer,
        tasks: BackgroundTasks,
        clock: Callable[[], float],
    ) -> None:
        self.settings = settings
        self.identity = identity
        self.outbox = outbox
        self.performer = performer
        self.tasks = tasks
        self.clock = clock
        self.frame_limit = RateLimit(settings.rate, settings.burst)
        self.invalid_limit = RateLimit(settings.rate, _MOST_INVALID)
        self.spectators_share = settings.outbox_bytes // 4
        """Unsent bytes from which on a spectator counts as slow: spectators are shed before players."""


class Connection:
    """The shell around one session. Transports call it, and it writes to its transport.

    With many clients, what a connection was not used for lately is in no cache of the processor, and each object of its
    own that a move touches costs as much as 20 or more bytecodes. So it has few: numbers in place of objects, nothing
    that could be shared, no list while nothing is unsent."""

    __slots__ = (
        "_closing",
        "_connections",
        "_departed",
        "_frames_until",
        "_invalid_until",
        "_question",
        "_raw",
        "_services",
        "_transport",
        "_unsent",
        "address",
        "gateway",
        "last_heard",
        "number",
        "session",
        "sid",
        "slow_since",
    )

    def __init__(
        self,
        number: int,
        address: str,
        transport: Transport,
        session: Session,
        services: ConnectionServices,
        connections: ConnectionSet,
    ) -> None:
        self.number = number
        self.sid = session.state.sid
        """The session that commands are given for. It changes when the client takes an older session up."""
        self.gateway = GatewayId("")
        self.address = address
        self.session = session
        self._raw = session.dialect.raw
        self.last_heard = services.clock()
        self._frames_until = self._invalid_until = self.last_heard
        """How far the client has used its two limits up (see `RateLimit`)."""
        self.slow_since: float | None = None
        self._transport = transport
        self._services = services
        self._connections = connections
        self._unsent: list[bytes] | None = None
        """The frames of this tick; None if there are none."""
        self._question: asyncio.Task[None] | None = None
        self._closing = False
        """Nothing may be written any more."""
        self._departed = False

    @property
    def closed(self) -> bool:
        return self.session.closed

    # --- from the transport -------------------------------------------------------------------------------------------

    def open(self) -> None:
        # Not earlier: the gateway may get a new id while the client shakes hands, and closes what is open then.
        self.gateway = self._services.identity.id
        if self._connections.add(self):
            self._perform(self.session.open())
        else:
            self.invalid_frame("busy/connections")
            self.close(close_codes.CROWDED)

    def receive(self, frame: bytes) -> bool:
        """False if the frame exceeds the client's rate."""
        services = self._services
        now = self.last_heard = services.clock()
        until = services.frame_limit.take(self._frames_until, now)
        if until is None:
            self.invalid_frame("busy/rate", frame)
            return False
        self._frames_until = until
        self._perform(self.session.receive(frame))
        return True

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> None:
        if self.session.closed:
            return
        self._perform(self.session.invalid_frame(code, frame))
        until = self._services.invalid_limit.take(self._invalid_until, self._services.clock())
        if until is None:
            log.info("connection %d of %s sends far too much and is closed", self.number, self.address)
            self.close(close_codes.FLOOD)
        else:
            self._invalid_until = until

    def heard(self) -> None:
        """The client has sent something, such as a pong, that is not for the session."""
        self.last_heard = self._services.clock()

    def peer_closed(self) -> None:
        """The client has begun to close: nothing may follow the transport's answer to that."""
        self.flush()
        self._closing = self.session.closed = True

    def lost(self) -> None:
        """The connection is gone, whichever side has closed it."""
        if self._connections.remove(self):
            self._depart()
            self._services.performer.forget(self)

    def pause_writing(self) -> None:
        """The client does not read as fast as the gateway writes."""
        self.slow_since = self._services.clock()
        self._connections.slowed_down(self)

    def resume_writing(self) -> None:
        """The client has caught up."""
        self.slow_since = None
        self._connections.caught_up(self)
        self._perform(self.session.caught_up())

    # --- from the cluster ---------------------------------------------------------------------------------------------

    def answered(self, reply: Reply) -> None:
        self._perform(self.session.answered(reply))

    def deliver(self, attachment: Attachment, step: DeliveredStep) -> None:
        if attachment.seat is None and self.slow_since is None and self._reads_too_slowly_for_a_spectator():
            self.pause_writing()
        if self.slow_since is not None:
            self._perform(self.session.missed(attachment))
            return
        if self._raw:  # most steps: no decoding, no effects
            if self._unsent is None:
                self._unsent = [step.raw]
                self._connections.flush_soon(self)
            else:
                self._unsent.append(step.raw)
            return
        try:
            self._perform(self.session.deliver(attachment, step))
        except Exception:  # a bug in one conversation must not cost the other followers their step
            log.exception("connection %d: delivering step %d failed", self.number, attachment.offset)
            self.close(close_codes.BROKEN)

    def _reads_too_slowly_for_a_spectator(self) -> bool:
        return self._transport.buffered() > self._services.spectators_share

    def views_due(self, attachment: Attachment) -> None:
        self._perform(self.session.views_due(attachment))

    def views_missed(self, attachment: Attachment) -> None:
        self._perform(self.session.views_missed(attachment))

    def position_lost(self, attachment: Attachment, reason: ViewReason) -> None:
        self._perform(self.session.position_lost(attachment, reason))

    def attach_again(self, attachment: Attachment) -> None:
        if not self.session.closed:
            again = None if attachment.seat is None else attachment.command
            watch = Watch(view=False, key=attachment.key, again=again)
            self._services.outbox.send_own(attachment.room, self.sid, self.number, watch, wants=attachment.wants)

    def seat_lost(self, attachment: Attachment, reason: str) -> None:
        self._perform(self.session.seat_lost(attachment, reason))

    def rooms_changed(self, change: RoomsChanged) -> None:
        self._perform(self.session.rooms_changed(change))

    def tick(self, now_ms: int) -> None:
        self._perform(self.session.tick(now_ms))

    # --- effects ------------------------------------------------------------------------------------------------------

    def _perform(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            kind = type(effect)
            if kind is bytes:
                frame: bytes = effect  # type: ignore[assignment]
                if self._unsent is None:
                    self._unsent = [frame]
                    self._connections.flush_soon(self)
                else:
                    self._unsent.append(frame)
            elif kind is Submit:
                command: Submit = effect  # type: ignore[assignment]
                services = self._services
                identity = services.identity
                envelope = Envelope(
                    command.room,
                    self.sid,
                    command.id,
                    command.body,
                    identity.id,
                    self.number,
                    identity.new_trace(),
                    command.wants,
                )
                refused = services.outbox.send(envelope, self)
                if refused is not None:
                    self.answered(Reply(self.number, command.room, command.id, refused))
            elif kind is Close:
                self._close(effect.close_code)  # type: ignore[union-attr]
            else:
                self._services.performer.perform(self, effect)

    def asking(self, work: Coroutine[Any, Any, None]) -> None:
        self._question = self._services.tasks.spawn(work)

    def resume(self, result: object) -> None:
        self._perform(self.session.resume(result))

    def fail(self, code: ErrorCode) -> None:
        self._perform(self.session.fail(code))

    # --- writing and closing ------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Send the frames of this tick in one write."""
        unsent, self._unsent = self._unsent, None
        if unsent is not None and not self._closing:
            self._transport.send(unsent)

    def close(self, close_code: CloseCode) -> None:
        """Send the frames written so far, then close."""
        self._perform(self.session.close(close_code))

    def _close(self, close_code: CloseCode) -> None:
        self.flush()
        self._closing = True
        self._transport.close(close_code)
        # Later, because this may be called while steps are being delivered to all followers of a room.
        asyncio.get_running_loop().call_soon(self._depart)

    def _depart(self) -> None:
        """Report to rooms and to the name claims that the client is gone, without waiting for the socket to close."""
        if self._departed:
            return
        self._departed = True
        if self._question is not None:
            self._question.cancel()
        self._perform(self.session.depart(self._services.outbox.abandon(self.number)))

    def buffered(self) -> int:
        """Bytes that the client has not read yet."""
        return self._transport.buffered()

    def check_liveness(self, now: float) -> None:
        """Ping a silent client; close one that stays silent, or that reads too slowly."""
        settings = self._services.settings
        if self.slow_since is not None and not self._transport.buffered():
            self.resume_writing()
        slow_ms = 0.0 if self.slow_since is None else (now - self.slow_since) * 1_000
        if slow_ms > settings.write_ms:
            if not self.session.closed:
                log.info("connection %d of %s reads too slowly and is closed", self.number, self.address)
            self.close(close_codes.SLOW)
            if slow_ms > settings.write_ms * 2:
                self._transport.abort()
            return
        silent_ms = (now - self.last_heard) * 1_000
        if not settings.ping_ms or silent_ms < settings.ping_ms or not self._transport.ping():
            return
        if silent_ms > settings.ping_ms * 3:
            self.close(close_codes.SILENT)
            self._transport.abort()
