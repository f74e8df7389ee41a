"""A gateway node without sockets: a store in the test process, transports that record, a clock that stands still."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from gateway.cluster.identity import RandomIds
from gateway.cluster.tokens import Tokens
from gateway.connection import Connection
from gateway.dialects import play
from gateway.dialects.answers import RoomsChanged
from gateway.dialects.contract import DeliveredStep, Dialect, Opening
from gateway.dialects.requests import Output
from gateway.node import GatewayNode
from gateway.transports.close_codes import CloseCode
from shared.bus import command_streams, keys
from shared.bus.keys import Keys
from shared.bus.store import OnMessage, OutcomeUnknown, RedisCommand
from shared.commands import Envelope
from shared.deliveries import Delivery, Reply, StepMessage
from shared.errors import ErrorCode
from shared.ids import Epoch, GatewayId, Offset, Partition, RoomId, Seat, partition_of
from shared.room_views import Update
from shared.runtime.settings import GatewaySettings
from tests.support.fake_store import FakeStore

PARTITIONS = 2
KEYS: tuple[Keys, ...] = keys.all_keys(PARTITIONS)
ROOM = RoomId(1000)
GATEWAY = GatewayId("g-test")
SETTINGS = GatewaySettings(partitions=PARTITIONS, rate=1_000, burst=1_000, backlog=50)


class HeldStore(FakeStore):
    """Can hold requests back until `go`, fail, or stay silent; and records what was cast."""

    def __init__(self) -> None:
        super().__init__()
        self.up = True
        self.held: asyncio.Event | None = None
        self.casts: list[Sequence[RedisCommand]] = []
        self.broken = ""
        """Requests for this command fail."""
        self.silent = False
        """Requests are carried out, and never answered."""

    async def pipe(self, wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        if self.held is not None:
            await self.held.wait()
        if any(command[0] == self.broken for command in wanted):
            raise OutcomeUnknown("the connection to the store was lost")
        replies = await super().pipe(wanted, errors=errors)
        if self.silent:
            await asyncio.Event().wait()
        return replies

    def cast(self, wanted: Sequence[RedisCommand]) -> None:
        self.casts.append(wanted)
        super().cast(wanted)

    def hold(self) -> None:
        self.held = asyncio.Event()

    def go(self) -> None:
        assert self.held is not None
        self.held.set()
        self.held = None


class RecordedTransport:
    """A transport that keeps what is sent, and how it is closed."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.closed: CloseCode | None = None
        self.unsent = 0
        self.pings = 0
        self.aborted = False

    def send(self, messages: list[bytes]) -> None:
        self.frames += messages

    def close(self, close_code: CloseCode) -> None:
        self.closed = self.closed or close_code

    def abort(self) -> None:
        self.aborted = True

    def ping(self) -> bool:
        self.pings += 1
        return True

    def buffered(self) -> int:
        return self.unsent

    def messages(self) -> list[dict[str, Any]]:
        """The messages sent since the last call."""
        frames, self.frames = self.frames, []
        return [msgspec.json.decode(frame) for frame in frames]


class HandFedSubscription:
    """A subscription whose messages come from the test."""

    def __init__(self) -> None:
        self.channels: tuple[str, ...] = ()
        self.on_message: OnMessage = lambda _channel, _data: None
        self.on_gap: Callable[[], None] = lambda: None
        self.stopped = False

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        self.channels, self.on_message, self.on_gap = tuple(channels), on_message, on_gap
        on_gap()

    async def stop(self) -> None:
        self.stopped = True


class KnownIds(RandomIds):
    """Random ids, but for those of the gateway: first `GATEWAY`, then numbered ones."""

    def __init__(self) -> None:
        self._lives = 0

    def new_gateway(self) -> GatewayId:
        self._lives += 1
        return GATEWAY if self._lives == 1 else GatewayId(f"{GATEWAY}-{self._lives}")


