"""Heartbeats, crashes, returns, and the actions of the table in between."""

from typing import Any

import pytest

from gateway.dialects.codex import CodexSettings
from gateway.transports.close_codes import SILENT
from shared.games.codex.pieces import Phase
from tests.unit.gateway.dialects.codex.acting import Message, Stage, one, types

BEAT = {"type": "HeartbeatMessage", "heartbeat": "ping"}


def seat_of(stage: Stage, name: str) -> Any:
    return next(seat for seat, place in stage.room.seats.items() if place.name == name)


# --- heartbeats ------------------------------------------------------------------------------------------------------


def test_a_heartbeat_is_sent_with_every_tick() -> None:
    stage = Stage(2)
    ann = stage.clients["Ann"]
    ann.heard()
    assert ann.conversation.tick_ms == 1_000
    for now in (1_000, 2_000):
        ann.put_out(ann.conversation.tick(now))
        assert ann.heard(beats=True) == [BEAT]


def test_a_silent_player_counts_as_crashed_after_five_seconds() -> None:
    stage = Stage(3)
    stage.hush()
    beating = [stage.clients["Ann"], stage.clients["Cid"]]
    for _ in range(7):
        stage.cluster.advance(1_000, ticks=True)
        for client in beating:
            client.say(BEAT)
    assert stage.clients["Bob"].closed is SILENT
    for client in beating:
        assert client.closed is None
        assert one(client.heard(), "CrashedPlayer")["player"] == "Bob"


@pytest.mark.parametrize("frame", [b'{"type":"DrawGoldMessage","nickname":"Ann"}', b"nonsense", b"{}"])
def test_any_message_resets_the_silence(frame: bytes) -> None:
    stage = Stage(2)
    ann = stage.clients["Ann"]
    for _ in range(12):
        stage.cluster.advance(1_000, ticks=True)
        ann.say(frame)
    assert ann.closed is None


def test_a_player_who_answers_within_five_seconds_never_counts_as_crashed() -> None:
    stage = Stage(2)
    ann = stage.clients["Ann"]
    for _ in range(5):
        stage.cluster.advance(4_900, ticks=True)
        ann.say(BEAT)
    assert ann.closed is None


def test_a_stall_of_the_server_does_not_count_as_silence_of_the_client() -> None:
    stage = Stage(2)
    ann = stage.clients["Ann"]
    ann.heard()
    for now in (1_000, 2_000, 60_000):
        ann.put_out(ann.conversation.tick(now))
    assert ann.closed is None


def test_a_connection_without_a_seat_may_be_silent() -> None:
    stage = Stage(2)
    visitor = stage.cluster.connect()
    stage.cluster.advance(30_000, ticks=True)
    assert visitor.closed is None


def test_heartbeats_of_clients_are_not_answered() -> None:
    stage = Stage(2)
    ann = stage.clients["Ann"]
    ann.heard()
    ann.say(BEAT)
    assert ann.heard(beats=True) == []


# --- crash and return ------------------------------------------------------------------------------------------------


def test_the_others_are_notified_of_a_crash_and_of_the_return() -> None:
    stage = Stage(3)
    stage.play_until("PLAYING")
    stage.clients["Bob"].drop()
    heard = stage.heard()
    assert heard["Ann"] == heard["Cid"] == [{"type": "CrashedPlayerMessage", "player": "Bob"}]
    bob = stage.come_back("Bob")
    assert types(bob.heard()) == ["ConfirmRejoinGame", "UpdateCrashedPlayer", "RejoinedPlayer"]
    heard = stage.heard()
    assert heard["Ann"] == heard["Cid"] == [{"type": "RejoinedPlayerMessage", "player": "Bob"}]


def check_state(stage: Stage, name: str, received: Message) -> None:
    """The state that a returning player gets is the state of the game."""
    seat, play = seat_of(stage, name), stage.room.play
    own, table = play.own[seat], play.table
    names = {other: place.name for other, place in stage.room.seats.items()}
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


