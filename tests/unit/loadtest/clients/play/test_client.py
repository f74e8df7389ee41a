"""The client of `/ws/play` without a socket: its answers to messages."""

import json
from typing import Any

import pytest

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.play.client import Play
from tavolata.client.messages import PROTOCOL

Json = dict[str, Any]
WELCOME = {"type": "welcome", "session": "s", "name": "ada", "token": "t", "rooms": [], "games": ["stones"]}


def seating(game: str = "stones", first: bool = True, opened: list[int] | None = None) -> SeatAssignment:
    rooms: list[int] = [] if opened is None else opened
    return SeatAssignment("ada", game, 2, {"stones": 9}, 1, lambda: 1000, rooms.append, first)


class Dialog:
    """A client whose frames are decoded."""

    def __init__(self, player: Play) -> None:
        self.player = player
        self.sent = self.acked = 0
        player.sent_at = self._sent
        player.acked_at = self._acked

    def _sent(self) -> None:
        self.sent += 1

    def _acked(self) -> None:
        self.acked += 1

    def settled(self) -> bool:
        return self.player.position_checked

    def open(self) -> list[Json]:
        return [json.loads(frame) for frame in self.player.open()]

    def receive(self, **message: Any) -> list[Json]:
        return [json.loads(frame) for frame in self.player.receive(json.dumps(message).encode())]

    def wait(self, seconds: float = 1.0) -> list[Json]:
        return [json.loads(frame) for _ in range(round(seconds * 10)) for frame in self.player.retry()]

    def update(self, offset: int, *events: Json, epoch: int = 5, **more: Any) -> list[Json]:
        return self.receive(type="update", room=1000, epoch=epoch, offset=offset, at=1, events=list(events), **more)

    def view(self, offset: int, game: Json | None = None, epoch: int = 5, **more: Any) -> Json:
        status = "waiting" if game is None else "playing"
        view: Json = {"room": 1000, "epoch": epoch, "offset": offset, "status": status, **more}
        return view if game is None else view | {"game": game}

    def receive_view(self, view: Json, **more: Any) -> list[Json]:
        top = {key: view[key] for key in ("room", "epoch", "offset")}
        return self.receive(type="view", seat=0, view=view, **top, **more)

    def enter(self, seat: int = 0, **more: Any) -> list[Json]:
        self.open()
        (request,) = self.receive(**WELCOME)
        view = self.view(1, **more)
        return self.receive(type="entered", id=request["id"], room=1000, seat=seat, epoch=5, offset=1, view=view)

    def start(self, seat: int = 0, heap: int = 9) -> list[Json]:
        self.enter(seat)
        return self.update(2, {"type": "room.started", "seats": [0, 1], "order": [0, 1]}, started(heap))


def started(heap: int) -> Json:
    return {"type": "started", "stones": heap, "seats": [0, 1]}


def taken(seat: int, count: int) -> Json:
    return {"type": "taken", "seat": seat, "count": count}


@pytest.fixture
def dialog() -> Dialog:
    return Dialog(Play(seating(), 100))


def test_the_first_player_opens_the_table() -> None:
    opened: list[int] = []
    dialog = Dialog(Play(seating(opened=opened), 100))
    assert dialog.open() == [{"type": "hello", "name": "ada", "protocol": PROTOCOL}]
    (create,) = dialog.receive(**WELCOME)
    assert create == {"type": "create", "id": 100, "game": "stones", "seats": 2, "options": {"stones": 9}}
    dialog.receive(type="entered", id=100, room=1000, seat=0, epoch=5, offset=1, view=dialog.view(1))
    assert opened == [1000]


def test_the_others_join_it() -> None:
    dialog = Dialog(Play(seating(first=False), 100))
    dialog.open()
    assert dialog.receive(**WELCOME) == [{"type": "join", "id": 100, "room": 1000}]


def test_a_player_moves_in_turn_and_only_then(dialog: Dialog) -> None:
    (act,) = dialog.start()
    assert act["type"] == "act"
    assert act["command"]["type"] == "take"
    count = act["command"]["count"]
    assert dialog.update(3, taken(0, count), by=0, id=act["id"]) == []
    assert dialog.receive(type="ack", id=act["id"], room=1000, epoch=5, offset=3) == []
    (second,) = dialog.update(4, taken(1, 1))
    assert second["id"] > act["id"]
    assert (dialog.sent, dialog.acked, dialog.player.moves) == (2, 1, 1)


def test_the_second_player_waits_for_the_first(dialog: Dialog) -> None:
    assert dialog.start(seat=1) == []
    (act,) = dialog.update(3, taken(0, 1))
    assert act["type"] == "act"


