"""The player of `/ws/play` without any socket: what it says to what it hears."""

import itertools
import json
from typing import Any

import pytest

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.play.client import NAP, PATIENCE, Play

Json = dict[str, Any]
WELCOME = {"type": "welcome", "session": "s", "name": "ada", "token": "t", "rooms": [], "games": ["stones"]}


def seating(game: str = "stones", first: bool = True, opened: list[int] | None = None) -> SeatAssignment:
    rooms: list[int] = [] if opened is None else opened
    return SeatAssignment("ada", game, 2, {"stones": 9}, 1, lambda: 1000, rooms.append, first)


class Talk:
    """A player and everything it says, decoded."""

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
        return self.player.settled

    def open(self) -> list[Json]:
        return [json.loads(frame) for frame in self.player.open()]

    def hear(self, **message: Any) -> list[Json]:
        return [json.loads(frame) for frame in self.player.receive(json.dumps(message).encode())]

    def nap(self) -> list[Json]:
        return [json.loads(frame) for _ in range(NAP) for frame in self.player.nudge()]

    def update(self, offset: int, *events: Json, epoch: int = 5, **more: Any) -> list[Json]:
        return self.hear(type="update", room=1000, epoch=epoch, offset=offset, at=1, events=list(events), **more)

    def view(self, offset: int, game: Json | None = None, epoch: int = 5, **more: Any) -> Json:
        status = "waiting" if game is None else "playing"
        view: Json = {"room": 1000, "epoch": epoch, "offset": offset, "status": status, **more}
        return view if game is None else view | {"game": game}

    def enter(self, seat: int = 0, **more: Any) -> list[Json]:
        self.open()
        (request,) = self.hear(**WELCOME)
        view = self.view(1, **more)
        return self.hear(type="entered", id=request["id"], room=1000, seat=seat, epoch=5, offset=1, view=view)

    def start(self, seat: int = 0, heap: int = 9) -> list[Json]:
        self.enter(seat)
        return self.update(2, {"type": "room.started", "seats": [0, 1], "order": [0, 1]}, started(heap))


def started(heap: int) -> Json:
    return {"type": "started", "stones": heap, "seats": [0, 1]}


def taken(seat: int, count: int) -> Json:
    return {"type": "taken", "seat": seat, "count": count}


@pytest.fixture
def talk() -> Talk:
    return Talk(Play(seating(), itertools.count(100)))


def test_the_first_player_opens_the_table() -> None:
    opened: list[int] = []
    talk = Talk(Play(seating(opened=opened), itertools.count(100)))
    assert talk.open() == [{"type": "hello", "name": "ada"}]
    (create,) = talk.hear(**WELCOME)
    assert create == {"type": "create", "id": 100, "game": "stones", "seats": 2, "options": {"stones": 9}}
    talk.hear(type="entered", id=100, room=1000, seat=0, epoch=5, offset=1, view=talk.view(1))
    assert opened == [1000]


def test_the_others_join_it() -> None:
    talk = Talk(Play(seating(first=False), itertools.count(100)))
    talk.open()
    assert talk.hear(**WELCOME) == [{"type": "join", "id": 100, "room": 1000}]


def test_a_player_moves_in_turn_and_only_then(talk: Talk) -> None:
    (act,) = talk.start()
    assert act["type"] == "act"
    assert act["command"]["type"] == "take"
    count = act["command"]["count"]
    assert talk.update(3, taken(0, count), by=0, id=act["id"]) == []
    assert talk.hear(type="ack", id=act["id"], room=1000, epoch=5, offset=3) == []
    (second,) = talk.update(4, taken(1, 1))
    assert second["id"] > act["id"]
    assert (talk.sent, talk.acked, talk.player.moves) == (2, 1, 1)


def test_the_second_player_waits_for_the_first(talk: Talk) -> None:
    assert talk.start(seat=1) == []
    (act,) = talk.update(3, taken(0, 1))
    assert act["type"] == "act"


@pytest.mark.parametrize("ack_first", [True, False])
def test_ack_and_update_may_come_in_either_order(talk: Talk, ack_first: bool) -> None:
    (act,) = talk.start(heap=1)
    ack = {"type": "ack", "id": act["id"], "room": 1000, "epoch": 5, "offset": 3}
    if ack_first:
        talk.hear(**ack)
        assert not talk.player.over
    talk.update(3, taken(0, 1), {"type": "room.ended", "winners": [0], "names": ["ada"]}, by=0, id=act["id"])
    if not ack_first:
        assert not talk.player.over
        talk.hear(**ack)
    assert talk.player.over
    assert talk.player.told.result == {"type": "room.ended", "winners": [0], "names": ["ada"]}
    assert talk.player.told.board == {"stones": 0, "seats": [0, 1], "turn": 1, "winner": 0}
    assert talk.player.told.faults == []


