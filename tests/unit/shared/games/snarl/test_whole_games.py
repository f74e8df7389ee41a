"""Properties of whole games on generated and shipped levels, at every single event."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conformance import check_every_option, play
from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Absent, DeadlinePassed, Notice, Present, Table
from shared.games.snarl.commands import Move
from shared.games.snarl.events import AdversaryMoved, Event, LevelBegan, PlayerMoved, Result, TurnCame
from shared.games.snarl.game import GAME
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.pieces import TILES, Actor, Area, Kind, Point, Window
from shared.games.snarl.presence import notice, timers
from shared.games.snarl.setup import Options
from shared.games.snarl.state import State
from shared.games.snarl.views import Standing, View, fold
from shared.ids import Seat
from tests.support.examples import fewer_examples

pytestmark = pytest.mark.slow

Beat = tuple[State, Event, State]

seeds = st.integers(0, 2**40)
counts = st.integers(1, 4)


def beats(seed: int, seats: int, *, restless: bool = False, chosen: Options | None = None) -> Iterator[Beat]:
    """A game of bots, event by event; restless players also lose their connections and run out of time."""
    players = tuple(Seat(seat) for seat in range(seats))
    picks = Dice(seed, "game")
    state = GAME.empty
    step = GAME.setup(Table(chosen or Options(count=4), players, picks.shuffle(players), seed))
    for moment in range(3_000):
        for event in step:
            before, state = state, GAME.evolve(state, event)
            yield before, event, state
        if GAME.outcome(state) is not None:
            return
        subscriber = _subscriber(state, players, picks) if restless and not picks.below(12) else ()
        if subscriber:
            step = subscriber
            continue
        actor = GAME.turn(state)[0]
        command = picks.choice(GAME.options(state, actor)) if picks.below(4) == 0 else _wits(state, actor, moment)
        decided = GAME.decide(state, actor, command)
        assert not isinstance(decided, Rejected)
        step = decided
    raise AssertionError("the game has no end")


def _wits(state: State, actor: Seat, moment: int) -> Any:
    assert GAME.bot is not None
    return GAME.bot(state, actor, Dice(moment))


def _subscriber(state: State, players: tuple[Seat, ...], picks: Dice) -> tuple[Event, ...]:
    seat = picks.choice(players)
    due = tuple(timer.name for timer in timers(state))
    kinds: list[Notice] = [Absent(seat), Absent(seat), Present(seat), Present(seat)]
    if due and not picks.below(4):
        kinds = [DeadlinePassed(picks.choice(due))]
    return notice(state, picks.choice(kinds))


def cut(scene: View, seat: Seat) -> Window | None:
    """The expected view of a seat, computed from the view of spectators."""
    me = next(member for member in scene.party if member.seat == seat)
    if me.standing is not Standing.ACTIVE or me.position is None or scene.board is None:
        return None
    rows, here = scene.board.rows, me.position

    def tile(row: int, column: int) -> int:
        inside = 0 <= row < len(rows) and 0 <= column < len(rows[row])
        return TILES[rows[row][column]] if inside else 0

    def near(point: Point | None) -> bool:
        return point is not None and max(abs(point[0] - here[0]), abs(point[1] - here[1])) <= 2

    return msgspec.convert(
        {
            "position": here,
            "layout": [[tile(here[0] + down, here[1] + right) for right in range(-2, 3)] for down in range(-2, 3)],
            "items": [
                {"kind": kind, "position": point}
                for kind, point in (("key", scene.board.key), ("exit", scene.board.exit))
                if near(point)
            ],
            "actors": [
                {"kind": "player", "number": other.seat, "position": other.position}
                for other in scene.party
                if other.seat != seat and near(other.position)
            ]
            + [msgspec.to_builtins(actor) for actor in scene.adversaries if near(actor.position)],
        },
        Window,
    )


@fewer_examples(2)
@given(seed=seeds, seats=counts, restless=st.booleans(), whole_level=st.booleans())
def test_views_are_windows_of_the_state_and_follow_from_the_redacted_events(
    seed: int, seats: int, restless: bool, whole_level: bool
) -> None:
    views: dict[Seat | None, View] = {None: View(), **{Seat(seat): View(you=Seat(seat)) for seat in range(seats)}}
    chosen = Options(count=4, whole_level=whole_level)
    for _, event, state in beats(seed, seats, restless=restless, chosen=chosen):
        for seat, view in views.items():
            shown = GAME.redact(event, seat)
            assert shown is not None
            views[seat] = fold(view, shown)
            assert views[seat] == GAME.view(state, seat)
            if seat is not None and state.scene.party:
                assert views[seat].window == cut(state.scene, seat)


def points_in(value: Any) -> Iterator[Point]:
    """Every pair of numbers in plain JSON."""
    match value:
        case [int(row), int(column)]:
            yield row, column
        case list():
            for part in value:
                yield from points_in(part)
        case dict():
            for part in value.values():
                yield from points_in(part)


@fewer_examples(4)
@given(seed=seeds, seats=counts)
def test_a_seat_is_told_no_place_beyond_its_window(seed: int, seats: int) -> None:
    for before, event, state in beats(seed, seats, restless=True):
        for seat in (Seat(number) for number in range(seats)):
            shown = msgspec.to_builtins(GAME.redact(event, seat))
            assert "board" not in shown or shown["board"] is None
            assert set(shown.get("windows", {})) <= {str(seat), seat}
            homes = [scene.member(seat).position for scene in (before.scene, state.scene) if scene.party]
            seen = [home for home in homes if home is not None]
            places = {name: part for name, part in shown.items() if name not in {"order", "players", "exits", "ejects"}}
            for point in points_in(msgspec.json.decode(msgspec.json.encode(places))):
                assert any(max(abs(point[0] - home[0]), abs(point[1] - home[1])) <= 2 for home in seen)
            if isinstance(event, AdversaryMoved):
                assert (shown["kind"], shown["number"], shown["to"], shown["through"]) == (
                    None,
                    0,
                    None,
                    None,
                )


def lair(state: State, actor: Actor) -> Area:
    room = state.scene.whole.room_at(actor.position)
    assert room is not None
    return room


@fewer_examples(2)
@given(seed=seeds, seats=counts, restless=st.booleans())
def test_everybody_keeps_to_the_rules_of_movement(seed: int, seats: int, restless: bool) -> None:
    homes: dict[int, Area] = {}
    for before, event, state in beats(seed, seats, restless=restless):
        scene = state.scene
        if scene.board is None:
            continue
        rows = scene.board.rows
        standing = [member.position for member in scene.active]
        assert len(set(standing)) == len(standing)
        assert all(point is not None and rows[point[0]][point[1]] in ".:+" for point in standing)
        lurking = [actor.position for actor in scene.adversaries]
        assert len(set(lurking)) == len(lurking)
        assert not set(standing) & set(lurking)
        if isinstance(event, LevelBegan):
            homes = {actor.number: lair(state, actor) for actor in scene.adversaries if actor.kind is Kind.ZOMBIE}
        elif isinstance(event, AdversaryMoved):
            _check_adversary(before, event, homes)
        for actor in scene.adversaries:
            assert rows[actor.position[0]][actor.position[1]] in ("." if actor.kind is Kind.ZOMBIE else ".:+")


def _check_adversary(before: State, event: AdversaryMoved, homes: dict[int, Area]) -> None:
    me = next(a for a in before.scene.adversaries if a.kind is event.kind and a.number == event.number)
    board, to = before.scene.whole, event.to
    assert to is not None
    (row, column), others = me.position, {a.position for a in before.scene.adversaries if a is not me}
    beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    enterable = "." if me.kind is Kind.ZOMBIE else ".:+#"
    valid = [point for point in beside if board.at(point) in enterable and point not in others]
    if event.through is not None:
        assert me.kind is Kind.GHOST
        assert event.through in valid
        assert board.at(event.through) == "#"
        players = {member.position for member in before.scene.active}
        assert board.at(to) == "."
        assert to not in {*players, *others, board.key, board.exit}
        assert event.expelled is None
    elif valid:
        assert to in valid
        assert board.at(to) != "#"
    else:
        assert to == me.position
    if me.kind is Kind.ZOMBIE:
        assert to in homes[me.number]


@fewer_examples(4)
@given(seed=seeds, seats=counts)
def test_there_is_one_key_and_scores_count_what_happened(seed: int, seats: int) -> None:
    found: dict[Seat, int] = {}
    state = GAME.empty
    for before, event, state in beats(seed, seats, restless=True):
        if isinstance(event, PlayerMoved) and event.result is Result.KEY:
            assert before.scene.whole.key == event.to
            assert state.scene.whole.key is None
            found[event.seat] = found.get(event.seat, 0) + 1
        if isinstance(event, PlayerMoved) and event.result is Result.EXIT:
            assert before.scene.whole.key is None
    assert {member.seat: member.keys for member in state.scene.party if member.keys} == found
    assert sum(found.values()) <= state.scene.level


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("smart", [True, False])
def test_the_game_is_conformant(seats: int, smart: bool) -> None:
    for seed in range(2):
        play(GAME, seats, 10**9 + seed, options=Options(count=2), smart=smart)


def test_every_option_is_accepted_and_nothing_else_nearby() -> None:
    assert check_every_option(GAME, 4, 5, steps=60) > 400
    for _, event, state in beats(9, 3):
        if isinstance(event, TurnCame):
            offered = GAME.options(state, event.seat)
            row, column = state.scene.member(event.seat).position or (0, 0)
            for point in product(range(row - 3, row + 4), range(column - 3, column + 4)):
                refused = isinstance(GAME.decide(state, event.seat, Move(point)), Rejected)
                assert refused == (Move(point) not in offered)


@pytest.mark.parametrize(
    "house",
    [
        HouseRules(occupants_block=True, spawn_distance=5),
        HouseRules(adversary_first=False, stay_exits=False),
        HouseRules(ghosts_share=True, loss_ejects=True),
    ],
)
def test_games_by_other_house_rules_end_too(house: HouseRules) -> None:
    for seed in range(3):
        play(GAME, 3, seed, options=Options(count=3, start=3, house=house), smart=True)


def test_a_fixed_set_of_games_goes_as_it_always_went() -> None:
    """Any change of rules, adversaries, generator or bot shows in these numbers."""
    tally = []
    for seats in (1, 2, 3, 4):
        state, journal, outcome = play(GAME, seats, 77, options=Options(levels="shipped"), smart=True)
        tally.append((outcome.reason, state.scene.level, state.scene.turns, len(journal)))
    assert tally == [("won", 3, 144, 609), ("lost", 3, 175, 546), ("lost", 3, 145, 447), ("lost", 3, 202, 592)]


def test_bots_mostly_get_through_the_shipped_levels() -> None:
    won = 0
    for seed in range(6):
        _, _, outcome = play(GAME, 4, seed, options=Options(levels="shipped"), smart=True)
        won += outcome.reason == "won"
    assert won >= 3
