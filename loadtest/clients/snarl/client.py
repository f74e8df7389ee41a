"""A player of the Snarl protocol: explores, finds key and exit, and watches that the server keeps to the protocol."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import orjson

from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.snarl.memory import Memory
from loadtest.clients.snarl.message_checks import RESULTS, faults_of
from shared.dice import Dice
from shared.games.snarl.strategy import choose

WAIT_S = 20
"""A table that does not fill starts after so long with those who are there."""

_endings: dict[tuple[str, ...], tuple[Any, int]] = {}
"""Scores that somebody was told, by the players of the game, and how many of them have not told theirs yet.

The protocol does not say at which table one sits, and tables are filled in the order of coming: who plays together
shows only in the names."""


class SnarlPlayer:
    def __init__(self, seating: SeatAssignment) -> None:
        self.path = f"/ws/snarl?players={seating.seats}&wait={WAIT_S}"
        self.told = Received()
        self.over = False
        self.moves = 0
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self._seating = seating
        self._dice = Dice(seating.seed, "snarl")
        self._memory = Memory()
        self._level = 0
        self._active = False
        self._moving = False
        self._named = False
        self._name_due = False

    def open(self) -> Iterable[bytes]:
        self._named = self._name_due = self._moving = False
        return ()

    def receive(self, frame: bytes) -> Iterable[bytes]:
        try:
            message = orjson.loads(frame)
        except orjson.JSONDecodeError:
            self._fault(f"the server sent no JSON: {frame!r}")
            return ()
        faults = list(faults_of(message, self._seating.name))
        self.told.faults.extend(faults)
        if faults or self.over:
            return ()
        return self._word(message) if isinstance(message, str) else self._object(message)

    def tick(self) -> Iterable[bytes]:
        return self._say_name() if self._name_due else ()

    def _word(self, word: str) -> Iterable[bytes]:
        if word == "name":
            if not self._named:
                return self._say_name()
            self._count("name asked again")
            self._name_due = True
        elif word == "move":
            return self._move()
        elif word in RESULTS:
            self._result(word)
        return ()

    def _object(self, message: dict[str, Any]) -> Iterable[bytes]:
        match message["type"]:
            case "start-level":
                if message["level"] != self._level:
                    self._memory = Memory()
                self._level = message["level"]
                self._active = False
                if self._seating.name not in message["players"]:
                    self._fault(f"a level starts with {message['players']}, without {self._seating.name}")
            case "player-update":
                self._active = True
                self._memory.see(message)
                self._memory.unlocked |= (message["message"] or "").endswith("found the key.")
            case "end-level":
                self._active = False
                self._count("levels won" if message["exits"] else "levels lost")
            case "end-game":
                self._end(message["scores"])
        return ()

    def _say_name(self) -> Iterable[bytes]:
        self._named, self._name_due = True, False
        if self._seating.first:
            self._seating.opened(0)
        yield msgspec.json.encode(self._seating.name)

    def _move(self) -> Iterable[bytes]:
        if self._moving or not self._active:
            self._fault("a move was asked for at the wrong time")
        self._moving = True
        if self.sent_at is not None:
            self.sent_at()
        yield msgspec.json.encode({"type": "move", "to": choose(self._memory.known(), self._dice)})

    def _result(self, word: str) -> None:
        if not self._moving:
            self._fault(f"{word} answers no move")
        self._moving = False
        self.moves += 1
        self._count(word)
        if self.acked_at is not None:
            self.acked_at()
        if word == "Invalid":
            self._fault("a legal move was called invalid")
        self._memory.unlocked |= word == "Key"
        self._active &= word not in ("Exit", "Eject")

    def _end(self, scores: list[dict[str, Any]]) -> None:
        self.over = True
        self.told.result = "the game has ended"
        self._count("games")
        names = tuple(sorted(score["name"] for score in scores))
        if self._seating.name not in names:
            self._fault(f"the scores are of {names}, not of {self._seating.name}")
        known, left = _endings.pop(names, (scores, len(names)))
        if known != scores:
            self._fault(f"one player was told {known}, another {scores}")
        if left > 1:
            _endings[names] = (known, left - 1)

    def _count(self, what: str) -> None:
        self.told.counts[what] = self.told.counts.get(what, 0) + 1

    def _fault(self, text: str) -> None:
        self.told.faults.append(f"snarl, {self._seating.name}: {text}")