def test_a_busy_answer_gets_a_new_id_after_a_nap(talk: Talk) -> None:
    (act,) = talk.start()
    assert talk.hear(type="error", id=act["id"], room=1000, code="busy/store", text="later") == []
    (again,) = talk.nap()
    assert again["command"] == act["command"]
    assert again["id"] > act["id"]
    assert talk.player.errors == {"busy/store": 1}


def test_a_busy_answer_that_names_no_request_lets_all_be_sent_again(talk: Talk) -> None:
    (act,) = talk.start()
    talk.hear(type="error", code="busy/rate", text="later")
    assert talk.nap() == [act]


def test_a_busy_answer_to_a_request_for_a_seat_is_tried_again(talk: Talk) -> None:
    talk.open()
    (create,) = talk.hear(**WELCOME)
    talk.hear(type="error", id=create["id"], code="busy/rate", text="later")
    (again,) = talk.nap()
    assert again == create | {"id": again["id"]}
    assert again["id"] > create["id"]


def test_after_a_lost_connection_the_session_is_resumed_and_the_move_sent_again_with_its_id(talk: Talk) -> None:
    (act,) = talk.start()
    assert talk.open() == [{"type": "hello", "token": "t"}]
    (resume,) = talk.hear(**WELCOME)
    assert resume == {"type": "resume", "id": resume["id"], "room": 1000, "epoch": 5, "offset": 2}
    assert talk.hear(type="resumed", id=resume["id"], room=1000, seat=0, epoch=5, offset=2) == [act]
    talk.update(3, taken(0, act["command"]["count"]), by=0, id=act["id"])
    talk.hear(type="ack", id=act["id"], room=1000, epoch=5, offset=3)
    assert talk.player.moves == 1


def test_a_move_that_may_have_arrived_keeps_its_id_when_it_is_told_busy(talk: Talk) -> None:
    (act,) = talk.start()
    talk.open()
    (resume,) = talk.hear(**WELCOME)
    talk.hear(type="resumed", id=resume["id"], room=1000, seat=0, epoch=5, offset=2)
    talk.hear(type="error", id=act["id"], code="busy/store", text="later")
    assert talk.nap() == [act]


def test_a_request_for_a_seat_is_sent_again_with_its_id_after_a_lost_connection(talk: Talk) -> None:
    talk.open()
    (create,) = talk.hear(**WELCOME)
    talk.open()
    assert talk.hear(**WELCOME) == [create]


@pytest.mark.parametrize("reason", ["trimmed", "slow"])
def test_a_view_replaces_what_was_known(talk: Talk, reason: str) -> None:
    talk.start(seat=1)
    game = {"stones": 3, "seats": [0, 1], "turn": 1, "winner": None}
    (act,) = talk.hear(type="view", room=1000, view=talk.view(20, game), reason=reason)
    assert act["type"] == "act"
    talk.update(21, taken(1, act["command"]["count"]), by=1, id=act["id"])
    assert talk.player.track is not None
    assert talk.player.track.offset == 21


def test_a_rewound_view_repeats_a_move_under_way_with_its_id() -> None:
    talk = Talk(Play(seating(), itertools.count(100)))
    (act,) = talk.start()
    game = {"stones": 9, "seats": [0, 1], "turn": 0, "winner": None}
    assert talk.hear(type="view", room=1000, view=talk.view(2, game, epoch=6), reason="rewound") == [act]


def test_a_refused_move_is_followed_by_another_one_after_a_nap(talk: Talk) -> None:
    (act,) = talk.start()
    assert talk.hear(type="error", id=act["id"], code="game/not_your_turn", text="no") == []
    (other,) = talk.nap()
    assert other["id"] > act["id"]


def test_a_request_without_an_answer_is_sent_again(talk: Talk) -> None:
    (act,) = talk.start()
    frames = [json.loads(frame) for _ in range(PATIENCE) for frame in talk.player.tick()]
    assert frames == [act]


