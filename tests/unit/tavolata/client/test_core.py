"""The client's core: messages and time in, frames and events out."""

import json
from typing import Any

import pytest

from tavolata.client.core import ClientCore
from tavolata.client.errors import NoAnswer, RequestRefused, SessionEnded
from tavolata.client.events import Complaint, Event, RoomLost, SessionOver
from tavolata.client.messages import PROTOCOL, TableUpdate
from tavolata.client.outbox import ANSWER_S, MOST_NEWER
from tavolata.client.requests import PendingRequest

Json = dict[str, Any]
TAKE = {"type": "take", "count": 1}


class Wire:
    """A core whose frames are decoded, and a clock."""

    def __init__(self, patience_s: float = 60.0) -> None:
        self.core = ClientCore(100, name="ada", patience_s=patience_s, jitter=lambda: 0.5)
        self.now = 1_000.0
        self.events: list[Event] = []

    def sent(self) -> list[Json]:
        return [json.loads(frame) for frame in self.core.take_frames()]

    def open(self) -> list[Json]:
        self.core.open(self.now)
        return self.sent()

    def receive(self, **message: Any) -> list[Json]:
        self.events = list(self.core.receive(json.dumps(message).encode(), self.now))
        return self.sent()

    def welcome(self) -> list[Json]:
        self.open()
        return self.receive(type="welcome", name="ada", token="t")

    def request(self, kind: str, **fields: Any) -> tuple[PendingRequest, list[Json]]:
        return self.core.request(kind, fields, self.now), self.sent()

    def act(self) -> tuple[PendingRequest, list[Json]]:
        return self.request("act", room=7, command=TAKE)

    def wait(self, seconds: float) -> list[Json]:
        self.now += seconds
        self.events = list(self.core.tick(self.now))
        return self.sent()

    def lose(self, code: int = 1006, reason: str = "") -> None:
        self.events = list(self.core.lost(code, reason, self.now))

    def view(self, kind: str, offset: int, epoch: int = 5, last_id: int | None = None, **more: Any) -> list[Json]:
        view = {"room": 7, "epoch": epoch, "offset": offset, "status": "playing", "last_id": last_id}
        return self.receive(type=kind, room=7, seat=0, epoch=epoch, offset=offset, view=view, **more)

    def update(self, offset: int, **more: Any) -> list[Json]:
        return self.receive(type="update", room=7, epoch=5, offset=offset, at=1, events=[], **more)

    def enter(self) -> None:
        self.welcome()
        request, _ = self.request("join", room=7)
        self.view("entered", 3, id=request.id)

    def resume(self) -> list[Json]:
        """A lost connection, and another one up to the answer to `resume`."""
        self.lose()
        (resume,) = self.welcome()
        return self.receive(type="resumed", id=resume["id"], room=7, seat=0, epoch=5, offset=resume["offset"])


@pytest.fixture
def wire() -> Wire:
    wire = Wire()
    wire.enter()
    return wire


# --- requests ---------------------------------------------------------------------------------------------------------


def test_a_move_is_answered_by_the_update_of_its_step(wire: Wire) -> None:
    request, (frame,) = wire.act()
    assert frame == {"type": "act", "id": request.id, "room": 7, "command": TAKE}
    wire.update(4, by=0, id=request.id)
    assert isinstance(wire.events[0], TableUpdate)
    assert wire.events[1] is request
    assert request.answer is wire.events[0]


def test_an_ack_waits_for_the_update_of_its_step(wire: Wire) -> None:
    request, _ = wire.act()
    wire.receive(type="ack", id=request.id, room=7, epoch=5, offset=4)
    assert not request.done
    wire.update(4, by=0, id=request.id)
    assert request.done


def test_a_step_of_another_seat_with_the_same_id_answers_nothing(wire: Wire) -> None:
    request, _ = wire.act()
    wire.update(4, by=1, id=request.id)
    assert not request.done


