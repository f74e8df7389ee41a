"""Commands of the game that more than one dialect of Eriantys gives."""

from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.commands import ActivateCharacter, Command, PlayCharacter
from shared.games.eriantys.pieces import Manner


def activation(number: int, manner: Manner) -> Command:
    """The command that plays a character, in a dialect where the player makes the character's choice later."""
    asks = number in CARDS and CARDS[number].asks is not Ask.NOTHING
    return ActivateCharacter(number, manner) if asks else PlayCharacter(number)
