"""Malformed and denied messages are answered in the dialect, and never raise an exception."""

import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.dialects.codex.messages import ClientMessage, ServerMessage
from gateway.transports.close_codes import MALFORMED
from tests.support.codex_table import Client
from tests.unit.gateway.dialects.codex.acting import Message, Stage

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


def visitor() -> Client:
    return Stage(2).cluster.connect()


def is_closed(client: Client) -> bool:
    return client.closed is not None


def only(client: Client) -> Message:
    (message,) = client.heard()
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
            client.say({"type": kind, **rest})
            assert_denied(kind, only(client))


@pytest.mark.parametrize("kind", FULL)
def test_an_argument_of_the_wrong_kind_is_denied(kind: str) -> None:
    wrong: dict[type, list[Any]] = {
        int: [True, 1.5, 1.0, "1", [1], {}],
        str: [1, True, None, ["x"], {}],
        bool: [0, "false", []],
    }
    for argument, value in FULL[kind].items():
        for other in wrong[type(value)]:
            client = visitor()
            client.say({"type": kind, **FULL[kind], argument: other})
            assert_denied(kind, only(client))


@pytest.mark.parametrize("kind", FULL)
def test_unknown_keys_are_ignored(kind: str) -> None:
    stage = Stage(2)
    stage.hush()
    ann = stage.clients["Ann"]
    ann.say({"type": kind, **FULL[kind]})
    plain = ann.heard()
    stage = Stage(2)
    stage.hush()
    ann = stage.clients["Ann"]
    ann.say({"extra": [1, {"a": None}], "type": kind, **FULL[kind], "zzz": "?"})
    assert ann.heard() == plain


@pytest.mark.parametrize("kind", [*SERVER_ONLY, "Nonsense", "createGameMessage", "CreateGame", ""])
def test_a_message_that_only_servers_send_is_an_error(kind: str) -> None:
    client = visitor()
    client.say({"type": kind, "details": "", "player": "Ann"})
    message = only(client)
    assert message["type"] == "ErrorMessage"
    assert message["details"]


@pytest.mark.parametrize(
    "frame",
    [b"", b"null", b"[]", b'"CreateGameMessage"', b"17", b"{", b"{}", b'{"type":7}', b'{"type":null}', b"\xff\xfe"],
)
def test_a_frame_that_is_not_a_message_is_an_error(frame: bytes) -> None:
    client = visitor()
    client.say(frame)
    assert only(client)["type"] == "ErrorMessage"
    assert client.complaints == ["frame/malformed"]


def test_the_connection_is_closed_after_twenty_malformed_messages_in_a_row() -> None:
    client = visitor()
    for _ in range(19):
        client.say(b"nonsense")
    assert not is_closed(client)
    client.say(b"nonsense")
    assert client.closed is MALFORMED
    assert len(client.heard()) == 20


@pytest.mark.parametrize("message", [{"type": kind, **arguments} for kind, arguments in FULL.items()])
def test_any_well_formed_message_resets_the_count(message: Message) -> None:
    client = visitor()
    for _ in range(3):
        for _ in range(19):
            client.say({"type": "PlaceCardMessage"})
        client.say(message)
    assert not is_closed(client)


def test_binary_and_oversized_frames_count_as_malformed_and_dropped_ones_do_not() -> None:
    client = visitor()
    for _ in range(30):
        client.put_out(client.conversation.invalid_frame("busy/rate"))
    assert not is_closed(client)
    assert {message["details"] for message in client.heard()} == {"BUSY: retry after 1 s"}
    for code in ("frame/binary", "frame/too_big") * 10:
        assert not is_closed(client)
        client.put_out(client.conversation.invalid_frame(code))
    assert is_closed(client)
    assert all(message["type"] == "ErrorMessage" and message["details"] for message in client.heard())


@pytest.mark.parametrize("kind", [kind for kind in FULL if kind not in ("HeartbeatMessage",)])
def test_requests_need_a_table(kind: str) -> None:
    if kind in ("CreateGameMessage", "JoinGameMessage", "RejoinGameMessage"):
        return
    client = visitor()
    client.say({"type": kind, **FULL[kind]})
    assert_denied(kind, only(client))


@pytest.mark.parametrize("kind", [kind for kind in FULL if kind != "HeartbeatMessage"])
def test_requests_in_the_name_of_another_are_denied(kind: str) -> None:
    stage = Stage(2)
    stage.hush()
    bob = stage.clients["Bob"]
    bob.say({"type": kind, **FULL[kind]})
    assert_denied(kind, only(bob))
    assert stage.clients["Ann"].heard() == []


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
    stage = Stage(2)
    stage.play_until(state)
    before = stage.room.play
    client = stage.clients[stage.current]
    message = stage.move(**changes)
    client.say(message)
    assert_denied(message["type"], only(client))
    assert stage.room.play == before
    assert all(messages == [] for messages in stage.heard().values())


@pytest.mark.parametrize("state", ["STARTING", "COLOR", "OBJECTIVE", "PLAYING", "DRAWING", "ENDING"])
def test_requests_out_of_turn_or_state_are_denied(state: str) -> None:
    stage = Stage(2)
    stage.play_until(state)
    before = stage.room.play
    for name, client in stage.clients.items():
        for kind in list(FULL)[3:10]:
            if state != "ENDING" and name == stage.current and kind in kinds_of(state):
                continue
            arguments = {key: name if value == "Ann" else value for key, value in FULL[kind].items()}
            client.say({"type": kind, **arguments})
            assert_denied(kind, only(client))
    assert stage.room.play == before


def kinds_of(state: str) -> list[str]:
    return {
        "STARTING": ["ChooseStartingMessage"],
        "COLOR": ["PickColorMessage"],
        "OBJECTIVE": ["ChooseObjectiveMessage"],
        "PLAYING": ["PlaceCardMessage"],
        "DRAWING": ["DrawTableMessage", "DrawResourceMessage", "DrawGoldMessage"],
    }[state]


def test_play_before_the_start_is_denied() -> None:
    stage = Stage(2, full=False)
    ann = stage.clients["Ann"]
    ann.heard()
    for kind in list(FULL)[3:10]:
        ann.say({"type": kind, **FULL[kind]})
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
        client.say(frame)
    for answer in client.frames:
        _server.decode(answer)


@pytest.mark.parametrize("frame", [b"[" * 60_000, b'{"a":' * 10_000, b'{"type":"' + b"x" * 60_000 + b'"}'])
def test_deep_and_long_frames_are_answered(frame: bytes) -> None:
    client = visitor()
    client.say(frame)
    assert only(client)["type"] == "ErrorMessage"
