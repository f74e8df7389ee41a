"""The inflow of a connection: budgets, turns, and clients that do not read."""

import asyncio
from collections.abc import Iterator
from typing import cast

import pytest

from gateway.transports.inflow import BURST_BYTES, BURST_CONTROLS, BYTES_PER_S, CONTROLS_PER_S, Inflow
from tests.support.fake_store import VirtualTime
from tests.support.virtual_loop import VirtualLoop
from tests.unit.gateway.transports.raw_websocket import Socket


class Reader:
    """A transport that counts how often it is asked to go on."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.loop = VirtualLoop(self.time)
        self.socket = Socket()
        self.inflow = Inflow(self.loop, self._go_on)
        self.inflow.opened(cast(asyncio.Transport, self.socket))
        self.turns = 0

    def _go_on(self) -> None:
        self.turns += 1

    def read(self, size: int) -> None:
        self.inflow.bytes -= size
        if self.inflow.bytes < 0:
            self.inflow.out_of_bytes()

    def advance(self, by_s: float) -> None:
        end = self.time.now_s + by_s
        self.loop.run_ready()
        while (at := self.loop.next_timer_s) is not None and at <= end:
            self.time.now_s = max(at, self.time.now_s)
            self.loop.run_ready()
        self.time.now_s = end


@pytest.fixture
def reader() -> Iterator[Reader]:
    made = Reader()
    yield made
    made.loop.close()


def test_a_client_within_its_budget_is_read(reader: Reader) -> None:
    reader.read(BURST_BYTES)
    assert reader.socket.is_reading()
    for _ in range(20):
        reader.advance(1.0)
        reader.read(BYTES_PER_S)
        assert reader.socket.is_reading()


def test_a_client_over_its_budget_is_read_again_when_the_budget_has_been_refilled(reader: Reader) -> None:
    reader.read(BURST_BYTES + BYTES_PER_S)
    assert not reader.socket.is_reading()
    reader.advance(0.9)
    assert not reader.socket.is_reading()
    reader.advance(0.2)
    assert reader.socket.is_reading()
    assert reader.turns == 1


def test_a_client_that_was_silent_for_long_has_no_more_than_twice_the_burst(reader: Reader) -> None:
    reader.advance(1_000.0)
    reader.read(BURST_BYTES)
    reader.read(BURST_BYTES)
    assert reader.socket.is_reading()
    reader.read(1_000)
    assert not reader.socket.is_reading()


def test_control_frames_have_a_budget_of_their_own(reader: Reader) -> None:
    assert all(reader.inflow.take_control() for _ in range(BURST_CONTROLS))
    assert not reader.inflow.take_control()
    assert not reader.socket.is_reading()
    reader.advance(1.0)
    assert reader.socket.is_reading()
    handled = 0
    while reader.inflow.take_control():
        handled += 1
    assert CONTROLS_PER_S * 0.9 <= handled <= CONTROLS_PER_S * 1.1


def test_the_loop_serves_others_between_two_turns(reader: Reader) -> None:
    order: list[str] = []
    reader.inflow.next_turn()
    reader.loop.call_soon(order.append, "another client")
    assert not reader.socket.is_reading()
    assert reader.turns == 0
    reader.loop.run_ready()
    assert order == ["another client"]
    assert reader.turns == 1
    assert reader.socket.is_reading()


def test_a_client_that_does_not_read_is_not_read(reader: Reader) -> None:
    reader.inflow.next_turn()
    reader.inflow.pause_writing()
    reader.advance(60.0)
    assert not reader.socket.is_reading()
    assert reader.turns == 0
    reader.inflow.resume_writing()
    reader.advance(0.0)
    assert reader.socket.is_reading()
    assert reader.turns == 1


def test_a_client_that_reads_again_still_has_to_pay_its_debt(reader: Reader) -> None:
    reader.inflow.pause_writing()
    reader.read(BURST_BYTES + BYTES_PER_S)
    reader.inflow.resume_writing()
    reader.advance(0.5)
    assert not reader.socket.is_reading()
    reader.advance(0.6)
    assert reader.socket.is_reading()


def test_nothing_is_done_for_a_connection_that_is_gone(reader: Reader) -> None:
    reader.inflow.next_turn()
    reader.inflow.ended()
    reader.inflow.resume_writing()
    reader.advance(10.0)
    assert reader.turns == 0