@pytest.mark.parametrize(("seat", "lost"), [(0, True), (1, False)])
def test_a_table_ends_when_an_operator_has_taken_the_own_seat_away(wire: Wire, seat: int, lost: bool) -> None:
    left = {"type": "room.left", "seat": seat, "name": "x", "reason": "removed"}
    wire.receive(type="update", room=7, epoch=5, offset=4, at=1, events=[left])
    assert isinstance(wire.events[0], TableUpdate)
    assert [event.error.code for event in wire.events if isinstance(event, RoomLost)] == ["room/removed"] * lost
    wire.lose()
    assert [frame["type"] for frame in wire.welcome()] == ["resume"] * (not lost)


def test_a_refusal_ends_a_request(wire: Wire) -> None:
    request, _ = wire.act()
    wire.receive(type="error", id=request.id, room=7, code="game/not_your_turn", text="no")
    assert wire.events == [request]
    assert isinstance(request.error, RequestRefused)
    assert request.error.code == "game/not_your_turn"


def test_a_busy_request_that_cannot_have_arrived_gets_a_new_id(wire: Wire) -> None:
    _, (first,) = wire.act()
    assert wire.receive(type="error", id=first["id"], code="busy/store", text="later") == []
    (again,) = wire.wait(5)
    assert again == first | {"id": again["id"]}
    assert again["id"] > first["id"]


def test_a_busy_request_that_may_have_arrived_keeps_its_id(wire: Wire) -> None:
    _, (first,) = wire.act()
    assert wire.resume() == [first]
    wire.receive(type="error", id=first["id"], code="busy/store", text="later")
    assert wire.wait(5) == [first]


def test_a_request_without_an_answer_is_sent_again_and_keeps_its_id_when_the_copy_is_refused_as_busy(
    wire: Wire,
) -> None:
    _, (first,) = wire.act()
    assert wire.wait(ANSWER_S) == [first]
    wire.receive(type="error", id=first["id"], code="busy/rate", text="later")
    assert wire.wait(5) == [first]


def test_busy_delays_grow(wire: Wire) -> None:
    request, _ = wire.act()
    delays = []
    for _ in range(4):
        wire.receive(type="error", id=request.id, code="busy/store", text="later")
        delays.append(wire.core.due - wire.now)
        wire.wait(5)
    assert delays == sorted(set(delays))


def test_a_busy_answer_without_an_id_repeats_all_requests_with_their_ids(wire: Wire) -> None:
    _, (act,) = wire.act()
    _, (say,) = wire.request("say", room=7, text="hello")
    wire.receive(type="error", code="busy/rate", text="later")
    assert wire.wait(5) == [act, say]


def test_a_request_that_a_room_calls_too_old_was_not_carried_out_and_gets_a_new_id(wire: Wire) -> None:
    _, (first,) = wire.act()
    wire.resume()
    (again,) = wire.receive(type="error", id=first["id"], code="command/too_old", text="later")
    assert again["id"] > first["id"]


def test_a_seat_that_may_have_been_taken_is_not_asked_for_with_a_new_id() -> None:
    wire = Wire()
    wire.welcome()
    request, (first,) = wire.request("create", game="stones", seats=2)
    wire.lose()
    assert wire.welcome() == [first]
    assert wire.receive(type="error", id=first["id"], code="command/too_old", text="later") == []
    assert isinstance(request.error, RequestRefused)


def test_moves_are_not_sent_past_one_that_waits_for_its_retry(wire: Wire) -> None:
    first, _ = wire.act()
    wire.receive(type="error", id=first.id, code="busy/store", text="later")
    second, frames = wire.act()
    assert frames == []
    assert [frame["id"] for frame in wire.wait(5)] == [first.id, second.id]
    assert first.id < second.id


def test_chat_may_be_sent_while_a_move_waits_for_its_retry_unless_the_move_keeps_its_id(wire: Wire) -> None:
    first, _ = wire.act()
    wire.receive(type="error", id=first.id, code="busy/store", text="later")
    _, (say,) = wire.request("say", room=7, text="hello")
    assert say["type"] == "say"
    wire.wait(5)
    wire.resume()
    wire.receive(type="error", id=first.id, code="busy/store", text="later")
    assert wire.request("say", room=7, text="hello")[1] == []


