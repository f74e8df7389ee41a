"""The options of a table, the choices of its seats (mage and tower color), and the setup with all its draws."""

from collections.abc import Mapping
from typing import Annotated, Final, TypeVar

import msgspec

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Choice, Draft, Table, Value
from shared.games.eriantys.bag import draw
from shared.games.eriantys.cards import CARDS, ON_TABLE
from shared.games.eriantys.events import Began, Event
from shared.games.eriantys.pieces import (
    COLORS,
    NO_STUDENTS,
    TILES,
    Mage,
    Tower,
    counts,
    tally,
)
from shared.games.eriantys.refusals import refused
from shared.games.eriantys.rounds import begin_round
from shared.games.eriantys.state import State, evolve
from shared.games.eriantys.views import Character, Group, Player, Tile, View
from shared.ids import Seat

STUDENTS: Final = 26
"""The students of each color."""
COINS: Final = 20
TEAM_GAME: Final = 4


Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=86_400_000)]


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options of a table."""

    expert: bool = False
    grace_ms: Milliseconds = 3000
    """The time that the game waits for an absent player whose turn it is."""
    alone_ms: Milliseconds = 50000
    """The time that the last connected player waits before winning."""


T = TypeVar("T", Mage, Tower)


def admit(_options: Options, seats: int, taken: Mapping[Seat, Choice], seat: Seat, choice: Choice) -> Choice | Rejected:
    """Admit a choice of mage and tower color: the requested ones, or the next free ones. In teams, the
    seat decides the color."""
    mages = _free(tuple(Mage), taken, "mage")
    mage = _pick(Mage, mages, choice.get("mage"), "eriantys/mage_taken")
    if isinstance(mage, Rejected):
        return mage
    if seats == TEAM_GAME:
        return {"mage": mage.value, "tower": (Tower.BLACK, Tower.WHITE)[seat % 2].value}
    towers = _free(tuple(Tower)[:seats], taken, "tower")
    tower = _pick(Tower, towers, choice.get("tower"), "eriantys/tower_taken")
    return tower if isinstance(tower, Rejected) else {"mage": mage.value, "tower": tower.value}


def _free(pieces: tuple[T, ...], taken: Mapping[Seat, Choice], key: str) -> tuple[T, ...]:
    used = {choice.get(key) for choice in taken.values()}
    return tuple(piece for piece in pieces if piece.value not in used)


def _pick(kind: type[T], free: tuple[T, ...], wanted: object, code: str) -> T | Rejected:
    if wanted is None:
        return free[0] if free else refused(code)
    if wanted not in tuple(kind):
        return refused("eriantys/bad_choice")
    return next((piece for piece in free if piece.value == wanted), None) or refused(code)


def setup(table: Table[Options]) -> tuple[Event, ...]:
    dice = Dice(table.seed, "setup")
    number = len(table.seats)
    mother = 1 + dice.below(TILES)
    tiles = _lay_islands(dice, mother)
    bag = counts([STUDENTS - 2] * len(COLORS))
    characters: list[Character] = []
    for card in dice.shuffle(tuple(CARDS))[:ON_TABLE] if table.options.expert else ():
        drawn, bag = draw(dice, bag, CARDS[card].students)
        characters.append(Character(card, tally(drawn), CARDS[card].no_entry))
    players: list[Player] = []
    for seat, choice in zip(table.seats, _choices(table), strict=True):
        drawn, bag = draw(dice, bag, 9 if number == 3 else 7)
        towers = (6 if number == 3 else 8) if seat < (2 if number == TEAM_GAME else number) else 0
        mage, tower = Mage(choice["mage"]), Tower(choice["tower"])
        players.append(Player(mage, tower, towers, tally(drawn), coins=int(table.options.expert)))
    view = View(
        expert=table.options.expert,
        players=tuple(players),
        tiles=tiles,
        groups=tuple(Group((tile,)) for tile in range(1, TILES + 1)),
        mother=mother,
        clouds=(NO_STUDENTS,) * number,
        bag=bag,
        characters=tuple(characters),
        bank=COINS - number if table.options.expert else 0,
    )
    draft = Draft(State(view, table.seed), evolve)
    draft.emit(Began(view, table.seed, table.options.grace_ms, table.options.alone_ms))
    begin_round(draft, Seat(dice.below(number)))
    return tuple(draft.events)


def _lay_islands(dice: Dice, mother: int) -> tuple[Tile, ...]:
    """Lay two students of each color, one on every island except mother nature's and the opposite one."""
    students = iter(dice.shuffle(COLORS * 2))
    bare = (mother, (mother + TILES // 2 - 1) % TILES + 1)
    return tuple(Tile() if tile in bare else Tile(tally((next(students),))) for tile in range(1, TILES + 1))


def _choices(table: Table[Options]) -> list[Choice]:
    """The choice of each seat, completed for players who were seated without one."""
    complete: dict[Seat, Choice] = {}
    for seat in table.seats:
        others = {**{other: choice for other, choice in table.choices.items() if other != seat}, **complete}
        choice = admit(table.options, len(table.seats), others, seat, table.choices.get(seat, {}))
        if isinstance(choice, Rejected):
            choice = admit(table.options, len(table.seats), complete, seat, {})
        if isinstance(choice, Rejected):
            raise ValueError(f"seat {seat} has no mage or towers: {choice}")
        complete[seat] = choice
    return [complete[seat] for seat in table.seats]