@pytest.mark.parametrize("ack_first", [True, False])
def test_ack_and_update_may_arrive_in_either_order(dialog: Dialog, ack_first: bool) -> None:
    (act,) = dialog.start(heap=1)
    ack = {"type": "ack", "id": act["id"], "room": 1000, "epoch": 5, "offset": 3}
    if ack_first:
        dialog.receive(**ack)
        assert not dialog.player.over
    dialog.update(3, taken(0, 1), {"type": "room.ended", "winners": [0], "names": ["ada"]}, by=0, id=act["id"])
    if not ack_first:
        assert not dialog.player.over
        dialog.receive(**ack)
    assert dialog.player.over
    assert dialog.player.received.result == {"type": "room.ended", "winners": [0], "names": ["ada"]}
    assert dialog.player.received.board == {"stones": 0, "seats": [0, 1], "turn": 1, "winner": 0}
    assert dialog.player.received.faults == []


def test_a_busy_answer_gets_a_new_id_after_a_pause(dialog: Dialog) -> None:
    (act,) = dialog.start()
    assert dialog.receive(type="error", id=act["id"], room=1000, code="busy/store", text="later") == []
    (again,) = dialog.wait()
    assert again["command"] == act["command"]
    assert again["id"] > act["id"]
    assert dialog.player.errors == {"busy/store": 1}


def test_a_busy_answer_without_an_id_repeats_all_requests(dialog: Dialog) -> None:
    (act,) = dialog.start()
    dialog.receive(type="error", code="busy/rate", text="later")
    assert dialog.wait() == [act]


def test_a_request_for_a_seat_that_was_refused_as_busy_is_repeated(dialog: Dialog) -> None:
    dialog.open()
    (create,) = dialog.receive(**WELCOME)
    dialog.receive(type="error", id=create["id"], code="busy/rate", text="later")
    (again,) = dialog.wait()
    assert again == create | {"id": again["id"]}
    assert again["id"] > create["id"]


def test_after_a_lost_connection_the_session_is_resumed_and_the_move_sent_again_with_its_id(dialog: Dialog) -> None:
    (act,) = dialog.start()
    assert dialog.open() == [{"type": "hello", "token": "t", "protocol": PROTOCOL}]
    (resume,) = dialog.receive(**WELCOME)
    assert resume == {"type": "resume", "id": resume["id"], "room": 1000, "epoch": 5, "offset": 2}
    assert dialog.receive(type="resumed", id=resume["id"], room=1000, seat=0, epoch=5, offset=2) == [act]
    dialog.update(3, taken(0, act["command"]["count"]), by=0, id=act["id"])
    dialog.receive(type="ack", id=act["id"], room=1000, epoch=5, offset=3)
    assert dialog.player.moves == 1


def test_a_move_that_may_have_arrived_keeps_its_id_when_it_is_refused_as_busy(dialog: Dialog) -> None:
    (act,) = dialog.start()
    dialog.open()
    (resume,) = dialog.receive(**WELCOME)
    dialog.receive(type="resumed", id=resume["id"], room=1000, seat=0, epoch=5, offset=2)
    dialog.receive(type="error", id=act["id"], code="busy/store", text="later")
    assert dialog.wait() == [act]


def test_a_request_for_a_seat_is_sent_again_with_its_id_after_a_lost_connection(dialog: Dialog) -> None:
    dialog.open()
    (create,) = dialog.receive(**WELCOME)
    dialog.open()
    assert dialog.receive(**WELCOME) == [create]


@pytest.mark.parametrize("reason", ["trimmed", "slow"])
def test_a_view_replaces_the_known_position(dialog: Dialog, reason: str) -> None:
    dialog.start(seat=1)
    game = {"stones": 3, "seats": [0, 1], "turn": 1, "winner": None}
    (act,) = dialog.receive_view(dialog.view(20, game), reason=reason)
    assert act["type"] == "act"
    dialog.update(21, taken(1, act["command"]["count"]), by=1, id=act["id"])
    assert dialog.player.track is not None
    assert dialog.player.track.offset == 21


def test_a_rewound_view_repeats_a_move_under_way_with_its_id() -> None:
    dialog = Dialog(Play(seating(), 100))
    (act,) = dialog.start()
    game = {"stones": 9, "seats": [0, 1], "turn": 0, "winner": None}
    assert dialog.receive_view(dialog.view(2, game, epoch=6), reason="rewound") == [act]


