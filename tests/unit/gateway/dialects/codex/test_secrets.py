"""Cards on the wire: visible cards have everything that is printed on them, hidden cards have no number."""

import re
from typing import Any

import msgspec
import pytest

from gateway.dialects.codex import cards
from shared.games.codex.cards import CARDS, OBJECTIVES
from shared.games.codex.pieces import Back, Face, Kind, Kingdom
from tests.unit.gateway.dialects.codex.played_game import NAMES, CodexClient, PlayedGame, whole_game

pytestmark = pytest.mark.slow


def plain(picture: Any) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(picture))
    return shown


def test_every_visible_card_has_all_that_is_printed_on_it() -> None:
    for number, card in CARDS.items():
        shown = plain(cards.card(number))
        assert set(shown) == {"id", "kind", "kingdom", "points", "condition", "cost", "front", "back"}
        assert shown["id"] == number
        assert shown["kind"] == card.kind.upper()
        assert shown["points"] == card.points
        for face in Face:
            side = shown[face]
            assert side["corners"] == [corner.upper() for corner in card.side(face).corners]
            assert side["centre"] == [symbol.upper() for symbol in card.side(face).centre]
            assert plain(cards.placed(number, face)) == {**shown, "face": face.upper()}
    for number, objective in OBJECTIVES.items():
        shown = plain(cards.objective(number))
        assert set(shown) == {"id", "kind", "points", "pattern", "symbols"}
        assert shown["kind"] == "OBJECTIVE"
        assert bool(shown["pattern"]) != bool(shown["symbols"])
        assert shown["points"] == objective.points


def test_known_cards_have_their_printed_values() -> None:
    gold = plain(cards.card(41))
    assert gold["kingdom"] == "FUNGI"
    assert gold["condition"] == "QUILL"
    assert gold["cost"] == ["FUNGI", "FUNGI", "ANIMAL"]
    assert gold["front"]["corners"] == ["MISSING", "EMPTY", "EMPTY", "QUILL"]
    assert gold["back"] == {"corners": ["EMPTY"] * 4, "centre": ["FUNGI"]}
    assert plain(cards.card(44))["condition"] == "CORNER"
    assert plain(cards.card(1))["condition"] == "FLAT"
    assert plain(cards.card(85))["kingdom"] is None
    assert plain(cards.objective(99))["symbols"] == ["QUILL", "INKWELL", "MANUSCRIPT"]
    assert plain(cards.objective(91))["pattern"][2] == {"kingdom": "PLANT", "row": 3, "column": 1}


def test_hidden_cards_of_one_kind_and_kingdom_look_exactly_alike() -> None:
    shown = plain(cards.place(Back(Kind.GOLD, Kingdom.PLANT)))
    assert shown == {"id": None, "kind": "GOLD", "kingdom": "PLANT"}


def numbers_in(client: CodexClient) -> set[int]:
    """The numbers of all cards that the client has received since the last call."""
    text = b"".join(client.memory.received()).decode()
    return {int(number) for number in re.findall(r'"id":(\d+)', text)}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_clients_never_receive_a_card_that_is_hidden_from_them(players: int) -> None:
    game = PlayedGame(players, seed=players)
    public: set[int] = set()
    while game.playing:
        table = game.state.table
        public |= {place for place in table.places if isinstance(place, int)}
        public |= {placed.card for player in table.players.values() for placed in player.area}
        for name in NAMES[:players]:
            assert not numbers_in(game.clients[name]) & (hidden_from(game, name) - public)
        game.act()


def hidden_from(game: PlayedGame, name: str) -> set[int]:
    """The cards in the decks and in the hands of the other players."""
    decks = game.state.decks
    hidden = {*decks.resource, *decks.gold, *decks.unused}
    for seat, own in game.state.own.items():
        if game.name(seat) != name:
            hidden |= {*own.hand, *own.offered, own.starting or 0, own.objective or 0}
    return hidden


PRIVATE = ("FirstHandMessage", "PersonalCardsMessage", "ChoiceObjectiveMessage", "AvailableColorMessage")


def test_private_messages_go_to_their_player_only() -> None:
    for name, messages in whole_game().items():
        private = [message for message in messages if message["type"] in PRIVATE]
        assert {message["player"] for message in private if "player" in message} == {name}
        assert [message["type"] for message in private].count("FirstHandMessage") == 1
        assert [message["type"] for message in private].count("AvailableColorMessage") == 1


def test_the_top_of_a_deck_is_shown_by_its_back_only() -> None:
    tops = [
        message["resourceCard"]
        for messages in whole_game().values()
        for message in messages
        if message["type"] == "NotifyCommonTableMessage" and message["index"] < 2
    ]
    assert len(tops) > 20
    for top in filter(None, tops):
        assert set(top) == {"id", "kind", "kingdom"}
        assert top["id"] is None
