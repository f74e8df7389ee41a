"""The endings of the game, and who has won."""

from shared.games.eriantys.events import Finished, LastRoundCalled
from shared.games.eriantys.pieces import Reason, Tower
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import View, keeper_of
from shared.ids import Seat

FEWEST_GROUPS = 3


def members(view: View, towers: tuple[Tower, ...]) -> tuple[Seat, ...]:
    """The seats that play for these colors."""
    return tuple(Seat(seat) for seat, player in enumerate(view.players) if player.tower in towers)


def leaders(view: View) -> tuple[Tower, ...]:
    """Most towers built, then most professors; all who are equal in both."""
    colors = tuple(dict.fromkeys(player.tower for player in view.players))

    def score(tower: Tower) -> tuple[int, int]:
        professors = sum(view.players[owner].tower is tower for owner in view.professors if owner is not None)
        return -view.players[keeper_of(view, tower)].towers, professors

    best = max(map(score, colors))
    return tuple(tower for tower in colors if score(tower) == best)


def check_towers(draft: StepDraft, tower: Tower) -> None:
    if draft.state.view.players[keeper_of(draft.state.view, tower)].towers == 0:
        draft.emit(Finished(members(draft.state.view, (tower,)), Reason.TOWERS))


def check_islands(draft: StepDraft) -> None:
    if not draft.state.over and len(draft.state.view.groups) <= FEWEST_GROUPS:
        finish(draft, Reason.ISLANDS)


def finish(draft: StepDraft, reason: str) -> None:
    """The winner is found by counting."""
    draft.emit(Finished(members(draft.state.view, leaders(draft.state.view)), reason))


def call_last_round(draft: StepDraft, reason: str) -> None:
    """The game ends with this round. The first reason counts, and it stays."""
    if not draft.state.view.last_round:
        draft.emit(LastRoundCalled(reason))
