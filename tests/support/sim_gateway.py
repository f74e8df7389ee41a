"""A gateway of the simulation: the real desk, hub, outgoing and sessions, over a line that the simulation drives."""

import asyncio
from collections import deque
from random import Random

import msgspec

from gateway.cluster.tokens import Tokens
from gateway.desk import Desk
from gateway.dialects import play
from gateway.dialects.contract import Opening
from gateway.metrics import Metrics
from gateway.session.session import Session
from gateway.transports import close_codes
from gateway.transports.close_codes import CloseCode
from shared.bus import directory, keys
from shared.bus.registry import GATEWAYS
from shared.bus.store import StoreError
from shared.deliveries import ControlMessage, Heartbeat
from shared.ids import GatewayId
from shared.runtime.settings import GatewaySettings
from tests.support.sim_store import Line, World

_decode_control = msgspec.json.Decoder(ControlMessage).decode


class Wire:
    """A socket between a player and a gateway: two queues, and an end that the two sides notice in their own time."""

    def __init__(self, gateway: "SimGateway", address: str) -> None:
        self.gateway = gateway
        self.up: deque[bytes] = deque()
        self.down: deque[bytes] = deque()
        self.cut = False
        """No more frames will come through."""
        self.session = Session(gateway.desk, self, play.DIALECT, Opening({}, gateway.desk.rooms), address)
        self.session.open()

    def send(self, messages: list[bytes]) -> None:
        if not self.cut and not self.gateway.dead:
            self.down.extend(messages)

    def close(self, closing: CloseCode) -> None:
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


class SimGateway:
    def __init__(self, world: World, number: int, settings: GatewaySettings) -> None:
        self.id = GatewayId(f"g-{number}")
        self.store = Line(world)
        self.wires: list[Wire] = []
        self.inbox: deque[tuple[str, bytes]] = deque()
        self.deaf = 0
        """So many messages will be lost on their way here."""
        self._settings = settings
        self._partitions = keys.all_keys(settings.partitions)
        tokens = Tokens("a secret", settings.token_ms)
        self.desk = Desk(self.id, settings, self.store, self._partitions, tokens, Metrics())
        self.desk.outgoing.up = lambda: not self.store.down
        self.desk.now_ms = lambda: int(world.time.now_s * 1_000)
        self._world = world
        self._out = ""
        self._registered = False
        self._lives = 0
        self._subscribe()
        self.tasks = [asyncio.ensure_future(self._live()), asyncio.ensure_future(self._look_after())]

    @property
    def dead(self) -> bool:
        return self.store.dead

    def _subscribe(self) -> None:
        gateway = self.desk.gateway
        self._out = keys.out(gateway)
        self.news = self._world.server.listen((self._out, keys.LISTINGS, keys.control(gateway)))
        self.resubscribe()

    def listen(self) -> None:
        heard = self.news.heard()
        missed = min(self.deaf, len(heard))
        self.deaf -= missed
        self.inbox.extend(heard[missed:])

    def hear(self) -> None:
        """The next message of the subscription arrives."""
        channel, data = self.inbox.popleft()
        if channel == self._out:
            self.desk.hub.message(data)
        elif channel == keys.LISTINGS:
            self.desk.rooms.change(directory.changed(data))
        else:
            control = _decode_control(data)
            if isinstance(control, Heartbeat):
                self.desk.hub.beat(control.last)
                return
            session = self.desk.sessions.get(control.conn)
            if session is not None and session.sid == control.sid:
                session.hang_up(close_codes.REPLACED)

    def resubscribe(self) -> None:
        """The subscription was made again; what was said meanwhile is lost."""
        self.inbox.clear()
        self.desk.spawn(self._gather())
        self.desk.hub.resubscribed()

    def lose_the_store(self, dice: Random) -> None:
        self.store.lose(dice)

    def reconnect(self) -> None:
        self.store.down = False
        self.desk.outgoing.repeat()

    def crash(self, dice: Random) -> None:
        self.store.die(dice)
        for task in self.tasks:
            task.cancel()
        for wire in self.wires:
            wire.cut = True
        self.news.close()

    def accept(self, address: str) -> Wire:
        wire = Wire(self, address)
        self.wires.append(wire)
        return wire

    async def _gather(self) -> None:
        while True:
            try:
                self.desk.rooms.gathered(await directory.gather(self.store, self._partitions))
                return
            except StoreError:
                await asyncio.sleep(0.05)

    async def _live(self) -> None:
        while True:
            try:
                lease_ms = self._settings.gateway_lease_ms
                gateway, first = self.desk.gateway, not self._registered
                roll = await GATEWAYS.beat(self.store, gateway, lease_ms, b"{}", first=first)
                self._registered = not roll.struck
                if roll.struck:
                    self._begin_anew()
                    continue
                self.desk.live_gateways = frozenset(roll.live)
                await self.desk.learn_games()
            except StoreError:
                pass
            await asyncio.sleep(self._settings.gateway_lease_ms / 4_000)

    def _begin_anew(self) -> None:
        for session in list(self.desk.sessions.values()):
            session.hang_up(close_codes.restart(0))
        self._lives += 1
        self.desk.begin_anew(GatewayId(f"{self.id}-{self._lives}"))
        self.news.close()
        self._subscribe()

    async def _look_after(self) -> None:
        while True:
            await asyncio.sleep(self._settings.retry_ms / 2_000)
            if not self.store.down:
                self.desk.outgoing.repeat(older_than=self._settings.retry_ms / 1_000)

    def check(self) -> None:
        for task in self.tasks:
            if task.done() and not self.dead:
                task.result()
                raise AssertionError(f"a loop of {self.id} has ended")
