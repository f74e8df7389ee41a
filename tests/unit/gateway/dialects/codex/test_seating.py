"""Creating, joining, names and tables."""

from random import Random
from typing import Any

import pytest

from gateway.dialects.codex import DIALECT, CodexSettings
from gateway.dialects.waiting_messages import MOST_MESSAGES
from gateway.transports.close_codes import MALFORMED
from shared.bus.directory import ListingChange
from shared.errors import ProtocolError
from shared.ids import RoomId
from tests.support.memory_cluster import MemoryCluster
from tests.unit.gateway.dialects.codex.played_game import CodexClient, Message, PlayedGame, codex_cluster, one, types


def create(client: CodexClient, name: str = "Ann", players: Any = 2) -> Message:
    client.send({"type": "CreateGameMessage", "numPlayers": players, "nickname": name})
    return client.received()[0]


def join(client: CodexClient, name: str = "Bob", **extra: Any) -> Message:
    client.send({"type": "JoinGameMessage", "nickname": name, **extra})
    return client.received()[0]


def rooms(cluster: MemoryCluster) -> list[int]:
    """The rooms that wait or play."""
    return [listing.room for listing in cluster.gateway.node.rooms.listed("")]


def open_stones_table(cluster: MemoryCluster) -> int:
    """Open a table of another game through another dialect."""
    client = cluster.connect("play")
    client.send_json({"type": "hello", "name": "Eve"})
    client.send_json({"type": "create", "id": 1, "game": "stones", "seats": 3})
    number: int = client.received_json()[-1]["room"]
    return number


def assert_denied(message: Message, key: str) -> None:
    assert message[key] is False
    assert message["details"]
    assert "gameId" not in message


@pytest.mark.parametrize("players", [-1, 0, 1, 5, 10**40])
def test_a_game_has_two_to_four_players(players: int) -> None:
    cluster = codex_cluster()
    client = CodexClient(cluster)
    assert_denied(create(client, "Ann", players), "confirmGameCreation")
    assert rooms(cluster) == []
    assert create(client, "Ann", 4)["confirmGameCreation"] is True


@pytest.mark.parametrize("name", ["", " ", "\t\n", "x" * 33])
def test_a_nickname_is_not_blank_and_has_at_most_32_characters(name: str) -> None:
    cluster = codex_cluster()
    for answer, key in (
        (create(CodexClient(cluster), name), "confirmGameCreation"),
        (join(CodexClient(cluster), name), "confirmJoinGame"),
    ):
        assert_denied(answer, key)
        assert answer["nickname"] == name
    client = CodexClient(cluster)
    client.send({"type": "RejoinGameMessage", "nickname": name})
    assert_denied(client.received()[0], "confirmRejoinGame")


def test_a_nickname_of_32_characters_is_fine() -> None:
    assert create(CodexClient(codex_cluster()), "x" * 32)["confirmGameCreation"] is True


def test_a_nickname_in_use_is_denied_and_another_can_be_tried() -> None:
    cluster = codex_cluster()
    create(CodexClient(cluster), "Ann", 3)
    client = CodexClient(cluster)
    assert_denied(join(client, "Ann"), "confirmJoinGame")
    assert_denied(create(client, "Ann"), "confirmGameCreation")
    assert join(client, "Bob")["confirmJoinGame"] is True


def test_without_a_waiting_game_joining_is_denied_and_the_name_is_released() -> None:
    cluster = codex_cluster()
    client = CodexClient(cluster)
    answer = join(client)
    assert_denied(answer, "confirmJoinGame")
    assert answer["details"] == "no game to join"
    assert create(CodexClient(cluster), "Bob")["confirmGameCreation"] is True


def test_joining_without_a_number_finds_the_oldest_waiting_table() -> None:
    cluster = codex_cluster()
    for name in ("A", "B"):
        create(CodexClient(cluster), name, 3)
    assert join(CodexClient(cluster), "C")["gameId"] == 1000
    assert join(CodexClient(cluster), "D", gameId=1001, hasJoined=False)["gameId"] == 1001
    assert join(CodexClient(cluster), "E", hasJoined=True, gameId=None)["gameId"] == 1000


@pytest.mark.parametrize("number", [-5, 0, 17, 5000, 10**30])
def test_a_table_that_does_not_exist_cannot_be_joined(number: int) -> None:
    cluster = codex_cluster()
    create(CodexClient(cluster), "Ann", 3)
    assert_denied(join(CodexClient(cluster), gameId=number), "confirmJoinGame")
    client = CodexClient(cluster)
    client.send({"type": "RejoinGameMessage", "nickname": "Ann", "gameId": number})
    assert_denied(client.received()[0], "confirmRejoinGame")


