"""The commands of the game."""

from typing import TypeAlias

from shared.game import Message
from shared.games.eriantys.pieces import Color, Counts, Manner


class PlayAssistant(Message, frozen=True, tag="play_assistant"):
    value: int


class MoveToHall(Message, frozen=True, tag="move_to_hall"):
    """Move a student from the own entrance to the own dining room."""

    colour: Color


class MoveToIsland(Message, frozen=True, tag="move_to_island"):
    """Move a student from the own entrance to an island, named by a tile from 1 to 12."""

    colour: Color
    tile: int


class MoveMother(Message, frozen=True, tag="move_mother"):
    steps: int


class TakeCloud(Message, frozen=True, tag="take_cloud"):
    cloud: int


class ChooseColor(Message, frozen=True, tag="choose_colour"):
    """The choice of the mushroom man, the princess and the thief."""

    colour: Color


class ChooseIsland(Message, frozen=True, tag="choose_island"):
    """The choice of the herald and the herbalist."""

    tile: int


class SendStudent(Message, frozen=True, tag="send_student"):
    """The choice of the monk: a student on the card, and the island it goes to."""

    colour: Color
    tile: int


class SwapWithCard(Message, frozen=True, tag="swap_with_card"):
    """One swap of the jester."""

    card: Color
    entrance: Color


class SwapWithHall(Message, frozen=True, tag="swap_with_hall"):
    """One swap of the minstrel."""

    entrance: Color
    hall: Color


class Exchange(Message, frozen=True, tag="exchange"):
    """All swaps of the jester or the minstrel at once: what leaves the entrance, and what comes to it."""

    given: Counts
    taken: Counts


Choice: TypeAlias = ChooseColor | ChooseIsland | SendStudent | SwapWithCard | SwapWithHall
"""The choices of an activated character."""
WholeChoice: TypeAlias = ChooseColor | ChooseIsland | SendStudent | Exchange
"""The choices of a character that is paid and used by one command."""


class PlayCharacter(Message, frozen=True, tag="play_character"):
    """Pay a character and use it, with all that it asks for."""

    number: int
    choice: WholeChoice | None = None


class ActivateCharacter(Message, frozen=True, tag="activate_character"):
    """Pay a character that asks for something; the choice is owed."""

    number: int
    manner: Manner = Manner.LAX
    """`strict` or `lax`."""


class EndSelection(Message, frozen=True, tag="end_selection"):
    """Make no more swaps."""


Command: TypeAlias = (
    PlayAssistant
    | MoveToHall
    | MoveToIsland
    | MoveMother
    | TakeCloud
    | PlayCharacter
    | ActivateCharacter
    | Choice
    | EndSelection
)
