"""The play protocol as a conversation without IO: every message both ways, and any bytes."""

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.cluster.room_directory import RoomDirectory
from gateway.dialects.answers import Answer, Refused, RequestDone, RoomAttached, RoomsChanged, Welcomed
from gateway.dialects.contract import Opening
from gateway.dialects.play.conversation import Play, ack
from gateway.dialects.requests import (
    ActRequest,
    AttendRequest,
    CloseConnection,
    CountRejection,
    CreateRequest,
    HelloRequest,
    JoinRequest,
    LeaveRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    RematchRequest,
    SayRequest,
    WatchRoomsRequest,
)
from shared.commands import WANTS_OPTIONS, WANTS_VIEW
from shared.errors import ErrorCode
from shared.ids import CommandId, Epoch, Offset, RoomId, Seat, SessionId
from shared.room_events import RoomSpec, RoomStatus
from shared.room_views import Listing, Position, Update

ROOM = RoomId(1000)
COMMAND = {"type": "take", "count": 2}


class Talk:
    """A conversation and its client."""

    def __init__(self, *, hello: bool = True, rooms: tuple[Listing, ...] = ()) -> None:
        listed = RoomDirectory(lambda _call: None)
        listed.gathered(rooms)
        self.play = Play(Opening({}, listed))
        self.complaints: list[str] = []
        if hello:
            self.say(type="hello", name="ada")

    def say(self, **message: Any) -> list[Output]:
        return self.send(msgspec.json.encode(message))

    def send(self, frame: bytes) -> list[Output]:
        outs = list(self.play.receive(frame))
        self.complaints += [out.code for out in outs if isinstance(out, CountRejection)]
        return [out for out in outs if not isinstance(out, CountRejection)]

    def hear(self, **message: Any) -> dict[str, Any]:
        """What is said back at once."""
        (frame,) = self.say(**message)
        return read(frame)

    def answer(self, ref: Any, answer: Answer) -> dict[str, Any]:
        (frame,) = self.play.answer(ref, answer)
        return read(frame)


def read(out: Output) -> dict[str, Any]:
    assert isinstance(out, bytes)
    decoded: dict[str, Any] = msgspec.json.decode(out)
    return decoded


def attending(view: bytes | None = b'{"a":1}', **fields: Any) -> RoomAttached:
    return RoomAttached(ROOM, Seat(1), Epoch(7), Offset(5), view, **fields)


# --- what a client says -----------------------------------------------------------------------------------------------

SPEC = RoomSpec("stones", 2, {"stones": 5}, True, 9, 1, 8)
BOTH = WANTS_VIEW | WANTS_OPTIONS
SAID: list[tuple[dict[str, Any], Output]] = [
    ({"type": "hello", "name": "ada"}, HelloRequest("ada", None, "hello")),
    ({"type": "hello", "token": "t"}, HelloRequest(None, "t", "hello")),
    ({"type": "join", "id": 3, "room": 1000}, JoinRequest(ROOM, {}, 3)),
    ({"type": "join", "id": 3, "room": 1000, "choice": {"a": 1}}, JoinRequest(ROOM, {"a": 1}, 3)),
    (
        {"type": "join", "id": 3, "room": 1000, "wants": ["view", "options"]},
        JoinRequest(ROOM, {}, 3, BOTH),
    ),
    ({"type": "match", "id": 3, "game": "stones"}, MatchRequest("stones", None, None, RoomSpec("stones", 2), {}, 3)),
    (
        {"type": "match", "id": 3, "game": "stones", "seats": 3, "options": {"stones": 5}},
        MatchRequest("stones", 3, {"stones": 5}, RoomSpec("stones", 3, {"stones": 5}), {}, 3),
    ),
    ({"type": "spectate", "id": 3, "room": 1000}, AttendRequest(ROOM, 0, 3)),
    ({"type": "view", "id": 3, "room": 1000, "wants": ["options"]}, AttendRequest(ROOM, WANTS_OPTIONS, 3)),
    (
        {"type": "resume", "id": 3, "room": 1000, "epoch": 7, "offset": 5},
        AttendRequest(ROOM, 0, 3, Position(Epoch(7), Offset(5))),
    ),
    ({"type": "leave", "id": 3, "room": 1000}, LeaveRequest(ROOM, 3)),
    ({"type": "rematch", "id": 3, "room": 1000}, RematchRequest(ROOM, 0, 3)),
    ({"type": "say", "id": 3, "room": 1000, "text": "hi"}, SayRequest(ROOM, "hi", None, 3)),
    ({"type": "say", "id": 3, "room": 1000, "text": "hi", "to": "bob"}, SayRequest(ROOM, "hi", "bob", 3)),
]


