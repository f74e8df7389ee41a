"""The public view of the game, which holds all but the seed, and functions that read it."""

from shared.game import Value
from shared.games.eriantys.cards import CARDS, NO_CARD, Card
from shared.games.eriantys.pieces import (
    ASSISTANTS,
    NO_STUDENTS,
    Color,
    Counts,
    Mage,
    Manner,
    Phase,
    Tower,
    steps_of,
)
from shared.ids import Seat


class Tile(Value, frozen=True):
    students: Counts = NO_STUDENTS
    tower: Tower | None = None


class Group(Value, frozen=True):
    """Tiles that are joined. The groups are in the order of their lowest tiles."""

    tiles: tuple[int, ...]
    """Numbers from 1 to 12, ascending."""
    no_entry: int = 0


class Player(Value, frozen=True):
    mage: Mage
    tower: Tower
    towers: int
    """The towers left on the board. In a game of four, the first two seats keep those of their teams."""
    entrance: Counts
    hall: Counts = NO_STUDENTS
    hand: tuple[int, ...] = ASSISTANTS
    assistant: int | None = None
    """The last one played."""
    coins: int = 0


class Character(Value, frozen=True):
    """A card on the table."""

    number: int
    students: Counts = NO_STUDENTS
    no_entry: int = 0
    used: bool = False
    """The card was paid before and costs one coin more."""

    @property
    def price(self) -> int:
        return CARDS[self.number].cost + self.used


class Active(Value, frozen=True):
    """The character that was played in this turn."""

    number: int
    manner: Manner
    left: int = 0
    """Choices that may still be made."""
    owed: bool = False
    """The turn cannot end before one is made."""
    colour: Color | None = None
    """The last one chosen."""


class View(Value, frozen=True):
    expert: bool = False
    players: tuple[Player, ...] = ()
    tiles: tuple[Tile, ...] = ()
    groups: tuple[Group, ...] = ()
    mother: int = 1
    """The lowest tile of the group where she stands."""
    clouds: tuple[Counts, ...] = ()
    bag: Counts = NO_STUDENTS
    """The contents of the bag, which players could count. The order of the draws is not part of any view."""
    professors: tuple[Seat | None, ...] = (None,) * 5
    characters: tuple[Character, ...] = ()
    bank: int = 0
    round: int = 0
    phase: Phase = Phase.PLANNING
    turn: Seat = Seat(0)
    order: tuple[Seat, ...] = ()
    """The order of the planning phase, then of the action phase."""
    moves: int = 0
    """Students that are still to be moved in this turn."""
    dry: bool = False
    """The bag could not fill the clouds: this round has no cloud phase."""
    last_round: str = ""
    """The reason why this round is the last one: `bag` or `assistants`."""
    active: Active | None = None
    away: tuple[Seat, ...] = ()
    paused: bool = False
    winners: tuple[Seat, ...] = ()
    ending: str = ""


def position_of(view: View, tile: int) -> int:
    """The position of a tile's group in the list of groups."""
    for position, group in enumerate(view.groups):
        if tile in group.tiles:
            return position
    raise ValueError(f"there is no tile {tile}")


def students_of(view: View, group: Group) -> Counts:
    g, r, y, p, b = 0, 0, 0, 0, 0
    for tile in group.tiles:
        students = view.tiles[tile - 1].students
        g, r, y, p, b = g + students[0], r + students[1], y + students[2], p + students[3], b + students[4]
    return (g, r, y, p, b)


def towers_of(view: View, group: Group) -> tuple[Tower, ...]:
    found = (view.tiles[tile - 1].tower for tile in group.tiles)
    return tuple(tower for tower in found if tower is not None)


def owner_of(view: View, group: Group) -> Tower | None:
    """The color of the towers on a group. If there were too few for all tiles, the lowest tiles have them."""
    return view.tiles[group.tiles[0] - 1].tower


def keeper_of(view: View, tower: Tower) -> Seat:
    """The seat whose board holds the towers of a color."""
    return next(Seat(seat) for seat, player in enumerate(view.players) if player.tower is tower)


def character_of(view: View, number: int) -> Character | None:
    return next((card for card in view.characters if card.number == number), None)


def active_card(view: View) -> Card:
    """The facts of the character that was played in this turn."""
    return NO_CARD if view.active is None else CARDS[view.active.number]


def max_steps(view: View) -> int:
    """The number of steps that mother nature may go in this turn."""
    return steps_of(view.players[view.turn].assistant or 0) + active_card(view).extra_steps


def played_before(view: View) -> tuple[int, ...]:
    """The assistants that were played in this planning phase."""
    before = view.order[: view.order.index(view.turn)]
    return tuple(value for seat in before if (value := view.players[seat].assistant) is not None)


def playable_assistants(view: View) -> tuple[int, ...]:
    """The assistants that the current player may play: those not yet played in this round, or all if none is left."""
    hand, taken = view.players[view.turn].hand, played_before(view)
    return tuple(value for value in hand if value not in taken) or hand


def takeable_clouds(view: View) -> tuple[int, ...]:
    return tuple(number for number, students in enumerate(view.clouds) if any(students))
