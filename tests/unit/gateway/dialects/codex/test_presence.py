"""Heartbeats, crashes, returns, and the actions of the table in between."""

from functools import partial
from itertools import pairwise

import msgspec
import pytest

from gateway.dialects.codex import CodexSettings
from gateway.transports.close_codes import SILENT
from shared.games.codex.pieces import Phase
from tests.unit.gateway.dialects.codex.played_game import (
    HEARTBEAT,
    CodexClient,
    Message,
    PlayedGame,
    codex_cluster,
    one,
    types,
)

# --- heartbeats ------------------------------------------------------------------------------------------------------


def test_a_heartbeat_is_sent_every_second() -> None:
    game = PlayedGame(2)
    client = CodexClient(game.cluster, silent=True)
    times_s: list[float] = []

    def note(frame: bytes) -> None:
        assert msgspec.json.decode(frame) == HEARTBEAT
        times_s.append(game.cluster.time.now_s)

    client.memory.on_frame = note
    game.cluster.advance(5_500)
    assert len(times_s) == 5
    assert [later - earlier for earlier, later in pairwise(times_s)] == pytest.approx([1.0] * 4)


def test_a_silent_player_counts_as_crashed_after_five_seconds() -> None:
    game = PlayedGame(3, full=False)
    bob, cid = CodexClient(game.cluster, silent=True), CodexClient(game.cluster)
    bob.send({"type": "JoinGameMessage", "nickname": "Bob"})
    cid.send({"type": "JoinGameMessage", "nickname": "Cid"})
    present = [game.clients["Ann"], cid]
    game.cluster.advance(4_900)
    assert bob.is_open()
    assert all("CrashedPlayer" not in types(client.received()) for client in present)
    game.cluster.advance(2_000)
    assert bob.closed is SILENT
    for client in present:
        assert client.is_open()
        assert one(client.received(), "CrashedPlayer")["player"] == "Bob"


def silent_player() -> CodexClient:
    """The first player of a table, who does not answer heartbeats."""
    client = CodexClient(codex_cluster(), silent=True)
    client.send({"type": "CreateGameMessage", "numPlayers": 2, "nickname": "Ann"})
    client.received()
    return client


@pytest.mark.parametrize("frame", [b'{"type":"DrawGoldMessage","nickname":"Ann"}', b"nonsense", b"{}"])
def test_any_message_resets_the_silence(frame: bytes) -> None:
    ann = silent_player()
    for _ in range(12):
        ann.cluster.advance(1_000)
        ann.send(frame)
    assert ann.is_open()


def test_a_player_who_answers_within_five_seconds_never_counts_as_crashed() -> None:
    ann = silent_player()
    for _ in range(5):
        ann.cluster.advance(4_900)
        ann.send(HEARTBEAT)
    assert ann.is_open()


def test_a_stall_of_the_server_does_not_count_as_silence_of_the_client() -> None:
    ann = silent_player()
    for now_ms in (1_000, 2_000, 60_000):
        ann.cluster.do(partial(ann.memory.connection.tick, now_ms))
    assert ann.is_open()


def test_a_connection_without_a_seat_may_be_silent() -> None:
    visitor = CodexClient(codex_cluster(), silent=True)
    visitor.cluster.advance(30_000)
    assert visitor.is_open()


def test_heartbeats_of_clients_are_not_answered() -> None:
    ann = silent_player()
    ann.send(HEARTBEAT)
    assert ann.memory.received() == []


# --- crash and return ------------------------------------------------------------------------------------------------


def test_the_others_are_notified_of_a_crash_and_of_the_return() -> None:
    game = PlayedGame(3)
    game.play_until("PLAYING")
    game.clients["Bob"].drop()
    received = game.received()
    assert received["Ann"] == received["Cid"] == [{"type": "CrashedPlayerMessage", "player": "Bob"}]
    bob = game.come_back("Bob")
    assert types(bob.received()) == ["ConfirmRejoinGame", "UpdateCrashedPlayer", "RejoinedPlayer"]
    received = game.received()
    assert received["Ann"] == received["Cid"] == [{"type": "RejoinedPlayerMessage", "player": "Bob"}]