def test_a_table_that_has_begun_cannot_be_joined() -> None:
    game = PlayedGame(2)
    assert_denied(join(game.connect(), "Eve", gameId=1000), "confirmJoinGame")


def test_a_table_of_another_game_cannot_be_joined() -> None:
    cluster = codex_cluster()
    number = open_stones_table(cluster)
    assert_denied(join(CodexClient(cluster), gameId=number), "confirmJoinGame")
    assert rooms(cluster) == [number]


def test_a_seat_at_a_table_of_another_game_is_given_up_again() -> None:
    """The gateway has not received the listing of the table yet, so that only the room can say which game it is."""
    cluster = codex_cluster()
    number = open_stones_table(cluster)
    cluster.gateway.node.rooms.change([ListingChange(RoomId(number), None)])
    client = CodexClient(cluster)
    client.send({"type": "JoinGameMessage", "nickname": "Bob", "gameId": number})
    (answer,) = client.received()
    assert_denied(answer, "confirmJoinGame")
    assert [place.name for place in cluster.room(number).state.seats.values()] == ["Eve"]
    assert create(CodexClient(cluster), "Bob")["confirmGameCreation"] is True


def test_the_url_may_name_the_table_and_the_message_another() -> None:
    cluster = codex_cluster()
    for name in ("A", "B", "C"):
        create(CodexClient(cluster), name, 3)
    assert join(CodexClient(cluster, {"table": "1001"}), "D")["gameId"] == 1001
    assert join(CodexClient(cluster, {"table": "1001"}), "E", gameId=1002)["gameId"] == 1002


@pytest.mark.parametrize("table", ["", "x", "-1", "1.5", "9" * 20, "١"])
def test_an_invalid_url_is_refused(table: str) -> None:
    with pytest.raises(ProtocolError):
        CodexClient(codex_cluster(), {"table": table})


def test_a_connection_has_a_seat_at_one_table_at_most() -> None:
    cluster = codex_cluster()
    client = CodexClient(cluster)
    create(client, "Ann", 3)
    assert_denied(create(client), "confirmGameCreation")
    assert_denied(join(client, "Ann"), "confirmJoinGame")
    client.send({"type": "RejoinGameMessage", "nickname": "Ann"})
    assert_denied(client.received()[0], "confirmRejoinGame")
    assert rooms(cluster) == [1000]


def test_after_the_winners_the_connection_may_begin_again_under_its_name() -> None:
    game = PlayedGame(2)
    game.finish()
    game.discard()
    ann, bob = game.clients["Ann"], game.clients["Bob"]
    assert_denied(create(ann, "Eve"), "confirmGameCreation")
    assert create(ann)["gameId"] == 1001
    assert join(bob)["gameId"] == 1001
    assert "StartingCommonMessage" in [message["type"] for message in ann.received()]


def test_a_game_can_be_joined_again_on_a_url_whose_table_is_over() -> None:
    cluster = codex_cluster(settings=CodexSettings(alone_ms=6_000))
    ann = CodexClient(cluster)
    create(ann, "Ann")
    bob = CodexClient(cluster, {"table": "1000"})
    join(bob)
    ann.drop()
    cluster.advance(7_000)
    assert types(bob.received())[-1] == "Winners"
    create(CodexClient(cluster), "Cid")
    assert join(bob)["gameId"] == 1001


def test_messages_during_a_request_for_a_seat_are_handled_after_it() -> None:
    client = CodexClient(codex_cluster())
    client.send_at_once(
        b'{"type":"CreateGameMessage","numPlayers":3,"nickname":"Ann"}',
        b'{"type":"CreateGameMessage","numPlayers":3,"nickname":"Ann"}',
        b'{"type":"GroupChatMessage","sender":"Ann","text":"hello"}',
    )
    received = client.received()
    assert types(received) == ["ConfirmGame", "ConfirmGame", "ConfirmChat", "GroupChat"]
    assert [message.get("confirmGameCreation") for message in received[:2]] == [True, False]


def test_malformed_messages_during_a_request_for_a_seat_are_answered_after_it() -> None:
    client = CodexClient(codex_cluster())
    client.send_at_once(
        b'{"type":"CreateGameMessage","numPlayers":3,"nickname":"Ann"}',
        b'{"type":"CreateGameMessage","numPlayers":"3","nickname":"Ann"}',
        b"nonsense",
        b'{"type":"GroupChatMessage","sender":"Ann","text":"hello"}',
    )
    received = client.received()
    assert types(received) == ["ConfirmGame", "ConfirmGame", "Error", "ConfirmChat", "GroupChat"]
    assert [message.get("confirmGameCreation") for message in received[:2]] == [True, False]