@pytest.mark.parametrize(("message", "request_"), SAID, ids=[str(message["type"]) for message, _ in SAID])
def test_a_message_becomes_a_request(message: dict[str, Any], request_: Output) -> None:
    assert Talk().say(**message) == [request_]


def test_creating_says_everything_about_the_table() -> None:
    message = {"game": "stones", "seats": 2, "options": {"stones": 5}, "private": True, "turn_ms": 9, "bots": 1}
    assert Talk().say(type="create", id=3, wait_ms=8, **message) == [CreateRequest(SPEC, {}, 3)]


def test_a_move_is_passed_on_as_it_is() -> None:
    (request,) = Talk().send(b'{"type":"act","id":3,"room":1000,"command":{"type":"take",  "count":2}}')
    assert isinstance(request, ActRequest)
    assert (request.room, bytes(request.command), request.ref) == (1000, b'{"type":"take",  "count":2}', 3)  # type: ignore[arg-type]


def test_a_ping_is_answered_at_once() -> None:
    assert Talk(hello=False).hear(type="ping", t=5) == {"type": "pong", "t": 5}


def test_bye_ends_the_session_and_the_connection() -> None:
    assert Talk().say(type="bye") == [LogoutRequest(), CloseConnection(1000, "bye")]


def test_unknown_keys_are_ignored() -> None:
    assert Talk().say(type="leave", id=3, room=1000, what="ever") == [LeaveRequest(ROOM, 3)]


def test_unknown_wants_are_ignored() -> None:
    assert Talk().say(type="join", id=3, room=1000, wants=["moon", "view", "view"]) == [
        JoinRequest(ROOM, {}, 3, WANTS_VIEW)
    ]


@pytest.mark.parametrize("message", [message for message, _ in SAID if message["type"] != "hello"])
def test_a_stranger_must_say_hello_first(message: dict[str, Any]) -> None:
    assert Talk(hello=False).hear(**message)["code"] == "session/none"


def test_a_stranger_may_not_move() -> None:
    assert Talk(hello=False).hear(type="act", id=3, room=1000, command=COMMAND)["code"] == "session/none"


# --- rooms ------------------------------------------------------------------------------------------------------------

ROOMS = (
    Listing(RoomId(1000), "stones", 2, RoomStatus.WAITING, free=1),
    Listing(RoomId(1001), "stones", 3, RoomStatus.PLAYING, created_ms=1),
    Listing(RoomId(1002), "codex", 2, RoomStatus.WAITING, created_ms=2),
)


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({}, [1000, 1001, 1002]),
        ({"game": "stones"}, [1000, 1001]),
        ({"status": "waiting"}, [1000, 1002]),
        ({"seats": 3}, [1001]),
        ({"game": "codex", "status": "playing"}, []),
    ],
)
def test_rooms_are_listed_as_wanted(wanted: dict[str, Any], numbers: list[int]) -> None:
    frame, _ = Talk(rooms=ROOMS).say(type="rooms", id=3, **wanted)
    assert [room["room"] for room in read(frame)["rooms"]] == numbers


