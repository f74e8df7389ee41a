"""Models of the original programs play whole games over the bytes of their listeners: alone, mixed, and with losses.

The models read only what the programs read, and end where the programs end: a fault of theirs fails the test.
"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from loadtest.clients.eriantys import AM24, AM28, GROUP3
from loadtest.clients.registry import PLAY
from shared.dice import Dice
from shared.games.eriantys.cards import CARDS
from tests.support.eriantys_players import eriantys_party
from tests.support.examples import fewer_examples
from tests.support.memory_cluster import close_all
from tests.support.party import FIRST_ROOM, Party
from tests.unit.gateway.dialects.eriantys.tables import DEADLINE_MS, EVENTS, PROMPTS, STATUS

pytestmark = pytest.mark.slow

ORIGINALS = (AM28, AM24, GROUP3)
OPENERS = (AM24, GROUP3, PLAY, EVENTS, PROMPTS)
"""AM28 cannot name a table, so it opens only tables of its own."""


def check(party: Party) -> None:
    """As `Party.check`, but boards are compared only where programs show the same parts."""
    assert [fault for player in party.players for fault in player.received.faults] == []
    assert party.is_over()
    first = party.players[0].received
    assert first.result is not None
    boards: dict[frozenset[str], object] = {}
    for player in party.players:
        assert player.received.result == first.result
        board = player.received.board
        if board is not None:
            assert boards.setdefault(frozenset(board), board) == board


@pytest.mark.parametrize("dialect", ORIGINALS)
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("expert", [False, True])
@fewer_examples(40)
@given(seed=some.integers(1, 10**6))
def test_whole_games_are_played_by_one_program(dialect: str, players: int, expert: bool, seed: int) -> None:
    close_all()
    party = eriantys_party([dialect] * players, expert=expert, seed=seed)
    party.play()
    check(party)


@fewer_examples(10)
@given(
    first=some.sampled_from(OPENERS),
    others=some.lists(some.sampled_from((*ORIGINALS, EVENTS, PROMPTS, STATUS, PLAY)), min_size=1, max_size=2),
    expert=some.booleans(),
    seed=some.integers(1, 10**6),
)
def test_whole_games_are_played_at_mixed_tables(first: str, others: list[str], expert: bool, seed: int) -> None:
    close_all()
    party = eriantys_party([first, *others], expert=expert, seed=seed)
    party.play()
    check(party)


@pytest.mark.parametrize(
    "dialects", [[GROUP3] * 4, [PROMPTS, AM28, AM28, AM28], [PLAY, AM28, GROUP3, AM24]], ids="-".join
)
def test_tables_of_four_are_played(dialects: list[str]) -> None:
    party = eriantys_party(dialects, expert=True, seed=4)
    party.play()
    check(party)


@pytest.mark.parametrize("dialect", ORIGINALS)
@fewer_examples(20)
@given(seed=some.integers(1, 10**6), players=some.sampled_from([2, 3]), expert=some.booleans())
def test_players_who_are_lost_and_return_finish_their_game(dialect: str, seed: int, players: int, expert: bool) -> None:
    """Some return at once; others only after the game has played or skipped their turns."""
    close_all()
    party = eriantys_party([dialect] * players, expert=expert, seed=seed)
    party.take_seats()
    party.cluster.arrange(FIRST_ROOM, replace(party.room._draft.play, grace_ms=DEADLINE_MS))
    dice = Dice(seed, "losses")
    for _ in range(8):
        party.run_for(1 + dice.below(30))
        if not party.is_playing():
            break
        seat = dice.below(players)
        party.lose(seat)
        for _ in range(dice.below(4)):
            if party.is_playing() and not party.room._draft.play.view.paused:
                party.cluster.advance(2 * DEADLINE_MS)
                party.run_for(dice.below(40))
        if not party.is_playing():
            return
        party.reconnect(seat)
    party.run(until=party.is_over)
    check(party)


@pytest.mark.parametrize("dialect", ORIGINALS)
def test_every_character_is_played_by_every_program(dialect: str) -> None:
    seeds = (1, 2, 9, 14, 19)  # the fewest games that have every character
    assert set().union(*(characters_played(dialect, seed) for seed in seeds)) == set(CARDS)


def characters_played(dialect: str, seed: int) -> set[int]:
    close_all()
    party = eriantys_party([dialect] * 2, expert=True, seed=seed)
    party.play()
    check(party)
    counts = sum((Counter(player.received.counts) for player in party.players), Counter[str]())
    return {number for number in CARDS if counts[f"character {number}"]}