def test_a_stopped_player_moves_no_more_and_compares_the_view(talk: Talk) -> None:
    talk.start(seat=1)
    talk.player.stopped = True
    assert talk.update(3, taken(0, 1)) == []
    (asked,) = (json.loads(frame) for frame in talk.player.settle())
    assert not talk.settled()
    game = {"stones": 8, "seats": [0, 1], "turn": 1, "winner": None}
    talk.hear(type="view", id=asked["id"], room=1000, view=talk.view(3, game))
    assert talk.settled()
    assert talk.player._findings.clean


def test_a_view_that_differs_from_the_events_is_found(talk: Talk) -> None:
    talk.start(seat=1)
    (asked,) = (json.loads(frame) for frame in talk.player.settle())
    game = {"stones": 4, "seats": [0, 1], "turn": 0, "winner": None}
    talk.hear(type="view", id=asked["id"], room=1000, view=talk.view(2, game))
    assert talk.player._findings.counts["differing"] == 1


def test_steps_that_never_came_are_found(talk: Talk) -> None:
    talk.start(seat=1)
    (asked,) = (json.loads(frame) for frame in talk.player.settle())
    game = {"stones": 8, "seats": [0, 1], "turn": 1, "winner": None}
    talk.hear(type="view", id=asked["id"], room=1000, view=talk.view(5, game))
    assert not talk.player.settled
    talk.player.unsettled()
    assert talk.player._findings.counts["holes"] == 3


def test_the_next_game_is_played_on_the_same_connection(talk: Talk) -> None:
    (act,) = talk.start(heap=1)
    talk.update(3, taken(0, 1), {"type": "room.ended", "winners": [0], "names": ["ada"]}, by=0, id=act["id"])
    talk.hear(type="ack", id=act["id"], room=1000, epoch=5, offset=3)
    (create,) = (json.loads(frame) for frame in talk.player.again(seating()))
    assert create["type"] == "create"
    assert not talk.player.over
    assert talk.player.moves == 1


def test_any_game_is_played_by_its_options() -> None:
    talk = Talk(Play(seating("chess"), itertools.count(100)))
    talk.open()
    (create,) = talk.hear(**WELCOME)
    assert create["wants"] == ["options"]
    talk.hear(type="entered", id=create["id"], room=1000, seat=0, epoch=5, offset=1, view=talk.view(1))
    offers = [{"type": "castle"}, {"type": "move", "to": "e4"}]
    (act,) = talk.update(2, {"type": "room.started", "seats": [0], "order": [0]}, options=offers)
    assert act["command"] in offers
    talk.hear(type="ack", id=act["id"], room=1000, epoch=5, offset=3)
    assert talk.sent == 1
    ended = {"type": "room.ended", "winners": [], "names": []}
    (asked,) = talk.update(3, {"type": "castled"}, ended, by=0, id=act["id"])
    assert asked == {"type": "view", "id": asked["id"], "room": 1000, "wants": ["options"]}
    talk.hear(type="view", id=asked["id"], room=1000, view=talk.view(3, {"king": "g1"}, outcome=ended))
    assert talk.player.over
    assert talk.player.told.result == ended


def test_a_refused_seat_is_a_fault(talk: Talk) -> None:
    talk.open()
    (create,) = talk.hear(**WELCOME)
    talk.hear(type="error", id=create["id"], code="room/bad_seats", text="not by that many")
    assert talk.player.over
    assert "room/bad_seats" in talk.player.told.faults[0]


def test_a_taken_name_is_changed(talk: Talk) -> None:
    talk.open()
    talk.hear(type="error", code="name/taken", text="taken")
    assert talk.nap() == [{"type": "hello", "name": "adax"}]


def test_nonsense_is_a_fault_and_not_an_exception(talk: Talk) -> None:
    talk.start()
    for frame in (b"", b"{", b"[]", b'{"type": "surprise"}', b'{"type": "update", "room": "x"}', b"\xff\xfe"):
        assert list(talk.player.receive(frame)) == []
    assert len(talk.player.told.faults) == 6


def test_a_closed_room_is_a_fault(talk: Talk) -> None:
    talk.start(seat=1)
    talk.update(3, {"type": "room.closed", "reason": "abandoned"})
    assert talk.player.over
    assert "abandoned" in talk.player.told.faults[0]


def test_a_player_leaves_an_unfinished_game_and_says_goodbye(talk: Talk) -> None:
    talk.start()
    leave, bye = (json.loads(frame) for frame in talk.player.depart())
    assert leave["type"] == "leave"
    assert bye == {"type": "bye"}