class GatewayBench:
    """A gateway node over a store in the test process, without its loops. Made inside a running loop."""

    def __init__(self, settings: GatewaySettings = SETTINGS) -> None:
        self.store = HeldStore()
        self.now = 1_000.0
        tokens = Tokens("secret", 60_000)
        self.subscriptions: list[HandFedSubscription] = []
        self.node = GatewayNode(settings, self.store, self._subscribe, tokens, KnownIds(), lambda: self.now, {})
        self._numbers: dict[Partition, int] = {}
        self._cursors = dict.fromkeys(range(PARTITIONS), "0-0")

    def _subscribe(self) -> HandFedSubscription:
        self.subscriptions.append(HandFedSubscription())
        return self.subscriptions[-1]

    def connect(
        self, dialect: Dialect = play.DIALECT, address: str = "10.0.0.1"
    ) -> tuple[Connection, RecordedTransport]:
        transport = RecordedTransport()
        connection = self.node.connections.new(transport, dialect, Opening({}, self.node.rooms), address)
        connection.open()
        return connection, transport

    async def added(self) -> list[Envelope]:
        """The commands added to the streams since the last call."""
        await settle()
        envelopes: list[Envelope] = []
        for number, held in enumerate(KEYS):
            cursors = {Partition(number): (held, self._cursors[number])}
            for place, some in (await command_streams.read(self.store, cursors, 1_000, None)).get(
                Partition(number), []
            ):
                self._cursors[number] = place
                envelopes += some
        return envelopes

    def answer(self, *replies: Reply, steps: Iterable[StepMessage] = (), epoch: int = 7) -> None:
        """The owner of a partition sends a delivery after a commit."""
        sent = tuple(steps)
        room = replies[0].room if replies else sent[0].room
        partition = partition_of(room, PARTITIONS)
        number = self._numbers[partition] = self._numbers.get(partition, 0) + 1
        self.node.feeds.message(msgspec.json.encode([Delivery(partition, Epoch(epoch), number, sent, replies)]))

    def lose_message(self, room: RoomId = ROOM) -> None:
        """A message to this gateway got lost."""
        partition = partition_of(room, PARTITIONS)
        self._numbers[partition] = self._numbers.get(partition, 0) + 1


def attach(connection: Connection, reply: Reply, wants: int = 0) -> None:
    """Attach a connection to a room, as if it had asked for that."""
    state = connection.session.state
    state.effects = []
    state.attach(reply, wants)
    connection._perform(state.effects)


def step(offset: int, epoch: int = 7, room: RoomId = ROOM, **fields: Any) -> StepMessage:
    update = Update(room, Epoch(epoch), Offset(offset), 0, msgspec.Raw(b"[]"), **fields)
    return StepMessage(room, Epoch(epoch), Offset(offset), msgspec.Raw(msgspec.json.encode(update)))


def reply_to(envelope: Envelope, offset: int = 1, epoch: int = 7, seat: int | None = 0, **fields: Any) -> Reply:
    view = fields.pop("view", msgspec.Raw(b'{"offset":%d}' % offset))
    place = None if seat is None else Seat(seat)
    at = (Epoch(epoch), Offset(offset))
    return Reply(envelope.conn, envelope.room, envelope.id, "", "", *at, seat=place, view=view, **fields)


async def settle() -> None:
    """Let everything happen that can happen now."""
    for _ in range(24):
        await asyncio.sleep(0)


class Parrot:
    """A conversation that sends every frame back."""

    tick_ms = 0

    def __init__(self, _opening: Opening) -> None:
        pass

    def open(self) -> Iterable[Output]:
        return ()

    def receive(self, frame: bytes) -> Iterable[Output]:
        return (frame,)

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        return (code.encode(),)

    def answer(self, ref: Any, answer: Any) -> Iterable[Output]:
        return ()

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        return (b"%d" % step.update.offset,)

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        return ()

    def tick(self, now_ms: int) -> Iterable[Output]:
        return ()


PARROT = Dialect("parrot", "/ws/parrot", Parrot)
