"""What the players of the three dialects have in common: one move at a time, patience, and keeping score."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import orjson

from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.eriantys.board import Board
from loadtest.clients.eriantys.strategy import Mind

MOST_REFUSALS = 40
"""In a row; a client that chooses from what it was told is not refused more often."""


class Client(ABC):
    path = ""

    def __init__(self, seating: SeatAssignment) -> None:
        self.told = Received()
        self.over = False
        self.moves = 0
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self.seating = seating
        self.mind = Mind(seating.seed)
        self.board = Board([])
        self.seat = -1
        self.waiting = False
        """A move was sent, and nothing was heard of it yet."""
        self.due = False
        """Something is to be tried again at the next tick."""
        self._refused = 0

    # --- what each dialect does in its own way -----------------------------------------------------------------------

    @abstractmethod
    def open(self) -> Iterable[bytes]:
        """Connected, for the first time or again."""

    @abstractmethod
    def hear(self, message: Any) -> Iterable[bytes]:
        """The server said something; what to answer."""

    @abstractmethod
    def retry(self) -> Iterable[bytes]:
        """Try again what did not work: to get a name, a seat, or a move through."""

    # --- the driver's side -------------------------------------------------------------------------------------------

    def receive(self, frame: bytes) -> Iterable[bytes]:
        try:
            message = orjson.loads(frame)
        except orjson.JSONDecodeError:
            self.fault(f"the server sent no JSON: {frame[:200]!r}")
            return ()
        if not isinstance(message, dict):
            self.fault(f"the server sent no object: {frame[:200]!r}")
            return ()
        return self.hear(message)

    def tick(self) -> Iterable[bytes]:
        return self.nudge()

    def nudge(self) -> Iterable[bytes]:
        if not self.due or self.over:
            return ()
        self.due = False
        return self.retry()

    # --- keeping score -----------------------------------------------------------------------------------------------

    def send(self, move: Any) -> Iterable[bytes]:
        self.waiting = True
        if self.sent_at is not None:
            self.sent_at()
        return (msgspec.json.encode(move),)

    def acknowledged(self) -> None:
        self.waiting = False
        self._refused = 0
        self.moves += 1
        if self.acked_at is not None:
            self.acked_at()

    def refused(self, why: str) -> None:
        """Choose again, but not for ever; what is busy is tried again a little later."""
        self.waiting = False
        self.count(f"refused {why}")
        self._refused += 1
        if self._refused > MOST_REFUSALS:
            self.fault(f"refused {self._refused} times in a row, last with {why}")
            self.over = True

    def count(self, what: str) -> None:
        self.told.counts[what] = self.told.counts.get(what, 0) + 1

    def fault(self, text: str) -> None:
        self.told.faults.append(f"{self.seating.name}: {text}")

    def turned_away(self, code: str, text: str) -> None:
        """There is no way to the table: try again later, unless the game has ended while we were away."""
        if self.over:
            return
        self.count(f"refused {code}")
        if "the game is over" in text:
            self.over = self.told.late = True
        else:
            self.due = True

    def ended(self, winners: list[str]) -> None:
        self.over = True
        self.waiting = False
        self.told.result = self.board.result(winners)
        self.told.board = self.board.shown()
        if self.seating.first:
            self.count(f"ending {self.board.ending()}")
