"""Tables where every seat uses another dialect: whole games, disconnections, and returns in another dialect."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from msgspec.structs import replace

from shared.dice import Dice
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.views import View
from tests.support.eriantys_players import eriantys_party
from tests.support.examples import fewer_examples
from tests.support.memory_cluster import close_all
from tests.support.party import FIRST_ROOM, Party
from tests.unit.gateway.dialects.eriantys.tables import DEADLINE_MS, EVENTS, PROMPTS, STATUS, Seats, types
from tests.unit.shared.games.eriantys.positions import board

pytestmark = pytest.mark.slow

ALL = (EVENTS, PROMPTS, STATUS)


def other_dialects(seed: int, players: int) -> list[str]:
    """The dialects of all seats but the first."""
    return [ALL[(seed + seat) % 3] for seat in range(1, players)]


def view_of(party: Party) -> View:
    view: View = party.room._draft.play.view
    return view


@pytest.mark.parametrize(("dialect", "players", "expert"), [(EVENTS, 2, False), (PROMPTS, 3, False), (STATUS, 4, True)])
def test_whole_games_are_played_in_one_dialect(dialect: str, players: int, expert: bool) -> None:
    party = eriantys_party([dialect] * players, expert=expert, seed=players)
    party.play()
    party.check()


@fewer_examples(20)
@given(seed=some.integers(1, 10**6), players=some.sampled_from([2, 3, 4]), expert=some.booleans())
def test_whole_games_are_played_at_mixed_tables(seed: int, players: int, expert: bool) -> None:
    close_all()
    first = (EVENTS, PROMPTS)[seed % 2]
    party = eriantys_party([first, *other_dialects(seed, players)], expert=expert, seed=seed)
    party.play()
    party.check()
    view = view_of(party)
    shown = party.players[0].received.board
    assert [island[2] for island in shown["islands"]] == [
        sum(view.tiles[tile - 1].tower is not None for tile in group.tiles) for group in view.groups
    ]
    assert [person[1:3] for person in shown["people"]] == [
        [list(player.entrance), list(player.hall)] for player in view.players
    ]


@fewer_examples(20)
@given(seed=some.integers(1, 10**6), players=some.sampled_from([2, 3, 4]))
@example(seed=112_272, players=3)  # one has an empty entrance when its turn comes
def test_players_who_disconnect_and_return_repeatedly_finish_their_game(seed: int, players: int) -> None:
    """Some players return at once; others only after the game has played or skipped their turns."""
    close_all()
    party = eriantys_party([EVENTS, *other_dialects(seed, players)], expert=True, seed=seed)
    party.take_seats()
    party.cluster.arrange(FIRST_ROOM, replace(party.room._draft.play, grace_ms=DEADLINE_MS))
    dice = Dice(seed, "losses")
    for _ in range(12):
        party.run_for(1 + dice.below(30))
        if not party.is_playing():
            break
        seat = dice.below(players)
        party.lose(seat)
        for _ in range(dice.below(4)):
            if party.is_playing() and not view_of(party).paused:
                party.cluster.advance(2 * DEADLINE_MS)
                party.run_for(dice.below(40))
        if not party.is_playing():
            return
        party.reconnect(seat)
    party.run(until=party.is_over)
    party.check()


def test_all_characters_are_played_and_all_endings_occur() -> None:
    counts: Counter[str] = Counter()
    for seed in (401, 411, 429, 448):  # the fewest games that have everything
        players = 2 + (seed - 400) % 3
        party = eriantys_party([EVENTS, *other_dialects(seed - 400, players)], expert=True, seed=seed)
        party.play()
        party.check()
        for player in party.players:
            counts.update(player.received.counts)
        close_all()
    assert all(counts[f"character {number}"] for number in CARDS)
    assert all(counts[f"ending {ending}"] for ending in ("towers", "islands", "bag", "assistants"))
    assert not any(name.startswith("refused") for name in counts)


def test_a_strict_and_a_lax_player_share_a_table() -> None:
    seats = Seats(EVENTS, PROMPTS, STATUS, position=board(3, cards=(7,), phase=Phase.CLOUD))
    seats.send(0, {"type": "GameEvent", "eventType": 6, "activatedCard": 7})
    assert types(seats.send(0, {"type": "GameEvent", "eventType": 5, "cloudIndex": 0})) == ["Nack"]
    seats.send(0, {"type": "GameEvent", "eventType": 10, "color": "BLUE", "color2": "GREEN"})
    seats.send(0, {"type": "GameEvent", "eventType": 5, "cloudIndex": 0})
    assert seats.position.view.turn == 1
    assert types(seats.send(1, {"type": "PlayCharacter", "c": "CHAR7"}))[-1] == "MoveStudentRequest"
    assert types(seats.send(1, {"type": "EntranceToHall", "colorS": "GREEN"}))[-1] == "MoveStudentRequest"


def test_a_player_may_return_in_another_dialect() -> None:
    seats = Seats(EVENTS, PROMPTS, STATUS, position=board(3))
    seats.drop(0)
    as_status = seats.connect(STATUS)
    assert as_status.send(b"ann")[1]["turn"] == {"player": 0, "phase": "action"}
    assert as_status.send({"cmd": "MOVETOHALL", "studentColour": "red"})[0]["status"] == 0
    as_status.drop()
    as_prompts = seats.connect(PROMPTS)
    join = {"type": "Join", "nickname": "ann", "mage": "MAGE4", "index": 1000}
    assert types(as_prompts.send(join))[-1] == "MoveStudentRequest"
    as_prompts.drop()
    as_events = seats.connect(EVENTS)
    assert types(as_events.send({"type": "Login", "username": "ann"}))[-1] == "ChangeTurn"


def test_each_seat_gets_a_move_in_the_messages_of_its_dialect() -> None:
    seats = Seats(EVENTS, PROMPTS, STATUS, position=board(3))
    seats.send(0, {"type": "GameEvent", "eventType": 3, "color": "GREEN"})
    assert types(seats.received(1)) == ["UpdateProfs", "UpdatePlayer", "InformationGame"]
    assert seats.received(2)[0]["game"]["professors"] == [0, -1, -1, -1, -1]


def test_tower_colors_agree_in_all_dialects() -> None:
    seats = Seats(EVENTS, PROMPTS, STATUS)
    for client in seats.clients:
        client.drop()
    seen = seats.connect(STATUS).send(b"cid")[1]["game"]["players"]
    assert [player["towerColour"] for player in seen] == ["BLACK", "WHITE", "GREY"]
    received = seats.connect(EVENTS).send({"type": "Login", "username": "ann"})
    assert [message["color"] for message in received if message["type"] == "AddPlayer"] == ["BLACK", "WHITE", "GREY"]
