"""Redaction hides from each seat, and from spectators, all that only others may know."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from shared.conformance import play
from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Absent, DeadlinePassed, Table
from shared.games.codex.cards import BACKS, OBJECTIVES, STARTING_CARDS
from shared.games.codex.commands import ChooseObjective, Command
from shared.games.codex.events import CardDrawn, Dealt, Decks, Event, ObjectiveChosen, ObjectivesScored
from shared.games.codex.game import GAME
from shared.games.codex.pieces import Back, Own
from shared.games.codex.setup import Options
from shared.games.codex.state import State
from shared.games.codex.views import View, fold
from shared.ids import Seat
from tests.support.examples import fewer_examples
from tests.unit.shared.games.codex.positions import apply, started
from tests.unit.shared.games.codex.test_whole_games import SEEDS, check, walk

Swap = dict[int, int]


def redacted(events: tuple[Event, ...], seat: Seat | None) -> list[Event]:
    return [shown for event in events if (shown := GAME.redact(event, seat)) is not None]


def hidden_cards(state: State, seat: Seat | None) -> list[int]:
    """Everything that this seat may not know."""
    decks = state.decks
    cards = [*decks.resource, *decks.gold, *decks.objective, *decks.unused]
    for other, own in state.own.items():
        if other != seat:
            cards += [*own.hand, *own.offered]
            cards += [card for card in (own.starting, own.objective) if card is not None]
    revealed = [player.objective for player in state.table.players.values()]
    return [card for card in cards if card not in revealed]


def look(card: int) -> object:
    """The visible part of a hidden card: cards that look alike can be exchanged."""
    if card in OBJECTIVES:
        return "objective"
    return "starting" if card in [start.id for start in STARTING_CARDS] else BACKS[card]


def exchange(cards: list[int], dice: Dice) -> Swap:
    looks: dict[object, list[int]] = {}
    for card in cards:
        looks.setdefault(look(card), []).append(card)
    return {old: new for alike in looks.values() for old, new in zip(alike, dice.shuffle(alike), strict=True)}


def twin(state: State, seat: Seat | None, swap: Swap) -> State:
    """The same state for the eyes of the seat, with other cards where it cannot look."""

    def other(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(swap.get(card, card) for card in cards)

    def one(card: int | None) -> int | None:
        return None if card is None else swap.get(card, card)

    decks = state.decks
    own = {
        player: cards
        if player == seat
        else Own(other(cards.hand), one(cards.starting), other(cards.offered), one(cards.objective))
        for player, cards in state.own.items()
    }
    hidden = Decks(other(decks.resource), other(decks.gold), other(decks.objective), other(decks.unused))
    return replace(state, own=own, decks=hidden)


def cards_told(events: list[Event]) -> set[int]:
    """The numbers of cards that the events show."""
    shown: set[int] = set()
    for event in events:
        for name in ("card", "objective"):
            value = getattr(event, name, None)
            if isinstance(value, int):
                shown.add(value)
    return shown


@given(st.integers(2, 4), SEEDS, st.integers(0, 80))
def test_states_that_differ_in_secrets_look_alike_and_go_on_alike(seats: int, seed: int, steps: int) -> None:
    state = walk(started(seats, seed), seed, steps)
    dice = Dice(seed, "twin")
    for seat in (*state.table.order, None):
        swap = exchange(hidden_cards(state, seat), dice)
        double = twin(state, seat, swap)
        check(double)
        assert double != state
        assert GAME.view(double, seat) == GAME.view(state, seat)
        assert GAME.turn(double) == GAME.turn(state)
        for actor in GAME.turn(state):
            command = dice.choice(GAME.options(state, actor))
            compare(state, seat, actor, command, dice)
            compare(state, seat, actor, None, dice)


def compare(state: State, seat: Seat | None, actor: Seat, command: Command | None, dice: Dice) -> None:
    """One step (None: the game's own, for an absent actor) looks the same with other secrets than those it shows."""
    events = step(state, actor, command)
    shown = cards_told(redacted(events, seat))
    swap = exchange([card for card in hidden_cards(state, seat) if card not in shown], dice)
    double = twin(state, seat, swap)
    if isinstance(command, ChooseObjective) and actor != seat:
        command = ChooseObjective(3 - command.choose)
    others = step(double, actor, command)
    assert redacted(others, seat) == redacted(events, seat)
    assert GAME.view(apply(double, others), seat) == GAME.view(apply(state, events), seat)


def step(state: State, actor: Seat, command: Command | None) -> tuple[Event, ...]:
    assert GAME.notice is not None
    if command is None:
        lost = GAME.notice(state, Absent(actor))
        return (*lost, *GAME.notice(apply(state, lost), DeadlinePassed("grace")))
    events = GAME.decide(state, actor, command)
    assert not isinstance(events, Rejected)
    return events


@fewer_examples(10)
@given(st.integers(2, 4), SEEDS)
def test_views_can_be_followed_from_what_is_told(seats: int, seed: int) -> None:
    players = [Seat(number) for number in range(seats)]
    views: dict[Seat | None, View] = {None: View(), **{seat: View(you=seat) for seat in players}}

    def watch(state: State, events: tuple[Event, ...]) -> None:
        for seat in views:
            for event in redacted(events, seat):
                travelled = msgspec.json.decode(msgspec.json.encode(event), type=GAME.event_type)
                views[seat] = fold(views[seat], travelled)
            assert views[seat] == GAME.view(state, seat)

    final, _, _ = play(GAME, seats, seed, watch=watch)
    for seat, view in views.items():
        again = msgspec.json.decode(msgspec.json.encode(GAME.view(final, seat)), type=View)
        assert again == view


def test_the_deal_shows_each_seat_its_own_cards_only() -> None:
    dealt = GAME.setup(table_of(4))[0]
    assert isinstance(dealt, Dealt)
    for seat in dealt.order:
        shown = GAME.redact(dealt, seat)
        assert isinstance(shown, Dealt)
        assert shown.own == {seat: dealt.own[seat]}
        assert shown.decks is None
    spectator = GAME.redact(dealt, None)
    assert isinstance(spectator, Dealt)
    assert spectator.own == {}
    assert spectator.decks is None


def table_of(seats: int) -> Table[Options]:
    players = tuple(Seat(number) for number in range(seats))
    return Table(Options(), players, players, 5)


def test_drawn_cards_and_chosen_objectives_are_shown_to_their_player_only() -> None:
    for event, hidden in (
        (CardDrawn(Seat(1), 0, 17), CardDrawn(Seat(1), 0)),
        (ObjectiveChosen(Seat(1), 99), ObjectiveChosen(Seat(1))),
    ):
        assert GAME.redact(event, Seat(1)) == event
        assert GAME.redact(event, Seat(0)) == hidden
        assert GAME.redact(event, None) == hidden


def test_deck_tops_are_shown_by_their_backs() -> None:
    state = walk(started(3, 8), 8, 20)
    assert all(isinstance(place, Back) for place in state.table.places[:2])
    encoded = msgspec.to_builtins(state.table.places[0])
    assert set(encoded) == {"kind", "kingdom"}


def test_a_spectator_sees_the_table_and_nothing_else() -> None:
    state = walk(started(3, 8), 8, 20)
    assert GAME.view(state, None) == View(state.table)


def test_secret_objectives_are_public_after_the_final_scoring_and_not_before() -> None:
    secret_until_scored: list[int | None] = []

    def watch(state: State, events: tuple[Event, ...]) -> None:
        if not any(isinstance(event, ObjectivesScored) for event in events):
            secret_until_scored.extend(player.objective for player in state.table.players.values())

    final, _, _ = play(GAME, 3, 11, watch=watch)
    assert set(secret_until_scored) == {None}
    assert {seat: player.objective for seat, player in final.table.players.items()} == {
        seat: own.objective for seat, own in final.own.items()
    }
