"""The start of a game of Eriantys, and the choice of mages and towers."""

from typing import Any

import pytest

from shared.errors import Rejected
from shared.game import Table
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.events import Began, CloudsFilled, PlanningBegan, TurnBegan
from shared.games.eriantys.game import GAME
from shared.games.eriantys.pieces import NO_STUDENTS, Phase, Tower
from shared.games.eriantys.setup import Options, admit
from shared.games.eriantys.state import State
from shared.ids import Seat


def begun(players: int, seed: int = 1, **options: Any) -> State:
    seats = tuple(Seat(seat) for seat in range(players))
    state = GAME.empty
    for event in GAME.setup(Table(Options(**options), seats, seats, seed)):
        state = GAME.evolve(state, event)
    return state


@pytest.mark.parametrize(("players", "entrance", "towers", "cloud"), [(2, 7, 8, 3), (3, 9, 6, 4), (4, 7, 8, 3)])
def test_the_numbers_of_the_set_up(players: int, entrance: int, towers: int, cloud: int) -> None:
    view = begun(players).view
    assert [sum(player.entrance) for player in view.players] == [entrance] * players
    assert [player.towers for player in view.players] == ([8, 8, 0, 0] if players == 4 else [towers] * players)
    assert [sum(students) for students in view.clouds] == [cloud] * players
    assert view.professors == (None,) * 5
    assert all(player.hand == tuple(range(1, 11)) and player.assistant is None for player in view.players)
    assert sum(view.bag) == 120 - players * (entrance + cloud)


def test_two_islands_are_bare_and_the_others_have_one_student_each() -> None:
    for seed in range(20):
        view = begun(2, seed).view
        bare = [number for number, tile in enumerate(view.tiles, 1) if tile.students == NO_STUDENTS]
        assert view.mother in bare
        assert len(bare) == 2
        assert abs(bare[0] - bare[1]) == 6
        assert [sum(tile.students[colour] for tile in view.tiles) for colour in range(5)] == [2] * 5


def test_teams_sit_crosswise_and_the_first_of_each_keeps_the_towers() -> None:
    assert [player.tower for player in begun(4).view.players] == [Tower.BLACK, Tower.WHITE, Tower.BLACK, Tower.WHITE]


def test_an_expert_game_has_three_characters_and_one_coin_for_each_player() -> None:
    seen = set()
    for seed in range(60):
        view = begun(3, seed, expert=True).view
        assert [player.coins for player in view.players] == [1, 1, 1]
        assert view.bank == 17
        assert len({character.number for character in view.characters}) == 3
        for character in view.characters:
            seen.add(character.number)
            assert sum(character.students) == CARDS[character.number].students
            assert character.no_entry == CARDS[character.number].no_entry
            assert not character.used
    assert seen == set(CARDS)


def test_a_simple_game_has_neither_characters_nor_coins() -> None:
    view = begun(2).view
    assert view.characters == ()
    assert view.bank == 0
    assert all(player.coins == 0 for player in view.players)


def test_the_first_player_is_drawn() -> None:
    assert {begun(4, seed).view.turn for seed in range(40)} == {0, 1, 2, 3}


def test_the_clouds_are_filled_by_the_first_round_and_the_seed_is_told_to_nobody() -> None:
    seats = (Seat(0), Seat(1))
    events = GAME.setup(Table(Options(expert=True), seats, seats, 99_999_999))
    assert [type(event) for event in events] == [Began, CloudsFilled, PlanningBegan, TurnBegan]
    began = GAME.redact(events[0], Seat(0))
    assert isinstance(began, Began)
    assert began.seed == 0
    assert began.view.clouds == (NO_STUDENTS, NO_STUDENTS)


def test_the_same_seed_gives_the_same_game_and_planning_comes_first() -> None:
    assert begun(3, 5) == begun(3, 5)
    assert begun(3, 5) != begun(3, 6)
    assert begun(3, 5).view.phase is Phase.PLANNING


def test_a_seat_gets_the_next_free_mage_and_tower() -> None:
    taken = {Seat(0): {"mage": "MAGE2", "tower": "WHITE"}}
    assert admit(Options(), 2, taken, Seat(1), {}) == {"mage": "MAGE1", "tower": "BLACK"}
    assert admit(Options(), 3, {}, Seat(0), {"mage": "MAGE4", "tower": "GREY"}) == {"mage": "MAGE4", "tower": "GREY"}


@pytest.mark.parametrize(
    ("seats", "choice", "code"),
    [
        (2, {"mage": "MAGE1"}, "eriantys/mage_taken"),
        (2, {"tower": "BLACK"}, "eriantys/tower_taken"),
        (2, {"tower": "GREY"}, "eriantys/tower_taken"),
        (4, {"mage": "MAGE1"}, "eriantys/mage_taken"),
        (2, {"mage": "MERLIN"}, "eriantys/bad_choice"),
        (2, {"tower": 7}, "eriantys/bad_choice"),
        (2, {"mage": ["MAGE1"]}, "eriantys/bad_choice"),
    ],
)
def test_a_choice_that_is_taken_or_does_not_exist_is_refused(seats: int, choice: dict[str, Any], code: str) -> None:
    answer = admit(Options(), seats, {Seat(0): {"mage": "MAGE1", "tower": "BLACK"}}, Seat(1), choice)
    assert isinstance(answer, Rejected)
    assert answer.code == code


def test_in_teams_the_seat_decides_the_tower() -> None:
    assert admit(Options(), 4, {}, Seat(3), {"tower": "GREY"}) == {"mage": "MAGE1", "tower": "WHITE"}


def test_choices_are_kept_and_completed_at_the_start() -> None:
    seats = tuple(map(Seat, range(3)))
    table = Table(Options(), seats, seats, 1, {Seat(2): {"mage": "MAGE1", "tower": "BLACK"}})
    began = GAME.setup(table)[0]
    assert isinstance(began, Began)
    assert [player.tower.value for player in began.view.players] == ["WHITE", "GREY", "BLACK"]
    assert [player.mage.value for player in began.view.players] == ["MAGE2", "MAGE3", "MAGE1"]
