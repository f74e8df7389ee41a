"""One gateway and one worker in memory, for tests that talk to dialects: the nodes that ship, no fault, no waiting.

Everything that follows from a call has happened when the call returns. Time passes only in `advance`. The simulation
(tests/support/simulation.py) drives the same processes with faults drawn from a seed.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any
from unittest import mock

import msgspec

from gateway.connection import Connection
from gateway.dialects import dialects
from gateway.dialects.contract import Conversation, Dialect, Opening
from gateway.transports.close_codes import CloseCode
from shared.bus import meta
from shared.errors import ErrorCode
from shared.game import AnyGame
from shared.ids import RoomId, partition_of
from shared.runtime.files import read_text
from shared.runtime.settings import GatewaySettings, WorkerSettings
from tests.support.fake_store import FakeServer, StoreCopy, VirtualTime
from tests.support.memory_gateway import MemoryGateway, SeededIds
from tests.support.memory_store import MemoryStore
from tests.support.memory_worker import MemoryWorker
from tests.support.virtual_loop import SeededSecrets, VirtualLoop
from worker.games import GameCatalog, load_catalog
from worker.room.room import Room

PARTITIONS = 2
WORKER = WorkerSettings(partitions=PARTITIONS, durability="applied", linger_ms=0)
GATEWAY = GatewaySettings(partitions=PARTITIONS, durability="applied", linger_ms=0)
_open: list["MemoryCluster"] = []
_server: list[FakeServer] = []


def close_all() -> None:
    """Close every cluster that a test has made."""
    while _open:
        _open[-1].close()


class MemoryIds(SeededIds):
    """Ids of a seed; the seeds of games can be given."""

    def __init__(self, dice: Random) -> None:
        super().__init__(1, dice)
        self.game_seeds: deque[int] = deque()
        """The seeds of the next games; after that they are drawn."""

    def draw(self, limit: int) -> int:
        if limit == 1 << 62 and self.game_seeds:
            return self.game_seeds.popleft()
        return super().draw(limit)


class MemoryClient:
    """The client's end of a connection: the frames it was sent, and how it was closed."""

    def __init__(self, cluster: "MemoryCluster", dialect: Dialect, opening: Opening, address: str) -> None:
        self.cluster = cluster
        self.dialect = dialect
        self.frames: list[bytes] = []
        self.closed: CloseCode | None = None
        self.on_frame: Callable[[bytes], None] | None = None
        """Called for each frame, after it was kept."""
        self.connection: Connection = cluster.gateway.node.connections.new(
            _MemoryTransport(self), dialect, opening, address
        )

    @property
    def conversation(self) -> Conversation:
        return self.connection.session._conversation

    def send(self, frame: bytes) -> None:
        """Send a frame, and let everything happen that follows from it."""
        self.cluster.do(lambda: self.connection.receive(frame))

    def send_json(self, message: object) -> None:
        self.send(msgspec.json.encode(message))

    def send_together(self, *frames: bytes) -> None:
        """Send frames in one piece: nothing that follows from the first has happened when the next arrives."""

        def receive_all() -> None:
            for frame in frames:
                self.connection.receive(frame)

        self.cluster.do(receive_all)

    def send_invalid(self, code: ErrorCode) -> None:
        """Send something that is not a frame of the dialect, as a transport reports it."""
        self.cluster.do(lambda: self.connection.invalid_frame(code))

    def received(self) -> list[bytes]:
        """The frames since the last call."""
        frames, self.frames = self.frames, []
        return frames

    def received_json(self) -> list[Any]:
        return [msgspec.json.decode(frame) for frame in self.received()]

    def drop(self) -> None:
        """Lose the connection."""
        self.cluster.do(self.connection.lost)

    def keep(self, frame: bytes) -> None:
        self.frames.append(frame)
        if self.on_frame is not None:
            self.on_frame(frame)


class _MemoryTransport:
    """The gateway's end of the connection."""

    def __init__(self, client: MemoryClient) -> None:
        self._client = client

    def send(self, messages: list[bytes]) -> None:
        for message in messages:
            self._client.keep(message)

    def close(self, close_code: CloseCode) -> None:
        self._client.closed = close_code
        self.abort()

    def abort(self) -> None:
        asyncio.get_running_loop().call_soon(self._client.connection.lost)

    def ping(self) -> bool:
        return True

    def buffered(self) -> int:
        return 0


