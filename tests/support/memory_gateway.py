"""A gateway of the simulation: the node that ships, over a store, a subscription and sockets that the simulation
drives."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from gateway.cluster.tokens import Tokens
from gateway.dialects import play
from gateway.dialects.contract import Opening
from gateway.node import GatewayNode
from gateway.transports.close_codes import CloseCode
from shared.bus import directory, keys
from shared.bus.store import OnMessage, OutcomeUnknown, RedisCommand, StoreError
from shared.ids import GatewayId, RoomId, SessionId
from shared.room_views import Listing
from shared.runtime.settings import GatewaySettings
from tests.support.fake_store import FakeSubscriber, OneServer
from tests.support.memory_store import MemoryConnection, MemoryStore

REPLY_S = 0.02
"""Time for which a reply of the store is under way: meanwhile messages arrive on the subscription's own connection."""
_RESTART_S = 0.05


class MemorySocket:
    """A socket between a player and a gateway: two queues, and an end that the two sides notice in their own time."""

    def __init__(self, gateway: "MemoryGateway", address: str) -> None:
        self.gateway = gateway
        self.up: deque[bytes] = deque()
        self.down: deque[bytes] = deque()
        self.cut = not gateway.started
        """No more frames come through."""
        self.unseen: list[bytes] = []
        """Frames that the gateway has sent and the player has not received."""
        connections = gateway.node.connections
        self.session = connections.new(self, play.DIALECT, Opening({}, connections.rooms), address)
        self.session.open()

    def send(self, messages: list[bytes]) -> None:
        (self.unseen if self.cut or self.gateway.dead else self.down).extend(messages)

    def close(self, close_code: CloseCode) -> None:
        self.abort()

    def abort(self) -> None:
        self.cut = True
        asyncio.get_running_loop().call_soon(self.session.lost)

    def ping(self) -> bool:
        return True

    def buffered(self) -> int:
        return 0

    def receive(self) -> None:
        """The gateway reads the next frame."""
        self.session.receive(self.up.popleft())


class DelayedStore(OneServer):
    """A `GatewayStore` over a line, whose replies take some time to arrive, in order."""

    def __init__(self, line: MemoryConnection, reply_s: float) -> None:
        self._line = line
        self._reply_s = reply_s

    @property
    def up(self) -> bool:
        return not self._line.down

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        losses = self._line.losses
        replies = await self._line.pipe(commands, errors=errors)
        if self._reply_s:
            await asyncio.sleep(self._reply_s)
            if self._line.losses != losses:  # the reply was under way when the connection broke
                raise OutcomeUnknown("lost")
        return replies

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        self._line.cast(commands)


class MemorySubscription:
    """A subscription whose messages arrive one by one, when the simulation says so."""

    def __init__(self, world: MemoryStore) -> None:
        self._world = world
        self._subscriber: FakeSubscriber | None = None
        self._on_message: OnMessage = lambda _channel, _data: None
        self._on_gap: Callable[[], None] = lambda: None
        self.inbox: deque[tuple[str, bytes]] = deque()
        self.losing = 0
        """The number of deliveries that will be lost. Changes of the directory are not numbered: they are lost only
        together with the subscription."""

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        self._subscriber = self._world.server.subscribe(channels)
        self._on_message, self._on_gap = on_message, on_gap
        self.renew()

    async def stop(self) -> None:
        self.close()

    def close(self) -> None:
        if self._subscriber is not None:
            self._subscriber.close()
            self._subscriber = None
        self.inbox.clear()

    def renew(self) -> None:
        """The subscription was lost and made again, and so were the messages that were under way."""
        if self._subscriber is not None:
            self._subscriber.received()
            self.inbox.clear()
            self._on_gap()

    def poll(self) -> None:
        """Take what was published."""
        for channel, data in self._subscriber.received() if self._subscriber is not None else ():
            if self.losing and channel != keys.LISTINGS:
                self.losing -= 1
            else:
                self.inbox.append((channel, data))

    def deliver(self) -> None:
        self._on_message(*self.inbox.popleft())


