"""What each command needs to be allowed, in the order in which it is tested, and what it does."""

from shared.errors import Rejected
from shared.game import Draft
from shared.games.eriantys import commands as asked
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.characters import CHARACTERS, useful
from shared.games.eriantys.commands import Command
from shared.games.eriantys.dining_rooms import student_arrived
from shared.games.eriantys.events import (
    AssistantPlayed,
    CharacterPlayed,
    ChoiceClosed,
    CloudTaken,
    Event,
    MotherMoved,
    StudentToHall,
    StudentToIsland,
)
from shared.games.eriantys.islands import resolve
from shared.games.eriantys.pieces import ASSISTANTS, INDEX, ROW, TILES, Manner, Phase
from shared.games.eriantys.refusals import refused
from shared.games.eriantys.rounds import after_assistant, after_mother, after_student, complete_turn, end_turn
from shared.games.eriantys.state import State, StepDraft, evolve
from shared.games.eriantys.views import (
    View,
    active_card,
    character_of,
    max_steps,
    playable_assistants,
    position_of,
)
from shared.ids import Seat

CHARACTER_PHASES = (Phase.STUDENTS, Phase.MOTHER, Phase.CLOUD)


def decide(state: State, seat: Seat, command: Command) -> tuple[Event, ...] | Rejected:
    if refusal := refusal_of(state.view, seat, command):
        return refusal
    draft = Draft(state, evolve)
    perform(draft, seat, command)
    return tuple(draft.events)


def refusal_of(view: View, seat: Seat, command: Command) -> Rejected | None:
    """Why the seat may not do this now; None: it may."""
    if view.phase is Phase.OVER:
        return refused("game/over")
    if view.paused:
        return refused("eriantys/paused")
    if seat != view.turn:
        return refused("game/not_your_turn")
    match command:
        case asked.PlayAssistant(value=value):
            return _out_of(view, Phase.PLANNING) or _no_assistant(view, value)
        case asked.MoveToHall(colour=colour):
            if wrong := _out_of(view, Phase.STUDENTS):
                return wrong
            if view.players[seat].hall[INDEX[colour]] == ROW:
                return refused("eriantys/row_full")
            return None if view.players[seat].entrance[INDEX[colour]] else refused("eriantys/no_student")
        case asked.MoveToIsland(colour=colour, tile=tile):
            if wrong := _out_of(view, Phase.STUDENTS):
                return wrong
            if not view.players[seat].entrance[INDEX[colour]]:
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
    """The active character was played in the manner that allows nothing else before the choice."""
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
    if wrong := _out_of(view, *CHARACTER_PHASES):
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


def perform(draft: StepDraft, seat: Seat, command: Command) -> None:
    """Do what was allowed, and let the game go on from there."""
    match command:
        case asked.PlayAssistant(value=value):
            draft.emit(AssistantPlayed(seat, value))
            after_assistant(draft)
        case asked.MoveToHall(colour=colour):
            _end_swapping(draft)
            draft.emit(StudentToHall(seat, colour))
            student_arrived(draft, seat, colour)
            after_student(draft)
        case asked.MoveToIsland(colour=colour, tile=tile):
            _end_swapping(draft)
            draft.emit(StudentToIsland(seat, colour, tile))
            after_student(draft)
        case asked.MoveMother(steps=steps):
            _end_swapping(draft)
            _move_mother(draft, steps)
            after_mother(draft)
        case asked.TakeCloud(cloud=cloud):
            _end_swapping(draft)
            draft.emit(CloudTaken(seat, cloud))
            complete_turn(draft)
        case asked.PlayCharacter(number=number, choice=choice):
            _pay(draft, seat, number, Manner.WHOLE)
            if choice is not None:
                CHARACTERS[number].use(draft, seat, choice)
        case asked.ActivateCharacter(number=number, manner=manner):
            _pay(draft, seat, number, manner)
        case asked.EndSelection():
            draft.emit(ChoiceClosed())
        case _:
            CHARACTERS[active_card(draft.state.view).number].use(draft, seat, command)
            if draft.state.view.phase is Phase.CHARACTER:
                end_turn(draft)


def _end_swapping(draft: StepDraft) -> None:
    """Who swaps in the strict manner is done with it on doing anything else."""
    active = draft.state.view.active
    if active is not None and active.left and active.manner is Manner.STRICT:
        draft.emit(ChoiceClosed())


def _move_mother(draft: StepDraft, steps: int) -> None:
    groups = draft.state.view.groups
    there = groups[(position_of(draft.state.view, draft.state.view.mother) + steps) % len(groups)]
    draft.emit(MotherMoved(there.tiles[0]))
    resolve(draft, there.tiles[0])


def _pay(draft: StepDraft, seat: Seat, number: int, manner: Manner) -> None:
    character = character_of(draft.state.view, number)
    if character is not None:
        draft.emit(CharacterPlayed(seat, number, character.price, manner))
        CHARACTERS[number].played(draft)
