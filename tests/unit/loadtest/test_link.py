"""What players say, and when it leaves."""

import asyncio
from collections.abc import Iterable

from loadtest.clients.connection import PlayerConnection, Route, WriteCoalescer
from loadtest.clients.contract import SeatAssignment
from loadtest.clients.play.client import Play
from loadtest.clients.registry import first_id
from loadtest.measure.measurements import Measurements


class Wire:
    """A connection that notes what becomes of it, in a log that several may share."""

    def __init__(self, log: list[object]) -> None:
        self._log = log

    def send(self, frames: Iterable[bytes]) -> None:
        self._log.append(list(frames))

    def close(self) -> None:
        self._log.append("closed")


async def test_what_is_said_in_one_tick_leaves_after_it_in_order() -> None:
    log: list[object] = []
    post = WriteCoalescer()
    ada, bob = Wire(log), Wire(log)
    post.send(ada, [b"a1"])
    post.send(bob, [b"b1", b"b2"])
    post.send(ada, [b"a2"])
    said_at_once = list(log)
    await asyncio.sleep(0)
    post.send(bob, [b"b3"])
    await asyncio.sleep(0)
    assert said_at_once == []
    assert log == [[b"a1"], [b"b1", b"b2"], [b"a2"], [b"b3"]]


async def test_a_link_that_ends_has_sent_the_last_words_before() -> None:
    log: list[object] = []
    seating = SeatAssignment("ada", "stones", 2, {}, 1, lambda: None, lambda _room: None, first=True)
    link = PlayerConnection(
        Play(seating, first_id()),
        Route(("ws://127.0.0.1:1",)),
        0,
        WriteCoalescer(),
        Measurements(0.0),
        0.0,
        lambda: None,
    )
    link.connected(Wire(log))
    link.say([b"bye"])
    link.end()
    await asyncio.sleep(0)
    assert log[1:] == [[b"bye"], "closed"]