def test_twenty_malformed_messages_close_the_connection_during_a_request_for_a_seat_too() -> None:
    client = CodexClient(codex_cluster())
    client.send_at_once(b'{"type":"JoinGameMessage","nickname":"Ann"}', *[b"nonsense"] * 20)
    assert client.closed is MALFORMED


def test_only_so_many_messages_wait_for_a_request_for_a_seat() -> None:
    client = CodexClient(codex_cluster())
    draw = b'{"type":"DrawGoldMessage","nickname":"Ann"}'
    client.send_at_once(b'{"type":"JoinGameMessage","nickname":"Ann"}', *[draw] * (MOST_MESSAGES + 6))
    received = client.received()
    assert types(received) == ["ConfirmJoinGame", *["ConfirmDraw"] * MOST_MESSAGES, *["Error"] * 6]
    assert {message["details"] for message in received[-6:]} == {"BUSY: retry after 1 s"}


def test_a_lost_store_is_reported_as_busy_instead_of_a_denial() -> None:
    game = PlayedGame(2)
    game.discard()
    game.cluster.gateway.lose_the_store(Random(1))
    client = game.clients[game.current]
    client.send(game.move())
    assert client.received() == [{"type": "ErrorMessage", "details": "BUSY: retry after 1 s"}]
    newcomer = game.connect()
    assert create(newcomer, "Eve")["details"].startswith("BUSY")
    game.cluster.do(game.cluster.gateway.reconnect)
    assert create(newcomer, "Eve")["confirmGameCreation"] is True
    game.act()
    assert one(client.received(), "ConfirmStartingCard")["confirmStarting"] is True


def test_a_name_claimed_for_a_refused_seat_is_released() -> None:
    cluster = codex_cluster()
    client = CodexClient(cluster)
    assert_denied(join(client, "Bob", gameId=1234), "confirmJoinGame")
    assert create(CodexClient(cluster), "Bob")["confirmGameCreation"] is True
    assert create(client, "Cid")["confirmGameCreation"] is True


def test_the_seat_of_a_crashed_player_is_kept_for_the_grace_time_while_the_table_waits() -> None:
    game = PlayedGame(3, full=False)
    cluster, ann = game.cluster, game.clients["Ann"]
    bob = CodexClient(cluster)
    join(bob)
    ann.received()
    bob.drop()
    cluster.advance(9_000)
    assert ann.received() == []
    assert_denied(join(CodexClient(cluster), "Bob"), "confirmJoinGame")
    cluster.advance(2_000)
    assert ann.received() == [{"type": "CrashedPlayerMessage", "player": "Bob"}]
    assert join(CodexClient(cluster), "Bob")["confirmJoinGame"] is True


def test_a_player_can_return_while_the_table_waits() -> None:
    game = PlayedGame(3, full=False)
    bob = game.connect()
    join(bob)
    bob.drop()
    bob = game.come_back("Bob")
    received = bob.received()
    assert types(received) == ["ConfirmRejoinGame", "UpdateCrashedPlayer", "RejoinedPlayer"]
    state = received[1]
    assert state["gameState"] == "WAITING"
    assert state["players"] == ["Ann", "Bob"]
    assert state["boards"] == {"Ann": [], "Bob": []}
    assert state["table"] == [None] * 6
    assert state["currentPlayer"] is None
    assert "startingCard" not in state


def test_a_player_who_crashed_while_the_table_waited_is_reported_when_the_game_starts() -> None:
    game = PlayedGame(3, full=False)
    cluster, ann = game.cluster, game.clients["Ann"]
    bob = CodexClient(cluster)
    join(bob)
    bob.drop()
    ann.received()
    cid = CodexClient(cluster)
    cid.send({"type": "JoinGameMessage", "nickname": "Cid"})
    for client in (ann, cid):
        received = client.received()
        assert types(received)[-1] == "CrashedPlayer"
        assert received[-1]["player"] == "Bob"


def test_settings_come_from_the_environment() -> None:
    settings = CodexSettings.from_env({"TAVOLATA_CODEX_GRACE_MS": "200", "TAVOLATA_CODEX_HEARTBEAT_MS": "300"})
    assert settings.grace_ms == 200
    assert settings.heartbeat_ms == 300
    assert settings.silence_ms == 5_000
    for text in ("", "x", "-1", "1e3", "49", "99999999"):
        with pytest.raises(ValueError, match="TAVOLATA_CODEX_ALONE_MS"):
            CodexSettings.from_env({"TAVOLATA_CODEX_ALONE_MS": text})


def test_the_dialect_has_its_name_and_path() -> None:
    assert DIALECT.name == "codex"
    assert DIALECT.path == "/ws/codex"
    assert not DIALECT.raw
