"""Draws students from the bag. Events record what was drawn; nothing here changes a state."""

from shared.dice import Dice
from shared.games.eriantys.pieces import COLORS, Color, Counts, plus


def draw(dice: Dice, bag: Counts, count: int) -> tuple[tuple[Color, ...], Counts]:
    """Draw students one after the other. Return them and the bag without them; the bag must hold enough."""
    drawn: list[Color] = []
    for _ in range(count):
        number = dice.below(sum(bag))
        for color, there in zip(COLORS, bag, strict=True):
            if number < there:
                drawn.append(color)
                bag = plus(bag, color, -1)
                break
            number -= there
    return tuple(drawn), bag