def test_an_acknowledged_move_whose_step_is_void_is_under_way_again() -> None:
    dialog = Dialog(Play(seating(), 100))
    (act,) = dialog.start()
    dialog.receive(type="ack", id=act["id"], room=1000, epoch=5, offset=3)
    game = {"stones": 9, "seats": [0, 1], "turn": 0, "winner": None}
    assert dialog.receive_view(dialog.view(2, game, epoch=6), reason="rewound") == [act]
    dialog.receive(type="error", id=act["id"], code="game/not_your_turn", text="no")
    assert dialog.player.received.faults == []


def test_a_move_whose_step_came_and_was_undone_before_its_ack_is_made_anew() -> None:
    dialog = Dialog(Play(seating(), 100))
    (act,) = dialog.start()
    dialog.update(3, taken(0, act["command"]["count"]), by=0, id=act["id"])
    game = {"stones": 9, "seats": [0, 1], "turn": 0, "winner": None}
    (other,) = dialog.receive_view(dialog.view(2, game, epoch=6), reason="rewound")
    assert other["type"] == "act"
    assert other["id"] > act["id"]


@pytest.mark.parametrize("code", ["room/unknown", "room/not_seated"])
def test_a_room_that_the_store_has_lost_is_over_and_not_a_fault(dialog: Dialog, code: str) -> None:
    (act,) = dialog.start()
    dialog.receive(type="error", id=act["id"], code=code, text="no", room=1000)
    assert dialog.player.over
    assert dialog.player.received.faults == []
    assert dialog.player.track is not None
    assert dialog.player.track.undone


def test_a_player_who_waits_learns_that_the_store_has_lost_the_room(dialog: Dialog) -> None:
    dialog.start(seat=1)
    dialog.receive(type="error", code="room/unknown", text="no", room=1000)
    assert dialog.player.over
    assert dialog.player.track is not None
    assert dialog.player.track.undone


def test_the_undone_end_of_an_earlier_game_is_noted(dialog: Dialog) -> None:
    dialog.start()
    track = dialog.player.track
    assert track is not None
    dialog.player.next_game(seating())
    game = {"stones": 9, "seats": [0, 1], "turn": 0, "winner": None}
    dialog.receive_view(dialog.view(1, game, epoch=6), reason="rewound")
    assert (track.epoch, track.offset) == (6, 1)
    assert dialog.player.track is None


def test_a_game_whose_room_number_is_given_out_anew_was_undone(dialog: Dialog) -> None:
    dialog.start()
    track = dialog.player.track
    assert track is not None
    (create,) = (json.loads(frame) for frame in dialog.player.next_game(seating()))
    place = {"room": 1000, "epoch": 6, "offset": 1}
    dialog.receive(type="entered", id=create["id"], seat=0, view=dialog.view(1, epoch=6), reason="rewound", **place)
    assert track.undone
    assert dialog.player.track is not None
    assert not dialog.player.track.undone


def test_a_refused_move_is_followed_by_another_one_after_a_pause(dialog: Dialog) -> None:
    (act,) = dialog.start()
    assert dialog.receive(type="error", id=act["id"], code="game/not_your_turn", text="no") == []
    (other,) = dialog.wait()
    assert other["id"] > act["id"]


def test_a_request_without_an_answer_is_sent_again(dialog: Dialog) -> None:
    (act,) = dialog.start()
    assert dialog.wait(16) == [act]


def test_a_stopped_player_moves_no_more_and_compares_the_view(dialog: Dialog) -> None:
    dialog.start(seat=1)
    dialog.player.stopped = True
    assert dialog.update(3, taken(0, 1)) == []
    (asked,) = (json.loads(frame) for frame in dialog.player.check_position())
    assert not dialog.settled()
    game = {"stones": 8, "seats": [0, 1], "turn": 1, "winner": None}
    dialog.receive_view(dialog.view(3, game), id=asked["id"])
    assert dialog.settled()
    assert dialog.player._findings.clean


def test_a_view_that_differs_from_the_events_is_found(dialog: Dialog) -> None:
    dialog.start(seat=1)
    (asked,) = (json.loads(frame) for frame in dialog.player.check_position())
    game = {"stones": 4, "seats": [0, 1], "turn": 0, "winner": None}
    dialog.receive_view(dialog.view(2, game), id=asked["id"])
    assert dialog.player._findings.counts["differing"] == 1


def test_missing_steps_are_found(dialog: Dialog) -> None:
    dialog.start(seat=1)
    (asked,) = (json.loads(frame) for frame in dialog.player.check_position())
    game = {"stones": 8, "seats": [0, 1], "turn": 1, "winner": None}
    dialog.receive_view(dialog.view(5, game), id=asked["id"])
    assert not dialog.player.position_checked
    dialog.player.count_missing_steps()
    assert dialog.player._findings.counts["holes"] == 3


