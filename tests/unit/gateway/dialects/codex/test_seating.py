"""Creating, joining, names and tables."""

from typing import Any

import pytest

from gateway.dialects.answers import Entered
from gateway.dialects.codex import DIALECT, CodexSettings
from gateway.dialects.codex.conversation import CodexConversation
from gateway.dialects.contract import Opening
from gateway.dialects.requests import LeaveRequest
from shared.errors import ProtocolError
from shared.ids import RoomId, Seat
from shared.room_events import RoomSpec
from shared.room_views import RoomView
from tests.support.codex_table import Client, Cluster, MiniRoom
from tests.unit.gateway.dialects.codex.acting import Message, Stage, one, types


def create(client: Client, name: str = "Ann", players: Any = 2) -> Message:
    client.say({"type": "CreateGameMessage", "numPlayers": players, "nickname": name})
    return client.heard()[0]


def join(client: Client, name: str = "Bob", **extra: Any) -> Message:
    client.say({"type": "JoinGameMessage", "nickname": name, **extra})
    return client.heard()[0]


def assert_denied(message: Message, key: str) -> None:
    assert message[key] is False
    assert message["details"]
    assert "gameId" not in message


@pytest.mark.parametrize("players", [-1, 0, 1, 5, 10**40])
def test_a_game_has_two_to_four_players(players: int) -> None:
    cluster = Cluster()
    client = cluster.connect()
    assert_denied(create(client, "Ann", players), "confirmGameCreation")
    assert cluster.rooms == {}
    assert create(client, "Ann", 4)["confirmGameCreation"] is True


@pytest.mark.parametrize("name", ["", " ", "\t\n", "x" * 33])
def test_a_nickname_is_not_blank_and_has_at_most_32_characters(name: str) -> None:
    cluster = Cluster()
    for answer, key in (
        (create(cluster.connect(), name), "confirmGameCreation"),
        (join(cluster.connect(), name), "confirmJoinGame"),
    ):
        assert_denied(answer, key)
        assert answer["nickname"] == name
    client = cluster.connect()
    client.say({"type": "RejoinGameMessage", "nickname": name})
    assert_denied(client.heard()[0], "confirmRejoinGame")


def test_a_nickname_of_32_characters_is_fine() -> None:
    assert create(Cluster().connect(), "x" * 32)["confirmGameCreation"] is True


def test_a_nickname_in_use_is_denied_and_another_can_be_tried() -> None:
    cluster = Cluster()
    create(cluster.connect(), "Ann", 3)
    client = cluster.connect()
    assert_denied(join(client, "Ann"), "confirmJoinGame")
    assert_denied(create(client, "Ann"), "confirmGameCreation")
    assert join(client, "Bob")["confirmJoinGame"] is True


def test_without_a_waiting_game_joining_is_denied_and_the_name_is_released() -> None:
    cluster = Cluster()
    client = cluster.connect()
    answer = join(client)
    assert_denied(answer, "confirmJoinGame")
    assert answer["details"] == "no game to join"
    assert create(cluster.connect(), "Bob")["confirmGameCreation"] is True


def test_joining_without_a_number_finds_the_oldest_waiting_table() -> None:
    cluster = Cluster()
    for name in ("A", "B"):
        create(cluster.connect(), name, 3)
    assert join(cluster.connect(), "C")["gameId"] == 1000
    assert join(cluster.connect(), "D", gameId=1001, hasJoined=False)["gameId"] == 1001
    assert join(cluster.connect(), "E", hasJoined=True, gameId=None)["gameId"] == 1000


@pytest.mark.parametrize("number", [-5, 0, 17, 5000, 10**30])
def test_a_table_that_does_not_exist_cannot_be_joined(number: int) -> None:
    cluster = Cluster()
    create(cluster.connect(), "Ann", 3)
    assert_denied(join(cluster.connect(), gameId=number), "confirmJoinGame")
    client = cluster.connect()
    client.say({"type": "RejoinGameMessage", "nickname": "Ann", "gameId": number})
    assert_denied(client.heard()[0], "confirmRejoinGame")


def test_a_table_that_has_begun_cannot_be_joined() -> None:
    stage = Stage(2)
    assert_denied(join(stage.cluster.connect(), "Eve", gameId=1000), "confirmJoinGame")


def test_a_table_of_another_game_cannot_be_joined() -> None:
    cluster = Cluster()
    cluster.rooms[RoomId(1000)] = MiniRoom(RoomId(1000), RoomSpec("stones", 2), 1)
    assert_denied(join(cluster.connect(), gameId=1000), "confirmJoinGame")


def test_a_seat_at_a_table_of_another_game_is_given_up_again() -> None:
    conversation = CodexConversation(Opening({}, Cluster()), CodexSettings())
    list(conversation.receive(b'{"type":"JoinGameMessage","nickname":"Ann","gameId":1234}'))
    view = RoomView(RoomId(1234), 1, 1, "waiting", RoomSpec("stones", 2), 1, ())  # type: ignore[arg-type]
    ref = conversation._seat_message
    outs = list(conversation.answer(ref, Entered(RoomId(1234), Seat(0), view)))
    assert b'"confirmJoinGame":false' in outs[0]  # type: ignore[operator]
    assert outs[1:] == [LeaveRequest(RoomId(1234))]


def test_the_url_may_name_the_table_and_the_message_another() -> None:
    cluster = Cluster()
    for name in ("A", "B", "C"):
        create(cluster.connect(), name, 3)
    assert join(cluster.connect(table="1001"), "D")["gameId"] == 1001
    assert join(cluster.connect(table="1001"), "E", gameId=1002)["gameId"] == 1002