def check_state(game: PlayedGame, name: str, received: Message) -> None:
    """The state that a returning player gets is the state of the game."""
    seat, state = game.seat(name), game.state
    own, table = state.own[seat], state.table
    names = {other: game.name(other) for other in table.order}
    assert received["nickname"] == name
    assert received["gameState"] == table.phase.upper()
    assert [card["id"] for card in received["hand"]] == list(own.hand)
    assert (received["objectiveCard"] or {}).get("id") == own.objective
    assert received["players"] == [names[other] for other in table.order]
    for other, player in table.players.items():
        board = [
            (card["card"]["id"], card["card"]["face"], card["i"], card["j"])
            for card in received["boards"][names[other]]
        ]
        assert board == [(card.card, card.face.upper(), card.i, card.j) for card in player.area]
        assert received["points"][names[other]] == player.points
    assert [card["id"] for card in received["objectiveCards"]] == list(table.common)
    colors = [table.players[other].color for other in table.order]
    assert received["colors"] == [color and color.upper() for color in colors]
    own_color = table.players[seat].color
    assert received["color"] == (own_color and own_color.upper())
    assert [card and card["id"] for card in received["table"]] == [
        card if isinstance(card, int) else None for card in table.places
    ]
    assert received["currentPlayer"] == names[table.current]
    assert received["lastRound"] == table.last_round
    assert ("startingCard" in received) == ("objectiveChoices" in received) == bool(own.offered)
    if own.offered:
        assert [card["id"] for card in received["objectiveChoices"]] == list(own.offered)
        assert received["startingCard"]["kind"] == "STARTING"


@pytest.mark.parametrize("seed", [1, 2])
def test_a_returning_player_gets_the_whole_state_in_every_phase(seed: int) -> None:
    game = PlayedGame(3, seed)
    phases = set()
    for _ in range(14):
        for name in ("Ann", "Bob"):
            game.clients[name].drop()
        received = game.come_back("Ann").received()
        check_state(game, "Ann", received[1])
        phases.add(received[1]["gameState"])
        assert received[1]["crashed"] == ["Bob"]
        assert types(received)[0] == "ConfirmRejoinGame"
        assert received[-1] == {"type": "RejoinedPlayerMessage", "player": "Ann"}
        game.come_back("Bob")
        for _ in range(3):
            game.act()
    assert phases == {"STARTING", "COLOR", "OBJECTIVE", "PLAYING", "DRAWING"}


def test_a_returning_player_who_has_to_pick_a_color_gets_the_offer_again() -> None:
    game = PlayedGame(2)
    game.play_until("COLOR")
    name = game.current
    game.clients[name].drop()
    received = game.come_back(name).received()
    assert types(received) == ["ConfirmRejoinGame", "UpdateCrashedPlayer", "AvailableColor", "RejoinedPlayer"]
    game.act(color="BLUE")
    other = next(other for other in game.order if other != name)
    game.clients[other].drop()
    received = game.come_back(other).received()
    assert one(received, "AvailableColor")["colors"] == ["RED", "GREEN", "YELLOW"]


def test_messages_after_the_return_have_no_gap_and_no_repetition() -> None:
    game = PlayedGame(2)
    game.play_until("DRAWING")
    name = game.current
    game.clients[name].drop()
    client = game.come_back(name)
    client.received()
    game.act()
    assert types(client.received())[:2] == ["ConfirmDraw", "PersonalCards"]


def test_the_starting_card_is_shown_while_the_player_has_a_choice_to_make() -> None:
    game = PlayedGame(2)
    name = game.current
    starting = game.state.own[game.seat(name)].starting
    for state in ("STARTING", "COLOR", "OBJECTIVE"):
        game.play_until(state)
        game.clients[name].drop()
        received = game.come_back(name).received()[1]
        assert received["startingCard"]["id"] == starting
    game.play_until("PLAYING")
    game.clients[name].drop()
    assert "startingCard" not in game.come_back(name).received()[1]


@pytest.mark.parametrize("nickname", ["Ann", "Nobody"])
def test_only_a_crashed_player_can_return(nickname: str) -> None:
    game = PlayedGame(2)
    game.discard()
    visitor = game.connect()
    visitor.send({"type": "RejoinGameMessage", "nickname": nickname})
    (answer,) = visitor.received()
    assert answer["type"] == "ConfirmRejoinGameMessage"
    assert answer["confirmRejoinGame"] is False
    assert answer["details"]
    assert game.clients["Ann"].received() == []


def test_a_request_to_return_may_name_the_table() -> None:
    game = PlayedGame(2)
    game.clients["Ann"].drop()
    wrong = game.come_back("Ann", gameId=1001)
    assert wrong.received()[0]["confirmRejoinGame"] is False
    assert game.come_back("Ann", gameId=1000).received()[0]["confirmRejoinGame"] is True


