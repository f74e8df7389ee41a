"""Common base of the clients of the three dialects: one move at a time, retries, and counting."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.eriantys.board import Board
from loadtest.clients.eriantys.strategy import RandomStrategy

MOST_REFUSALS = 40
"""Limit of refusals in a row: a client that chooses from what it has received stays below it."""


class Client(ABC):
    path = ""

    def __init__(self, seating: SeatAssignment) -> None:
        self.received = Received()
        self.over = False
        self.moves = 0
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self.seating = seating
        self.strategy = RandomStrategy(seating.seed)
        self.board = Board([])
        self.seat = -1
        self.waiting = False
        """A move was sent and has not been answered yet."""
        self.due = False
        """A request has to be repeated with the next `retry`."""
        self._refused = 0

    # --- implemented by each dialect -----------------------------------------------------------------------

    @abstractmethod
    def open(self) -> Iterable[bytes]:
        """The frames to send on a new connection."""

    @abstractmethod
    def handle(self, message: Any) -> Iterable[bytes]:
        """The frames that answer a message."""

    @abstractmethod
    def repeat(self) -> Iterable[bytes]:
        """Repeat the request that failed: for a name, a seat, or a move."""

    # --- the driver's side -------------------------------------------------------------------------------------------

    def receive(self, frame: bytes) -> Iterable[bytes]:
        try:
            message = orjson.loads(frame)
        except orjson.JSONDecodeError:
            self.fault(f"not JSON: {frame[:200]!r}")
            return ()
        if not isinstance(message, dict):
            self.fault(f"not a JSON object: {frame[:200]!r}")
            return ()
        return self.handle(message)

    def tick(self) -> Iterable[bytes]:
        return self.retry()

    def retry(self) -> Iterable[bytes]:
        if not self.due or self.over:
            return ()
        self.due = False
        return self.repeat()

    # --- counting -----------------------------------------------------------------------------------------------

    def send(self, move: Any) -> Iterable[bytes]:
        self.waiting = True
        if self.sent_at is not None:
            self.sent_at()
        return (orjson.dumps(move),)

    def acknowledged(self) -> None:
        self.waiting = False
        self._refused = 0
        self.moves += 1
        if self.acked_at is not None:
            self.acked_at()

    def refused(self, code: str) -> None:
        """Another choice may be tried, but not without end."""
        self.waiting = False
        self.count(f"refused {code}")
        self._refused += 1
        if self._refused > MOST_REFUSALS:
            self.fault(f"refused {self._refused} times in a row, last with {code}")
            self.over = True

    def count(self, what: str) -> None:
        self.received.counts[what] = self.received.counts.get(what, 0) + 1

    def fault(self, text: str) -> None:
        self.received.faults.append(f"{self.seating.name}: {text}")

    def seat_refused(self, code: str, text: str) -> None:
        """A name or seat was refused: retry later, unless the game has ended while the client was disconnected."""
        if self.over:
            return
        self.count(f"refused {code}")
        if "the game is over" in text:
            self.over = self.received.late = True
        else:
            self.due = True

    def ended(self, winners: list[str]) -> None:
        self.over = True
        self.waiting = False
        self.received.result = self.board.result(winners)
        self.received.board = self.board.comparable()
        if self.seating.first:
            self.count(f"ending {self.board.ending()}")