class MemoryCluster:
    """A calm cluster. `close_all` closes it at the end of the test."""

    def __init__(
        self,
        speaks: Iterable[Dialect] | None = None,
        *,
        games: Iterable[AnyGame] | None = None,
        seed: int = 1,
        worker: WorkerSettings = WORKER,
        gateway: GatewaySettings = GATEWAY,
    ) -> None:
        if not _server:
            _server.append(FakeServer())
        self.server = _server[0]
        self.server.flush()
        self.time = VirtualTime()
        self.dialects = {dialect.name: dialect for dialect in (dialects({}, read_text) if speaks is None else speaks)}
        self._dice = Random(seed)
        self._catalog = load_catalog("") if games is None else GameCatalog(tuple(games))
        self._cleanup = ExitStack()
        self._cleanup.enter_context(self.time.installed())
        self._cleanup.enter_context(mock.patch("shared.bus.leases.secrets", SeededSecrets(self._dice)))
        self._loop = VirtualLoop(self.time)
        self._world = MemoryStore(self.server, self.time)
        _open.append(self)
        self._loop.run_until_complete(self._start(worker, gateway))
        self.settle()

    async def _start(self, worker: WorkerSettings, gateway: GatewaySettings) -> None:
        self.ids = MemoryIds(self._dice)
        self.worker = MemoryWorker(self._world, 1, worker, self._catalog)
        self.gateway = MemoryGateway(self._world, 1, gateway, self.ids, reply_s=0.0)
        self._announcing = asyncio.ensure_future(meta.announce(self.worker.store, self._catalog.cards()))

    def close(self) -> None:
        self._loop.run_until_complete(self._stop())
        self._loop.close()
        self._cleanup.close()
        _open.remove(self)

    async def _stop(self) -> None:
        self.worker.crash(self._dice)
        self.gateway.crash(self._dice)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- what a test does ---------------------------------------------------------------------------------------------

    def connect(
        self,
        dialect: str,
        query: Mapping[str, str] | None = None,
        *,
        tcp: Mapping[str, str] | None = None,
        local: tuple[str, int] = ("", 0),
        address: str = "127.0.0.1",
    ) -> MemoryClient:
        """Open a connection: over WebSocket, or with `tcp` (the options of a listener) over TCP. Raises
        `ProtocolError` for a URL that the dialect refuses."""
        rooms = self.gateway.node.rooms
        opening = Opening(query or {}, rooms)
        if tcp is not None:
            opening = Opening({}, rooms, tcp, "tcp", local)
        made: list[MemoryClient] = []
        self.do(lambda: made.append(MemoryClient(self, self.dialects[dialect], opening, address)))
        self.do(made[0].connection.open)
        return made[0]

    def room(self, number: int = 1000) -> Room:
        """The room in the memory of its owner."""
        room = RoomId(number)
        return self.worker.node.ownership.partitions[partition_of(room, PARTITIONS)].rooms[room]

    def arrange(self, number: int, position: Any) -> None:
        """Put another state of the game into a room. The clients keep the view that they have."""
        self.room(number)._draft.play = position

    def do(self, call: Callable[[], object]) -> None:
        """Call something inside the loop, and let everything happen that follows from it."""
        raised: list[BaseException] = []

        def guarded() -> None:
            try:
                call()
            except Exception as error:  # noqa: BLE001 - raised again where the test called
                raised.append(error)

        self._loop.call_soon(guarded)
        self.settle()
        if raised:
            raise raised[0]

    @contextmanager
    def store_lost(self) -> Iterator[None]:
        """Inside the block the gateway has no connection to the store, and refuses requests as `busy/store`."""
        self.do(lambda: self.gateway.lose_the_store(self._dice))
        yield
        self.do(self.gateway.reconnect)

    def go_back(self, copy: StoreCopy) -> None:
        """The store fails and loses what was written since the copy was made. All programs connect again."""

        def fail() -> None:
            for process in (self.worker, self.gateway):
                process.lose_the_store(self._dice)
            self.server.restore(copy)
            self._world.restart()

        def connect_again() -> None:
            for process in (self.worker, self.gateway):
                process.reconnect()
                process.resubscribe()

        self.do(fail)
        self.do(connect_again)
        self.advance(WORKER.lease_ms)  # until the partitions are taken again

    def settle(self) -> None:
        """Let everything happen that can happen at this time."""
        while True:
            self._loop.run_ready()
            moved = self._step_lines()
            self.worker.listen()
            self.gateway.listen()
            while self.gateway.inbox:
                self._loop.call_soon(self.gateway.hear)
                self._loop.run_ready()
                moved = True
            if not moved and not self._loop.has_ready:
                break
        self.worker.check()

    def _step_lines(self) -> bool:
        moved = False
        for line in (*self.worker.lines, self.gateway.store):
            while line.ready:
                self._loop.call_soon(line.step)
                self._loop.run_ready()
                moved = True
        return moved

    def advance(self, by_ms: float) -> None:
        """Let time pass, timer by timer."""
        until = self.time.now_s + by_ms / 1_000
        self.settle()
        while (at := self._next_s()) is not None and at <= until:
            self.time.now_s = max(at, self.time.now_s)
            self.settle()
        self.time.now_s = until
        self.settle()

    def _next_s(self) -> float | None:
        times = [self._loop.next_timer_s, *(line.until_s for line in (*self.worker.lines, self.gateway.store))]
        return min((at for at in times if at), default=None)