def test_no_more_requests_follow_an_unanswered_one_than_a_room_remembers(wire: Wire) -> None:
    oldest, _ = wire.act()
    for _ in range(MOST_NEWER * 2):
        request, frames = wire.request("say", room=7, text="hello")
        for frame in frames:
            wire.update(wire.core.rooms[7].offset + 1, by=0, id=frame["id"])
    assert wire.core.rooms[7].sent == MOST_NEWER
    assert request.id == 0
    assert len(wire.update(wire.core.rooms[7].offset + 1, by=0, id=oldest.id)) == MOST_NEWER


def test_ids_rise_past_those_of_an_earlier_run() -> None:
    wire = Wire()
    wire.welcome()
    request, _ = wire.request("view", room=7)
    wire.view("view", 3, id=request.id, last_id=5_000)
    assert wire.act()[1][0]["id"] == 5_001


def test_a_request_that_is_too_long_is_refused_at_once(wire: Wire) -> None:
    with pytest.raises(RequestRefused, match="frame/too_big"):
        wire.request("say", room=7, text="x" * 70_000)
    assert wire.sent() == []


def test_a_request_is_given_up_and_says_whether_it_may_have_been_carried_out(wire: Wire) -> None:
    sent, _ = wire.act()
    wire.lose()
    waiting, _ = wire.request("create", game="stones", seats=2)
    wire.wait(61)
    assert isinstance(sent.error, NoAnswer)
    assert isinstance(waiting.error, NoAnswer)
    assert sent.error.uncertain
    assert not waiting.error.uncertain


def test_the_seat_of_a_withdrawn_request_is_given_up() -> None:
    wire = Wire()
    wire.welcome()
    request, _ = wire.request("join", room=7)
    wire.core.withdraw(request)
    (leave,) = wire.view("entered", 3, id=request.id)
    assert (leave["type"], leave["room"]) == ("leave", 7)
    assert wire.events == []


# --- connections ------------------------------------------------------------------------------------------------------


def test_after_a_lost_connection_rooms_are_resumed_before_requests_are_sent_again(wire: Wire) -> None:
    _, (act,) = wire.act()
    wire.lose()
    assert wire.open() == [{"type": "hello", "token": "t", "protocol": PROTOCOL}]
    (resume,) = wire.receive(type="welcome", name="ada", token="t")
    assert resume == {"type": "resume", "id": resume["id"], "room": 7, "epoch": 5, "offset": 3}
    new, frames = wire.request("say", room=7, text="hello")
    assert frames == []
    frames = wire.receive(type="resumed", id=resume["id"], room=7, seat=0, epoch=5, offset=3)
    assert frames[0] == act
    assert frames[1]["id"] == new.id


def test_a_room_that_cannot_be_resumed_is_lost_and_its_requests_are_sent_to_learn_their_fate(wire: Wire) -> None:
    _, (act,) = wire.act()
    wire.lose()
    (resume,) = wire.welcome()
    assert wire.receive(type="error", id=resume["id"], room=7, code="room/unknown", text="no") == [act]
    assert isinstance(wire.events[0], RoomLost)


def test_a_resume_that_is_refused_as_busy_is_repeated(wire: Wire) -> None:
    wire.lose()
    (resume,) = wire.welcome()
    wire.receive(type="error", id=resume["id"], room=7, code="busy/reading", text="later")
    (again,) = wire.wait(5)
    assert again["type"] == "resume"


def test_a_gateway_that_stops_names_the_delay(wire: Wire) -> None:
    wire.lose(1012, "come back in 1234 ms")
    assert wire.core.reconnect_s == 1.234


@pytest.mark.parametrize("code", [1000, 1002, 1008, 1009, 4001])
def test_some_closes_are_final(wire: Wire, code: int) -> None:
    request, _ = wire.act()
    wire.lose(code)
    assert wire.core.over
    assert isinstance(request.error, SessionEnded)
    assert request.error.uncertain


def test_the_session_is_given_up_when_no_gateway_answers_for_too_long(wire: Wire) -> None:
    for _ in range(100):
        wire.now += 1
        wire.lose()
        if wire.core.over:
            break
    assert 1_055 < wire.now < 1_062
    over = wire.events[-1]
    assert isinstance(over, SessionOver)
    assert isinstance(over.error, NoAnswer)


