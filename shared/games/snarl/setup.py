"""The options of a table of Snarl, and the first events of a game."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from shared.game import Draft, Table, Value
from shared.games.snarl.events import Event, GameBegan
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.level_checks import MOST_CELLS, check_levels, check_sizes
from shared.games.snarl.levels import MAX_LEVELS, Level, LevelError
from shared.games.snarl.rounds import begin_level
from shared.games.snarl.shipped_levels import SHIPPED_LEVELS
from shared.games.snarl.state import State, evolve


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options of a table. Levels that cannot be played are refused here, before a room exists."""

    levels: tuple[Level, ...] | Literal["shipped"] | None = None
    """Levels as in a file, or `shipped` for those of this package. Without levels, the dungeon is generated."""
    count: Annotated[int, Meta(ge=1, le=MAX_LEVELS)] = 3
    """The number of levels of a generated dungeon."""
    start: Annotated[int, Meta(ge=1, le=MAX_LEVELS)] = 1
    """The number of the first level played; the ones before it are skipped."""
    move_time_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 120_000
    """The time for a move, after which the player is disconnected; 0 means no limit."""
    grace_ms: Annotated[int, Meta(ge=0, le=3_600_000)] = 10_000
    """The time in which a player who lost the connection may come back; 0 removes the player at once."""
    house: HouseRules = HouseRules()
    whole_level: bool = False
    """Spectators see the whole level, not only what players have seen. Players could then look at more than their
    window, by watching their own game."""

    most_cells: ClassVar[int | None] = MOST_CELLS
    """The cells that a level may have; None: any number."""

    def __post_init__(self) -> None:
        if isinstance(self.levels, tuple):
            if not 1 <= len(self.levels) <= MAX_LEVELS:
                raise LevelError(f"a dungeon has 1 to {MAX_LEVELS} levels, not {len(self.levels)}")
            if self.most_cells is not None:
                check_sizes(self.levels, self.most_cells)
            check_levels(self.levels)
        if self.start > self.last:
            raise LevelError(f"the game cannot start at level {self.start}; the dungeon has {self.last}")

    @property
    def given(self) -> tuple[Level, ...]:
        """The levels that need not be generated; empty for a generated dungeon."""
        return SHIPPED_LEVELS if self.levels == "shipped" else tuple(self.levels or ())

    @property
    def last(self) -> int:
        return len(self.given) or self.count


class TrustedOptions(Options, frozen=True, forbid_unknown_fields=True):
    """The options of a table that a gateway is configured to open: its levels may be larger than those of players."""

    most_cells: ClassVar[int | None] = None


def setup(table: Table[Options]) -> tuple[Event, ...]:
    """Begin the game and its first level. Players move in the order of joining."""
    chosen = table.options
    draft = Draft(State(), evolve)
    draft.emit(
        GameBegan(
            table.order,
            chosen.start,
            chosen.last,
            chosen.move_time_ms,
            chosen.grace_ms,
            chosen.house,
            table.seed,
            chosen.given,
            chosen.whole_level,
        )
    )
    begin_level(draft, chosen.start)
    return tuple(draft.events)
