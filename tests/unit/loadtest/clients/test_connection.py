"""A player's connection, and when its frames are written."""

import asyncio
from collections.abc import Iterable

from loadtest.clients.connection import PlayerConnection, Route, WriteCoalescer
from loadtest.clients.contract import SeatAssignment
from loadtest.clients.play.client import Play
from loadtest.clients.registry import first_id
from loadtest.measure.measurements import Measurements


class LoggedConnection:
    """A connection that logs writes and its end; several may share a log."""

    def __init__(self, log: list[object]) -> None:
        self._log = log

    def send(self, frames: Iterable[bytes]) -> None:
        self._log.append(list(frames))

    def close(self) -> None:
        self._log.append("closed")


async def test_frames_of_one_tick_are_written_together_and_in_order() -> None:
    log: list[object] = []
    writer = WriteCoalescer()
    ada, bob = LoggedConnection(log), LoggedConnection(log)
    writer.send(ada, [b"a1"])
    writer.send(bob, [b"b1", b"b2"])
    writer.send(ada, [b"a2"])
    written_at_once = list(log)
    await asyncio.sleep(0)
    writer.send(bob, [b"b3"])
    await asyncio.sleep(0)
    assert written_at_once == []
    assert log == [[b"a1"], [b"b1", b"b2"], [b"a2"], [b"b3"]]


async def test_a_connection_writes_its_last_frames_before_it_closes() -> None:
    log: list[object] = []
    seating = SeatAssignment("ada", "stones", 2, {}, 1, lambda: None, lambda _room: None, first=True)
    connection = PlayerConnection(
        Play(seating, first_id()),
        Route(("ws://127.0.0.1:1",)),
        0,
        WriteCoalescer(),
        Measurements(0.0),
        0.0,
        lambda: None,
    )
    connection.connected(LoggedConnection(log))
    connection.send([b"bye"])
    connection.end()
    await asyncio.sleep(0)
    assert log[1:] == [[b"bye"], "closed"]