@pytest.mark.parametrize("live", [True, False])
def test_changes_of_rooms_are_watched_if_wanted(live: bool) -> None:
    _, watch = Talk(rooms=ROOMS).say(type="rooms", id=3, game="stones", live=live)
    assert watch == WatchRoomsRequest("stones", on=live)


def test_a_changed_room_is_told() -> None:
    talk = Talk(rooms=ROOMS)
    talk.say(type="rooms", id=3, live=True)
    (frame,) = talk.play.changed(RoomsChanged({RoomId(1000): ROOMS[0], RoomId(1002): None}))
    told = read(frame)
    assert ([room["room"] for room in told["changed"]], told["gone"]) == ([1000], [1002])


def test_a_room_that_is_not_wanted_any_more_is_gone() -> None:
    talk = Talk(rooms=(Listing(RoomId(1001), "stones", 3, RoomStatus.WAITING),))
    talk.say(type="rooms", id=3, status=RoomStatus.WAITING, live=True)
    (frame,) = talk.play.changed(RoomsChanged({RoomId(1001): ROOMS[1]}))
    assert read(frame)["gone"] == [1001]


def test_a_room_that_was_never_told_cannot_be_gone() -> None:
    talk = Talk(rooms=ROOMS)
    talk.say(type="rooms", id=3, status=RoomStatus.WAITING, live=True)
    assert list(talk.play.changed(RoomsChanged({RoomId(1001): ROOMS[1], RoomId(1009): None}))) == []


def test_a_room_that_came_later_can_be_gone_once() -> None:
    talk = Talk()
    talk.say(type="rooms", id=3, live=True)
    talk.play.changed(RoomsChanged({RoomId(1000): ROOMS[0]}))
    told = [list(talk.play.changed(RoomsChanged({RoomId(1000): None}))) for _ in range(2)]
    assert [len(frames) for frames in told] == [1, 0]


def test_the_first_list_is_not_a_change() -> None:
    talk = Talk()
    talk.say(type="rooms", id=3, live=True)
    assert list(talk.play.changed(RoomsChanged())) == []


# --- what a client is told --------------------------------------------------------------------------------------------


def test_a_welcome_has_the_token_and_the_rooms() -> None:
    told = Talk().answer("hello", Welcomed("ada", SessionId("s-1"), "t.t", (ROOM,), ("stones",)))
    assert told == {
        "type": "welcome",
        "session": "s-1",
        "name": "ada",
        "token": "t.t",
        "rooms": [1000],
        "games": ["stones"],
    }


def test_an_acknowledgement_names_the_step() -> None:
    told = msgspec.json.decode(ack(CommandId(3), ROOM, Epoch(7), Offset(5)))
    assert told == {"type": "ack", "id": 3, "room": 1000, "epoch": 7, "offset": 5}


def test_what_was_done_is_acknowledged() -> None:
    told = Talk().answer(3, RequestDone(ROOM, Position(Epoch(7), Offset(5))))
    assert told == {"type": "ack", "id": 3, "room": 1000, "epoch": 7, "offset": 5}


def test_what_needed_no_step_is_acknowledged_without_one() -> None:
    assert Talk().answer(3, RequestDone(ROOM)) == {"type": "ack", "id": 3, "room": 1000}


def test_a_refusal_names_the_request() -> None:
    told = Talk().answer(3, Refused("game/unknown", "there is no such game"))
    assert told == {"type": "error", "id": 3, "code": "game/unknown", "text": "there is no such game"}


def test_a_refusal_names_the_room_that_the_request_named() -> None:
    told = Talk().answer(3, Refused("game/over", "it is over", ROOM))
    assert told == {"type": "error", "id": 3, "room": 1000, "code": "game/over", "text": "it is over"}


def test_a_stranger_is_told_which_request_was_refused() -> None:
    talk = Talk(hello=False)
    told = talk.hear(type="leave", id=3, room=1000)
    assert (told["code"], told["id"], told["room"]) == ("session/none", 3, 1000)
    assert talk.complaints == ["session/none"]


