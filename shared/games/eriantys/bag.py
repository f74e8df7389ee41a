"""Draws students from the bag. Events record what was drawn; nothing here changes a state."""

from shared.dice import Dice
from shared.games.eriantys.pieces import COLOURS, Colour, Counts, plus


def draw(dice: Dice, bag: Counts, count: int) -> tuple[tuple[Colour, ...], Counts]:
    """Draw students one after the other. Return them and the bag without them; the bag must hold enough."""
    drawn: list[Colour] = []
    for _ in range(count):
        number = dice.below(sum(bag))
        for colour, there in zip(COLOURS, bag, strict=True):
            if number < there:
                drawn.append(colour)
                bag = plus(bag, colour, -1)
                break
            number -= there
    return tuple(drawn), bag
