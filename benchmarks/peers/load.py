"""The load generator: a process that plays one workload against one running system and measures it.

It reads a `LoadJob` as JSON from stdin and writes a `Measurement` as JSON to stdout. Starting and stopping servers is
not its task.
"""

import asyncio
import gc
import os
import random
import sys
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress

import msgspec
import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from benchmarks.peers.proc import Sample, cpu_between, foreign_cpu_share, memory_growth
from benchmarks.peers.results import Faults, Measurement
from benchmarks.peers.statistics import percentile
from benchmarks.peers.wires import ColyseusWire, SeatWire, SharedRoom, Signal, wire_of
from benchmarks.peers.workloads import LoadJob, Workload

ENTER_LIMIT_S = 30.0
"""Time after which a seat that has not been taken counts as unopened."""
PARALLEL_ENTRIES = 32
SETTLE_S = 1.0
IDLE_SETTLE_S = 3.0
LONGEST_STALL_CHECK_S = 6.0
_DATA = (WSMsgType.TEXT, WSMsgType.BINARY)
_without_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Tally:
    """Counters that all players of a run share."""

    def __init__(self) -> None:
        self.moves = 0
        self.latencies: list[float] | None = None
        self.gaps = 0
        self.duplicates = 0
        self.refused = 0
        self.disconnects = 0
        self.unknown = 0
        self.first_error = ""

    def note_error(self, text: str) -> None:
        self.first_error = self.first_error or text[:300]


class SeatClient(WSListener):
    """One player: makes a move whenever it is the seat's turn, and checks that updates arrive once and in order."""

    def __init__(self, wire: SeatWire, seat: int, workload: Workload, tally: Tally) -> None:
        self.number = 0
        self._wire = wire
        self._seat = seat
        self._players = workload.players
        self._think_s = workload.think_ms / 1000
        self._tally = tally
        self._loop = asyncio.get_running_loop()
        self.entered: asyncio.Future[None] = self._loop.create_future()
        self._transport: WSTransport | None = None
        self._message_type = WSMsgType.BINARY if wire.binary else WSMsgType.TEXT
        self._moved_at = 0.0

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport
        opening = self._wire.opening()
        if opening:
            transport.send(self._message_type, opening)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self._tally.disconnects += 1
        if not self.entered.done():
            self.entered.set_exception(ConnectionError("the server closed the connection"))

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type not in _DATA:
            return
        payload = frame.get_payload_as_bytes()
        signal, number, reply = self._wire.receive(payload)
        if reply:
            transport.send(self._message_type, reply)
        if signal is Signal.UPDATE:
            self._update(number)
        elif signal is Signal.ENTERED:
            if not self.entered.done():
                self.entered.set_result(None)
        elif signal is Signal.REFUSED:
            self._tally.refused += 1
            self._tally.note_error(f"refused: {payload!r}")
        elif signal is Signal.UNKNOWN:
            self._tally.unknown += 1
            self._tally.note_error(f"unknown frame: {payload!r}")

    def start(self) -> None:
        """Make the room's first move, spread over one think time so that paced rooms do not move in step."""
        self._loop.call_later(random.uniform(0, self._think_s), self._move)

    def _move(self) -> None:
        assert self._transport is not None
        self._moved_at = time.perf_counter()
        self._transport.send(self._message_type, self._wire.move(self.number))

    def _update(self, number: int) -> None:
        tally = self._tally
        expected = self.number + 1
        if number != expected:
            if number < expected:
                tally.duplicates += 1
                return
            tally.gaps += number - expected
        self.number = number
        if (number - 1) % self._players == self._seat:
            tally.moves += 1
            if tally.latencies is not None:
                tally.latencies.append(time.perf_counter() - self._moved_at)
        if number % self._players == self._seat:
            if self._think_s:
                self._loop.call_later(self._think_s * random.uniform(0.5, 1.5), self._move)
            else:
                self._move()


