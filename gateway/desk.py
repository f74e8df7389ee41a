"""What all sessions of a gateway share: the way to the rooms and back, the directory, names, limits, the clock."""

import asyncio
import itertools
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec

from gateway.cluster.command_outbox import CommandOutbox, OnReply
from gateway.cluster.feeds import Feeds
from gateway.cluster.room_directory import RoomDirectory
from gateway.cluster.tokens import Tokens
from gateway.metrics import Metrics
from gateway.transports.limits import ConnectionLimiter
from shared.bus import keys, meta
from shared.bus import player_names as name_claims
from shared.bus.keys import Keys
from shared.bus.meta import GameCard
from shared.bus.store import Store, StoreError
from shared.commands import Envelope, RoomCommand
from shared.deliveries import CompletedCommand, Reply, SessionReplaced, StepMessage
from shared.ids import CommandId, GatewayId, Partition, RoomId, SessionId, TraceId
from shared.runtime.settings import GatewaySettings

if TYPE_CHECKING:
    from gateway.session.session import Session

log = logging.getLogger("tavolata.desk")


class Desk:
    """One for each gateway; given to every session."""

    def __init__(
        self,
        gateway: GatewayId,
        settings: GatewaySettings,
        store: Store,
        partitions: tuple[Keys, ...],
        tokens: Tokens,
        metrics: Metrics,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.gateway = gateway
        self.settings = settings
        self.store = store
        self.tokens = tokens
        self.metrics = metrics
        self.now: Callable[[], float] = loop.time
        self.now_ms: Callable[[], int] = lambda: 0
        """The store's time; set by the gateway's beat."""
        self.partitions = partitions
        self.rooms = RoomDirectory(loop.call_soon)
        self.crowd = ConnectionLimiter(settings.connections, settings.connections_per_address)
        self.outgoing = CommandOutbox(store, partitions, settings.backlog, loop.time, settings.linger_ms / 1_000)
        self.hub = Feeds(
            gateway, store, partitions, self.outgoing.attaches, self._replied, self._done, self._gap, self.spawn
        )
        self.games: dict[str, GameCard] = {}
        self.live_gateways: frozenset[str] = frozenset((gateway,))
        self.sessions: dict[int, Session] = {}
        self.by_sid: dict[SessionId, Session] = {}
        self.ticking: dict[int, Session] = {}
        """Those whose conversations want to be called regularly."""
        self.slow: set[Session] = set()
        self.draining = False
        self._loop = loop
        self._connections = 0
        self._own_ids = 0
        self._trace = gateway.removeprefix("g-")
        self._traces = itertools.count(1)
        self._dirty: list[Session] = []
        self._tasks: set[asyncio.Task[None]] = set()

    # --- connections ------------------------------------------------------------------------------------------------

    def next_connection(self) -> int:
        self._connections += 1
        return self._connections

    def opened(self, session: "Session") -> None:
        self.sessions[session.number] = session
        if session.tick_ms:
            self.ticking[session.number] = session
        self.metrics.connected(session.dialect.name, +1)

    def closed(self, session: "Session") -> None:
        if self.sessions.pop(session.number, None) is not None:
            self.metrics.connected(session.dialect.name, -1)
            self.crowd.leave(session.address)
        if self.by_sid.get(session.sid) is session:
            del self.by_sid[session.sid]
        self.ticking.pop(session.number, None)
        self.slow.discard(session)
        self.rooms.unwatch(session)

    def begin_anew(self, gateway: GatewayId) -> None:
        """The others took this gateway for dead, and its players for gone. What they do about that may come late:
        so it goes on under another id, which nobody has given up."""
        self.outgoing.forget()
        self.gateway = self.hub.gateway = gateway
        self.live_gateways = frozenset((gateway,))

    def flush_soon(self, session: "Session") -> None:
        if not self._dirty:
            self._loop.call_soon(self._flush)
        self._dirty.append(session)

    def _flush(self) -> None:
        dirty, self._dirty = self._dirty, []
        for session in dirty:
            session.flush()

    def spawn(self, work: Awaitable[None]) -> None:
        """Do something beside everything else; if it fails, that is logged."""
        task = self._loop.create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- the way to the rooms and back ------------------------------------------------------------------------------

    def send_own(
        self,
        room: RoomId,
        sid: SessionId,
        conn: int,
        body: RoomCommand,
        on_reply: OnReply | None = None,
        wants: int = 0,
    ) -> None:
        """A command of the gateway itself: it is repeated until it is answered, and is never refused as busy."""
        self._own_ids -= 1
        envelope = Envelope(room, sid, CommandId(self._own_ids), body, self.gateway, conn, self.new_trace(), wants)
        self.outgoing.send(envelope, on_reply, urgent=True)

    def _replied(self, reply: Reply) -> None:
        pending = self.outgoing.answered(reply)
        if pending is None:
            return
        self.metrics.answered(self._loop.time() - pending.since)
        if pending.on_reply is not None:
            pending.on_reply(reply)

    def _done(self, told: StepMessage, done: CompletedCommand) -> None:
        """A step that is an answer, too."""
        pending = self.outgoing.settled(done.conn, told.room, done.id)
        if pending is None:
            return
        self.metrics.answered(self._loop.time() - pending.since)
        if pending.on_applied is not None:
            pending.on_applied(done.id, told.room, told.epoch, told.offset)
        elif pending.on_reply is not None:
            pending.on_reply(Reply(done.conn, told.room, done.id, "", "", told.epoch, told.offset))

    def settled(self, conn: int, room: RoomId, command: CommandId) -> None:
        pending = self.outgoing.settled(conn, room, command)
        if pending is not None:
            self.metrics.answered(self._loop.time() - pending.since)

    def _gap(self, partition: Partition) -> None:
        if self.sessions:
            self.metrics.gap()
        self.outgoing.repeat(partition)

    async def learn_games(self) -> None:
        """Which games the workers have announced."""
        self.games = await meta.games(self.store)

    # --- names ------------------------------------------------------------------------------------------------------

    def let_go(self, name: str, sid: SessionId, gateway: GatewayId, conn: int, *, keep: bool) -> None:
        keep_ms = self.settings.name_ms if keep else 0
        self.spawn(self._let_go(name, sid, gateway, conn, keep_ms))

    async def _let_go(self, name: str, sid: SessionId, gateway: GatewayId, conn: int, keep_ms: int) -> None:
        """Until the store has heard it: a name that nobody uses must not stay taken."""
        while True:
            try:
                await name_claims.let_go(self.store, name, sid, gateway, conn, keep_ms)
                return
            except StoreError:
                await asyncio.sleep(0.5)

    def tell_replaced(self, gateway: GatewayId, sid: SessionId, conn: int) -> None:
        """The session was somewhere else before: that connection is to be closed."""
        message = msgspec.json.encode(SessionReplaced(sid, conn))
        self.store.cast((("PUBLISH", keys.control(gateway), message),))

    # --- ids --------------------------------------------------------------------------------------------------------

    def new_session_id(self) -> SessionId:
        return SessionId(f"s-{secrets.token_hex(8)}")

    def new_trace(self) -> TraceId:
        return TraceId(f"{self._trace}-{next(self._traces)}")

    def new_seed(self) -> int:
        return secrets.randbits(62)


async def _logged(work: Awaitable[None]) -> None:
    try:
        await work
    except asyncio.CancelledError:
        raise
    except Exception:
        log.exception("something that ran beside everything else failed")
