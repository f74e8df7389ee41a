"""The course of the game: rounds, turns, and the phases of a turn."""

from shared.dice import Dice
from shared.games.eriantys.bag import draw
from shared.games.eriantys.characters import still_possible
from shared.games.eriantys.endings import call_last_round, finish
from shared.games.eriantys.events import (
    ActionBegan,
    ChoiceClosed,
    CloudsFilled,
    PhaseBegan,
    PlanningBegan,
    TurnBegan,
)
from shared.games.eriantys.pieces import Counts, Phase, Reason, students_per_cloud, tally
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import View
from shared.ids import Seat


def begin_round(draft: StepDraft, first: Seat) -> None:
    """Fill the clouds and let the first player plan."""
    number, players = draft.state.view.round + 1, len(draft.state.view.players)
    dry = not refill(draft, number)
    if dry or not any(draft.state.view.bag):
        call_last_round(draft, Reason.BAG)
    order = tuple(Seat((first + place) % players) for place in range(players))
    draft.emit(PlanningBegan(number, order, dry))
    draft.emit(TurnBegan(first, Phase.PLANNING))


def refill(draft: StepDraft, number: int) -> bool:
    """Fill the clouds from the bag. If the bag does not suffice for all of them, draw nothing and return False."""
    full = students_per_cloud(len(draft.state.view.players))
    missing = [full - sum(students) for students in draft.state.view.clouds]
    if sum(missing) > sum(draft.state.view.bag):
        return False
    dice, bag = Dice(draft.state.seed, "clouds", number), draft.state.view.bag
    clouds: list[Counts] = []
    for count in missing:
        drawn, bag = draw(dice, bag, count)
        clouds.append(tally(drawn))
    draft.emit(CloudsFilled(tuple(clouds)))
    return True


def after_assistant(draft: StepDraft) -> None:
    view = draft.state.view
    if not view.players[view.turn].hand:
        call_last_round(draft, Reason.ASSISTANTS)
    place = view.order.index(view.turn) + 1
    if place < len(view.order):
        draft.emit(TurnBegan(view.order[place], Phase.PLANNING))
        return
    order = action_order(view)
    draft.emit(ActionBegan(order))
    begin_turn(draft, order[0])


def action_order(view: View) -> tuple[Seat, ...]:
    """The order of the action phase: the lowest assistant first, and of equal ones the one that was played earlier."""
    return tuple(sorted(view.order, key=lambda seat: view.players[seat].assistant or 0))


def begin_turn(draft: StepDraft, seat: Seat) -> None:
    """Begin the action turn of a seat. An entrance that missed its clouds can hold fewer students than a turn moves."""
    moves = min(students_per_cloud(len(draft.state.view.players)), sum(draft.state.view.players[seat].entrance))
    draft.emit(TurnBegan(seat, Phase.STUDENTS if moves else Phase.MOTHER, moves))


def after_student(draft: StepDraft) -> None:
    if draft.state.view.moves == 0:
        draft.emit(PhaseBegan(Phase.MOTHER))


def after_mother(draft: StepDraft) -> None:
    if draft.state.over:
        return
    if draft.state.view.dry:
        complete_turn(draft)
    else:
        draft.emit(PhaseBegan(Phase.CLOUD))


def complete_turn(draft: StepDraft) -> None:
    """End the turn, unless a choice is still owed and possible."""
    active = draft.state.view.active
    if active is not None and active.owed:
        if still_possible(draft.state.view):
            draft.emit(PhaseBegan(Phase.CHARACTER))
            return
        draft.emit(ChoiceClosed())
    end_turn(draft)


def end_turn(draft: StepDraft) -> None:
    view = draft.state.view
    place = view.order.index(view.turn) + 1
    if place < len(view.order):
        begin_turn(draft, view.order[place])
    elif view.last_round:
        finish(draft, view.last_round)
    else:
        begin_round(draft, view.order[0])