@pytest.mark.parametrize("steps", range(0, 40, 3))
def test_a_returning_player_gets_the_whole_state_in_every_phase(steps: int) -> None:
    stage = Stage(3, seed=steps)
    for _ in range(steps):
        stage.act()
    for name in ("Ann", "Bob"):
        stage.clients[name].drop()
    heard = stage.come_back("Ann").heard()
    check_state(stage, "Ann", heard[1])
    assert heard[1]["crashed"] == ["Bob"]
    assert types(heard)[0] == "ConfirmRejoinGame"
    assert heard[-1] == {"type": "RejoinedPlayerMessage", "player": "Ann"}


def test_a_returning_player_who_has_to_pick_a_color_gets_the_offer_again() -> None:
    stage = Stage(2)
    stage.play_until("COLOR")
    name = stage.current
    stage.clients[name].drop()
    heard = stage.come_back(name).heard()
    assert types(heard) == ["ConfirmRejoinGame", "UpdateCrashedPlayer", "AvailableColor", "RejoinedPlayer"]
    stage.act(color="BLUE")
    other = next(other for other in stage.order if other != name)
    stage.clients[other].drop()
    heard = stage.come_back(other).heard()
    assert one(heard, "AvailableColor")["colors"] == ["RED", "GREEN", "YELLOW"]


def test_messages_after_the_return_have_no_gap_and_no_repetition() -> None:
    stage = Stage(2)
    stage.play_until("DRAWING")
    name = stage.current
    stage.clients[name].drop()
    client = stage.come_back(name)
    client.heard()
    stage.act()
    assert types(client.heard())[:2] == ["ConfirmDraw", "PersonalCards"]


def test_the_starting_card_is_shown_while_the_player_has_a_choice_to_make() -> None:
    stage = Stage(2)
    name = stage.current
    starting = stage.room.play.own[seat_of(stage, name)].starting
    for state in ("STARTING", "COLOR", "OBJECTIVE"):
        stage.play_until(state)
        stage.clients[name].drop()
        received = stage.come_back(name).heard()[1]
        assert received["startingCard"]["id"] == starting
    stage.play_until("PLAYING")
    stage.clients[name].drop()
    assert "startingCard" not in stage.come_back(name).heard()[1]


@pytest.mark.parametrize("nickname", ["Ann", "Nobody"])
def test_only_a_crashed_player_can_return(nickname: str) -> None:
    stage = Stage(2)
    stage.hush()
    visitor = stage.cluster.connect()
    visitor.say({"type": "RejoinGameMessage", "nickname": nickname})
    (answer,) = visitor.heard()
    assert answer["type"] == "ConfirmRejoinGameMessage"
    assert answer["confirmRejoinGame"] is False
    assert answer["details"]
    assert stage.clients["Ann"].heard() == []


def test_a_request_to_return_may_name_the_table() -> None:
    stage = Stage(2)
    stage.clients["Ann"].drop()
    wrong = stage.come_back("Ann", gameId=1001)
    assert wrong.heard()[0]["confirmRejoinGame"] is False
    assert stage.come_back("Ann", gameId=1000).heard()[0]["confirmRejoinGame"] is True


def test_after_the_end_a_request_to_return_is_denied_with_the_winner() -> None:
    stage = Stage(2)
    while stage.room.status == "playing":
        stage.act()
    result = stage.room.play.table.result
    winner = stage.room.seats[result.winners[0]].name
    here, gone = stage.clients["Ann"], stage.clients["Bob"]
    here.heard()
    here.say({"type": "RejoinGameMessage", "nickname": "Ann"})
    gone.drop()
    for answer in (here.heard()[0], stage.come_back("Bob").heard()[0]):
        assert answer["confirmRejoinGame"] is False
        assert winner in answer["details"]


# --- absent players --------------------------------------------------------------------------------------------------


