"""Malformed and denied messages are answered in the dialect, and never raise an exception."""

import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.dialects.codex.messages import ClientMessage, ServerMessage
from gateway.transports.close_codes import MALFORMED
from shared.errors import ErrorCode
from tests.unit.gateway.dialects.codex.played_game import CodexClient, Message, PlayedGame, codex_cluster

pytestmark = pytest.mark.slow

FULL: dict[str, Message] = {
    "CreateGameMessage": {"numPlayers": 2, "nickname": "Ann"},
    "JoinGameMessage": {"nickname": "Ann", "hasJoined": False, "gameId": 1000},
    "RejoinGameMessage": {"nickname": "Ann", "gameId": 1000},
    "ChooseStartingMessage": {"player": "Ann", "face": "FRONT"},
    "PickColorMessage": {"nickname": "Ann", "color": "RED"},
    "ChooseObjectiveMessage": {"player": "Ann", "choose": 1},
    "PlaceCardMessage": {"player": "Ann", "choice": 1, "i": 39, "j": 39, "face": "FRONT"},
    "DrawTableMessage": {"nickname": "Ann", "choice": 1},
    "DrawResourceMessage": {"nickname": "Ann"},
    "DrawGoldMessage": {"nickname": "Ann"},
    "PrivateChatMessage": {"sender": "Ann", "recipient": "Bob", "text": "hello"},
    "GroupChatMessage": {"sender": "Ann", "text": "hello"},
    "HeartbeatMessage": {"heartbeat": "ping"},
}
CONFIRMS = {
    "CreateGameMessage": ("ConfirmGameMessage", "confirmGameCreation"),
    "JoinGameMessage": ("ConfirmJoinGameMessage", "confirmJoinGame"),
    "RejoinGameMessage": ("ConfirmRejoinGameMessage", "confirmRejoinGame"),
    "ChooseStartingMessage": ("ConfirmStartingCardMessage", "confirmStarting"),
    "PickColorMessage": ("ConfirmPickColorMessage", "confirmPickColor"),
    "ChooseObjectiveMessage": ("ConfirmChooseObjectiveMessage", "confirmChoice"),
    "PlaceCardMessage": ("ConfirmPlaceCardMessage", "confirmPlacing"),
    "DrawTableMessage": ("ConfirmDrawMessage", "confirmdraw"),
    "DrawResourceMessage": ("ConfirmDrawMessage", "confirmdraw"),
    "DrawGoldMessage": ("ConfirmDrawMessage", "confirmdraw"),
    "PrivateChatMessage": ("ConfirmChatMessage", "confirmChat"),
    "GroupChatMessage": ("ConfirmChatMessage", "confirmChat"),
    "HeartbeatMessage": ("ErrorMessage", ""),
}
OPTIONAL = ("hasJoined", "gameId")
SERVER_ONLY = sorted({kind.__name__ for kind in get_args(ServerMessage)} - set(FULL))


def visitor() -> CodexClient:
    """A client without a seat."""
    return CodexClient(codex_cluster())


def rejections(client: CodexClient, code: ErrorCode) -> float | None:
    """The number of refused requests, as the gateway counts them for its operators."""
    registry = client.cluster.gateway.node.metrics.registry
    return registry.get_sample_value("tavolata_rejections_total", {"code": code})


def only(client: CodexClient) -> Message:
    (message,) = client.received()
    return message


def assert_denied(kind: str, message: Message) -> None:
    confirm, key = CONFIRMS[kind]
    assert message["type"] == confirm
    assert not key or message[key] is False
    assert message["details"]


def test_every_message_of_clients_is_covered_here() -> None:
    assert {kind.__name__ for kind in get_args(ClientMessage)} == set(FULL)


@pytest.mark.parametrize("kind", FULL)
def test_a_missing_argument_is_denied(kind: str) -> None:
    client = visitor()
    for argument in FULL[kind]:
        if argument not in OPTIONAL:
            rest = {name: value for name, value in FULL[kind].items() if name != argument}
            client.send({"type": kind, **rest})
            assert_denied(kind, only(client))


@pytest.mark.parametrize("kind", FULL)
def test_an_argument_of_the_wrong_kind_is_denied(kind: str) -> None:
    wrong: dict[type, list[Any]] = {
        int: [True, 1.5, 1.0, "1", [1], {}],
        str: [1, True, None, ["x"], {}],
        bool: [0, "false", []],
    }
    game = PlayedGame(2)
    for argument, value in FULL[kind].items():
        for other in wrong[type(value)]:
            client = game.connect()
            client.send({"type": kind, **FULL[kind], argument: other})
            assert_denied(kind, only(client))


def test_unknown_keys_are_ignored() -> None:
    plain, extended = PlayedGame(2), PlayedGame(2)
    for kind, arguments in FULL.items():
        plain.clients["Ann"].send({"type": kind, **arguments})
        extended.clients["Ann"].send({"extra": [1, {"a": None}], "type": kind, **arguments, "zzz": "?"})
        assert extended.received() == plain.received()


@pytest.mark.parametrize("kind", [*SERVER_ONLY, "Nonsense", "createGameMessage", "CreateGame", ""])
def test_a_message_that_only_servers_send_is_an_error(kind: str) -> None:
    client = visitor()
    client.send({"type": kind, "details": "", "player": "Ann"})
    message = only(client)
    assert message["type"] == "ErrorMessage"
    assert message["details"]


@pytest.mark.parametrize(
    "frame",
    [b"", b"null", b"[]", b'"CreateGameMessage"', b"17", b"{", b"{}", b'{"type":7}', b'{"type":null}', b"\xff\xfe"],
)
def test_a_frame_that_is_not_a_message_is_an_error(frame: bytes) -> None:
    client = visitor()
    client.send(frame)
    assert only(client)["type"] == "ErrorMessage"
    assert rejections(client, "frame/malformed") == 1


