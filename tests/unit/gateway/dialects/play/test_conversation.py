"""The conversation of `play`: messages of a client, and messages to it."""

from typing import Any

import msgspec
import pytest

from gateway.cluster.room_directory import RoomDirectory
from gateway.dialects.answers import Refused, RequestDone, RoomsChanged, Welcomed
from gateway.dialects.contract import DeliveredStep, RoomQuery
from gateway.dialects.play.codec import encode_ack
from gateway.dialects.requests import (
    ActRequest,
    AttendRequest,
    CloseConnection,
    ConfigureRequest,
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
from gateway.transports.close_codes import BYE
from shared.bus.directory import ListingChange
from shared.commands import Wants
from shared.ids import CommandId, Epoch, Offset, RoomId, SessionId
from shared.room_events import RoomSpec, RoomStatus
from shared.room_views import Listing, Position
from tests.unit.gateway.dialects.play.conversations import COMMAND, ROOM, Client, attending, read

# --- messages of a client ---------------------------------------------------------------------------------------------

SPEC = RoomSpec("stones", 2, {"stones": 5}, True, 9, 1, 8)
BOTH = Wants.VIEW | Wants.OPTIONS
REQUESTS: list[tuple[dict[str, Any], Output]] = [
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
    ({"type": "view", "id": 3, "room": 1000, "wants": ["options"]}, AttendRequest(ROOM, Wants.OPTIONS, 3)),
    (
        {"type": "resume", "id": 3, "room": 1000, "epoch": 7, "offset": 5},
        AttendRequest(ROOM, 0, 3, Position(Epoch(7), Offset(5))),
    ),
    ({"type": "fill", "id": 3, "room": 1000}, ConfigureRequest(ROOM, 0, {}, 3, fill=True)),
    ({"type": "leave", "id": 3, "room": 1000}, LeaveRequest(ROOM, 3)),
    ({"type": "rematch", "id": 3, "room": 1000}, RematchRequest(ROOM, 0, 3)),
    ({"type": "say", "id": 3, "room": 1000, "text": "hi"}, SayRequest(ROOM, "hi", None, 3)),
    ({"type": "say", "id": 3, "room": 1000, "text": "hi", "to": "bob"}, SayRequest(ROOM, "hi", "bob", 3)),
]


@pytest.mark.parametrize(("message", "request_"), REQUESTS, ids=[str(message["type"]) for message, _ in REQUESTS])
def test_a_message_becomes_a_request(message: dict[str, Any], request_: Output) -> None:
    assert Client().say(**message) == [request_]


def test_a_create_message_sets_the_whole_spec_of_the_room() -> None:
    message = {"game": "stones", "seats": 2, "options": {"stones": 5}, "private": True, "turn_ms": 9, "bots": 1}
    assert Client().say(type="create", id=3, wait_ms=8, **message) == [CreateRequest(SPEC, {}, 3)]


def test_the_command_of_a_move_is_passed_on_byte_for_byte() -> None:
    (request,) = Client().send(b'{"type":"act","id":3,"room":1000,"command":{"type":"take",  "count":2}}')
    assert isinstance(request, ActRequest)
    assert (request.room, bytes(request.command), request.ref) == (1000, b'{"type":"take",  "count":2}', 3)  # type: ignore[arg-type]


def test_a_ping_is_answered_at_once() -> None:
    assert Client(hello=False).reply(type="ping", t=5) == {"type": "pong", "t": 5}


def test_bye_ends_the_session_and_the_connection() -> None:
    assert Client().say(type="bye") == [LogoutRequest(), CloseConnection(BYE)]


def test_unknown_keys_are_ignored() -> None:
    assert Client().say(type="leave", id=3, room=1000, what="ever") == [LeaveRequest(ROOM, 3)]


def test_unknown_wants_are_ignored() -> None:
    assert Client().say(type="join", id=3, room=1000, wants=["moon", "view", "view"]) == [
        JoinRequest(ROOM, {}, 3, Wants.VIEW)
    ]


@pytest.mark.parametrize("message", [message for message, _ in REQUESTS if message["type"] != "hello"])
def test_a_request_without_a_session_is_refused(message: dict[str, Any]) -> None:
    assert Client(hello=False).reply(**message)["code"] == "session/none"


def test_a_move_without_a_session_is_refused() -> None:
    assert Client(hello=False).reply(type="act", id=3, room=1000, command=COMMAND)["code"] == "session/none"


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
def test_rooms_are_listed_by_the_filter(wanted: dict[str, Any], numbers: list[int]) -> None:
    frame, _ = Client(rooms=ROOMS).say(type="rooms", id=3, **wanted)
    assert [room["room"] for room in read(frame)["rooms"]] == numbers


MANY = tuple(Listing(RoomId(number), "stones", 2, RoomStatus.WAITING) for number in range(1_000, 1_250))


def test_a_list_without_a_limit_has_the_first_hundred_rooms_and_says_that_more_follow() -> None:
    client = Client(rooms=MANY)
    pages = []
    after = 0
    for number in range(3):
        page = read(client.say(type="rooms", id=3 + number, after=after)[0])
        pages.append((page["id"], [room["room"] for room in page["rooms"]], page["more"]))
        after = page["rooms"][-1]["room"]
    assert pages == [
        (3, list(range(1_000, 1_100)), True),
        (4, list(range(1_100, 1_200)), True),
        (5, list(range(1_200, 1_250)), False),
    ]


def test_a_page_has_as_many_rooms_as_the_client_wants() -> None:
    page = read(Client(rooms=MANY).say(type="rooms", id=3, limit=7, after=1_010)[0])
    assert [room["room"] for room in page["rooms"]] == list(range(1_011, 1_018))
    assert page["more"] is True


@pytest.mark.parametrize("wanted", [{"limit": 0}, {"limit": 101}, {"limit": -1}, {"after": -1}])
def test_a_page_that_cannot_be_is_malformed(wanted: dict[str, int]) -> None:
    assert Client(rooms=MANY).reply(type="rooms", id=3, **wanted)["code"] == "frame/malformed"


def test_all_clients_share_the_bytes_of_a_list_until_a_room_changes() -> None:
    directory = RoomDirectory(lambda _call: None)
    directory.gathered(MANY)
    page = directory.page(RoomQuery())
    assert directory.page(RoomQuery()) is page
    assert directory.page(RoomQuery(status="waiting")) is not page
    directory.change([ListingChange(RoomId(1_000), None)])
    assert len(directory.page(RoomQuery()).rooms) == 100
    assert RoomId(1_000) not in directory.page(RoomQuery()).rooms


def test_clients_with_the_same_list_share_the_bytes_of_a_change() -> None:
    change = RoomsChanged({RoomId(1000): ROOMS[0], RoomId(1002): None})
    clients = [Client(rooms=ROOMS) for _ in range(3)]
    for client in clients[:2]:
        client.say(type="rooms", id=3, live=True)
    clients[2].say(type="rooms", id=3, live=True, game="stones")
    frames = [next(iter(client.play.rooms_changed(change))) for client in clients]
    assert frames[0] is frames[1]
    assert [read(frame)["gone"] for frame in frames] == [[1002], [1002], []]


def test_changes_concern_all_pages_that_the_client_has_read() -> None:
    client = Client(rooms=MANY)
    client.say(type="rooms", id=3, live=True)
    client.say(type="rooms", id=4, live=True, after=1_099)
    change = RoomsChanged({RoomId(1_050): None, RoomId(1_150): None, RoomId(1_240): None})
    (frame,) = client.play.rooms_changed(change)
    assert read(frame)["gone"] == [1_050, 1_150]


@pytest.mark.parametrize("live", [True, False])
def test_changes_of_rooms_are_watched_on_request(live: bool) -> None:
    _, watch = Client(rooms=ROOMS).say(type="rooms", id=3, game="stones", live=live)
    assert watch == WatchRoomsRequest("stones", on=live)


def test_a_changed_room_is_sent() -> None:
    client = Client(rooms=ROOMS)
    client.say(type="rooms", id=3, live=True)
    (frame,) = client.play.rooms_changed(RoomsChanged({RoomId(1000): ROOMS[0], RoomId(1002): None}))
    received = read(frame)
    assert [room["room"] for room in received["changed"]] == [1000]
    assert received["gone"] == [1002]


def test_a_room_that_no_longer_matches_the_filter_is_gone() -> None:
    client = Client(rooms=(Listing(RoomId(1001), "stones", 3, RoomStatus.WAITING),))
    client.say(type="rooms", id=3, status=RoomStatus.WAITING, live=True)
    (frame,) = client.play.rooms_changed(RoomsChanged({RoomId(1001): ROOMS[1]}))
    assert read(frame)["gone"] == [1001]


def test_a_room_that_was_never_sent_cannot_be_gone() -> None:
    client = Client(rooms=ROOMS)
    client.say(type="rooms", id=3, status=RoomStatus.WAITING, live=True)
    assert list(client.play.rooms_changed(RoomsChanged({RoomId(1001): ROOMS[1], RoomId(1009): None}))) == []


def test_a_room_that_came_later_can_be_gone_once() -> None:
    client = Client()
    client.say(type="rooms", id=3, live=True)
    client.play.rooms_changed(RoomsChanged({RoomId(1000): ROOMS[0]}))
    received = [list(client.play.rooms_changed(RoomsChanged({RoomId(1000): None}))) for _ in range(2)]
    assert [len(frames) for frames in received] == [1, 0]


def test_the_first_list_is_not_a_change() -> None:
    client = Client()
    client.say(type="rooms", id=3, live=True)
    assert list(client.play.rooms_changed(RoomsChanged())) == []


# --- messages to a client ---------------------------------------------------------------------------------------------


def test_a_welcome_has_the_token_and_the_rooms() -> None:
    received = Client().answer("hello", Welcomed("ada", SessionId("s-1"), "t.t", (ROOM,), ("stones",)))
    assert received == {
        "type": "welcome",
        "session": "s-1",
        "name": "ada",
        "token": "t.t",
        "rooms": [1000],
        "games": ["stones"],
        "protocol": "1.0",
    }


def test_an_acknowledgement_names_the_step() -> None:
    received = msgspec.json.decode(encode_ack(CommandId(3), ROOM, Epoch(7), Offset(5)))
    assert received == {"type": "ack", "id": 3, "room": 1000, "epoch": 7, "offset": 5}


def test_a_request_that_was_carried_out_is_acknowledged() -> None:
    received = Client().answer(3, RequestDone(ROOM, Position(Epoch(7), Offset(5))))
    assert received == {"type": "ack", "id": 3, "room": 1000, "epoch": 7, "offset": 5}


def test_a_request_that_needed_no_step_is_acknowledged_without_a_position() -> None:
    assert Client().answer(3, RequestDone(ROOM)) == {"type": "ack", "id": 3, "room": 1000}


def test_a_refusal_names_the_request() -> None:
    received = Client().answer(3, Refused("game/unknown", "there is no such game"))
    assert received == {"type": "error", "id": 3, "code": "game/unknown", "text": "there is no such game"}


def test_a_refusal_names_the_room_that_the_request_named() -> None:
    received = Client().answer(3, Refused("game/over", "it is over", ROOM))
    assert received == {"type": "error", "id": 3, "room": 1000, "code": "game/over", "text": "it is over"}


def test_a_refusal_without_a_session_names_the_request() -> None:
    client = Client(hello=False)
    received = client.reply(type="leave", id=3, room=1000)
    assert received["code"] == "session/none"
    assert received["id"] == 3
    assert received["room"] == 1000
    assert client.rejections == ["session/none"]


def test_a_refused_hello_begins_no_session() -> None:
    client = Client()
    client.answer("hello", Refused("name/taken", ""))
    assert client.reply(type="leave", id=3, room=1000)["code"] == "session/none"


def test_a_second_hello_keeps_the_session() -> None:
    client = Client()
    client.answer("hello", Refused("session/twice", ""))
    assert client.say(type="leave", id=3, room=1000) == [LeaveRequest(ROOM, 3)]


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
def test_the_answer_of_an_attaching_request_is_named_by_the_request(message: dict[str, Any], kind: str) -> None:
    client = Client()
    client.say(id=3, **message)
    received = client.answer(3, attending())
    assert received == {"type": kind, "id": 3, "room": 1000, "seat": 1, "epoch": 7, "offset": 5, "view": {"a": 1}}


def test_resuming_has_no_view() -> None:
    client = Client()
    client.say(type="resume", id=3, room=1000, epoch=7, offset=5)
    received = client.answer(3, attending(None))
    assert received == {"type": "resumed", "id": 3, "room": 1000, "seat": 1, "epoch": 7, "offset": 5}


@pytest.mark.parametrize(("epoch", "offset"), [(7, -1), (7, 2**64), (-1, 5), (2**64, 5)])
def test_a_position_that_the_store_cannot_look_up_is_malformed(epoch: int, offset: int) -> None:
    received = Client().reply(type="resume", id=3, room=1000, epoch=epoch, offset=offset)
    assert received["code"] == "frame/malformed"
    assert received["id"] == 3


@pytest.mark.parametrize("reason", ["slow", "rewound", "trimmed"])
def test_an_unrequested_view_has_a_reason(reason: str) -> None:
    received = Client().answer(None, attending(reason=reason))
    assert received["type"] == "view"
    assert received["reason"] == reason
    assert "id" not in received


def test_an_update_is_sent_byte_for_byte() -> None:
    raw = b'{"type":"update","room":1000,"epoch":7,"offset":5,"at":99,"events":[{"type":"taken"}],"by":0}'
    assert list(Client().play.deliver(DeliveredStep(raw), None)) == [raw]
