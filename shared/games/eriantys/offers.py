"""All that a seat may do now: everything that could be asked for, less what would be refused."""

from collections.abc import Iterator
from itertools import product
from typing import Final

from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.characters import STEP_CHOICES, whole_choices
from shared.games.eriantys.commands import (
    ActivateCharacter,
    Command,
    EndSelection,
    MoveMother,
    MoveToHall,
    MoveToIsland,
    PlayAssistant,
    PlayCharacter,
    TakeCloud,
)
from shared.games.eriantys.pieces import COLOURS, TILES, Manner, Phase
from shared.games.eriantys.rules import CHARACTER_PHASES, refusal_of
from shared.games.eriantys.state import State
from shared.games.eriantys.views import View, active_card, max_steps
from shared.ids import Seat

_STUDENTS: Final[tuple[Command, ...]] = (
    *(MoveToHall(colour) for colour in COLOURS),
    *(MoveToIsland(colour, tile) for colour, tile in product(COLOURS, range(1, TILES + 1))),
)


def options(state: State, seat: Seat) -> tuple[Command, ...]:
    view = state.view
    if seat not in turn(state):
        return ()
    return tuple(command for command in _imaginable(view, seat) if refusal_of(view, seat, command) is None)


def turn(state: State) -> tuple[Seat, ...]:
    return () if state.view.phase is Phase.OVER or state.view.paused else (state.view.turn,)


def _imaginable(view: View, seat: Seat) -> Iterator[Command]:
    """Nothing else can be allowed in this phase."""
    match view.phase:
        case Phase.PLANNING:
            yield from (PlayAssistant(value) for value in view.players[seat].hand)
        case Phase.STUDENTS:
            yield from _STUDENTS
        case Phase.MOTHER:
            yield from (MoveMother(steps) for steps in range(1, max_steps(view) + 1))
        case Phase.CLOUD:
            yield from (TakeCloud(cloud) for cloud in range(len(view.clouds)))
        case _:
            pass
    if view.active is not None:
        yield from STEP_CHOICES[active_card(view).asks]
        yield EndSelection()
    elif view.phase in CHARACTER_PHASES:
        yield from _characters(view, seat)


def _characters(view: View, seat: Seat) -> Iterator[Command]:
    for character in view.characters:
        if character.price > view.players[seat].coins:
            continue
        number = character.number
        for choice in whole_choices(view, seat, number):
            yield PlayCharacter(number, choice)
        if CARDS[number].asks is not Ask.NOTHING:
            yield ActivateCharacter(number, Manner.STRICT)
            yield ActivateCharacter(number, Manner.LAX)
