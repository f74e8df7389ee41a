"""What players say, and when it leaves."""

import asyncio
from collections.abc import Iterable

from loadtest.figures import Figures
from loadtest.link import Link, Post, Route
from loadtest.play import Play
from loadtest.player import Seating
from loadtest.players import first_id


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
    post = Post()
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
    seating = Seating("ada", "stones", 2, {}, 1, lambda: None, lambda _room: None, first=True)
    link = Link(Play(seating, first_id()), Route(("ws://127.0.0.1:1",)), 0, Post(), Figures(0.0), 0.0, lambda: None)
    link.connected(Wire(log))
    link.say([b"bye"])
    link.end()
    await asyncio.sleep(0)
    assert log[1:] == [[b"bye"], "closed"]