@pytest.mark.parametrize("table", ["", "x", "-1", "1.5", "9" * 20, "١"])
def test_an_invalid_url_is_refused(table: str) -> None:
    with pytest.raises(ProtocolError):
        DIALECT.converse(Opening({"table": table}, Cluster()))


def test_a_connection_has_a_seat_at_one_table_at_most() -> None:
    cluster = Cluster()
    client = cluster.connect()
    create(client, "Ann", 3)
    assert_denied(create(client), "confirmGameCreation")
    assert_denied(join(client, "Ann"), "confirmJoinGame")
    client.say({"type": "RejoinGameMessage", "nickname": "Ann"})
    assert_denied(client.heard()[0], "confirmRejoinGame")
    assert len(cluster.rooms) == 1


def test_after_the_winners_the_connection_may_begin_again_under_its_name() -> None:
    stage = Stage(2)
    while stage.room.status == "playing":
        stage.act()
    stage.hush()
    ann, bob = stage.clients["Ann"], stage.clients["Bob"]
    assert_denied(create(ann, "Eve"), "confirmGameCreation")
    assert create(ann)["gameId"] == 1001
    assert join(bob)["gameId"] == 1001
    assert "StartingCommonMessage" in [message["type"] for message in ann.heard()]


def test_a_game_can_be_joined_again_on_a_url_whose_table_is_over() -> None:
    cluster = Cluster()
    create(cluster.connect(), "Ann")
    bob = cluster.connect(table="1000")
    join(bob)
    room = cluster.rooms[RoomId(1000)]
    cluster.clients[0].drop()
    cluster.advance(60_000)
    assert room.status == "finished"
    bob.heard()
    create(cluster.connect(), "Cid")
    assert join(bob)["gameId"] == 1001


def test_messages_during_a_request_for_a_seat_are_handled_after_it() -> None:
    cluster = Cluster()
    client = cluster.connect()
    for frame in (
        b'{"type":"CreateGameMessage","numPlayers":3,"nickname":"Ann"}',
        b'{"type":"CreateGameMessage","numPlayers":3,"nickname":"Ann"}',
        b'{"type":"GroupChatMessage","sender":"Ann","text":"hello"}',
    ):
        client.put_out(client.conversation.receive(frame))
    cluster.settle()
    heard = client.heard()
    assert types(heard) == ["ConfirmGame", "ConfirmGame", "ConfirmChat", "GroupChat"]
    assert [message.get("confirmGameCreation") for message in heard[:2]] == [True, False]


def test_only_64_messages_are_held_during_a_request_for_a_seat() -> None:
    client = Cluster().connect()
    client.put_out(client.conversation.receive(b'{"type":"JoinGameMessage","nickname":"Ann"}'))
    for _ in range(70):
        client.put_out(client.conversation.receive(b'{"type":"DrawGoldMessage","nickname":"Ann"}'))
    busy = client.heard()
    assert {message["details"] for message in busy} == {"BUSY: retry after 1 s"}
    assert len(busy) == 6
    client.cluster.settle()
    assert types(client.heard()) == ["ConfirmJoinGame", *["ConfirmDraw"] * 64]


def test_a_busy_cluster_is_reported_as_busy_instead_of_a_denial() -> None:
    stage = Stage(2)
    stage.hush()
    stage.cluster.busy = True
    client = stage.clients[stage.current]
    client.say(stage.move())
    assert client.heard() == [{"type": "ErrorMessage", "details": "BUSY: retry after 1 s"}]
    newcomer = stage.cluster.connect()
    assert create(newcomer, "Eve")["details"].startswith("BUSY")
    stage.cluster.busy = False
    assert create(newcomer, "Eve")["confirmGameCreation"] is True
    stage.act()
    assert one(client.heard(), "ConfirmStartingCard")["confirmStarting"] is True


def test_a_name_claimed_for_a_refused_seat_is_released() -> None:
    client = Cluster().connect()
    join(client, "Bob")
    assert client.name == ""


def test_the_seat_of_a_crashed_player_is_kept_for_the_grace_time_while_the_table_waits() -> None:
    stage = Stage(3, full=False)
    cluster, ann = stage.cluster, stage.clients["Ann"]
    bob = cluster.connect()
    join(bob)
    ann.heard()
    bob.drop()
    cluster.advance(9_000)
    assert ann.heard() == []
    assert_denied(join(cluster.connect(), "Bob"), "confirmJoinGame")
    cluster.advance(2_000)
    assert ann.heard() == [{"type": "CrashedPlayerMessage", "player": "Bob"}]
    assert join(cluster.connect(), "Bob")["confirmJoinGame"] is True


def test_a_player_can_return_while_the_table_waits() -> None:
    stage = Stage(3, full=False)
    bob = stage.cluster.connect()
    join(bob)
    bob.drop()
    bob = stage.come_back("Bob")
    heard = bob.heard()
    assert types(heard) == ["ConfirmRejoinGame", "UpdateCrashedPlayer", "RejoinedPlayer"]
    state = heard[1]
    assert state["gameState"] == "WAITING"
    assert state["players"] == ["Ann", "Bob"]
    assert state["boards"] == {"Ann": [], "Bob": []}
    assert state["table"] == [None] * 6
    assert state["currentPlayer"] is None
    assert "startingCard" not in state


def test_a_player_who_crashed_while_the_table_waited_is_reported_when_the_game_starts() -> None:
    stage = Stage(3, full=False)
    cluster, ann = stage.cluster, stage.clients["Ann"]
    bob = cluster.connect()
    join(bob)
    bob.drop()
    ann.heard()
    cid = cluster.connect()
    cid.say({"type": "JoinGameMessage", "nickname": "Cid"})
    for client in (ann, cid):
        heard = client.heard()
        assert types(heard)[-1] == "CrashedPlayer"
        assert heard[-1]["player"] == "Bob"


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
