"""The three dialects of Eriantys handle malformed frames alike, and frames one after the other."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from gateway.dialects.answers import LoggedIn, Refused
from gateway.dialects.contract import Opening
from gateway.dialects.eriantys.common.codec import error_name
from gateway.dialects.eriantys.common.conversation import MAX_WAITING_FRAMES
from gateway.dialects.eriantys.events import messages as events_messages
from gateway.dialects.eriantys.prompts import messages as prompts_messages
from gateway.dialects.requests import ActRequest, CountRejection, LoginRequest
from shared.games.eriantys.pieces import Phase
from tests.support.eriantys_table import DIALECTS, House
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, STATUS, Seats
from tests.unit.shared.games.eriantys.positions import board

ALL = (EVENTS, PROMPTS, STATUS)
FINE: dict[str, Any] = {
    EVENTS: {"type": "GetPublicRooms"},
    PROMPTS: {"type": "MoveMN", "steps": 1},
    STATUS: {"cmd": "MOVEMOTHERNATURE", "motherNatureShifts": 1},
}


@pytest.mark.parametrize("dialect", ALL)
def test_twenty_malformed_frames_in_a_row_close_and_the_last_is_answered(dialect: str) -> None:
    line = House().connect(dialect)
    for _ in range(19):
        assert len(line.say(b"{")) == 1
    line.say(FINE[dialect])
    for _ in range(19):
        assert len(line.say(b"{")) == 1
    assert not line.is_closed
    assert len(line.say(b"{")) == 1
    assert line.closed is not None
    assert line.closed.code == 1008
    assert line.say(b"{") == []


@pytest.mark.parametrize("dialect", ALL)
def test_invalid_frames_count_as_malformed_and_busy_does_not(dialect: str) -> None:
    talk = DIALECTS[dialect].converse(Opening({}, House()))
    for _ in range(19):
        assert len(list(talk.invalid_frame("frame/too_big"))) == 1
    for _ in range(5):
        answer = list(talk.invalid_frame("busy/rate"))
        assert len(answer) == 1
        assert b"BUSY" in answer[0]  # type: ignore[operator]
    assert len(list(talk.invalid_frame("frame/binary"))) == 2
    assert list(talk.invalid_frame("frame/binary")) == []


def test_frames_that_were_sent_ahead_are_handled_in_order() -> None:
    talk = DIALECTS[EVENTS].converse(Opening({}, House()))
    (login,) = talk.receive(b'{"type":"Login","username":"ann"}')
    assert isinstance(login, LoginRequest)
    assert list(talk.receive(b'{"type":"Logout"}')) == []
    assert list(talk.receive(b'{"type":"Logout"}')) == []
    outs = list(talk.answer(login.ref, LoggedIn("ann")))
    kinds = [msgspec.json.decode(out)["type"] for out in outs if isinstance(out, bytes)]
    assert kinds == ["Ack", "PublicRooms", "Ack", "Nack"]


def test_too_many_frames_ahead_are_refused_as_busy() -> None:
    talk = DIALECTS[EVENTS].converse(Opening({}, House()))
    talk.receive(b'{"type":"Login","username":"ann"}')
    for _ in range(MAX_WAITING_FRAMES):
        assert list(talk.receive(b"{}")) == []
    answer, counted = talk.receive(b"{}")
    assert b"BUSY" in answer  # type: ignore[operator]
    assert counted == CountRejection("busy/rate")


@pytest.mark.parametrize("dialect", ALL)
def test_malformed_frames_are_counted(dialect: str) -> None:
    line = House().connect(dialect)
    line.say(b"{")
    assert line.complaints == ["frame/malformed"]


@pytest.mark.parametrize("dialect", ALL)
def test_a_busy_answer_is_an_error_message_of_the_dialect(dialect: str) -> None:
    seats = Seats(dialect, dialect, position=board(phase=Phase.MOTHER))
    talk = seats.lines[0].talk
    message = {
        EVENTS: {"type": "GameEvent", "eventType": 4, "moveAmount": 1},
        PROMPTS: {"type": "MoveMN", "steps": 1},
        STATUS: {"cmd": "MOVEMOTHERNATURE", "motherNatureShifts": 1},
    }[dialect]
    (request,) = talk.receive(msgspec.json.encode(message))
    assert isinstance(request, ActRequest)
    (answer,) = talk.answer(request.ref, Refused("busy/backlog", "too many commands are waiting"))
    assert b"BUSY" in answer  # type: ignore[operator]
    if dialect == STATUS:
        assert b'"status":201' in answer  # type: ignore[operator]


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
@given(said=some.lists(frames, max_size=12), playing=some.booleans())
def test_any_bytes_are_answered_in_the_dialect_and_break_nothing(
    dialect: str, said: list[bytes], playing: bool
) -> None:
    seats = Seats(dialect, dialect, expert=True) if playing else None
    line = seats.lines[1] if seats is not None else House().connect(dialect)
    for frame in said:
        for answer in line.say(frame):
            assert isinstance(answer, dict)
        if line.closed is not None:
            break
    if seats is not None:
        assert seats.room.status in ("playing", "finished")
