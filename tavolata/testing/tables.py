"""A game at a table in memory: the rules alone, without a room, a clock or a network."""

from collections.abc import Mapping
from typing import Any

import msgspec

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import AnyGame, Choice, Notice, Outcome, Table, default_bot
from shared.ids import Seat

MOST_STEPS = 20_000


class CommandRefused(Exception):
    """The game or the room refused a command, and nothing was changed."""

    def __init__(self, code: str, text: str = "") -> None:
        """`code` and `text` are those of the `Rejected` value."""
        super().__init__(f"{code}: {text}" if text else code)
        self.code = code
        self.text = text


class GameTable:
    """A table at which a game is played: `table = GameTable(GAME); table.act(0, Take(2)); table.view(1)`."""

    def __init__(
        self,
        game: AnyGame,
        seats: int | None = None,
        *,
        seed: int = 1,
        options: Mapping[str, Any] | msgspec.Struct | None = None,
        choices: Mapping[Seat, Choice] | None = None,
    ) -> None:
        """Begin a game. `seats` is a number of players, by default the smallest; `options` are those of the table."""
        self.game = game
        self.seats = tuple(Seat(number) for number in range(seats or min(game.seats)))
        self.state: Any = game.empty
        """The state after the last event."""
        self.events: list[Any] = []
        """All events so far."""
        self._seed = seed
        given = msgspec.convert(options or {}, game.options_type, from_attributes=True)
        table = Table(given, self.seats, self.seats, seed, choices or {})
        self._apply(game.setup(table))

    def act(self, seat: int, command: Any) -> tuple[Any, ...]:
        """Give a command and return its events. Raises `CommandRefused`."""
        decided = self.game.decide(self.state, Seat(seat), command)
        if isinstance(decided, Rejected):
            raise CommandRefused(decided.code, decided.text)
        return self._apply(decided)

    def notify(self, notice: Notice) -> tuple[Any, ...]:
        """Inform the game about presence or a timer, and return the events that this causes."""
        return self._apply(self.game.notice(self.state, notice) if self.game.notice else ())

    def act_as_bot(self) -> Any:
        """Let the bot of the first seat whose turn it is give a command, and return the command."""
        seat = self.turn[0]
        command = default_bot(self.game, self.state, seat, Dice(self._seed, "bot", len(self.events)))
        self.act(seat, command)
        return command

    def finish(self) -> Outcome:
        """Let bots play to the end, and return the outcome."""
        for _ in range(MOST_STEPS):
            outcome = self.outcome
            if outcome is not None:
                return outcome
            self.act_as_bot()
        raise AssertionError(f"the game did not end within {MOST_STEPS} commands")

    def _apply(self, events: tuple[Any, ...]) -> tuple[Any, ...]:
        for event in events:
            self.state = self.game.evolve(self.state, event)
        self.events += events
        return events

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def turn(self) -> tuple[Seat, ...]:
        """The seats that may act now."""
        return self.game.turn(self.state)

    @property
    def outcome(self) -> Outcome | None:
        """The end of the game, or None while it goes on."""
        return self.game.outcome(self.state)

    def options(self, seat: int) -> tuple[Any, ...]:
        """The commands that a seat may give now."""
        return self.game.options(self.state, Seat(seat))

    def view(self, seat: int | None = None) -> Any:
        """All that a seat, or a spectator, may know."""
        return self.game.view(self.state, None if seat is None else Seat(seat))

    def seen_by(self, seat: int | None = None) -> list[Any]:
        """The events so far as a seat, or a spectator, may see them."""
        whom = None if seat is None else Seat(seat)
        seen = (self.game.redact(event, whom) for event in self.events)
        return [event for event in seen if event is not None]
