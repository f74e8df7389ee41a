"""Resolving a group of islands: influence, towers, and groups that join."""

from shared.games.eriantys.endings import check_islands, check_towers
from shared.games.eriantys.events import GroupsJoined, NoEntryUsed, TowersPlaced, TowersReturned
from shared.games.eriantys.pieces import COLORS, Tower
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import (
    Group,
    View,
    active_card,
    keeper_of,
    owner_of,
    position_of,
    students_of,
    towers_of,
)


def influence(view: View, group: Group) -> dict[Tower, int]:
    """The influence of every player or team on a group, by tower color."""
    card = active_card(view)
    muted = view.active.colour if view.active is not None and card.mutes_color else None
    totals = {player.tower: 0 for player in view.players}
    for color, number, owner in zip(COLORS, students_of(view, group), view.professors, strict=True):
        if number and owner is not None and color is not muted:
            totals[view.players[owner].tower] += number
    if not card.mutes_towers:
        for tower in towers_of(view, group):
            totals[tower] += 1
    totals[view.players[view.turn].tower] += card.extra_influence
    return totals


def strongest(view: View, group: Group) -> Tower | None:
    """The tower color that alone has the most influence, if there is one."""
    totals = influence(view, group)
    best = max(totals.values())
    leaders = [tower for tower, total in totals.items() if total == best]
    return leaders[0] if best > 0 and len(leaders) == 1 else None


def resolve(draft: StepDraft, tile: int) -> None:
    """As if mother nature had just stopped on the group of this tile."""
    group = draft.state.view.groups[position_of(draft.state.view, tile)]
    if group.no_entry:
        draft.emit(NoEntryUsed(group.tiles[0]))
        return
    winner, owner = strongest(draft.state.view, group), owner_of(draft.state.view, group)
    if winner is None or winner is owner:
        return
    if owner is not None:
        draft.emit(TowersReturned(keeper_of(draft.state.view, owner), group.tiles))
    keeper = keeper_of(draft.state.view, winner)
    draft.emit(TowersPlaced(keeper, group.tiles[: draft.state.view.players[keeper].towers]))
    join_neighbours(draft, tile)
    check_towers(draft, winner)
    check_islands(draft)


def join_neighbours(draft: StepDraft, tile: int) -> None:
    """Both neighbours can join; theirs were joined before, so that one pass is enough."""
    for side in (-1, 1):
        groups = draft.state.view.groups
        here = position_of(draft.state.view, tile)
        there = (here + side) % len(groups)
        if here != there and owner_of(draft.state.view, groups[there]) is owner_of(draft.state.view, groups[here]):
            draft.emit(GroupsJoined(min(here, there), max(here, there)))
