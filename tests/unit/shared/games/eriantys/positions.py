"""Positions to test rules on: a bare board of Eriantys, and words to change and play it."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from shared.errors import Rejected
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.commands import Command
from shared.games.eriantys.events import Event
from shared.games.eriantys.game import GAME
from shared.games.eriantys.pieces import COLORS, NO_STUDENTS, Color, Counts, Mage, Phase, Tower, tally
from shared.games.eriantys.state import State, evolve
from shared.games.eriantys.views import Character, Group, Player, Tile, View
from shared.ids import Seat

G, R, Y, P, B = COLORS
ENTRANCE = (2, 2, 1, 1, 1)


def board(
    players: int = 2,
    *,
    phase: Phase = Phase.STUDENTS,
    cards: tuple[int, ...] = (),
    halls: Mapping[int, Counts] | None = None,
    towers: Mapping[int, Tower] | None = None,
    students: Mapping[int, Counts] | None = None,
    **changes: Any,
) -> State:
    """Nothing on the islands, everybody with the same entrance and assistant 5, seat 0 to act."""
    colours = [Tower.BLACK, Tower.WHITE, Tower.GREY] if players == 3 else [Tower.BLACK, Tower.WHITE] * 2
    keepers = 2 if players == 4 else players
    built = list((towers or {}).values())
    people = tuple(
        Player(
            tuple(Mage)[seat],
            colours[seat],
            ((6 if players == 3 else 8) - built.count(colours[seat])) if seat < keepers else 0,
            ENTRANCE,
            (halls or {}).get(seat, NO_STUDENTS),
            hand=(1, 2, 3, 4, 6, 7, 8, 9, 10),
            assistant=5,
            coins=10 if cards else 0,
        )
        for seat in range(players)
    )
    tiles = tuple(Tile((students or {}).get(n, NO_STUDENTS), (towers or {}).get(n)) for n in range(1, 13))
    view = View(
        expert=bool(cards),
        players=people,
        tiles=tiles,
        groups=tuple(Group((tile,)) for tile in range(1, 13)),
        mother=1,
        clouds=((1, 1, 1, 0, 0),) * players,
        bag=(10, 10, 10, 10, 10),
        characters=tuple(Character(n, _held(n), CARDS[n].no_entry) for n in cards),
        bank=10 if cards else 0,
        round=1,
        phase=phase,
        order=tuple(Seat(seat) for seat in range(players)),
        moves=4 if players == 3 else 3,
    )
    return State(replace(view, **changes), seed=7)


def _held(number: int) -> Counts:
    return tally((G, R, Y, P, B, G)[: CARDS[number].students])


def joined(state: State, *groups: tuple[int, ...]) -> State:
    """The same board with these tiles joined."""
    members = {tile for group in groups for tile in group}
    single = [(tile,) for tile in range(1, 13) if tile not in members]
    ordered = tuple(Group(tiles) for tiles in sorted([*groups, *single]))
    return with_view(state, groups=ordered)


def with_view(state: State, **changes: Any) -> State:
    return replace(state, view=replace(state.view, **changes))


def with_seat(state: State, seat: int, **changes: Any) -> State:
    players = list(state.view.players)
    players[seat] = replace(players[seat], **changes)
    return with_view(state, players=tuple(players))


def with_card(state: State, number: int, **changes: Any) -> State:
    cards = tuple(replace(c, **changes) if c.number == number else c for c in state.view.characters)
    return with_view(state, characters=cards)


def events_of(state: State, command: Command, seat: int | None = None) -> tuple[Event, ...]:
    """The events of a command that must be allowed."""
    events = GAME.decide(state, state.view.turn if seat is None else Seat(seat), command)
    assert not isinstance(events, Rejected), events
    return events


def do(state: State, *commands: Command) -> State:
    """The state after the player whose turn it is has done these one after the other."""
    for command in commands:
        for event in events_of(state, command):
            state = evolve(state, event)
    return state


def refusal(state: State, command: Command, seat: int | None = None) -> str:
    answer = GAME.decide(state, state.view.turn if seat is None else Seat(seat), command)
    assert isinstance(answer, Rejected), answer
    assert command not in GAME.options(state, state.view.turn if seat is None else Seat(seat))
    return answer.code


def pick(*colours: Color) -> Counts:
    return tally(colours)
