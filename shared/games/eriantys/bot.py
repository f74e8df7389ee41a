"""The bot: looks one move ahead and prefers towers, professors and influence."""

from collections.abc import Iterable, Iterator

from shared.dice import Dice
from shared.game import Draft
from shared.games.eriantys.actions import perform
from shared.games.eriantys.characters import STEP_CHOICES, still_possible, whole_choices
from shared.games.eriantys.commands import (
    Command,
    Exchange,
    MoveMother,
    MoveToHall,
    MoveToIsland,
    PlayAssistant,
    PlayCharacter,
    TakeCloud,
)
from shared.games.eriantys.islands import influence
from shared.games.eriantys.pieces import COLORS, INDEX, Phase, Tower
from shared.games.eriantys.rules import refusal_of
from shared.games.eriantys.state import State, evolve
from shared.games.eriantys.views import (
    Group,
    View,
    active_card,
    keeper_of,
    max_steps,
    playable_assistants,
    position_of,
    takeable_clouds,
)
from shared.ids import Seat

TOWER, PROFESSOR, LEAD, COIN, VARIETY = 100.0, 30.0, 10.0, 3.0, 1.0
ROW_WORTH = (0.0, 4.0, 7.0, 9.0, 10.0, 11.0, 12.0, 12.5, 13.0, 13.5, 14.0)
"""The worth of a row of the dining room, by its number of students."""


def bot(state: State, seat: Seat, dice: Dice) -> Command:
    view = state.view
    if view.active is not None and view.active.owed and still_possible(view):
        return _best(state, seat, dice, STEP_CHOICES[active_card(view).asks])
    match view.phase:
        case Phase.PLANNING:
            return PlayAssistant(_assistant(view, dice))
        case Phase.STUDENTS:
            return _best(state, seat, dice, _students(view, seat))
        case Phase.MOTHER:
            character = _best_character(state, seat, dice)
            return character or _best(state, seat, dice, _walks(view))
        case _:
            return _best(state, seat, dice, [TakeCloud(cloud) for cloud in takeable_clouds(view)])


def _assistant(view: View, dice: Dice) -> int:
    """The lowest assistant (to act first) half of the time, otherwise any (high ones allow more steps)."""
    values = playable_assistants(view)
    return values[0] if dice.below(2) else dice.choice(values)


def _walks(view: View) -> list[Command]:
    return [MoveMother(steps) for steps in range(1, max_steps(view) + 1)]


def _near(view: View) -> list[Group]:
    """The groups that mother nature can reach in this turn."""
    start, number = position_of(view, view.mother), len(view.groups)
    return [view.groups[(start + steps) % number] for steps in range(1, min(max_steps(view), number) + 1)]


def _students(view: View, seat: Seat) -> Iterator[Command]:
    """To the dining room, or to an island within reach."""
    tiles = [group.tiles[0] for group in _near(view)]
    for color in COLORS:
        if view.players[seat].entrance[INDEX[color]]:
            yield MoveToHall(color)
            yield from (MoveToIsland(color, tile) for tile in tiles)


def _best_character(state: State, seat: Seat, dice: Dice) -> Command | None:
    """A character that pays: after it and the best walk the seat is better off than after the best walk alone."""
    view = state.view
    if not view.expert or view.active is not None:
        return None
    plain = max(_worth(state, seat, walk) for walk in _walks(view))
    worths = {command: _worth_with_walk(state, seat, command) for command in _characters(view, seat)}
    best = max(worths.values(), default=plain)
    return dice.choice([command for command, worth in worths.items() if worth == best]) if best > plain else None


def _characters(view: View, seat: Seat) -> Iterator[Command]:
    """Every character that can be paid and used by one command. Of swaps, only single ones are considered."""
    for character in view.characters:
        if character.price <= view.players[seat].coins:
            for choice in whole_choices(view, seat, character.number):
                command = PlayCharacter(character.number, choice)
                single = not isinstance(choice, Exchange) or sum(choice.given) == 1
                if single and refusal_of(view, seat, command) is None:
                    yield command


def _best(state: State, seat: Seat, dice: Dice, commands: Iterable[Command]) -> Command:
    """The command with the best standing afterwards; the dice choose among equal ones."""
    allowed = [command for command in commands if refusal_of(state.view, seat, command) is None]
    worths = [_worth(state, seat, command) for command in allowed]
    best = max(worths)
    return dice.choice([command for command, worth in zip(allowed, worths, strict=True) if worth == best])


def _after(state: State, seat: Seat, command: Command) -> View:
    draft = Draft(state, evolve)
    perform(draft, seat, command)
    return draft.state.view


def _worth(state: State, seat: Seat, command: Command) -> float:
    return standing(_after(state, seat, command), seat, _near(state.view))


def _worth_with_walk(state: State, seat: Seat, command: Command) -> float:
    after = _after(state, seat, command)
    if after.phase is not Phase.MOTHER:
        return standing(after, seat, ())
    return max(_worth(State(after, state.seed), seat, walk) for walk in _walks(after))


def standing(view: View, seat: Seat, groups: Iterable[Group]) -> float:
    """The standing of a seat and its team. Influence is only counted on the given groups."""
    player = view.players[seat]
    if view.phase is Phase.OVER:
        return 1e6 if seat in view.winners else -1e6
    towers = sum(
        _sign(tower, player.tower) * -view.players[keeper_of(view, tower)].towers
        for tower in dict.fromkeys(other.tower for other in view.players)
    )
    owners = (view.players[owner].tower for owner in view.professors if owner is not None)
    professors = sum(_sign(owner, player.tower) for owner in owners)
    rows = sum(ROW_WORTH[number] for number in player.hall)
    variety = sum(min(number, 2) for number in player.entrance)
    leads = sum(_lead(view, group, player.tower) for group in groups)
    return TOWER * towers + PROFESSOR * professors + LEAD * leads + rows + COIN * player.coins + VARIETY * variety


def _sign(tower: Tower, mine: Tower) -> float:
    return 1.0 if tower is mine else -0.5


def _lead(view: View, group: Group, mine: Tower) -> float:
    """The lead of the own color on a group, between -1 and 1 for each tile."""
    totals = influence(view, group)
    ahead = totals[mine] - max(total for tower, total in totals.items() if tower is not mine)
    return max(-1.0, min(1.0, ahead / 3)) * len(group.tiles)