def test_who_was_not_welcomed_is_still_a_stranger() -> None:
    talk = Talk()
    talk.answer("hello", Refused("name/taken", ""))
    assert talk.hear(type="leave", id=3, room=1000)["code"] == "session/none"


def test_who_says_hello_twice_is_no_stranger() -> None:
    talk = Talk()
    talk.answer("hello", Refused("session/twice", ""))
    assert talk.say(type="leave", id=3, room=1000) == [LeaveRequest(ROOM, 3)]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"type": "join", "room": 1000}, "entered"),
        ({"type": "create", "game": "stones", "seats": 2}, "entered"),
        ({"type": "match", "game": "stones"}, "entered"),
        ({"type": "rematch", "room": 1000}, "entered"),
        ({"type": "spectate", "room": 1000}, "watching"),
        ({"type": "view", "room": 1000}, "view"),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else value,
)
def test_attending_is_called_by_what_was_asked_for(message: dict[str, Any], kind: str) -> None:
    talk = Talk()
    talk.say(id=3, **message)
    told = talk.answer(3, attending())
    assert told == {"type": kind, "id": 3, "room": 1000, "seat": 1, "epoch": 7, "offset": 5, "view": {"a": 1}}


def test_resuming_has_no_view() -> None:
    talk = Talk()
    talk.say(type="resume", id=3, room=1000, epoch=7, offset=5)
    told = talk.answer(3, attending(None))
    assert told == {"type": "resumed", "id": 3, "room": 1000, "seat": 1, "epoch": 7, "offset": 5}


@pytest.mark.parametrize(("epoch", "offset"), [(7, -1), (7, 2**64), (-1, 5), (2**64, 5)])
def test_a_position_that_the_store_cannot_look_up_is_malformed(epoch: int, offset: int) -> None:
    told = Talk().hear(type="resume", id=3, room=1000, epoch=epoch, offset=offset)
    assert (told["code"], told["id"]) == ("frame/malformed", 3)


@pytest.mark.parametrize("reason", ["slow", "rewound", "trimmed"])
def test_a_view_that_nobody_asked_for_has_a_reason(reason: str) -> None:
    told = Talk().answer(None, attending(reason=reason))
    assert (told["type"], told["reason"], "id" in told) == ("view", reason, False)


def test_an_update_is_told_as_it_is() -> None:
    update = Update(ROOM, Epoch(7), Offset(5), 99, msgspec.Raw(b'[{"type":"taken"}]'), Seat(0))
    (frame,) = Talk().play.deliver(update, None)
    told = read(frame)
    assert (told["type"], told["offset"], told["events"], told["by"]) == ("update", 5, [{"type": "taken"}], 0)


# --- nonsense ---------------------------------------------------------------------------------------------------------

MALFORMED = [
    (b"", "frame/malformed"),
    (b"hello", "frame/malformed"),
    (b"null", "frame/malformed"),
    (b"[]", "frame/malformed"),
    (b"{}", "frame/malformed"),
    (b'{"type":"fly","id":3}', "frame/unknown_type"),
    (b'{"type":"join"}', "frame/malformed"),
    (b'{"type":"join","id":"3","room":1000}', "frame/malformed"),
    (b'{"type":"join","id":0,"room":1000}', "frame/malformed"),
    (b'{"type":"join","id":9007199254740993,"room":1000}', "frame/malformed"),
    (b'{"type":"hello","name":"\xff"}', "frame/malformed"),
    (b'{"type":"act","id":3,"room":1000,"command":{"type":"\xff"}}', "frame/malformed"),
    (b'{"type":"say","id":3,"room":1000,"text":"\\ud800"}', "frame/malformed"),
    (b'{"type":"act","id":3,"room":1000,"command":' + b"[" * 30_000 + b"]" * 30_000 + b"}", "frame/malformed"),
    (b'{"type":"act","id":3,"room":1000,"command":' + b'{"a":' * 500 + b"1" + b"}" * 501, "frame/malformed"),
    (b"[" * 60_000, "frame/malformed"),
]