def test_the_turn_of_a_crashed_player_is_skipped_after_the_grace_time() -> None:
    stage = Stage(3)
    stage.play_until("PLAYING")
    first, second, third = stage.order
    stage.clients[first].drop()
    stage.hush()
    stage.cluster.advance(9_999)
    assert stage.heard()[second] == []
    stage.cluster.advance(1)
    heard = stage.heard()
    assert heard[second] == heard[third] == [{"type": "CurrentPlayerMessage", "currentPlayer": second}]


def test_the_server_draws_for_a_crashed_player() -> None:
    stage = Stage(3)
    stage.play_until("DRAWING")
    first, second, _ = stage.order
    stage.clients[first].drop()
    stage.hush()
    stage.cluster.advance(10_000)
    heard = stage.heard()[second]
    assert types(heard) == ["NotifyCommonTable", "ChangeState", "CurrentPlayer"]
    assert heard[0]["index"] == 0
    received = stage.come_back(first).heard()[1]
    assert len(received["hand"]) == 3


def test_the_server_chooses_for_crashed_players_in_the_set_up() -> None:
    stage = Stage(3)
    first, second, _ = stage.order
    stage.clients[first].drop()
    stage.hush()
    stage.cluster.advance(10_000)
    assert types(stage.heard()[second]) == ["PlayerBoard", "CurrentPlayer"]
    stage.act()
    stage.act()
    stage.hush()
    stage.cluster.advance(10_000)
    assert types(stage.heard()[second]) == ["CurrentPlayer", "AvailableColor"]
    assert stage.room.play.table.players[seat_of(stage, first)].color == "red"
    stage.act()
    stage.act()
    stage.hush()
    stage.cluster.advance(10_000)
    heard = stage.heard()
    assert types(heard[second]) == ["CurrentPlayer"]
    stage.act()
    stage.act()
    assert stage.room.play.table.phase is Phase.PLAYING


def test_a_player_who_returns_within_the_grace_time_keeps_the_turn() -> None:
    stage = Stage(2)
    stage.play_until("PLAYING")
    first, second = stage.order
    stage.clients[first].drop()
    stage.cluster.advance(9_000)
    stage.come_back(first).heard()
    stage.clients[second].heard()
    stage.cluster.advance(9_000)
    assert stage.clients[second].heard() == []
    stage.act()
    assert types(stage.clients[first].heard())[0] == "ConfirmPlaceCard"


def test_the_only_connected_player_wins_after_a_minute_with_the_present_points() -> None:
    stage = Stage(3, settings=CodexSettings(grace_ms=70_000))
    stage.play_until("PLAYING")
    first, second, third = stage.order
    stage.clients[first].drop()
    stage.cluster.advance(60_000)
    assert stage.room.status == "playing"
    stage.clients[third].drop()
    stage.cluster.advance(50_000)
    stage.hush()
    stage.cluster.advance(10_000)
    heard = stage.clients[second].heard()
    assert types(heard) == ["ChangeState", "Winners"]
    assert heard[0]["state"] == "ENDING"
    assert [rank["nickname"] for rank in heard[1]["winners"]] == [second]
    assert heard[1]["winners"][0]["objectivePoints"] == 0
    assert {rank["nickname"] for rank in heard[1]["standings"]} == {first, second, third}


def test_a_table_that_all_have_left_ends_without_winners() -> None:
    stage = Stage(2)
    for client in list(stage.clients.values()):
        client.drop()
    stage.cluster.advance(60_000)
    assert stage.room.status == "finished"
    answer = stage.come_back("Ann").heard()[0]
    assert answer["confirmRejoinGame"] is False
    assert "nobody" in answer["details"]


def test_a_player_who_leaves_for_good_is_reported_as_crashed_once() -> None:
    stage = Stage(3)
    stage.play_until("PLAYING")
    stage.cluster._leave(stage.clients["Bob"], stage.room)
    stage.cluster.settle()
    for name in ("Ann", "Cid"):
        heard = stage.clients[name].heard()
        assert types(heard).count("CrashedPlayer") == 1