class SeededIds:
    """Ids that the seed of the simulation decides."""

    def __init__(self, number: int, dice: Random) -> None:
        self._number = number
        self._dice = dice
        self._lives = 0

    def new_gateway(self) -> GatewayId:
        self._lives += 1
        return GatewayId(f"g-{self._number}-{self._lives}")

    def new_session(self) -> SessionId:
        return SessionId(f"s-{self._dice.getrandbits(64):016x}")

    def draw(self, limit: int) -> int:
        return self._dice.randrange(limit)


class MemoryGateway:
    """A gateway process of the simulation."""

    def __init__(
        self, world: MemoryStore, number: int, settings: GatewaySettings, ids: "SeededIds", *, reply_s: float = REPLY_S
    ) -> None:
        self.store = MemoryConnection(world)
        self.wires: list[MemorySocket] = []
        self.started = False
        self.subscriptions: list[MemorySubscription] = []
        self._world = world
        self._paused_until_s = 0.0
        tokens = Tokens("a secret", settings.token_ms)
        clock = asyncio.get_running_loop().time
        self.node = GatewayNode(settings, DelayedStore(self.store, reply_s), self._subscribe, tokens, ids, clock, {})
        self._task = asyncio.ensure_future(self._run())
        self._checked = False

    def _subscribe(self) -> MemorySubscription:
        self.subscriptions.append(MemorySubscription(self._world))
        return self.subscriptions[-1]

    async def _run(self) -> None:
        while not self.started:
            try:
                await self.node.start()
                self.started = True
            except StoreError:
                await asyncio.sleep(_RESTART_S)
        await self.node.run()

    @property
    def dead(self) -> bool:
        return self.store.dead

    @property
    def subscription(self) -> MemorySubscription:
        return self.subscriptions[-1]

    @property
    def inbox(self) -> deque[tuple[str, bytes]]:
        return self.subscription.inbox

    def listen(self) -> None:
        self.subscription.poll()

    def hear(self) -> None:
        """The next message of the subscription arrives."""
        self.subscription.deliver()

    @property
    def paused(self) -> bool:
        return self._world.time.now_s < self._paused_until_s

    def pause(self, for_ms: int) -> None:
        self._paused_until_s = self._world.time.now_s + for_ms / 1_000

    def lose_messages(self, count: int) -> None:
        self.subscription.losing += count

    def resubscribe(self) -> None:
        self.node.gathered = False
        self.subscription.renew()

    def lose_the_store(self, dice: Random) -> None:
        self.store.lose(dice)

    def reconnect(self) -> None:
        self.store.down = False
        self.node.store_reconnected()

    def crash(self, dice: Random) -> None:
        self.store.die(dice)
        self._task.cancel()
        self.node.tasks.cancel()
        for wire in self.wires:
            wire.cut = True
        self.subscription.close()

    def accept(self, address: str) -> MemorySocket:
        wire = MemorySocket(self, address)
        self.wires.append(wire)
        return wire

    def check(self) -> None:
        """The loops run, and the room directory is that of the store once it was read and no message is under way."""
        if self._task.done() and not self.dead:
            self._task.result()
            raise AssertionError(f"the loops of {self.node.id} have ended")
        if not self.node.gathered:
            self._checked = False
        elif not self._checked and not self.inbox:
            self._checked = True
            self._check_directory()

    def _check_directory(self) -> None:
        stored = self._stored_rooms()
        known = {room: self.node.rooms.get(room) for room in (*stored, *self.node.rooms._rooms)}
        if known != stored:
            raise AssertionError(f"the room directory of {self.node.id} is {known}, that of the store is {stored}")

    def _stored_rooms(self) -> dict[RoomId, Listing]:
        replies = [self._world.server.run(("HVALS", partition.directory)) for partition in self.node.partitions]
        listings = [directory._decode(value) for reply in replies for value in reply]
        return {listing.room: listing for listing in listings}
