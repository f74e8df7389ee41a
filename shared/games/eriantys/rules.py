"""The commands a seat may give now. `refusal_of` alone defines what is legal; `options` and `decide` go by it."""

from collections.abc import Iterator
from itertools import product
from typing import Final

from shared.errors import Rejected
from shared.game import Draft
from shared.games.eriantys import commands as asked
from shared.games.eriantys.actions import perform
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.characters import CHARACTERS, STEP_CHOICES, useful, whole_choices
from shared.games.eriantys.commands import Command
from shared.games.eriantys.events import (
    Event,
)
from shared.games.eriantys.pieces import ASSISTANTS, COLORS, INDEX, ROW, TILES, Manner, Phase
from shared.games.eriantys.refusals import refused
from shared.games.eriantys.state import State, evolve
from shared.games.eriantys.views import (
    View,
    active_card,
    character_of,
    max_steps,
    playable_assistants,
)
from shared.ids import Seat

_CHARACTER_PHASES: Final = (Phase.STUDENTS, Phase.MOTHER, Phase.CLOUD)
_STUDENTS: Final[tuple[Command, ...]] = (
    *(asked.MoveToHall(color) for color in COLORS),
    *(asked.MoveToIsland(color, tile) for color, tile in product(COLORS, range(1, TILES + 1))),
)


def turn(state: State) -> tuple[Seat, ...]:
    return () if state.view.phase is Phase.OVER or state.view.paused else (state.view.turn,)


def options(state: State, seat: Seat) -> tuple[Command, ...]:
    view = state.view
    if seat not in turn(state):
        return ()
    return tuple(command for command in _candidates(view, seat) if refusal_of(view, seat, command) is None)


def decide(state: State, seat: Seat, command: Command) -> tuple[Event, ...] | Rejected:
    if refusal := refusal_of(state.view, seat, command):
        return refusal
    draft = Draft(state, evolve)
    perform(draft, seat, command)
    return tuple(draft.events)


def refusal_of(view: View, seat: Seat, command: Command) -> Rejected | None:
    """The rule that forbids this command now, or None. The order of the tests decides which refusal a player reads."""
    if view.phase is Phase.OVER:
        return refused("game/over")
    if view.paused:
        return refused("eriantys/paused")
    if seat != view.turn:
        return refused("game/not_your_turn")
    match command:
        case asked.PlayAssistant(value=value):
            return _out_of(view, Phase.PLANNING) or _no_assistant(view, value)
        case asked.MoveToHall(colour=color):
            if wrong := _out_of(view, Phase.STUDENTS):
                return wrong
            if view.players[seat].hall[INDEX[color]] == ROW:
                return refused("eriantys/row_full")
            return None if view.players[seat].entrance[INDEX[color]] else refused("eriantys/no_student")
        case asked.MoveToIsland(colour=color, tile=tile):
            if wrong := _out_of(view, Phase.STUDENTS):
                return wrong
            if not view.players[seat].entrance[INDEX[color]]:
                return refused("eriantys/no_student")
            return None if 1 <= tile <= TILES else refused("eriantys/no_such_island")
        case asked.MoveMother(steps=steps):
            wrong = _out_of(view, Phase.MOTHER)
            return wrong or (None if 1 <= steps <= max_steps(view) else refused("eriantys/steps"))
        case asked.TakeCloud(cloud=cloud):
            return _out_of(view, Phase.CLOUD) or _no_cloud(view, cloud)
        case asked.PlayCharacter() | asked.ActivateCharacter():
            return _no_character(view, seat, command)
        case asked.EndSelection():
            return _not_choosing(view) or (refused("eriantys/choice_owed") if _owes(view) else None)
        case _:
            return _not_choosing(view) or CHARACTERS[active_card(view).number].refusal(view, seat, command)


def _owes(view: View) -> bool:
    return view.active is not None and view.active.owed


def _held(view: View) -> bool:
    """Whether the active character was played in the manner that allows nothing else before the choice."""
    return view.active is not None and view.active.owed and view.active.manner is Manner.STRICT


def _out_of(view: View, *phases: Phase) -> Rejected | None:
    if _held(view):
        return refused("eriantys/choice_owed")
    return None if view.phase in phases else refused("eriantys/wrong_phase")


def _not_choosing(view: View) -> Rejected | None:
    return None if view.active is not None and view.active.left else refused("eriantys/no_choice")


def _no_assistant(view: View, value: int) -> Rejected | None:
    if value not in ASSISTANTS:
        return refused("eriantys/no_such_assistant")
    if value not in view.players[view.turn].hand:
        return refused("eriantys/assistant_gone")
    return None if value in playable_assistants(view) else refused("eriantys/assistant_taken")


def _no_cloud(view: View, cloud: int) -> Rejected | None:
    if not 0 <= cloud < len(view.clouds):
        return refused("eriantys/no_such_cloud")
    return None if any(view.clouds[cloud]) else refused("eriantys/cloud_empty")


def _no_character(view: View, seat: Seat, command: asked.PlayCharacter | asked.ActivateCharacter) -> Rejected | None:
    if not view.expert:
        return refused("eriantys/simple_game")
    if wrong := _out_of(view, *_CHARACTER_PHASES):
        return wrong
    if view.active is not None:
        return refused("eriantys/character_played")
    character = character_of(view, command.number)
    if character is None:
        return refused("eriantys/no_such_card")
    if view.players[seat].coins < character.price:
        return refused("eriantys/no_coins")
    card = CARDS[command.number]
    if isinstance(command, asked.ActivateCharacter):
        if card.asks is Ask.NOTHING or command.manner is Manner.WHOLE:
            return refused("eriantys/bad_arguments")
        return None if useful(view, seat, card.number) else refused("eriantys/card_useless")
    if (command.choice is None) is not (card.asks is Ask.NOTHING):
        return refused("eriantys/bad_arguments")
    return None if command.choice is None else CHARACTERS[card.number].refusal(view, seat, command.choice)


def _candidates(view: View, seat: Seat) -> Iterator[Command]:
    """Every command that can be legal in this phase."""
    match view.phase:
        case Phase.PLANNING:
            yield from (asked.PlayAssistant(value) for value in view.players[seat].hand)
        case Phase.STUDENTS:
            yield from _STUDENTS
        case Phase.MOTHER:
            yield from (asked.MoveMother(steps) for steps in range(1, max_steps(view) + 1))
        case Phase.CLOUD:
            yield from (asked.TakeCloud(cloud) for cloud in range(len(view.clouds)))
        case _:
            pass
    if view.active is not None:
        yield from STEP_CHOICES[active_card(view).asks]
        yield asked.EndSelection()
    elif view.phase in _CHARACTER_PHASES:
        yield from _characters(view, seat)


def _characters(view: View, seat: Seat) -> Iterator[Command]:
    for character in view.characters:
        if character.price > view.players[seat].coins:
            continue
        number = character.number
        for choice in whole_choices(view, seat, number):
            yield asked.PlayCharacter(number, choice)
        if CARDS[number].asks is not Ask.NOTHING:
            yield asked.ActivateCharacter(number, Manner.STRICT)
            yield asked.ActivateCharacter(number, Manner.LAX)
