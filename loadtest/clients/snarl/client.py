"""A client of the Snarl protocol: explores, finds key and exit, and checks every message of the server."""

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.snarl.memory import Memory
from loadtest.clients.snarl.message_checks import RESULTS, faults_of
from shared.dice import Dice
from shared.games.snarl.pieces import Point
from shared.games.snarl.strategy import choose, reach

WAIT_S = 20
"""Seconds after which a table that is not full starts."""
MOST_STANDING = 3
"""Turns in a row for which a player stands still."""

_endings: dict[tuple[str, ...], tuple[Any, int]] = {}
"""The scores that the first player of a game received, and how many of its players have yet to compare theirs, by the
names of the players.

The protocol does not name tables, and tables are filled in the order of arrival, so the load tool does not know which
clients play together: the names in the scores show it."""


class SnarlPlayer:
    def __init__(self, seating: SeatAssignment) -> None:
        self.path = f"/ws/snarl?players={seating.seats}&wait={WAIT_S}"
        self.received = Received()
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
        self._stood = 0

    def open(self) -> Iterable[bytes]:
        self._named = self._name_due = self._moving = False
        return ()

    def receive(self, frame: bytes) -> Iterable[bytes]:
        try:
            message = orjson.loads(frame)
        except orjson.JSONDecodeError:
            self._fault(f"not JSON: {frame!r}")
            return ()
        faults = list(faults_of(message, self._seating.name))
        self.received.faults.extend(faults)
        if faults or self.over:
            return ()
        return self._on_text(message) if isinstance(message, str) else self._on_object(message)

    def tick(self) -> Iterable[bytes]:
        return self._send_name() if self._name_due else ()

    def _on_text(self, text: str) -> Iterable[bytes]:
        if text == "name":
            if not self._named:
                return self._send_name()
            self._count("name asked again")
            self._name_due = True
        elif text == "move":
            return self._move()
        elif text in RESULTS:
            self._on_result(text)
        return ()

    def _on_object(self, message: dict[str, Any]) -> Iterable[bytes]:
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

    def _send_name(self) -> Iterable[bytes]:
        self._named, self._name_due = True, False
        if self._seating.first:
            self._seating.opened(0)
        yield orjson.dumps(self._seating.name)

    def _move(self) -> Iterable[bytes]:
        if self._moving or not self._active:
            self._fault("the server asked for a move at the wrong time")
        self._moving = True
        if self.sent_at is not None:
            self.sent_at()
        yield orjson.dumps({"type": "move", "to": self._destination()})

    def _destination(self) -> Point:
        """Where to go. A player who has stood still for some turns steps anywhere: in a corridor, players who want to
        pass each other would otherwise wait for ever."""
        known = self._memory.known()
        chosen = choose(known, self._dice)
        self._stood = self._stood + 1 if chosen == known.position else 0
        if self._stood <= MOST_STANDING:
            return chosen
        self._stood = 0
        return self._dice.choice(list(reach(known.position, known.open, known.players)))

    def _on_result(self, result: str) -> None:
        if not self._moving:
            self._fault(f"{result} without a move")
        self._moving = False
        self.moves += 1
        self._count(result)
        if self.acked_at is not None:
            self.acked_at()
        if result == "Invalid":
            self._fault("a legal move was refused as invalid")
        self._memory.unlocked |= result == "Key"
        self._active &= result not in ("Exit", "Eject")

    def _end(self, scores: list[dict[str, Any]]) -> None:
        self.over = True
        self.received.result = "the game has ended"
        self._count("games")
        names = tuple(sorted(score["name"] for score in scores))
        if self._seating.name not in names:
            self._fault(f"the scores are of {names}, not of {self._seating.name}")
        known, left = _endings.pop(names, (scores, len(names)))
        if known != scores:
            self._fault(f"one player received {known}, another {scores}")
        if left > 1:
            _endings[names] = (known, left - 1)

    def _count(self, what: str) -> None:
        self.received.counts[what] = self.received.counts.get(what, 0) + 1

    def _fault(self, text: str) -> None:
        self.received.faults.append(f"snarl, {self._seating.name}: {text}")
