"""The course of the game: rounds, turns and their steps, and how one follows from the other."""

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
from shared.games.eriantys.step import Step, draw
from shared.games.eriantys.views import View
from shared.ids import Seat


def begin_round(step: Step, first: Seat) -> None:
    """Fill the clouds and let the first player plan."""
    number, players = step.view.round + 1, len(step.view.players)
    dry = not refill(step, number)
    if dry or not any(step.view.bag):
        call_last_round(step, Reason.BAG)
    order = tuple(Seat((first + place) % players) for place in range(players))
    step.emit(PlanningBegan(number, order, dry))
    step.emit(TurnBegan(first, Phase.PLANNING))


def refill(step: Step, number: int) -> bool:
    """Draw what is missing on the clouds; if the bag has not enough for all of them, draw nothing."""
    full = students_per_cloud(len(step.view.players))
    missing = [full - sum(students) for students in step.view.clouds]
    if sum(missing) > sum(step.view.bag):
        return False
    dice, bag = step.dice("clouds", number), step.view.bag
    clouds: list[Counts] = []
    for count in missing:
        drawn, bag = draw(dice, bag, count)
        clouds.append(tally(drawn))
    step.emit(CloudsFilled(tuple(clouds)))
    return True


def after_assistant(step: Step) -> None:
    view = step.view
    if not view.players[view.turn].hand:
        call_last_round(step, Reason.ASSISTANTS)
    place = view.order.index(view.turn) + 1
    if place < len(view.order):
        step.emit(TurnBegan(view.order[place], Phase.PLANNING))
        return
    order = action_order(view)
    step.emit(ActionBegan(order))
    begin_turn(step, order[0])


def action_order(view: View) -> tuple[Seat, ...]:
    """Lowest assistant first; of equal ones, the one that was played earlier."""
    return tuple(sorted(view.order, key=lambda seat: view.players[seat].assistant or 0))


def begin_turn(step: Step, seat: Seat) -> None:
    """An entrance that missed its clouds can have fewer students than are to be moved."""
    moves = min(students_per_cloud(len(step.view.players)), sum(step.view.players[seat].entrance))
    step.emit(TurnBegan(seat, Phase.STUDENTS if moves else Phase.MOTHER, moves))


def after_student(step: Step) -> None:
    if step.view.moves == 0:
        step.emit(PhaseBegan(Phase.MOTHER))


def after_mother(step: Step) -> None:
    if step.over:
        return
    if step.view.dry:
        complete_turn(step)
    else:
        step.emit(PhaseBegan(Phase.CLOUD))


def complete_turn(step: Step) -> None:
    """All steps are done; only a choice that is owed and possible holds the turn."""
    active = step.view.active
    if active is not None and active.owed:
        if still_possible(step.view):
            step.emit(PhaseBegan(Phase.CHARACTER))
            return
        step.emit(ChoiceClosed())
    end_turn(step)


def end_turn(step: Step) -> None:
    view = step.view
    place = view.order.index(view.turn) + 1
    if place < len(view.order):
        begin_turn(step, view.order[place])
    elif view.last_round:
        finish(step, view.last_round)
    else:
        begin_round(step, view.order[0])
