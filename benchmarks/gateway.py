"""Measures the CPU time that a move costs the gateways' core, without IO: from the frame to the command stream, and
from the delivery to the sockets of both players, who are at two gateways.

python -m benchmarks.gateway [--moves 6] [--rooms 200] [--wipe 8]

With --wipe, that many MiB of memory are written before each half of a batch, as other processes do between two events
of a gateway. The caches of the processor then hold less of the connections and of the code. Rooms move in random order.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import hiredis
import msgspec

from gateway.cluster.identity import RandomIds
from gateway.cluster.tokens import Tokens
from gateway.connection import Connection
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.play.codec import encode_ack
from gateway.dialects.play.conversation import PlayConversation
from gateway.dialects.requests import ActRequest, HelloRequest
from gateway.node import GatewayNode
from gateway.transports.close_codes import CloseCode
from shared.bus import keys
from shared.bus.journal import StoredRoom
from shared.bus.leases import Lease
from shared.bus.store import Argument, OnMessage, RedisCommand
from shared.commands import Enter, Envelope
from shared.deliveries import Reply
from shared.ids import CommandId, Epoch, Partition, RoomId, Seat
from shared.room_events import RoomSpec
from shared.runtime.settings import GatewaySettings, WorkerSettings
from worker.games import load_catalog
from worker.partitions.partition import OwnedPartition

ROUNDS = 100
ACT = b'{"type":"act","id":%d,"room":%d,"command":{"type":"take","count":1}}'
HELLO = b'{"type":"hello"}'
_decode = msgspec.json.Decoder(tuple[Envelope, ...]).decode


class Sink:
    """A store that encodes commands, as a connection does, and keeps them."""

    up = True
    sharded = False

    def __init__(self) -> None:
        self.added: list[RedisCommand] = []

    def server_of(self, key: str) -> str:
        return "sink"

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        for command in commands:
            hiredis.pack_command(command)
        self.added += commands

    async def call(self, *command: Argument) -> Any:
        raise _unexpected(command)

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        raise _unexpected(*commands)

    async def pipe_replicated(self, commands: Sequence[RedisCommand], replicas: int, wait_ms: int) -> list[Any]:
        raise _unexpected(*commands)

    async def each(self, *command: Argument) -> dict[str, Any]:
        raise _unexpected(command)


def _unexpected(*commands: RedisCommand) -> AssertionError:
    return AssertionError(f"a move waits for a reply of the store: {commands[:1]}")


class Socket:
    """A transport that counts messages and drops them."""

    sent = 0

    def send(self, messages: list[bytes]) -> None:
        Socket.sent += len(messages)

    def close(self, close_code: CloseCode) -> None:
        raise AssertionError(close_code)

    def abort(self) -> None:
        pass

    def ping(self) -> bool:
        return True

    def buffered(self) -> int:
        return 0


class NoSubscription:
    """The benchmark hands messages to the feeds itself."""

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        raise AssertionError("the loops of the node do not run here")

    async def stop(self) -> None:
        pass


class Introduced(PlayConversation):
    """A client that has said hello."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        assert [type(out) for out in (*self.receive(HELLO), *self.receive(ACT % (1, 1)))] == [HelloRequest, ActRequest]


