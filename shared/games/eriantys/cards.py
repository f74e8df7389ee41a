"""The twelve characters as data: cost, contents, the choice they ask for, lasting effects. The rules are elsewhere."""

from enum import StrEnum
from typing import Final

from shared.game import Value


class Ask(StrEnum):
    """The kind of choice that a character asks its player for."""

    NOTHING = "nothing"
    COLOR = "color"
    ISLAND = "island"
    STUDENT = "student"
    """A student on the card, and an island for it."""
    CARD_SWAPS = "card_swaps"
    HALL_SWAPS = "hall_swaps"


class Card(Value, frozen=True):
    number: int
    key: str
    cost: int
    text: str
    asks: Ask = Ask.NOTHING
    choices: int = 1
    """The number of choices, if the card asks for any."""
    students: int = 0
    """The students on the card at the beginning."""
    no_entry: int = 0
    """The no-entry tiles on the card at the beginning."""
    extra_steps: int = 0
    extra_influence: int = 0
    wins_ties: bool = False
    mutes_towers: bool = False
    mutes_color: bool = False


NO_CARD: Final = Card(0, "none", 0, "")

CARDS: Final[dict[int, Card]] = {
    card.number: card
    for card in (
        Card(1, "monk", 1, "Move a student from this card to an island.", Ask.STUDENT, students=4),
        Card(2, "farmer", 2, "This turn you take professors on a tie as well.", wins_ties=True),
        Card(3, "herald", 3, "Resolve an island as if mother nature had stopped there.", Ask.ISLAND),
        Card(4, "postman", 1, "Mother nature may go two islands further this turn.", extra_steps=2),
        Card(5, "herbalist", 2, "Put a no-entry tile on an island.", Ask.ISLAND, no_entry=4),
        Card(6, "centaur", 3, "Towers give no influence this turn.", mutes_towers=True),
        Card(7, "jester", 1, "Swap up to three students with this card.", Ask.CARD_SWAPS, 3, students=6),
        Card(8, "knight", 2, "You have two more influence this turn.", extra_influence=2),
        Card(9, "mushroom_man", 3, "One colour gives no influence this turn.", Ask.COLOR, mutes_color=True),
        Card(10, "minstrel", 1, "Swap up to two students between entrance and dining room.", Ask.HALL_SWAPS, 2),
        Card(11, "princess", 2, "Move a student from this card to your dining room.", Ask.COLOR, students=4),
        Card(12, "thief", 3, "Everybody returns three students of a colour to the bag.", Ask.COLOR),
    )
}
ON_TABLE: Final = 3
"""The number of characters in a game."""