def test_the_connection_is_closed_after_twenty_malformed_messages_in_a_row() -> None:
    client = visitor()
    for _ in range(19):
        client.send(b"nonsense")
    assert client.is_open()
    client.send(b"nonsense")
    assert client.closed is MALFORMED
    assert len(client.received()) == 20


@pytest.mark.parametrize("message", [{"type": kind, **arguments} for kind, arguments in FULL.items()])
def test_any_well_formed_message_resets_the_count(message: Message) -> None:
    client = visitor()
    for _ in range(3):
        client.send_at_once(*[b'{"type":"PlaceCardMessage"}'] * 19)
        client.send(message)
    assert client.is_open()


def test_binary_and_oversized_frames_count_as_malformed_and_dropped_ones_do_not() -> None:
    client = visitor()
    for _ in range(30):
        client.memory.send_invalid("busy/rate")
    assert client.is_open()
    assert {message["details"] for message in client.received()} == {"BUSY: retry after 1 s"}
    codes: tuple[ErrorCode, ...] = ("frame/binary", "frame/too_big")
    for code in codes * 10:
        assert client.is_open()
        client.memory.send_invalid(code)
    assert not client.is_open()
    assert all(message["type"] == "ErrorMessage" and message["details"] for message in client.received())


def test_requests_need_a_table() -> None:
    client = visitor()
    for kind in list(FULL)[3:12]:
        client.send({"type": kind, **FULL[kind]})
        assert_denied(kind, only(client))


def test_requests_in_the_name_of_another_are_denied() -> None:
    game = PlayedGame(2)
    game.discard()
    bob = game.clients["Bob"]
    for kind in list(FULL)[:12]:
        bob.send({"type": kind, **FULL[kind]})
        assert_denied(kind, only(bob))
    assert game.clients["Ann"].received() == []


@pytest.mark.parametrize(
    ("state", "changes"),
    [
        ("STARTING", {"face": "front"}),
        ("STARTING", {"face": ""}),
        ("COLOR", {"color": "PURPLE"}),
        ("COLOR", {"color": "red"}),
        ("OBJECTIVE", {"choose": 0}),
        ("OBJECTIVE", {"choose": 3}),
        ("OBJECTIVE", {"choose": 10**50}),
        ("PLAYING", {"choice": 0}),
        ("PLAYING", {"choice": 4}),
        ("PLAYING", {"i": -1}),
        ("PLAYING", {"i": 81}),
        ("PLAYING", {"j": 10**50}),
        ("PLAYING", {"i": 40, "j": 40}),
        ("PLAYING", {"face": "SIDE"}),
        ("DRAWING", {"type": "DrawTableMessage", "choice": 0}),
        ("DRAWING", {"type": "DrawTableMessage", "choice": 5}),
    ],
)
def test_impossible_values_are_denied_and_change_nothing(state: str, changes: Message) -> None:
    game = PlayedGame(2)
    game.play_until(state)
    before = game.state
    client = game.clients[game.current]
    message = game.move(**changes)
    client.send(message)
    assert_denied(message["type"], only(client))
    assert game.state == before
    assert all(messages == [] for messages in game.received().values())


@pytest.mark.parametrize("state", ["STARTING", "COLOR", "OBJECTIVE", "PLAYING", "DRAWING", "ENDING"])
def test_requests_out_of_turn_or_state_are_denied(state: str) -> None:
    game = PlayedGame(2)
    game.play_until(state)
    before = game.state
    for name, client in game.clients.items():
        for kind in list(FULL)[3:10]:
            if state != "ENDING" and name == game.current and kind in kinds_of(state):
                continue
            arguments = {key: name if value == "Ann" else value for key, value in FULL[kind].items()}
            client.send({"type": kind, **arguments})
            assert_denied(kind, only(client))
    assert game.state == before


def kinds_of(state: str) -> list[str]:
    return {
        "STARTING": ["ChooseStartingMessage"],
        "COLOR": ["PickColorMessage"],
        "OBJECTIVE": ["ChooseObjectiveMessage"],
        "PLAYING": ["PlaceCardMessage"],
        "DRAWING": ["DrawTableMessage", "DrawResourceMessage", "DrawGoldMessage"],
    }[state]


def test_play_before_the_start_is_denied() -> None:
    game = PlayedGame(2, full=False)
    ann = game.clients["Ann"]
    ann.received()
    for kind in list(FULL)[3:10]:
        ann.send({"type": kind, **FULL[kind]})
        assert_denied(kind, only(ann))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FRAMES = st.one_of(
    st.binary(max_size=80),
    JSON.map(lambda value: json.dumps(value).encode()),
    st.builds(
        lambda kind, changes: json.dumps({"type": kind, **FULL[kind], **changes}).encode(),
        st.sampled_from(sorted(FULL)),
        st.dictionaries(
            st.sampled_from(["nickname", "player", "choice", "i", "gameId", "text", "type"]), JSON, max_size=2
        ),
    ),
)
_server = msgspec.json.Decoder(ServerMessage)


@given(st.lists(FRAMES, max_size=6))
def test_any_bytes_are_answered_in_the_dialect(frames: list[bytes]) -> None:
    client = visitor()
    for frame in frames:
        client.send(frame)
    for answer in client.memory.received():
        _server.decode(answer)
    client.cluster.close()


@pytest.mark.parametrize("frame", [b"[" * 60_000, b'{"a":' * 10_000, b'{"type":"' + b"x" * 60_000 + b'"}'])
def test_deep_and_long_frames_are_answered(frame: bytes) -> None:
    client = visitor()
    client.send(frame)
    assert only(client)["type"] == "ErrorMessage"
