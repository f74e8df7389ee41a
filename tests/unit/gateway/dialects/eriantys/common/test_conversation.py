"""The three dialects of Eriantys handle malformed frames alike, and frames one after the other."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from gateway.dialects.eriantys.common.codec import error_name
from gateway.dialects.eriantys.events import messages as events_messages
from gateway.dialects.eriantys.prompts import messages as prompts_messages
from gateway.dialects.waiting_messages import MOST_MESSAGES
from gateway.session.rates import SESSION_RATES, Meter
from gateway.transports.close_codes import BYE, MALFORMED
from shared.errors import ErrorCode
from shared.games.eriantys.pieces import Phase
from shared.room_events import RoomStatus
from tests.support.eriantys_players import eriantys_cluster
from tests.support.examples import fewer_examples
from tests.support.memory_cluster import MemoryCluster, close_all
from tests.unit.gateway.dialects.eriantys.tables import (
    EVENTS,
    PROMPTS,
    STATUS,
    Client,
    Seats,
    connect,
    error_code,
    error_status,
    nack_name,
    types,
)
from tests.unit.shared.games.eriantys.positions import board

ALL = (EVENTS, PROMPTS, STATUS)
MOVES: dict[str, Any] = {
    EVENTS: {"type": "GameEvent", "eventType": 4, "moveAmount": 1},
    PROMPTS: {"type": "MoveMN", "steps": 1},
    STATUS: {"cmd": "MOVEMOTHERNATURE", "motherNatureShifts": 1},
}
WELL_FORMED: dict[str, Any] = {**MOVES, EVENTS: {"type": "GetPublicRooms"}}


@pytest.mark.parametrize("dialect", ALL)
def test_twenty_malformed_frames_in_a_row_close_and_the_last_is_answered(dialect: str) -> None:
    client = connect(eriantys_cluster(), dialect)
    client.received()
    for _ in range(19):
        assert len(client.send(b"{")) == 1
    client.send(WELL_FORMED[dialect])
    for _ in range(19):
        assert len(client.send(b"{")) == 1
    assert not client.closed
    assert len(client.send(b"{")) == 1
    assert client.closed == MALFORMED
    assert client.send(b"{") == []


@pytest.mark.parametrize("dialect", ALL)
def test_invalid_frames_count_as_malformed_and_busy_does_not(dialect: str) -> None:
    client = connect(eriantys_cluster(), dialect).memory
    client.received()
    for _ in range(19):
        client.send_invalid("frame/too_big")
        assert len(client.received()) == 1
    for _ in range(5):
        client.send_invalid("busy/rate")
        (answer,) = client.received()
        assert b"BUSY" in answer
    assert not client.closed
    client.send_invalid("frame/binary")
    assert len(client.received()) == 1
    assert client.closed == MALFORMED
    client.send_invalid("frame/binary")
    assert client.received() == []


def send_at_once(client: Client, *frames: bytes) -> list[Any]:
    """The answers to frames that arrive before the first of them can be answered."""

    def send_all() -> None:
        for frame in frames:
            client.memory.connection.receive(frame)

    client.memory.cluster.do(send_all)
    return client.received()


def test_frames_that_were_sent_ahead_are_handled_in_order() -> None:
    client = connect(eriantys_cluster(), EVENTS)
    login, logout = b'{"type":"Login","username":"ann"}', b'{"type":"Logout"}'
    assert types(send_at_once(client, login, logout, logout)) == ["Ack", "PublicRooms", "Ack", "Nack"]


def test_too_many_frames_ahead_are_refused_as_busy() -> None:
    cluster = eriantys_cluster()
    client = connect(cluster, EVENTS)
    ahead = [b'{"type":"Login","username":"ann"}'] * MOST_MESSAGES
    answers = send_at_once(client, b'{"type":"Login","username":"ann"}', *ahead, b'{"type":"Logout"}')
    assert types(answers) == ["Ack", "PublicRooms", *["Nack"] * MOST_MESSAGES, "Nack"]
    assert nack_name(answers[-1:]) == "BUSY"
    assert nack_name(answers[-2:-1]) != "BUSY"
    assert rejections(cluster, "busy/rate") == 1


@pytest.mark.parametrize(("code", "name"), [("frame/binary", "FRAME_BINARY"), ("busy/rate", "BUSY")])
def test_an_invalid_frame_is_answered_after_the_frames_before_it(code: ErrorCode, name: str) -> None:
    client = connect(eriantys_cluster(), EVENTS)
    connection = client.memory.connection

    def send_all() -> None:
        connection.receive(b'{"type":"Login","username":"ann"}')
        connection.receive(b'{"type":"LeaveRoom"}')
        connection.invalid_frame(code)

    client.memory.cluster.do(send_all)
    answers = client.received()
    assert types(answers) == ["Ack", "PublicRooms", "Nack", "Nack"]
    assert nack_name(answers[-2:-1]) == "ROOM_NOT_SEATED"
    assert nack_name(answers[-1:]) == name


def test_twenty_invalid_frames_behind_a_request_close_the_connection_after_its_answer() -> None:
    client = connect(eriantys_cluster(), EVENTS)
    connection = client.memory.connection

    def send_all() -> None:
        connection.receive(b'{"type":"Login","username":"ann"}')
        for _ in range(25):
            connection.invalid_frame("frame/binary")

    client.memory.cluster.do(send_all)
    assert types(client.received()) == ["Ack", "PublicRooms", *["Nack"] * 20]
    assert client.closed == MALFORMED


def test_lists_that_are_asked_for_too_often_are_refused_as_busy() -> None:
    cluster = eriantys_cluster()
    client = connect(cluster, EVENTS)
    burst = SESSION_RATES[Meter.LIST].burst
    answers = send_at_once(client, *[b'{"type":"GetPublicRooms"}'] * (burst + 2))
    assert types(answers) == [*["PublicRooms"] * burst, "Nack", "Nack"]
    assert nack_name(answers[-1:]) == "BUSY"
    cluster.advance(1_000)
    assert types(client.send(b'{"type":"GetPublicRooms"}')) == ["PublicRooms"]


def rejections(cluster: MemoryCluster, code: str) -> float | None:
    return cluster.gateway.node.metrics.registry.get_sample_value("tavolata_rejections_total", {"code": code})


@pytest.mark.parametrize("dialect", ALL)
def test_malformed_frames_are_counted(dialect: str) -> None:
    cluster = eriantys_cluster()
    connect(cluster, dialect).send(b"{")
    assert rejections(cluster, "frame/malformed") == 1


@pytest.mark.parametrize("dialect", ALL)
def test_a_busy_answer_is_an_error_message_of_the_dialect(dialect: str) -> None:
    seats = Seats(dialect, dialect, position=board(phase=Phase.MOTHER))
    seats.cluster.gateway.store.down = True
    (answer,) = seats.send(0, MOVES[dialect])
    match dialect:
        case "eriantys.events":
            assert nack_name([answer]) == "BUSY"
        case "eriantys.prompts":
            assert error_code([answer]) == "BUSY"
        case _:
            assert error_status([answer]) == 201
            assert answer["errorMessage"].startswith("BUSY")


def test_error_names_are_stable() -> None:
    assert error_name("busy/store") == "BUSY"
    assert error_name("game/not_your_turn") == "NOT_YOUR_TURN"
    assert error_name("eriantys/row_full") == "ROW_FULL"
    assert error_name("name/taken") == "NAME_TAKEN"
    assert error_name("internal") == "INTERNAL"


# --- any bytes -------------------------------------------------------------------------------------------------------

KINDS = [kind.__name__ for kind in (*events_messages.FromClient.__args__, *prompts_messages.FromClient.__args__)]
KEYS = [
    *("type", "cmd", "username", "roomId", "numberOfPlayers", "expert", "private", "player", "eventType", "color"),
    *("color2", "islandIndex", "moveAmount", "cloudIndex", "activatedCard", "assistantCardValue", "numPlayers"),
    *("nickname", "mage", "colorT", "index", "colorS", "steps", "c", "firstColor", "secondColor", "student"),
    *(
        "studentColour",
        "motherNatureShifts",
        "pIndex",
        "pColour",
        "pStudentsFrom",
        "pStudentsTo",
        "playerId",
        "gameMode",
    ),
]
WORDS = [
    *KINDS,
    *events_messages.MOVES,
    *("GREEN", "red", "MAGE1", "BLACK", "CHAR7", "ann", "expert", "PLAYCHARACTERCARD", "MOVETOHALL", "TAKEFROMCLOUD"),
]
values: Any = some.recursive(
    some.none()
    | some.booleans()
    | some.integers()
    | some.floats(allow_nan=False)
    | some.sampled_from(WORDS)
    | some.text(),
    lambda inner: some.lists(inner, max_size=5) | some.dictionaries(some.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
objects: Any = some.dictionaries(some.sampled_from(KEYS), values, max_size=8).map(msgspec.json.encode)
frames: Any = some.one_of(
    some.binary(max_size=60), objects, some.text(max_size=40).map(str.encode), values.map(msgspec.json.encode)
)


@pytest.mark.parametrize("dialect", ALL)
@fewer_examples(3)
@given(sent=some.lists(frames, max_size=12), playing=some.booleans())
def test_any_bytes_are_answered_in_the_dialect_and_break_nothing(
    dialect: str, sent: list[bytes], playing: bool
) -> None:
    close_all()
    seats = Seats(dialect, dialect, expert=True) if playing else None
    client = seats.clients[1] if seats is not None else connect(eriantys_cluster(), dialect)
    for frame in sent:
        for answer in client.send(frame):
            assert isinstance(answer, dict)
        if client.closed is not None:
            assert client.closed in (MALFORMED, BYE)
            break
    if seats is not None:
        assert seats.status in (RoomStatus.PLAYING, RoomStatus.FINISHED)