class LoadGenerator:
    """Opens all rooms of a job, plays them and measures."""

    def __init__(self, job: LoadJob) -> None:
        self._job = job
        self._workload = job.workload
        self._tally = Tally()
        self._entries = asyncio.Semaphore(PARALLEL_ENTRIES)

    async def run(self) -> Measurement:
        empty = Sample.take(self._job.servers)
        opened = await asyncio.gather(*(self._open_room(index) for index in range(self._workload.rooms)))
        rooms = [seats for seats in opened if seats]
        gc.collect()
        gc.disable()  # the process ends after one run, and collections would appear as latency
        if self._workload.idle:
            return await self._measure_idle(rooms, empty)
        await asyncio.sleep(SETTLE_S)
        for seats in rooms:
            seats[0].start()
        await asyncio.sleep(self._job.warmup_s)
        return await self._measure_moves(rooms)

    async def _open_room(self, index: int) -> Sequence[SeatClient]:
        """Seat all players of a room one after the other; empty if a seat cannot be taken."""
        room = SharedRoom(index, self._workload.players)
        async with self._entries:
            try:
                return [await self._enter(room, seat) for seat in range(self._workload.players)]
            except (OSError, TimeoutError, ValueError, msgspec.MsgspecError) as error:
                self._tally.note_error(f"{type(error).__name__}: {error}")
                return []

    async def _enter(self, room: SharedRoom, seat: int) -> SeatClient:
        # Players of one room are connected to different processes where a system runs several.
        base = self._job.urls[(room.index + seat) % len(self._job.urls)]
        wire = wire_of(self._job.system, room, seat)
        if isinstance(wire, ColyseusWire):
            wire.reserved(await asyncio.to_thread(_post, *wire.reservation_request(base)))
        client = SeatClient(wire, seat, self._workload, self._tally)
        await ws_connect(lambda: client, wire.url(base), enable_auto_ping=False, enable_auto_pong=True)
        await asyncio.wait_for(client.entered, ENTER_LIMIT_S)
        return client

    async def _measure_idle(self, rooms: Sequence[Sequence[SeatClient]], empty: Sample) -> Measurement:
        await asyncio.sleep(IDLE_SETTLE_S)
        full = Sample.take(self._job.servers)
        players = max(1, len(rooms) * self._workload.players)
        growth = memory_growth(empty, full)
        return Measurement(
            kb_per_player={role: round(kb / players, 2) for role, kb in growth.items()},
            foreign_cpu_share=foreign_cpu_share(empty, full),
            faults=self._faults(rooms, stalled=0),
            first_error=self._tally.first_error,
        )

    async def _measure_moves(self, rooms: Sequence[Sequence[SeatClient]]) -> Measurement:
        tally = self._tally
        latencies = tally.latencies = []
        before, moves_before = Sample.take(self._job.servers), tally.moves
        await asyncio.sleep(self._job.window_s)
        after, moves = Sample.take(self._job.servers), tally.moves - moves_before
        tally.latencies = None
        latencies.sort()
        stalled = await self._stalled(rooms, percentile(latencies, 0.99))
        per_move = 1e6 / max(1, moves)
        return Measurement(
            moves=moves,
            moves_per_s=round(moves / (after.at_s - before.at_s), 1),
            p50_ms=round(percentile(latencies, 0.5) * 1000, 3),
            p99_ms=round(percentile(latencies, 0.99) * 1000, 3),
            cpu_us_per_move={role: round(s * per_move, 2) for role, s in cpu_between(before, after).items()},
            client_us_per_move=round((after.client_s - before.client_s) * per_move, 2),
            foreign_cpu_share=round(foreign_cpu_share(before, after), 3),
            faults=self._faults(rooms, stalled),
            first_error=tally.first_error,
        )

    async def _stalled(self, rooms: Sequence[Sequence[SeatClient]], slow_s: float) -> int:
        """The number of rooms without a move in a time in which even a slow one makes a move."""
        numbers = [seats[0].number for seats in rooms]
        think_s = self._workload.think_ms / 1000
        await asyncio.sleep(min(LONGEST_STALL_CHECK_S, max(0.5, 2 * slow_s, 3 * think_s)))
        return sum(seats[0].number == number for seats, number in zip(rooms, numbers, strict=True))

    def _faults(self, rooms: Sequence[Sequence[SeatClient]], stalled: int) -> Faults:
        return Faults(
            gaps=self._tally.gaps,
            duplicates=self._tally.duplicates,
            refused=self._tally.refused,
            disconnects=self._tally.disconnects,
            unknown=self._tally.unknown,
            stalled_rooms=stalled,
            unopened_rooms=self._workload.rooms - len(rooms),
        )


def _post(url: str, body: bytes) -> bytes:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with _without_proxy.open(request, timeout=ENTER_LIMIT_S) as response:
        answer: bytes = response.read()
        return answer


async def _main() -> None:
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=LoadJob)
    measurement = await LoadGenerator(job).run()
    sys.stdout.buffer.write(msgspec.json.encode(measurement))
    sys.stdout.buffer.flush()
    # Thousands of open connections need not be closed one by one: the kernel closes them, and the servers stop next.
    os._exit(0)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        uvloop.run(_main())