def test_the_next_game_is_played_on_the_same_connection(dialog: Dialog) -> None:
    (act,) = dialog.start(heap=1)
    dialog.update(3, taken(0, 1), {"type": "room.ended", "winners": [0], "names": ["ada"]}, by=0, id=act["id"])
    dialog.receive(type="ack", id=act["id"], room=1000, epoch=5, offset=3)
    (create,) = (json.loads(frame) for frame in dialog.player.next_game(seating()))
    assert create["type"] == "create"
    assert not dialog.player.over
    assert dialog.player.moves == 1


def test_any_game_is_played_by_its_options() -> None:
    dialog = Dialog(Play(seating("chess"), 100))
    dialog.open()
    (create,) = dialog.receive(**WELCOME)
    assert create["wants"] == ["options"]
    dialog.receive(type="entered", id=create["id"], room=1000, seat=0, epoch=5, offset=1, view=dialog.view(1))
    offers = [{"type": "castle"}, {"type": "move", "to": "e4"}]
    (act,) = dialog.update(2, {"type": "room.started", "seats": [0], "order": [0]}, options=offers)
    assert act["command"] in offers
    dialog.receive(type="ack", id=act["id"], room=1000, epoch=5, offset=3)
    assert dialog.sent == 1
    ended = {"type": "room.ended", "winners": [], "names": []}
    (asked,) = dialog.update(3, {"type": "castled"}, ended, by=0, id=act["id"])
    assert asked == {"type": "view", "id": asked["id"], "room": 1000, "wants": ["options"]}
    dialog.receive_view(dialog.view(3, {"king": "g1"}, outcome=ended), id=asked["id"])
    assert dialog.player.over
    assert dialog.player.received.result == ended


def test_a_refused_seat_is_a_fault(dialog: Dialog) -> None:
    dialog.open()
    (create,) = dialog.receive(**WELCOME)
    dialog.receive(type="error", id=create["id"], code="room/bad_seats", text="not by that many")
    assert dialog.player.over
    assert "room/bad_seats" in dialog.player.received.faults[0]


def test_a_taken_name_is_changed(dialog: Dialog) -> None:
    dialog.open()
    assert dialog.receive(type="error", code="name/taken", text="taken") == [
        {"type": "hello", "name": "adax", "protocol": PROTOCOL}
    ]


def test_the_missing_steps_are_asked_for_and_the_hole_is_found(dialog: Dialog) -> None:
    dialog.start(seat=1)
    (resume,) = dialog.update(4, taken(1, 1))
    assert (resume["type"], resume["offset"]) == ("resume", 2)
    dialog.receive(type="resumed", id=resume["id"], room=1000, seat=1, epoch=5, offset=2)
    (act,) = dialog.update(3, taken(0, 1))
    assert act["type"] == "act"
    assert dialog.player._findings.counts["holes"] == 1


def test_a_move_whose_ack_was_lost_with_the_connection_counts_by_its_update(dialog: Dialog) -> None:
    (act,) = dialog.start()
    dialog.update(3, taken(0, act["command"]["count"]), by=0, id=act["id"])
    dialog.open()
    (resume,) = dialog.receive(**WELCOME)
    assert dialog.receive(type="resumed", id=resume["id"], room=1000, seat=0, epoch=5, offset=3) == []
    (second,) = dialog.update(4, taken(1, 1))
    assert second["type"] == "act"
    assert dialog.player.moves == 1


def test_a_copy_that_was_sent_after_a_silence_keeps_its_id_when_it_is_refused_as_busy(dialog: Dialog) -> None:
    (act,) = dialog.start()
    assert dialog.wait(16) == [act]
    dialog.receive(type="error", id=act["id"], room=1000, code="busy/store", text="later")
    assert dialog.wait() == [act]


def test_a_malformed_message_is_a_fault_and_raises_nothing(dialog: Dialog) -> None:
    dialog.start()
    for frame in (b"", b"{", b"[]", b'{"type": "surprise"}', b'{"type": "update", "room": "x"}', b"\xff\xfe"):
        assert list(dialog.player.receive(frame)) == []
    assert len(dialog.player.received.faults) == 6


def test_a_closed_room_is_a_fault(dialog: Dialog) -> None:
    dialog.start(seat=1)
    dialog.update(3, {"type": "room.closed", "reason": "abandoned"})
    assert dialog.player.over
    assert "abandoned" in dialog.player.received.faults[0]


def test_a_player_leaves_an_unfinished_game_and_ends_its_session(dialog: Dialog) -> None:
    dialog.start()
    leave, bye = (json.loads(frame) for frame in dialog.player.leave())
    assert leave["type"] == "leave"
    assert bye == {"type": "bye"}
