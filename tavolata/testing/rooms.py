"""A room in memory with the code that workers run: seats, bots, presence, timers, recovery. No store, no clock.

For tests of a game's notices and timers, and of what players are sent. `GameTable` is enough for the rules.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from shared.bus.journal import StoredRoom
from shared.bus.partition_log import decode_logged, journal_entry
from shared.commands import Act, Enter, Envelope, Expired, Gone, Leave, RoomCommand, Say, Wants, Watch
from shared.deliveries import StepMessage
from shared.game import AnyGame, Choice
from shared.ids import CommandId, CommitNumber, Epoch, GatewayId, RoomId, Seat, SessionId
from shared.journal_records import JournalEntry
from shared.results import Result
from shared.room_events import RoomSpec
from shared.room_views import Update
from shared.runtime.settings import WorkerSettings
from tavolata.testing.tables import CommandRefused
from worker.games import GameCatalog
from worker.room.room import Room

_ROOM = RoomId(1000)
_GATEWAY = GatewayId("test")
_SPECTATOR = "a spectator"
_COMMIT = CommitNumber(1)
_decode_step = msgspec.json.Decoder(StepMessage).decode
_decode_update = msgspec.json.Decoder(Update).decode


class GameRoom:
    """A room: `room = GameRoom(GAME, bots=1); room.enter("ada"); room.act("ada", Take(2)); room.advance(600)`."""

    def __init__(
        self,
        game: AnyGame,
        seats: int | None = None,
        *,
        bots: int = 0,
        options: Mapping[str, Any] | None = None,
        turn_ms: int = 0,
        seed: int = 1,
    ) -> None:
        """The room is opened when the first player enters; the parameters are those of `create` in `play`."""
        self._spec = RoomSpec(game.name, seats or min(game.seats), dict(options or {}), turn_ms=turn_ms, bots=bots)
        self._catalog = GameCatalog((game,))
        self._settings = WorkerSettings()
        self._seed = seed
        self._epoch = Epoch(1)
        self._records: list[JournalEntry] = []
        self._ids: dict[str, int] = {}
        self._connections: dict[str, int] = {}
        self._seats: dict[str, Seat] = {}
        self.now_ms = 1_000_000
        """The time in the room, which passes in `advance` only."""
        self._steps: list[StepMessage] = []
        self._room = self._load()

    # --- players ------------------------------------------------------------------------------------------------------

    def enter(self, name: str, choice: Choice | None = None) -> int:
        """Take a seat and return it. The game begins when all seats are taken. Raises `CommandRefused`."""
        opening = self._spec if not self._ids else None
        self._send(name, Enter(name, opening, self._seed, choice=choice or {}))
        self._seats[name] = Seat(self.view(name)["you"])
        return self._seats[name]

    def act(self, name: str, command: msgspec.Struct) -> list[dict[str, Any]]:
        """Give a command of the game and return the events that the player sees. Raises `CommandRefused`."""
        before = len(self._steps)
        self._send(name, Act(msgspec.Raw(msgspec.json.encode(command))))
        return self._since(before, name)

    def say(self, name: str, text: str) -> None:
        """Send chat."""
        self._send(name, Say(text))

    def lose(self, name: str) -> None:
        """The player loses the connection."""
        self._send(name, Gone())

    def come_back(self, name: str) -> None:
        """The player is connected again."""
        self._connections[name] = max(self._connections.values()) + 1
        self._send(name, Watch())

    def leave(self, name: str) -> None:
        """The player gives up the seat."""
        self._send(name, Leave())

    # --- time and failures --------------------------------------------------------------------------------------------

    def advance(self, ms: int) -> None:
        """Let time pass: bots move, and timers that run out take effect in their order."""
        end = self.now_ms + ms
        while True:
            due = [(deadline.due_ms, name) for name, deadline in self._room.state.deadlines.items()]
            if not due or min(due)[0] > end:
                break
            self.now_ms, name = max(self.now_ms, min(due)[0]), min(due)[1]
            self._own(Expired(name, self._room.state.deadlines[name].generation))
        self.now_ms = end

    def recover(self) -> None:
        """Another worker takes over: the room is loaded from its journal."""
        self._epoch = Epoch(self._epoch + 1)
        self._room = self._load()

    # --- looking ------------------------------------------------------------------------------------------------------

    def view(self, name: str = "") -> dict[str, Any]:
        """The view of a player, or of a spectator, as clients get it; `game` is the game's own view."""
        result = self._handle(name or _SPECTATOR, Watch(), Wants.OPTIONS)
        assert result.reply is not None
        decoded: dict[str, Any] = msgspec.json.decode(result.reply.view)
        return decoded

    def seen_by(self, name: str = "") -> list[dict[str, Any]]:
        """All events that a player, or a spectator, was sent."""
        return self._since(0, name)

    def _since(self, first: int, name: str) -> list[dict[str, Any]]:
        seat = self._seats.get(name)
        events: list[dict[str, Any]] = []
        for step in self._steps[first:]:
            part = step.public if seat is None else step.seats.get(seat, step.public)
            events += msgspec.json.decode(_decode_update(part).events)
        return events

    # --- the room -----------------------------------------------------------------------------------------------------

    def _load(self) -> Room:
        return Room(_ROOM, self._epoch, self._catalog, self._settings, StoredRoom(None, tuple(self._records)))

    def _send(self, name: str, body: RoomCommand) -> None:
        result = self._handle(name, body)
        if result.reply is not None and result.reply.code:
            raise CommandRefused(result.reply.code, result.reply.text)

    def _handle(self, name: str, body: RoomCommand, wants: int = 0) -> Result:
        self._ids[name] = number = self._ids.get(name, 0) + 1
        connection = self._connections.setdefault(name, len(self._connections) + 1)
        return self._keep(
            Envelope(_ROOM, SessionId(name), CommandId(number), body, _GATEWAY, connection, wants=int(wants))
        )

    def _own(self, body: RoomCommand) -> None:
        self._keep(Envelope(_ROOM, SessionId(""), CommandId(0), body))

    def _keep(self, envelope: Envelope) -> Result:
        """Carry out a command, and keep what a commit would write."""
        result = self._room.handle(envelope, self.now_ms, _COMMIT)
        for filed in result.records:
            self._records.append(journal_entry(decode_logged(filed.body)))
            if filed.step:
                self._steps.append(_decode_step(filed.step))
        return result