class Bench:
    """Two gateways, one partition with all rooms, two players at each table."""

    def __init__(self, rooms: int, written_mib: int) -> None:
        (partition,) = keys.all_keys(1)
        settings = GatewaySettings(partitions=1, rate=1_000_000, burst=1_000_000, backlog=10_000, linger_ms=0)
        self.stores = [Sink(), Sink()]
        self.nodes = [_node(settings, store) for store in self.stores]
        self._channels = {keys.out(node.id): node.feeds for node in self.nodes}
        worker = WorkerSettings(partitions=1, snapshot_every=1_000_000)
        lease = Lease(Epoch(1), "t", "0-0", 0)
        self._partition = OwnedPartition(Partition(0), partition, lease, load_catalog(""), worker)
        self._entries = 0
        self._others_memory = memoryview(bytearray(written_mib * 1024 * 1024))
        self._zeros = bytes(self._others_memory)
        self.tables = {RoomId(1_000 + number): self._sit_down(RoomId(1_000 + number)) for number in range(rooms)}

    def _sit_down(self, room: RoomId) -> list[Connection]:
        self._partition.load(room, StoredRoom(None, ()))
        connections = []
        for seat, node in enumerate(self.nodes):
            dialect = Dialect("play", "/ws/play", Introduced, raw=True, ack=encode_ack)
            connection = node.connections.new(Socket(), dialect, Opening({}, node.rooms), "127.0.0.1")
            connection.open()
            enter = Enter(f"p{seat}", RoomSpec("stones", 2, {"stones": 1_000_000}), 7)
            entering = Envelope(room, connection.sid, CommandId(1), enter, node.id, connection.number)
            for channel, message in self._handle([entering]):
                self._channels[channel].message(message)
            connections.append(connection)
        top = self._partition.rooms[room].state.offset
        for number, connection in enumerate(connections):
            _attach(connection, Reply(connection.number, room, CommandId(1), "", "", Epoch(1), top, Seat(number)))
        return connections

    def _handle(self, envelopes: Sequence[Envelope]) -> list[tuple[str, bytes]]:
        self._entries += 1
        entry_id = f"{self._entries}-0"
        commit = self._partition.encode(self._partition.handle([(entry_id, tuple(envelopes))]), entry_id)
        self._partition.committed(commit)
        return [(channel, b"[" + items + b"]") for channel, items in commit.publications if channel in self._channels]

    async def inward(self, rooms: Sequence[RoomId], number: int) -> float:
        """A move at each of these tables; the time it took."""
        connections = [self.tables[room][number % 2] for room in rooms]
        frames = [ACT % (number, room) for room in rooms]
        self._others_memory[:] = self._zeros
        began = time.process_time()
        for connection, frame in zip(connections, frames, strict=True):
            connection.receive(frame)
        await asyncio.sleep(0)
        return time.process_time() - began

    async def outward(self, number: int) -> float:
        """The answers to the moves that were sent; the time it took."""
        store = self.stores[number % 2]
        messages = self._handle([one for add in store.added for one in _decode(bytes(add[4]))])  # type: ignore[arg-type]
        store.added.clear()
        self._others_memory[:] = self._zeros
        began = time.process_time()
        for channel, message in messages:
            self._channels[channel].message(message)
        await asyncio.sleep(0)  # the connections are flushed
        return time.process_time() - began


def _node(settings: GatewaySettings, store: Sink) -> GatewayNode:
    tokens = Tokens("", 1)
    clock = asyncio.get_running_loop().time
    return GatewayNode(settings, store, NoSubscription, tokens, RandomIds(), clock, {})


def _attach(connection: Connection, reply: Reply) -> None:
    """Attach a connection to a room, as if it had asked for that."""
    state = connection.session.state
    state.effects = []
    state.attach(reply, 0)
    connection._perform(state.effects)


async def main(size: int, rooms: int, written_mib: int) -> None:
    bench = Bench(rooms, written_mib)
    best = min([await _round(bench, size, number) for number in range(10, 10 + ROUNDS)], key=sum)
    assert not any(len(node.outbox) for node in bench.nodes), "moves without an answer"
    assert Socket.sent == 3 * rooms * ROUNDS, "not every step was sent to every client"
    inward, outward = (took / rooms * 1e6 for took in best)
    sys.stdout.write(
        f"{inward + outward:.1f} us of gateway CPU per move without IO ({inward:.1f} in, {outward:.1f} out) "
        f"in the best of {ROUNDS} rounds, {size} moves per batch\n"
    )


async def _round(bench: Bench, size: int, number: int) -> tuple[float, float]:
    """A move at every table; what it took on both ways."""
    rooms = random.Random(number).sample(list(bench.tables), len(bench.tables))
    inward = outward = 0.0
    for at in range(0, len(rooms), size):
        inward += await bench.inward(rooms[at : at + size], number)
        outward += await bench.outward(number)
    return inward, outward


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=6, help="moves in a batch")
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument(
        "--wipe", type=int, default=0, metavar="MIB", help="memory that is written between two batches, as others do"
    )
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    asyncio.run(main(given.moves, given.rooms, given.wipe))
