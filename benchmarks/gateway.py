"""What a move costs the gateways' core, without IO: the frame on its way to the stream, then the step and the answer on
their way to the sockets of both players, who are at two gateways.

python -m benchmarks.gateway [moves per batch]
"""

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Any

import hiredis
import msgspec

from gateway.cluster.tokens import Tokens
from gateway.desk import Desk
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.play.codec import encode_ack
from gateway.dialects.play.conversation import PlayConversation
from gateway.dialects.requests import ActRequest, HelloRequest
from gateway.metrics import Metrics
from gateway.session.session import Session
from gateway.transports.close_codes import CloseCode
from shared.bus import keys
from shared.bus.journal import StoredRoom
from shared.bus.leases import Lease
from shared.bus.store import Argument, RedisCommand
from shared.commands import Enter, Envelope
from shared.deliveries import Reply
from shared.ids import CommandId, Epoch, GatewayId, Partition, RoomId, Seat
from shared.room_events import RoomSpec
from shared.runtime.settings import GatewaySettings, WorkerSettings
from worker.games import load_catalog
from worker.partitions.partition import OwnedPartition

ROOMS = 200
ROUNDS = 100
ACT = b'{"type":"act","id":%d,"room":%d,"command":{"type":"take","count":1}}'
HELLO = b'{"type":"hello"}'
_decode = msgspec.json.Decoder(tuple[Envelope, ...]).decode


class Sink:
    """A store that packs what it is given, as a link does, and keeps it."""

    def __init__(self) -> None:
        self.added: list[RedisCommand] = []

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        for command in commands:
            hiredis.pack_command(command)
        self.added += commands

    async def call(self, *command: Argument) -> Any:
        raise AssertionError(f"a move waits for no answer of the store: {command[:1]}")

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        raise AssertionError(f"a move waits for no answer of the store: {commands[:1]}")


class Socket:
    """A transport that goes nowhere."""

    sent = 0

    def send(self, messages: list[bytes]) -> None:
        Socket.sent += len(messages)

    def close(self, why: CloseCode) -> None:
        raise AssertionError(why)

    def abort(self) -> None:
        pass

    def ping(self) -> bool:
        return True

    def buffered(self) -> int:
        return 0


class Introduced(PlayConversation):
    """Somebody who has said hello."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        assert [type(out) for out in (*self.receive(HELLO), *self.receive(ACT % (1, 1)))] == [HelloRequest, ActRequest]


class Bench:
    """Two gateways, one partition with all rooms, two players at each table."""

    def __init__(self) -> None:
        held = keys.all_keys(1)
        settings = GatewaySettings(partitions=1, rate=1_000_000, burst=1_000_000, backlog=10_000, linger_ms=0)
        self.stores = [Sink(), Sink()]
        self.desks = [
            Desk(GatewayId(f"g-{number}"), settings, store, held, Tokens("", 1), Metrics())
            for number, store in enumerate(self.stores)
        ]
        self._channels = {keys.out(desk.gateway): desk.hub for desk in self.desks}
        worker = WorkerSettings(partitions=1, snapshot_every=1_000_000)
        tenure = Lease(Epoch(1), "t", "0-0", 0)
        self._holding = OwnedPartition(Partition(0), held[0], tenure, load_catalog(""), worker)
        self._places = 0
        self.tables = {RoomId(1_000 + number): self._sit_down(RoomId(1_000 + number)) for number in range(ROOMS)}

    def _sit_down(self, room: RoomId) -> list[Session]:
        self._holding.load(room, StoredRoom(None, ()))
        sessions = []
        for seat, desk in enumerate(self.desks):
            dialect = Dialect("play", "/ws/play", Introduced, raw=True, ack=encode_ack)
            session = Session(desk, Socket(), dialect, Opening({}, desk.rooms), "127.0.0.1")
            session.open()
            enter = Enter(f"p{seat}", RoomSpec("stones", 2, {"stones": 1_000_000}), 7)
            entering = Envelope(room, session.sid, CommandId(1), enter, desk.gateway, session.number)
            for channel, message in self._handle([entering]):
                self._channels[channel].message(message)
            sessions.append(session)
        top = self._holding.rooms[room].state.offset
        for number, session in enumerate(sessions):
            session.attach(Reply(session.number, room, CommandId(1), "", "", Epoch(1), top, Seat(number)), 0)
        return sessions

    def _handle(self, envelopes: Sequence[Envelope]) -> list[tuple[str, bytes]]:
        self._places += 1
        place = f"{self._places}-0"
        commit, numbers = self._holding.seal(self._holding.handle([(place, tuple(envelopes))]), place)
        self._holding.committed(place, numbers)
        return [(channel, b"[" + items + b"]") for channel, items in commit.messages if channel in self._channels]

    async def inward(self, rooms: Sequence[RoomId], number: int) -> float:
        """A move at each of these tables; the time it took."""
        sessions = [self.tables[room][number % 2] for room in rooms]
        frames = [ACT % (number, room) for room in rooms]
        began = time.process_time()
        for session, frame in zip(sessions, frames, strict=True):
            session.receive(frame)
        await asyncio.sleep(0)
        return time.process_time() - began

    async def outward(self, number: int) -> float:
        """The answers to the moves that were sent; the time it took."""
        store = self.stores[number % 2]
        messages = self._handle([one for add in store.added for one in _decode(bytes(add[4]))])  # type: ignore[arg-type]
        store.added.clear()
        began = time.process_time()
        for channel, message in messages:
            self._channels[channel].message(message)
        await asyncio.sleep(0)  # the sessions are flushed
        return time.process_time() - began


async def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    bench = Bench()
    best = min([await _round(bench, size, number) for number in range(10, 10 + ROUNDS)], key=sum)
    assert not any(len(desk.outgoing) for desk in bench.desks), "moves without an answer"
    assert Socket.sent == 3 * ROOMS * ROUNDS, "not everybody was told of everything"
    inward, outward = (took / ROOMS * 1e6 for took in best)
    sys.stdout.write(
        f"{inward + outward:.1f} us of gateway CPU per move without IO ({inward:.1f} in, {outward:.1f} out) "
        f"in the best of {ROUNDS} rounds, {size} moves per batch\n"
    )


async def _round(bench: Bench, size: int, number: int) -> tuple[float, float]:
    """A move at every table; what it took on both ways."""
    rooms = list(bench.tables)
    inward = outward = 0.0
    for at in range(0, ROOMS, size):
        inward += await bench.inward(rooms[at : at + size], number)
        outward += await bench.outward(number)
    return inward, outward


if __name__ == "__main__":
    asyncio.run(main())
