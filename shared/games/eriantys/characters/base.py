"""The interface of a character to the rules, and all choices that each kind of question allows."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Final, TypeAlias

from shared.errors import Rejected
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.changes import card_of
from shared.games.eriantys.commands import (
    Choice,
    ChooseColor,
    ChooseIsland,
    Exchange,
    SendStudent,
    SwapWithCard,
    SwapWithHall,
    WholeChoice,
)
from shared.games.eriantys.pieces import COLORS, TILES, Counts, holds, tally
from shared.games.eriantys.refusals import refused
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import View
from shared.ids import Seat

AnyChoice: TypeAlias = Choice | WholeChoice


class Effect:
    """A character. The base class asks for nothing and has only the effects listed in cards.py."""

    def played(self, draft: StepDraft) -> None:
        """Apply the effect that the character has at once when it is paid."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        """The rule that forbids this choice, or None. The result must not depend on whether the price is paid yet."""
        return refused("eriantys/no_choice")

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        """Emit the events of a choice that `refusal` allows."""


def no_such_tile(tile: int) -> Rejected | None:
    return None if 1 <= tile <= TILES else refused("eriantys/no_such_island")


_TILES: Final = tuple(range(1, TILES + 1))
_COLOR_CHOICES: Final = tuple(ChooseColor(color) for color in COLORS)
_ISLAND_CHOICES: Final = tuple(ChooseIsland(tile) for tile in _TILES)
_STUDENT_CHOICES: Final = tuple(SendStudent(color, tile) for color in COLORS for tile in _TILES)
_HANDFULS: Final[dict[int, tuple[Counts, ...]]] = {
    size: tuple(tally(chosen) for chosen in combinations_with_replacement(COLORS, size)) for size in (1, 2, 3)
}

STEP_CHOICES: Final[dict[str, tuple[Choice, ...]]] = {
    Ask.NOTHING: (),
    Ask.COLOR: _COLOR_CHOICES,
    Ask.ISLAND: _ISLAND_CHOICES,
    Ask.STUDENT: _STUDENT_CHOICES,
    Ask.CARD_SWAPS: tuple(SwapWithCard(*pair) for pair in product(COLORS, COLORS)),
    Ask.HALL_SWAPS: tuple(SwapWithHall(*pair) for pair in product(COLORS, COLORS)),
}
"""Every choice that can be legal, one step at a time."""


def whole_choices(view: View, seat: Seat, number: int) -> Iterator[WholeChoice | None]:
    """Every choice that can be legal when one command carries all of it."""
    card = CARDS[number]
    match card.asks:
        case Ask.NOTHING:
            yield None
        case Ask.COLOR:
            yield from _COLOR_CHOICES
        case Ask.ISLAND:
            yield from _ISLAND_CHOICES
        case Ask.STUDENT:
            yield from _STUDENT_CHOICES
        case Ask.CARD_SWAPS | Ask.HALL_SWAPS:
            player = view.players[seat]
            source = player.hall if card.asks is Ask.HALL_SWAPS else card_of(view, number).students
            for size in range(1, card.choices + 1):
                given = [handful for handful in _HANDFULS[size] if holds(player.entrance, handful)]
                taken = [handful for handful in _HANDFULS[size] if holds(source, handful)]
                yield from (Exchange(*pair) for pair in product(given, taken))
