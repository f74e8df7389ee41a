"""What can be chosen for a game of Snarl."""

from typing import Annotated, Literal

from msgspec import Meta

from shared.game import Value
from shared.games.snarl.checks import check_levels
from shared.games.snarl.levels import MOST_LEVELS, Level, LevelError
from shared.games.snarl.shipped import SHIPPED


class House(Value, frozen=True, forbid_unknown_fields=True):
    """Points on which tables differ. The defaults are the rules as we recommend them."""

    spawn_distance: Annotated[int, Meta(ge=0, le=20)] = 0
    """How far from all players adversaries are placed, if the level has the room."""
    occupants_block: bool = False
    """Nobody can walk past an occupied tile."""
    adversary_first: bool = True
    """An adversary guards the key or the exit it stands on."""
    stay_exits: bool = True
    """Staying on the unlocked exit is as good as arriving there."""
    ghosts_share: bool = False
    """A ghost may enter a tile with another adversary."""
    loss_ejects: bool = False
    """A player who is disconnected while active in a level counts as ejected."""


class Options(Value, frozen=True, forbid_unknown_fields=True):
    levels: tuple[Level, ...] | Literal["shipped"] | None = None
    """Levels as in a file, or the ones that come with the program; none: they are generated."""
    count: Annotated[int, Meta(ge=1, le=MOST_LEVELS)] = 3
    """How many levels a generated dungeon has."""
    start: Annotated[int, Meta(ge=1, le=MOST_LEVELS)] = 1
    """The level to begin with; the ones before it are not played."""
    move_time_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 120_000
    """Who has not moved after so long is disconnected; 0: no limit."""
    grace_ms: Annotated[int, Meta(ge=0, le=3_600_000)] = 10_000
    """Who has lost the connection may come back for so long; 0: removed at once."""
    house: House = House()

    def __post_init__(self) -> None:
        if isinstance(self.levels, tuple):
            if not 1 <= len(self.levels) <= MOST_LEVELS:
                raise LevelError(f"a dungeon has 1 to {MOST_LEVELS} levels, not {len(self.levels)}")
            check_levels(self.levels)
        if self.start > self.last:
            raise LevelError(f"the game cannot start at level {self.start}; the dungeon has {self.last}")

    @property
    def given(self) -> tuple[Level, ...]:
        """The levels that need not be generated."""
        return SHIPPED if self.levels == "shipped" else tuple(self.levels or ())

    @property
    def last(self) -> int:
        return len(self.given) or self.count
