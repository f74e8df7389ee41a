"""A session without IO: frames, replies and results in, effects out."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from gateway.cluster.room_directory import RoomDirectory
from gateway.dialects import play
from gateway.dialects.contract import Opening
from gateway.dialects.requests import CountRejection, LoginRequest
from gateway.session import requests
from gateway.session.effects import (
    Attach,
    CheckToken,
    ClaimName,
    Close,
    CloseReplaced,
    Detach,
    Draw,
    Effect,
    FindKeptRooms,
    ForgetRooms,
    IssueToken,
    NoteRoom,
    ReadGames,
    ReadNotedRooms,
    Refresh,
    RegisterSession,
    ReleaseName,
    Reposition,
    Submit,
    Withdraw,
)
from gateway.session.rates import ADDRESS_RATES, SESSION_RATES, AddressMeters, Meter, RequestRates
from gateway.session.session import Session
from gateway.session.state import ReturnByName, SessionState
from gateway.transports.close_codes import BROKEN, BYE
from shared.bus.meta import GameCard
from shared.commands import Act, Enter, Leave, Match, Say, Watch
from shared.deliveries import Reply
from shared.errors import Rejected
from shared.ids import LOBBY, CommandId, Epoch, Offset, RoomId, Seat, SessionId
from shared.room_events import RoomSpec, RoomStatus
from shared.room_views import Listing, Position

SID = SessionId("s-1")
ROOM = RoomId(1000)
CARD = GameCard("stones", "Stones", 1, (2, 3), msgspec.Raw(b"{}"), msgspec.Raw(b"{}"))
VIEW = msgspec.Raw(b'{"status":"waiting"}')


class Client:
    """A play client and its session. Effects are returned with frames decoded."""

    def __init__(self) -> None:
        self.rooms = RoomDirectory(lambda _call: None)
        self.now = 0.0
        self.addresses = AddressMeters(lambda: self.now)
        rates = RequestRates(lambda: self.now, self.addresses, "10.0.0.1")
        self.session = Session(play.DIALECT, Opening({}, self.rooms), SID, 2, rates)

    def say(self, **message: Any) -> list[Any]:
        return shown(self.session.receive(msgspec.json.encode(message)))

    def resume(self, result: object) -> list[Any]:
        return shown(self.session.resume(result))

    def answer(self, number: int, code: str = "", *, room: RoomId = ROOM, **fields: Any) -> list[Any]:
        return shown(self.session.answered(Reply(1, room, CommandId(number), code, **fields)))

    def welcomed(self) -> "Client":
        self.say(type="hello", name="ada")
        for result in (True, "a token", {"stones": CARD}):
            self.resume(result)
        return self

    def seated(self, offset: int = 3) -> "Client":
        self.welcomed().say(type="join", id=1, room=ROOM)
        for result in ((), None, 7):
            self.resume(result)
        self.answer(1, epoch=Epoch(7), offset=Offset(offset), seat=Seat(0), view=VIEW)
        return self


def shown(effects: Sequence[Effect]) -> list[Any]:
    return [msgspec.json.decode(effect) if isinstance(effect, bytes) else effect for effect in effects]


def kinds(effects: Sequence[Any]) -> list[object]:
    return [effect["type"] if isinstance(effect, dict) else type(effect) for effect in effects]


# --- hello ------------------------------------------------------------------------------------------------------------


def test_hello_claims_the_name_registers_the_session_and_issues_a_token() -> None:
    client = Client()
    assert client.say(type="hello", name="ada") == [ClaimName("ada", SID, token=True)]
    assert client.resume(True) == [RegisterSession(SID), IssueToken(SID, "ada")]
    assert client.resume("a token") == [ReadGames()]
    (welcome,) = client.resume({"stones": CARD})
    assert welcome["token"] == "a token"
    assert welcome["games"] == ["stones"]


def test_hello_with_a_taken_name_is_refused_and_counted() -> None:
    client = Client()
    client.say(type="hello", name="ada")
    counted, error = client.resume(False)
    assert counted == CountRejection("name/taken")
    assert error["code"] == "name/taken"


def test_hello_with_a_token_closes_the_older_connection_before_it_claims_the_name() -> None:
    client = Client()
    older = SessionId("s-0")
    assert client.say(type="hello", token="t") == [CheckToken("t")]
    assert client.resume((older, "ada")) == [CloseReplaced(older), ClaimName("ada", older, token=True, presented=True)]
    assert client.resume(True) == [ReadNotedRooms("ada")]
    assert client.resume((ROOM,)) == [FindKeptRooms("ada", (ROOM,))]
    assert client.resume((None,)) == [RegisterSession(older), IssueToken(older, "ada")]


def test_hello_with_a_bad_token_is_refused() -> None:
    client = Client()
    client.say(type="hello", token="t")
    assert client.resume(Rejected("token/bad"))[1]["code"] == "token/bad"


def test_a_question_that_fails_refuses_the_request() -> None:
    client = Client()
    client.say(type="hello", name="ada")
    assert shown(client.session.fail("busy/store"))[1]["code"] == "busy/store"


def test_a_login_in_another_case_does_not_release_the_claim_that_it_renews() -> None:
    state = SessionState(play.DIALECT, SID, 2, ReturnByName.ANY, "")
    for name, released in (("ann", []), ("Ann", []), ("bob", [ReleaseName("Ann", SID, keep=False)])):
        state.effects = []
        login = requests.run(state, LoginRequest(name))
        assert next(login) == ClaimName(name, SID)
        login.send(True)
        assert state.name == name
        assert state.effects == released


# --- seats ------------------------------------------------------------------------------------------------------------


def test_a_join_checks_the_room_limit_notes_the_room_and_enters_it() -> None:
    client = Client().welcomed()
    assert client.say(type="join", id=1, room=ROOM) == [ReadNotedRooms("ada")]
    assert client.resume(()) == [NoteRoom("ada", ROOM)]
    assert client.resume(None) == [Draw(2**62)]
    assert client.resume(7) == [Submit(ROOM, CommandId(1), Enter("ada", None, 7, dialect="play", token=True))]


def test_the_reply_to_a_join_is_answered_and_attaches_the_session_at_once() -> None:
    client = Client().welcomed()
    client.say(type="join", id=1, room=ROOM)
    for result in ((), None, 7):
        client.resume(result)
    entered, attach = client.answer(1, epoch=Epoch(7), offset=Offset(3), seat=Seat(0), view=VIEW)
    assert entered["type"] == "entered"
    assert isinstance(attach, Attach)
    assert attach.top == Position(Epoch(7), Offset(3))
    assert attach.attachment.seat == 0


def test_a_player_with_too_many_running_rooms_is_refused() -> None:
    client = Client().welcomed()
    client.say(type="join", id=1, room=ROOM)
    rooms = (RoomId(1), RoomId(2))
    assert client.resume(rooms) == [FindKeptRooms("ada", rooms)]
    assert client.resume((object(), object())) == [ForgetRooms("ada", ())]
    assert client.resume(None)[1]["code"] == "session/too_many_rooms"


def test_a_refused_join_removes_the_note_and_ends_there() -> None:
    client = Client().welcomed()
    client.say(type="join", id=1, room=ROOM)
    for result in ((), None, 7):
        client.resume(result)
    assert client.answer(1, "room/full") == [ForgetRooms("ada", (ROOM,))]
    assert client.resume(None)[1]["code"] == "room/full"


def test_a_join_that_was_not_sent_keeps_the_note_because_an_earlier_sending_may_have_arrived() -> None:
    client = Client().welcomed()
    client.say(type="join", id=1, room=ROOM)
    for result in ((), None, 7):
        client.resume(result)
    counted, error = client.answer(1, "busy/store")
    assert counted == CountRejection("busy/store")
    assert error["code"] == "busy/store"


def test_a_match_asks_the_lobby_under_an_id_of_its_own_per_attempt() -> None:
    client = Client().welcomed()
    client.say(type="match", id=3, game="stones")
    assert client.resume(()) == [ReadGames("stones")]
    (asked,) = client.resume({"stones": CARD})
    assert (asked.room, asked.id) == (LOBBY, 24)
    assert isinstance(asked.body, Match)
    assert client.answer(24, room=LOBBY, to=ROOM, spec=RoomSpec("stones", 2)) == [NoteRoom("ada", ROOM)]


def test_a_request_for_a_seat_whose_id_was_used_for_another_request_is_refused() -> None:
    client = Client().welcomed()
    client.say(type="match", id=3, game="stones")
    client.resume(())
    client.resume({"stones": CARD})
    refused = client.answer(24, room=LOBBY, epoch=Epoch(7), offset=Offset(3))
    assert refused[-1]["code"] == "command/bad"
    assert not client.session.closed


def test_a_game_that_no_worker_plays_is_refused() -> None:
    client = Client().welcomed()
    client.say(type="match", id=3, game="chess")
    client.resume(())
    assert client.resume({"stones": CARD})[1]["code"] == "game/unknown"


def test_requests_run_one_after_the_other_and_commands_wait_behind_them() -> None:
    client = Client().welcomed()
    client.say(type="join", id=1, room=ROOM)
    assert client.say(type="say", id=2, room=ROOM, text="hi") == []
    for result in ((), None, 7):
        client.resume(result)
    effects = client.answer(1, epoch=Epoch(7), offset=Offset(3), seat=Seat(0), view=VIEW)
    assert effects[-1] == Submit(ROOM, CommandId(2), Say("hi"))


def test_a_move_after_another_move_waits_behind_a_request_that_came_between() -> None:
    client = Client().seated()
    client.say(type="act", id=10, room=ROOM, command={})
    client.say(type="view", id=11, room=ROOM)
    assert client.say(type="act", id=12, room=ROOM, command={}) == []
    assert [effect.id for effect in client.answer(11, view=VIEW) if isinstance(effect, Submit)] == [12]
    assert kinds(client.say(type="act", id=13, room=ROOM, command={})) == [Submit]


def test_more_requests_than_may_wait_are_refused() -> None:
    client = Client().welcomed()
    for number in range(256):
        client.say(type="join", id=number + 1, room=ROOM)
    assert client.say(type="join", id=257, room=ROOM)[1]["code"] == "busy/rate"


def test_a_request_that_breaks_closes_the_connection() -> None:
    client = Client().welcomed()
    client.say(type="match", id=3, game="stones")
    client.resume(())
    assert client.resume(None) == [Close(BROKEN)]
    assert client.session.closed


# --- commands ---------------------------------------------------------------------------------------------------------


def test_a_move_is_one_effect() -> None:
    client = Client().seated()
    effects = client.say(type="act", id=5, room=ROOM, command={"type": "take"})
    assert effects == [Submit(ROOM, CommandId(5), Act(msgspec.Raw(b'{"type":"take"}')))]


def test_a_move_is_acknowledged_with_its_step() -> None:
    client = Client().seated()
    client.say(type="act", id=5, room=ROOM, command={})
    acknowledged = client.answer(5, epoch=Epoch(7), offset=Offset(4))
    assert acknowledged == [{"type": "ack", "id": 5, "room": ROOM, "epoch": 7, "offset": 4}]


def test_a_refused_move_is_counted_and_answered() -> None:
    client = Client().seated()
    client.say(type="act", id=5, room=ROOM, command={})
    counted, error = client.answer(5, "game/over")
    assert counted == CountRejection("game/over")
    assert (error["id"], error["code"]) == (5, "game/over")


# --- leaving and going ------------------------------------------------------------------------------------------------


def test_leaving_detaches_and_forgets_the_room_before_it_is_acknowledged() -> None:
    client = Client().seated()
    assert client.say(type="leave", id=2, room=ROOM) == [Submit(ROOM, CommandId(2), Leave())]
    detach, forget = client.answer(2, epoch=Epoch(7), offset=Offset(4))
    assert isinstance(detach, Detach)
    assert not detach.gone
    assert forget == ForgetRooms("ada", (ROOM,))
    assert kinds(client.resume(None)) == ["ack"]


def test_bye_frees_the_name_and_closes() -> None:
    client = Client().welcomed()
    assert client.say(type="bye") == [ReleaseName("ada", SID, keep=False), Close(BYE)]
    assert client.say(type="ping") == []


def test_a_lost_client_is_detached_as_gone_and_its_name_is_reserved() -> None:
    client = Client().seated()
    detach, release = client.session.depart(())
    assert isinstance(detach, Detach)
    assert detach.gone
    assert release == ReleaseName("ada", SID, keep=True)


def test_a_lost_client_is_withdrawn_from_rooms_that_it_was_about_to_enter() -> None:
    client = Client().welcomed()
    assert Withdraw(ROOM) in client.session.depart((ROOM,))


def test_a_name_that_was_being_claimed_is_released_with_the_connection() -> None:
    client = Client()
    client.say(type="hello", name="ada")
    assert client.session.depart(()) == [ReleaseName("ada", SID, keep=True)]


@pytest.mark.parametrize(("code", "effects"), [("", [Withdraw(ROOM)]), ("room/full", [])])
def test_a_room_that_a_closed_session_has_entered_is_withdrawn_from(code: str, effects: list[Effect]) -> None:
    client = Client().welcomed()
    client.say(type="join", id=1, room=ROOM)
    for result in ((), None, 7):
        client.resume(result)
    client.session.close(BYE)
    assert client.answer(1, code) == effects


# --- views ------------------------------------------------------------------------------------------------------------


def test_a_view_of_a_room_waits_for_the_steps_that_it_shows() -> None:
    client = Client().seated(offset=3)
    assert client.say(type="view", id=9, room=ROOM) == [Submit(ROOM, CommandId(9), Watch())]
    (attach,) = client.answer(9, epoch=Epoch(7), offset=Offset(5), seat=Seat(0), view=VIEW)
    assert isinstance(attach, Attach)
    assert attach.attachment.offset == 3
    assert kinds(shown(client.session.views_due(attach.attachment))) == ["view"]


def test_a_requested_view_of_an_earlier_step_than_the_client_has_seen_is_rewound() -> None:
    client = Client().seated(offset=5)
    client.say(type="view", id=9, room=ROOM)
    view, _attach = client.answer(9, epoch=Epoch(7), offset=Offset(3), seat=Seat(0), view=VIEW)
    assert (view["id"], view["offset"], view["reason"]) == (9, 3, "rewound")


def test_a_view_of_the_step_that_the_client_has_seen_has_no_reason() -> None:
    client = Client().seated(offset=5)
    client.say(type="view", id=9, room=ROOM)
    view, _attach = client.answer(9, epoch=Epoch(7), offset=Offset(5), seat=Seat(0), view=VIEW)
    assert "reason" not in view


def test_a_view_of_another_step_of_the_number_that_the_client_has_seen_is_rewound() -> None:
    client = Client().seated(offset=5)
    client.say(type="view", id=9, room=ROOM)
    view, _attach = client.answer(9, epoch=Epoch(8), offset=Offset(5), seat=Seat(0), view=VIEW)
    assert view["reason"] == "rewound"


def test_a_player_who_enters_a_room_that_was_given_the_number_of_a_lost_one_learns_of_the_loss() -> None:
    client = Client().seated(offset=5)
    client.say(type="join", id=9, room=ROOM)
    for result in ((), None, 7):
        client.resume(result)
    entered, _attach = client.answer(9, epoch=Epoch(8), offset=Offset(2), seat=Seat(1), view=VIEW)
    assert (entered["type"], entered["offset"], entered["reason"]) == ("entered", 2, "rewound")


def test_a_player_who_enters_a_room_again_is_given_no_reason() -> None:
    client = Client().seated(offset=5)
    client.say(type="join", id=9, room=ROOM)
    for result in ((), None, 7):
        client.resume(result)
    entered, _attach = client.answer(9, epoch=Epoch(7), offset=Offset(5), seat=Seat(0), view=VIEW)
    assert "reason" not in entered


@pytest.mark.parametrize(
    ("offset", "rewound", "reason"), [(3, False, "rewound"), (9, True, "rewound"), (9, False, "slow")]
)
def test_a_slow_client_whose_steps_the_store_has_lost_gets_a_rewound_view(
    offset: int, rewound: bool, reason: str
) -> None:
    client = Client().seated(offset=5)
    (attachment,) = client.session.state.attachments
    client.session.missed(attachment)
    attachment.rewound = rewound
    client.session.caught_up()
    attachment.refresh_id = CommandId(-1)
    _reposition, view = client.answer(-1, epoch=Epoch(7), offset=Offset(offset), seat=Seat(0), view=VIEW)
    assert view["reason"] == reason


def test_a_lost_position_asks_for_a_fresh_view_and_goes_on_from_there() -> None:
    client = Client().seated()
    (attachment,) = client.session.state.attachments
    _counted, refresh = client.session.position_lost(attachment, "trimmed")
    assert refresh == Refresh(attachment)
    attachment.refresh_id = CommandId(-1)
    reposition, view = client.answer(-1, epoch=Epoch(8), offset=Offset(6), seat=Seat(0), view=VIEW)
    assert reposition == Reposition(attachment, Position(Epoch(8), Offset(6)))
    assert view["reason"] == "trimmed"


def test_a_client_whose_room_the_store_has_lost_is_told_and_detached() -> None:
    client = Client().seated()
    (attachment,) = client.session.state.attachments
    client.session.position_lost(attachment, "rewound")
    attachment.refresh_id = CommandId(-1)
    effects = client.answer(-1, code="room/unknown", text="there is no such room")
    (error,) = [effect for effect in effects if isinstance(effect, dict)]
    assert (error["type"], error["code"], error["room"]) == ("error", "room/unknown", ROOM)
    assert list(client.session.state.attachments) == []


def test_a_view_that_an_earlier_attachment_has_asked_for_is_not_sent() -> None:
    client = Client().seated()
    (attachment,) = client.session.state.attachments
    client.session.position_lost(attachment, "trimmed")
    attachment.refresh_id = CommandId(-2)
    assert client.answer(-1, epoch=Epoch(8), offset=Offset(6)) == []


# --- rates ------------------------------------------------------------------------------------------------------------


def codes(effects: Sequence[Any]) -> list[str]:
    """The codes of the errors that the client is sent."""
    return [effect["code"] for effect in effects if isinstance(effect, dict) and effect["type"] == "error"]


@pytest.mark.parametrize(
    ("meter", "message"),
    [
        (Meter.SAY, {"type": "say", "room": ROOM, "text": "hello"}),
        (Meter.LIST, {"type": "rooms"}),
    ],
)
def test_requests_beyond_their_rate_are_refused_and_submit_nothing(meter: Meter, message: dict[str, Any]) -> None:
    client = Client().seated()
    burst = SESSION_RATES[meter].burst
    for number in range(burst):
        assert codes(client.say(id=10 + number, **message)) == []
    effects = client.say(id=1_000, **message)
    assert kinds(effects) == [CountRejection, "error"]
    assert effects[1]["code"] == "busy/rate"
    assert effects[1]["id"] == 1_000
    client.now += 1.0
    assert codes(client.say(id=1_001, **message)) == []


@pytest.mark.parametrize(
    ("meter", "message"),
    [
        (Meter.CREATE, {"type": "create", "game": "stones", "seats": 2}),
        (Meter.CREATE, {"type": "rematch", "room": ROOM}),
        (Meter.MATCH, {"type": "match", "game": "stones"}),
        (Meter.VIEW, {"type": "view", "room": ROOM}),
        (Meter.VIEW, {"type": "spectate", "room": ROOM}),
        (Meter.RESUME, {"type": "resume", "room": ROOM, "epoch": 7, "offset": 3}),
    ],
)
def test_requests_that_wait_for_their_turn_are_counted_when_they_arrive(meter: Meter, message: dict[str, Any]) -> None:
    client = Client().seated()
    burst = SESSION_RATES[meter].burst
    refused = [codes(client.say(id=10 + number, **message)) for number in range(burst + 3)]
    assert refused == [[]] * burst + [["busy/rate"]] * 3


def test_moves_at_the_own_table_have_no_rate_of_their_own() -> None:
    client = Client().seated()
    for number in range(3_000):
        assert kinds(client.say(type="act", id=10 + number, room=ROOM, command={})) == [Submit]


def miss(client: Client, number: int, **message: Any) -> list[Any]:
    """Ask for a room that does not exist; returns the effects of the answer, or of the refusal before it was asked."""
    effects = client.say(id=number, room=5_000 + number, **message)
    if codes(effects):
        return effects
    while not isinstance(effects[-1], Submit):
        effects = client.resume(7 if isinstance(effects[-1], Draw) else ())
    effects = client.answer(number, "room/unknown", room=RoomId(5_000 + number))
    return client.resume(None) if isinstance(effects[-1], ForgetRooms) else effects


@pytest.mark.parametrize(
    "message", [{"type": "join"}, {"type": "spectate"}, {"type": "view"}, {"type": "leave"}, {"type": "rematch"}]
)
def test_a_client_that_asks_for_rooms_that_do_not_exist_is_refused_before_a_command_is_added(
    message: dict[str, Any],
) -> None:
    client = Client().welcomed()
    missed = []
    for number in range(1, 31):
        client.now += 0.1
        missed.append(codes(miss(client, number, **message)))
    assert missed[:20] == [["room/unknown"]] * 20
    assert missed[22:] == [["busy/rate"]] * 8
    client.now += 60.0
    assert codes(miss(client, 100, **message)) == ["room/unknown"]


def test_moves_in_rooms_where_the_client_has_no_seat_are_guesses_too() -> None:
    client = Client().seated()
    effects = [client.say(type="act", id=10 + number, room=5_000 + number, command={}) for number in range(30)]
    assert [kinds(some) for some in effects] == [[Submit]] * 20 + [[CountRejection, "error"]] * 10
    assert codes(effects[-1]) == ["busy/rate"]
    assert kinds(client.say(type="act", id=100, room=ROOM, command={})) == [Submit]


def test_moves_in_a_room_that_the_client_has_lost_its_seat_in_are_guesses() -> None:
    client = Client().seated()
    assert kinds(client.say(type="act", id=10, room=ROOM, command={})) == [Submit]
    attachment = client.session.state.attachments.get(ROOM)
    assert attachment is not None
    client.session.seat_lost(attachment, "removed")
    effects = [client.say(type="act", id=11 + number, room=ROOM, command={}) for number in range(21)]
    assert codes(effects[-1]) == ["busy/rate"]


def test_a_client_that_has_guessed_too_often_can_join_listed_rooms() -> None:
    client = Client().welcomed()
    for number in range(1, 25):
        miss(client, number, type="join")
    client.rooms.gathered([Listing(RoomId(7), "stones", 2, RoomStatus.WAITING)])
    assert codes(client.say(type="join", id=100, room=7)) == []


def test_a_player_may_resume_although_others_at_the_address_have_guessed_too_often() -> None:
    client = Client().welcomed()
    for _ in range(ADDRESS_RATES[Meter.MISS].burst):
        client.addresses.take("10.0.0.1", Meter.MISS)
    assert codes(client.say(type="join", id=2, room=ROOM)) == ["busy/rate"]
    assert kinds(client.say(type="resume", id=3, room=ROOM, epoch=7, offset=3)) == [Submit]
