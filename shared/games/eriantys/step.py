"""One step in the making: the events so far, and the view after them."""

from shared.dice import Dice
from shared.games.eriantys.events import Event
from shared.games.eriantys.pieces import COLOURS, Colour, Counts, Phase, plus
from shared.games.eriantys.state import State
from shared.games.eriantys.views import View


class Step:
    __slots__ = ("events", "seed", "view")

    def __init__(self, state: State) -> None:
        self.view: View = state.view
        self.seed = state.seed
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)
        self.view = event.on(self.view)

    def dice(self, *labels: int | str) -> Dice:
        return Dice(self.seed, *labels)

    @property
    def over(self) -> bool:
        return self.view.phase is Phase.OVER


def draw(dice: Dice, bag: Counts, count: int) -> tuple[tuple[Colour, ...], Counts]:
    """So many students from the bag, one after the other; the bag must have them."""
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