def test_after_the_end_a_request_to_return_is_denied_with_the_winner() -> None:
    game = PlayedGame(2)
    game.finish()
    winner = game.name(game.state.table.result.winners[0])
    here, gone = game.clients["Ann"], game.clients["Bob"]
    here.received()
    here.send({"type": "RejoinGameMessage", "nickname": "Ann"})
    gone.drop()
    for answer in (here.received()[0], game.come_back("Bob").received()[0]):
        assert answer["confirmRejoinGame"] is False
        assert winner in answer["details"]


# --- absent players --------------------------------------------------------------------------------------------------


def test_the_turn_of_a_crashed_player_is_skipped_after_the_grace_time() -> None:
    game = PlayedGame(3)
    game.play_until("PLAYING")
    first, second, third = game.order
    game.clients[first].drop()
    game.discard()
    game.cluster.advance(9_700)
    assert game.received()[second] == []
    game.cluster.advance(600)
    received = game.received()
    assert received[second] == received[third] == [{"type": "CurrentPlayerMessage", "currentPlayer": second}]


def test_the_server_draws_for_a_crashed_player() -> None:
    game = PlayedGame(3)
    game.play_until("DRAWING")
    first, second, _ = game.order
    game.clients[first].drop()
    game.discard()
    game.cluster.advance(10_300)
    received = game.received()[second]
    assert types(received) == ["NotifyCommonTable", "ChangeState", "CurrentPlayer"]
    assert received[0]["index"] == 0
    state = game.come_back(first).received()[1]
    assert len(state["hand"]) == 3


def test_the_server_chooses_for_crashed_players_in_the_set_up() -> None:
    game = PlayedGame(3)
    first, second, _ = game.order
    game.clients[first].drop()
    game.discard()
    game.cluster.advance(10_300)
    assert types(game.received()[second]) == ["PlayerBoard", "CurrentPlayer"]
    game.act()
    game.act()
    game.discard()
    game.cluster.advance(10_300)
    assert types(game.received()[second]) == ["CurrentPlayer", "AvailableColor"]
    assert game.state.table.players[game.seat(first)].color == "red"
    game.act()
    game.act()
    game.discard()
    game.cluster.advance(10_300)
    received = game.received()
    assert types(received[second]) == ["CurrentPlayer"]
    game.act()
    game.act()
    assert game.state.table.phase is Phase.PLAYING


def test_a_player_who_returns_within_the_grace_time_keeps_the_turn() -> None:
    game = PlayedGame(2)
    game.play_until("PLAYING")
    first, second = game.order
    game.clients[first].drop()
    game.cluster.advance(9_000)
    game.come_back(first).received()
    game.clients[second].received()
    game.cluster.advance(9_000)
    assert game.clients[second].received() == []
    game.act()
    assert types(game.clients[first].received())[0] == "ConfirmPlaceCard"


def test_the_only_connected_player_wins_after_a_time_with_the_present_points() -> None:
    game = PlayedGame(3, settings=CodexSettings(grace_ms=70_000, alone_ms=6_000))
    game.play_until("PLAYING")
    first, second, third = game.order
    game.clients[first].drop()
    game.cluster.advance(7_000)
    assert game.playing
    game.clients[third].drop()
    game.cluster.advance(5_700)
    game.discard()
    assert game.playing
    game.cluster.advance(600)
    received = game.clients[second].received()
    assert types(received) == ["ChangeState", "Winners"]
    assert received[0]["state"] == "ENDING"
    assert [rank["nickname"] for rank in received[1]["winners"]] == [second]
    assert received[1]["winners"][0]["objectivePoints"] == 0
    assert {rank["nickname"] for rank in received[1]["standings"]} == {first, second, third}


def test_a_table_that_all_have_left_ends_without_winners() -> None:
    game = PlayedGame(2, settings=CodexSettings(alone_ms=6_000))
    for client in list(game.clients.values()):
        client.drop()
    game.cluster.advance(7_000)
    answer = game.come_back("Ann").received()[0]
    assert answer["confirmRejoinGame"] is False
    assert "nobody" in answer["details"]


def test_a_player_who_leaves_for_good_is_reported_as_crashed_once() -> None:
    game = PlayedGame(3, full=False)
    bob = game.cluster.connect("play")
    bob.send_json({"type": "hello", "name": "Bob"})
    bob.send_json({"type": "join", "id": 1, "room": 1000})
    game.clients["Cid"] = game.connect()
    game.clients["Cid"].send({"type": "JoinGameMessage", "nickname": "Cid"})
    assert game.playing
    game.discard()
    bob.send_json({"type": "leave", "id": 2, "room": 1000})
    bob.drop()
    for received in game.received().values():
        assert types(received).count("CrashedPlayer") == 1