@pytest.mark.parametrize(("frame", "code"), MALFORMED, ids=[str(frame[:50]) for frame, _ in MALFORMED])
def test_nonsense_is_told_as_such(frame: bytes, code: str) -> None:
    talk = Talk()
    (out,) = talk.send(frame)
    assert (read(out)["code"], talk.complaints) == (code, [code])


@pytest.mark.parametrize("frame", [frame for frame, _ in MALFORMED], ids=[str(frame[:50]) for frame, _ in MALFORMED])
def test_nonsense_that_came_too_fast_is_told_too(frame: bytes) -> None:
    (out,) = Talk().play.garbage("busy/rate", frame)
    assert read(out)["code"] == "busy/rate"


def test_many_brackets_side_by_side_are_no_nonsense() -> None:
    command = msgspec.json.encode({"type": "x", "list": [[] for _ in range(5_000)], "text": "[" * 500})
    (out,) = Talk().send(b'{"type":"act","id":3,"room":1000,"command":' + command + b"}")
    assert isinstance(out, ActRequest)


def test_brackets_behind_escaped_quotes_are_still_text() -> None:
    command = msgspec.json.encode({"type": "x", "text": '\\"[' * 500})
    (out,) = Talk().send(b'{"type":"act","id":3,"room":1000,"command":' + command + b"}")
    assert isinstance(out, ActRequest)


def test_a_string_without_an_end_does_not_stop_the_others() -> None:
    begun = time.process_time()
    (out,) = Talk().send(b"[" * 101 + b'"' + b'\\"' * 32_000)
    assert (read(out)["code"], time.process_time() - begun < 1) == ("frame/malformed", True)


def test_an_error_names_the_request_as_far_as_it_can_be_read() -> None:
    (out,) = Talk().send(b'{"type":"join","id":3,"room":1000,"wants":5}')
    assert (read(out)["id"], read(out)["room"]) == (3, 1000)


@pytest.mark.parametrize("room", ["1000", None, 1.5, True, [1000]])
def test_an_error_names_the_request_even_if_its_room_makes_no_sense(room: object) -> None:
    told = Talk().hear(type="join", id=3, room=room)
    assert (told["code"], told["id"], "room" in told) == ("frame/malformed", 3, False)


def test_too_much_nonsense_in_a_row_ends_the_conversation() -> None:
    talk = Talk()
    outs = [talk.send(b"?") for _ in range(20)]
    assert [len(out) for out in outs] == [1] * 19 + [2]
    assert outs[-1][1] == CloseConnection(1008, "too many malformed messages")


def test_sense_in_between_is_forgiving() -> None:
    talk = Talk()
    for _ in range(19):
        talk.send(b"?")
    talk.say(type="ping")
    assert len(talk.send(b"?")) == 1


@pytest.mark.parametrize("code", ["frame/binary", "frame/too_big", "busy/rate", "busy/connections"])
def test_what_is_no_frame_is_told(code: ErrorCode) -> None:
    (out,) = Talk().play.garbage(code)
    assert read(out)["code"] == code


@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd(frame: bytes) -> None:
    Talk().send(frame)


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KINDS = sorted({str(message["type"]) for message, _ in SAID} | {"act", "create", "rooms", "ping", "bye", "hello"})
FIELDS = ("id", "room", "game", "seats", "options", "choice", "wants", "epoch", "offset", "text", "to", "token")


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(FIELDS), json, max_size=6))
def test_no_fields_are_too_odd(kind: str, fields: dict[str, Any]) -> None:
    Talk().send(msgspec.json.encode({"type": kind, **fields}))