def test_a_name_that_this_client_may_hold_itself_is_asked_for_again() -> None:
    wire = Wire()
    wire.open()
    wire.lose()
    wire.open()
    wire.receive(type="error", code="name/taken", text="taken")
    assert wire.wait(5) == [{"type": "hello", "name": "ada", "protocol": PROTOCOL}]


def test_a_name_of_another_player_is_refused() -> None:
    wire = Wire()
    wire.open()
    wire.receive(type="error", code="name/taken", text="taken")
    over = wire.events[-1]
    assert isinstance(over, SessionOver)
    assert isinstance(over.error, RequestRefused)
    assert over.error.code == "name/taken"


def test_a_gateway_of_another_version_ends_the_session_with_advice() -> None:
    wire = Wire()
    assert wire.open() == [{"type": "hello", "name": "ada", "protocol": PROTOCOL}]
    wire.receive(type="error", code="protocol/version", text="this gateway speaks 9.0")
    over = wire.events[-1]
    assert isinstance(over, SessionOver)
    assert isinstance(over.error, RequestRefused)
    assert over.error.code == "protocol/version"
    assert over.error.text == (
        f"this gateway speaks 9.0; this client speaks {PROTOCOL}; use the client library of the cluster's release"
    )
    assert wire.core.lost(4006, "", wire.now) == ()


# --- updates ----------------------------------------------------------------------------------------------------------


def test_updates_are_passed_on_once_and_in_order(wire: Wire) -> None:
    offsets = []
    for offset in (4, 4, 3, 5):
        wire.update(offset)
        offsets += [event.offset for event in wire.events if isinstance(event, TableUpdate)]
    assert offsets == [4, 5]


def test_a_hole_is_filled_by_a_resume(wire: Wire) -> None:
    (resume,) = wire.update(6)
    assert (resume["type"], resume["offset"]) == ("resume", 3)
    assert wire.update(7) == []
    wire.receive(type="resumed", id=resume["id"], room=7, seat=0, epoch=5, offset=3)
    offsets = []
    for offset in (4, 5, 6, 7, 8):
        wire.update(offset)
        offsets += [event.offset for event in wire.events if isinstance(event, TableUpdate)]
    assert offsets == [4, 5, 6, 7, 8]


def test_a_rewound_view_repeats_a_move_that_was_acknowledged_for_a_void_step(wire: Wire) -> None:
    request, (act,) = wire.act()
    wire.receive(type="ack", id=request.id, room=7, epoch=5, offset=4)
    assert wire.view("view", 2, epoch=6, reason="rewound") == [act]
    assert not request.done
    wire.receive(type="update", room=7, epoch=6, offset=3, at=1, events=[], by=0, id=request.id)
    assert request.done


def test_a_rewound_view_repeats_an_acknowledged_move_though_other_steps_have_taken_its_place(wire: Wire) -> None:
    request, (act,) = wire.act()
    wire.receive(type="ack", id=request.id, room=7, epoch=5, offset=4)
    assert wire.view("view", 6, epoch=6, reason="rewound") == [act]
    assert not request.done
    wire.receive(type="ack", id=request.id, room=7, epoch=6, offset=5)
    assert request.done


def test_a_view_that_includes_an_acknowledged_step_answers_its_request(wire: Wire) -> None:
    request, _ = wire.act()
    wire.receive(type="ack", id=request.id, room=7, epoch=5, offset=4)
    wire.view("view", 9, reason="slow")
    assert request.done
    assert wire.core.rooms[7].offset == 9


def test_a_watched_list_is_asked_for_again_on_a_new_connection() -> None:
    wire = Wire()
    wire.welcome()
    wire.request("rooms", game="stones", live=True)
    wire.lose()
    wire.open()
    frames = wire.receive(type="welcome", name="ada", token="t")
    assert {frame["type"] for frame in frames} == {"rooms"}
    assert all(frame["live"] for frame in frames)


def test_unknown_messages_are_complaints(wire: Wire) -> None:
    for frame in (b"", b"{", b'{"type": "surprise"}', b'{"type": "update", "room": "x"}'):
        (event,) = wire.core.receive(frame, wire.now)
        assert isinstance(event, Complaint)
