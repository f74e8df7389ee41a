"""From the deal to the first turn."""

import pytest

from shared.game import Table
from shared.games.codex.cards import BACKS
from shared.games.codex.commands import (
    ChooseObjective,
    ChooseStarting,
    Command,
    DrawGold,
    DrawResource,
    DrawTable,
    PickColor,
    PlaceCard,
)
from shared.games.codex.events import Dealt, ObjectiveChosen, PhaseBegan, StartingPlaced, TurnBegan
from shared.games.codex.game import GAME
from shared.games.codex.pieces import CENTRE, Color, Face, Kind, Phase, Placed
from shared.games.codex.refusals import CODES
from shared.games.codex.setup import Options
from shared.games.codex.state import State
from shared.ids import Seat
from tests.unit.shared.games.codex.positions import SEATS, do, refusal, started, visible


def choose_all(state: State, *commands: Command) -> State:
    for command in commands:
        (seat,) = GAME.turn(state)
        state, _ = do(state, seat, command)
    return state


@pytest.mark.parametrize(("seats", "resource", "gold"), [(2, 34, 36), (3, 32, 35), (4, 30, 34)])
def test_the_decks_hold_what_was_not_dealt(seats: int, resource: int, gold: int) -> None:
    state = started(seats)
    assert len(state.decks.resource) == resource
    assert len(state.decks.gold) == gold
    assert len(state.decks.unused) == 6 - seats
    assert len(state.decks.objective) == 16 - 2 - 2 * seats


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_everybody_gets_two_resource_cards_one_gold_card_a_starting_card_and_two_objectives(seats: int) -> None:
    state = started(seats)
    for own in state.own.values():
        assert [BACKS[card].kind for card in own.hand] == [Kind.RESOURCE, Kind.RESOURCE, Kind.GOLD]
        assert own.starting is not None
        assert len(own.offered) == 2
        assert own.objective is None


def test_six_places_show_two_backs_and_four_cards() -> None:
    state = started(3)
    resource, gold, *face_up = state.table.places
    assert resource == BACKS[state.decks.resource[0]]
    assert gold == BACKS[state.decks.gold[0]]
    kinds = [BACKS[card].kind for card in face_up if isinstance(card, int)]
    assert kinds == [Kind.RESOURCE, Kind.RESOURCE, Kind.GOLD, Kind.GOLD]


def test_the_order_is_the_seats_from_a_random_first_player_on() -> None:
    orders = {started(3, seed).table.order for seed in range(40)}
    assert orders == {(0, 1, 2), (1, 2, 0), (2, 0, 1)}


def test_seats_with_gaps_can_be_dealt_to() -> None:
    seats = (Seat(1), Seat(3))
    (dealt, turn) = GAME.setup(Table(Options(), seats, seats, 1))
    assert isinstance(dealt, Dealt)
    assert set(dealt.own) == set(seats)
    assert turn == TurnBegan(dealt.order[0])


def test_the_same_seed_deals_the_same_cards_and_another_seed_others() -> None:
    assert started(4, 5) == started(4, 5)
    assert started(4, 5).decks != started(4, 6).decks


def test_choices_are_made_in_turn_order_and_phase_by_phase() -> None:
    state = started(3)
    order = state.table.order
    phases = []
    for command in (ChooseStarting(Face.FRONT), None, ChooseObjective(2)):
        for place, seat in enumerate(order):
            assert GAME.turn(state) == (seat,)
            phases.append(state.table.phase)
            state, _ = do(state, seat, command or PickColor(list(Color)[place]))
    assert phases == [*[Phase.STARTING] * 3, *[Phase.COLOR] * 3, *[Phase.OBJECTIVE] * 3]
    assert state.table.phase is Phase.PLAYING
    assert GAME.turn(state) == (order[0],)
    assert state.table.round == 1


def test_the_starting_card_becomes_the_middle_of_the_area() -> None:
    state = started()
    seat = state.table.order[0]
    card = state.own[seat].starting
    assert card is not None
    after, events = do(state, seat, ChooseStarting(Face.BACK))
    area = (Placed(card, Face.BACK, CENTRE, CENTRE),)
    assert after.table.players[seat].area == area
    assert events[0] == StartingPlaced(seat, card, Face.BACK, visible(area))
    assert after.own[seat].starting is None


def test_a_colour_can_be_had_once() -> None:
    state = choose_all(started(), *[ChooseStarting(Face.FRONT)] * 2, PickColor(Color.GREEN))
    seat = state.table.order[1]
    assert refusal(state, seat, PickColor(Color.GREEN)) == "codex/color_taken"
    assert GAME.options(state, seat) == (PickColor(Color.RED), PickColor(Color.BLUE), PickColor(Color.YELLOW))


@pytest.mark.parametrize("choose", [1, 2])
def test_the_objective_not_kept_goes_under_the_deck(choose: int) -> None:
    state = choose_all(started(), *[ChooseStarting(Face.FRONT)] * 2, PickColor(Color.RED), PickColor(Color.BLUE))
    seat = state.table.order[0]
    offered = state.own[seat].offered
    after, events = do(state, seat, ChooseObjective(choose))
    assert events == (ObjectiveChosen(seat, offered[choose - 1]), TurnBegan(state.table.order[1]))
    assert after.own[seat].objective == offered[choose - 1]
    assert after.own[seat].offered == ()
    assert after.decks.objective[-1] == offered[2 - choose]


@pytest.mark.parametrize("choose", [0, 3, -1])
def test_there_are_two_objectives_to_choose_from(choose: int) -> None:
    state = choose_all(started(), *[ChooseStarting(Face.FRONT)] * 2, PickColor(Color.RED), PickColor(Color.BLUE))
    assert refusal(state, state.table.order[0], ChooseObjective(choose)) == "codex/bad_objective"


def test_phases_change_after_the_last_player() -> None:
    state = choose_all(started(), ChooseStarting(Face.FRONT))
    _, events = do(state, state.table.order[1], ChooseStarting(Face.FRONT))
    assert events[1:] == (PhaseBegan(Phase.COLOR), TurnBegan(state.table.order[0]))


ALL_COMMANDS: tuple[Command, ...] = (
    ChooseStarting(Face.FRONT),
    PickColor(Color.RED),
    ChooseObjective(1),
    PlaceCard(1, 39, 39, Face.BACK),
    DrawTable(1),
    DrawResource(),
    DrawGold(),
)


@pytest.mark.parametrize("made", range(7))
def test_every_command_has_its_phase(made: int) -> None:
    script: tuple[Command, ...] = (
        *[ChooseStarting(Face.FRONT)] * 2,
        PickColor(Color.RED),
        PickColor(Color.BLUE),
        *[ChooseObjective(1)] * 2,
        PlaceCard(1, 39, 39, Face.BACK),
    )
    state = choose_all(started(), *script[:made])
    allowed = {type(command) for command in GAME.options(state, GAME.turn(state)[0])}
    for command in ALL_COMMANDS:
        (seat,) = GAME.turn(state)
        other = next(other for other in SEATS if other != seat)
        assert refusal(state, other, command) == "game/not_your_turn"
        if type(command) not in allowed:
            assert refusal(state, seat, command) == "codex/wrong_phase"


def test_every_code_has_a_sentence_and_the_namespace_of_the_game() -> None:
    assert all(code.startswith("codex/") and len(text) > 10 for code, text in CODES.items())
