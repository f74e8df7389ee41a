"""The draft of a step: a room's state and game, with the events of the current command applied so far.

An event is applied as soon as it is added, because the next decision within the same command depends on it. An
exception in between leaves the room in memory broken: its owner drops it and loads it again from the store.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, get_args

import msgspec

from shared.game import AnyGame, Notice, open_to_all
from shared.ids import GatewayId, RoomId, Seat
from shared.journal_records import AnyNote
from shared.room_events import Ended, Joined, RoomEvent, RoomSpec, RoomStatus
from worker.games import GameCatalog
from worker.room.state import RoomPresence, RoomState, apply, apply_note

_ROOM_EVENTS = frozenset(get_args(RoomEvent))
_PLAYING = RoomStatus.PLAYING
"""Looked up once: every move compares it, and the member of an enumeration takes ten times as long as a global name."""


class RoomBroken(Exception):
    """The room cannot be loaded, or went wrong in the middle of a step."""


class RoomDraft:
    """A room's state and game, and the events that were added since the last step."""

    __slots__ = (
        "_options",
        "catalog",
        "events",
        "game",
        "of_room",
        "open_to_all",
        "play",
        "presence",
        "read_command",
        "receivers_before",
        "resting_with",
        "state",
    )

    def __init__(self, room: RoomId, catalog: GameCatalog) -> None:
        self.catalog = catalog
        self.state = RoomState(room)
        self.game: AnyGame | None = None
        self.play: Any = None
        """The state of the game."""
        self.open_to_all = False
        """Whether the game has no secrets: all receivers see its events alike."""
        self.read_command: Callable[[msgspec.Raw], Any] = msgspec.json.decode
        """Decodes a command of the game; raises `msgspec.MsgspecError`."""
        self.events: tuple[Any, ...] = ()
        self.of_room = False
        """Whether an event of the room itself is among the events."""
        self.presence: RoomPresence = self.state.presence()
        """Kept up to date, since every move reads it and few commands change it."""
        self.resting_with: RoomPresence | None = None
        """The presence with which no move can start a deadline, and none is running: as long as the room has it, as in
        most rooms, deadlines need not be looked at (see `RoomTimers`)."""
        self.receivers_before: tuple[GatewayId, ...] = ()
        """The gateways that received the room's updates before its own events of this step."""
        self._options: tuple[RoomSpec, Any] | None = None

    # --- events -----------------------------------------------------------------------------------------------------

    def add(self, *events: Any) -> None:
        """Apply events and make them part of the step."""
        for event in events:
            self.apply(event)
        self.events += events

    def add_of_game(self, events: Sequence[Any]) -> None:
        """Apply events that the game has decided, and make them part of the step."""
        assert self.game is not None
        evolve, play = self.game.evolve, self.play
        for event in events:
            play = evolve(play, event)
        self.play = play
        self.state.moves += len(events)
        self.events += tuple(events)

    def apply(self, event: Any) -> None:
        if type(event) in _ROOM_EVENTS:
            if not self.of_room:
                self.of_room, self.receivers_before = True, self.presence.gateways
            apply(self.state, event)
            self.presence = self.state.presence()
        else:
            assert self.game is not None
            self.state.moves += 1
            self.play = self.game.evolve(self.play, event)

    def note(self, note: AnyNote, code: str = "") -> None:
        """Apply a note; `code` is that of its record."""
        apply_note(self.state, note, code)
        self.presence = self.state.presence()

    def notify(self, notice: Notice) -> None:
        """Give the game a notice of presence or time; its events become part of the step."""
        if self.state.status == RoomStatus.PLAYING and self.known_game.notice is not None:
            self.add(*self.known_game.notice(self.play, notice))

    def conclude(self) -> None:
        """End the game if it has an outcome."""
        game, state = self.game, self.state
        assert game is not None
        if state.status is _PLAYING and (outcome := game.outcome(self.play)) is not None:
            names = tuple(state.seats[seat].name for seat in outcome.winners)
            self.add(Ended(outcome.winners, names, outcome.reason, dict(outcome.scores)))

    def clear(self) -> None:
        """Begin the next step."""
        self.events = ()
        self.of_room = False

    def mark_seated(self, events: Collection[Any]) -> None:
        """Note in every seat that was taken by these events which step did that."""
        for event in events:
            if type(event) is Joined:
                self.state.seats[event.seat].since = self.state.offset

    # --- the game ---------------------------------------------------------------------------------------------------

    def open_game(self, game: AnyGame, at_ms: int) -> None:
        self.set_game(game, game.empty)
        self.state.created_ms = at_ms

    def set_game(self, game: AnyGame, play: Any) -> None:
        self.game, self.play, self.read_command = game, play, self.catalog.commands(game)
        self.open_to_all = game.redact is open_to_all

    def reset(self) -> None:
        """Forget a room whose first command was refused halfway: it was never opened."""
        self.state, self.game, self.play = RoomState(self.state.room), None, None
        self.presence = self.state.presence()
        self.clear()

    @property
    def known_game(self) -> AnyGame:
        if self.game is None:
            raise RoomBroken(f"room {self.state.room} has no game")
        return self.game

    def options(self, game: AnyGame, spec: RoomSpec, *, limited: bool = False) -> Any:
        """The options of a table as its game declares them; raises `msgspec.ValidationError`. With `limited`, the
        game's limits for players apply: they count when a table is opened, and not for a table that is there.
        Converting options can take long (a whole level can be among them), so the last ones are kept until the game
        starts."""
        if self._options is None or self._options[0] is not spec:
            kind = None if limited else game.trusted_options_type
            self._options = spec, msgspec.convert(spec.options, kind or game.options_type)
        return self._options[1]

    def drop_options(self) -> None:
        self._options = None

    def removed(self) -> Collection[Seat]:
        """The seats that the game has taken out of play for good."""
        return self.known_game.removed(self.play) if self.state.status == RoomStatus.PLAYING else ()

    def whose_turn(self) -> tuple[Seat, ...]:
        if self.state.status != RoomStatus.PLAYING:
            return ()
        assert self.game is not None
        return self.game.turn(self.play)
