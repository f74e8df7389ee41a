"""Strategies of `/ws/play` clients: one that follows stones itself, and one for any game."""

from random import Random
from typing import Any, Protocol

import msgspec

from loadtest.checks.comparable import comparable
from shared.games import stones
from shared.room_events import Closed, Ended, RoomEvent
from tavolata.client.messages import TableUpdate, TableView


class Strategy(Protocol):
    """Follows one game from a seat's point of view, and chooses its moves."""

    wants: tuple[str, ...]
    """Additional parts that updates shall carry."""
    asks_view: bool
    """True if the final position is known only from a view."""
    ending: Any
    """The result of the game, JSON-like; None until it has ended."""
    closed: str
    """The reason if the room was closed without a result, or else empty."""

    def reset(self, view: TableView) -> None:
        """Continue from a whole view."""

    def follow(self, update: TableUpdate) -> None:
        """Apply a step."""

    def choose(self) -> bytes | None:
        """The command to send, as JSON; None if it is not this seat's turn."""

    def agrees(self, view: TableView) -> bool:
        """Whether a view of the last step equals the position that the events led to."""

    def outcome(self) -> tuple[Any, Any]:
        """Result and board, as in `Received`."""


_events = msgspec.json.Decoder(list[RoomEvent | stones.Started | stones.Taken])
_state: msgspec.json.Decoder[stones.State | None] = msgspec.json.Decoder(stones.State | None)
_TAKE = {count: msgspec.json.encode(stones.Take(count)) for count in (1, 2, 3)}


def _plain(value: msgspec.Struct) -> Any:
    """The value as plain JSON values, as in a view."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _stones_in(view: TableView) -> stones.State:
    return _state.decode(view.game_json) or stones.GAME.empty


class StonesStrategy:
    """Applies the events of stones itself, so that the server need not compute options."""

    wants: tuple[str, ...]
    asks_view = False

    def __init__(self, seat: int, seed: int) -> None:
        self.wants = ()
        self.ending: Any = None
        self.closed = ""
        self._seat = seat
        self._state = stones.GAME.empty
        self._random = Random(seed)

    def reset(self, view: TableView) -> None:
        self.ending = view.outcome
        self.closed = "closed" if view.status == "closed" else ""
        self._state = _stones_in(view)

    def follow(self, update: TableUpdate) -> None:
        for event in _events.decode(update.events_json):
            match event:
                case stones.Taken() | stones.Started():
                    self._state = stones.evolve(self._state, event)
                case Ended():
                    self.ending = _plain(event)
                case Closed(reason=reason):
                    self.closed = reason or "closed"
                case _:
                    pass

    def choose(self) -> bytes | None:
        state = self._state
        if state.turn != self._seat or not state.stones or self.ending is not None:
            return None
        return _TAKE[1 + int(self._random.random() * min(3, state.stones))]

    def agrees(self, view: TableView) -> bool:
        return _stones_in(view) == self._state

    def outcome(self) -> tuple[Any, Any]:
        return self.ending, _plain(self._state)


_options_decoder = msgspec.json.Decoder(list[msgspec.Raw] | None)


class GenericStrategy:
    """Plays any game: chooses one of the options that updates and views carry."""

    wants: tuple[str, ...]
    asks_view = True

    def __init__(self, game: str, seed: int) -> None:
        self.wants = ("options",)
        self.ending: Any = None
        self.closed = ""
        self._random = Random(seed)
        self._options: list[msgspec.Raw] = []
        self._name = game
        self._game: Any = None
        self._names: dict[int, str] = {}

    def reset(self, view: TableView) -> None:
        self.ending = view.outcome
        self.closed = "closed" if view.status == "closed" else ""
        self._set_options(view.options_json)
        self._game = msgspec.json.decode(view.game_json)
        self._names = {sitting.seat: sitting.name for sitting in view.seats}

    def follow(self, update: TableUpdate) -> None:
        self._game = None
        self._set_options(update.options_json)
        if b'"room.' not in bytes(update.events_json):
            return
        for event in msgspec.json.decode(update.events_json):
            match event:
                case {"type": "room.ended"}:
                    self.ending = event
                case {"type": "room.closed", "reason": reason}:
                    self.closed = reason or "closed"

    def _set_options(self, options: msgspec.Raw) -> None:
        self._options = _options_decoder.decode(options) or []

    def choose(self) -> bytes | None:
        if not self._options or self.ending is not None:
            return None
        return bytes(self._options[int(self._random.random() * len(self._options))])

    def agrees(self, view: TableView) -> bool:
        return True

    def outcome(self) -> tuple[Any, Any]:
        return comparable(self._name, self._game, self._names, self.ending)


def strategy_for(game: str, seat: int, seed: int) -> Strategy:
    return StonesStrategy(seat, seed) if game == stones.GAME.name else GenericStrategy(game, seed)
