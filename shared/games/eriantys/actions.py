"""The events of each command, once it is known to be legal: its own effect, and what follows from it."""

from shared.games.eriantys import commands as asked
from shared.games.eriantys.characters import CHARACTERS
from shared.games.eriantys.commands import Command
from shared.games.eriantys.dining_rooms import student_arrived
from shared.games.eriantys.events import (
    AssistantPlayed,
    CharacterPlayed,
    ChoiceClosed,
    CloudTaken,
    MotherMoved,
    StudentToHall,
    StudentToIsland,
)
from shared.games.eriantys.islands import resolve
from shared.games.eriantys.pieces import Manner, Phase
from shared.games.eriantys.rounds import after_assistant, after_mother, after_student, complete_turn, end_turn
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import active_card, character_of, position_of
from shared.ids import Seat


def perform(draft: StepDraft, seat: Seat, command: Command) -> None:
    """Emit the events of a legal command."""
    match command:
        case asked.PlayAssistant(value=value):
            draft.emit(AssistantPlayed(seat, value))
            after_assistant(draft)
        case asked.MoveToHall(colour=color):
            _end_swapping(draft)
            draft.emit(StudentToHall(seat, color))
            student_arrived(draft, seat, color)
            after_student(draft)
        case asked.MoveToIsland(colour=color, tile=tile):
            _end_swapping(draft)
            draft.emit(StudentToIsland(seat, color, tile))
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
    """Any other action ends a row of swaps that was begun in the strict manner."""
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
