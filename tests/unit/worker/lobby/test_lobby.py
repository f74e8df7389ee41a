"""The lobby: numbers for rooms, and seats for players who come at once."""

import msgspec
import pytest

from shared.acts import ActKind, AuditEntry, OperatorAct
from shared.bus.journal import StoredRoom
from shared.commands import Envelope, Gone, Listed, Match, Open, Operate, RoomCommand
from shared.deliveries import Reply
from shared.ids import LOBBY, CommandId, Epoch, GatewayId, Offset, RoomId, SessionId
from shared.journal_records import Acted, JournalEntry
from shared.results import Result, Snapshot
from shared.room_events import RoomSpec
from tests.support.batches import entry_of
from worker.lobby.lobby import RESERVED_MS, SNAPSHOT_EVERY, Lobby

STONES = RoomSpec("stones", 2)
WANTED = Match("stones", open=STONES)
PRIVATE = RoomId(123_456_789)
KEPT_MS = 300_000


class Bench:
    def __init__(self) -> None:
        self.lobby = Lobby(Epoch(1), StoredRoom(None, ()), KEPT_MS)
        self.now_ms = 1_000
        self.records: list[JournalEntry] = []
        self.snapshot: Snapshot | None = None
        self.result = Result(LOBBY)
        self._ids = 0

    def ask(self, who: str, body: RoomCommand, command: int | None = None) -> Reply:
        if command is None:
            command = self._ids = self._ids + 1
        self._handle(Envelope(LOBBY, SessionId(who), CommandId(command), body, GatewayId("g"), 1))
        assert self.result.reply is not None
        return self.result.reply

    def room(self, who: str, body: RoomCommand = WANTED, command: int | None = None) -> RoomId | None:
        return self.ask(who, body, command).to

    def listed(self, room: RoomId, offset: int, free: int, *sids: str, spec: RoomSpec = STONES) -> None:
        there = tuple(map(SessionId, sids))
        body = Listed(room, Offset(offset), spec, free, self.now_ms, there)
        self._handle(Envelope(LOBBY, SessionId(""), CommandId(0), body))

    def reload(self) -> Lobby:
        if self.snapshot is None:
            return Lobby(Epoch(2), StoredRoom(None, tuple(self.records)), KEPT_MS)
        kept = tuple(entry for entry in self.records if entry[0] > self.snapshot.offset)
        return Lobby(Epoch(2), StoredRoom(self.snapshot.body, kept), KEPT_MS)

    def _handle(self, envelope: Envelope) -> None:
        self.result = self.lobby.handle(envelope, self.now_ms)
        self.records += map(entry_of, self.result.records)
        self.snapshot = self.result.more.snapshot or self.snapshot


def test_rooms_are_numbered_from_a_thousand_up() -> None:
    bench = Bench()
    assert [bench.room("ada", Open(STONES, PRIVATE)) for _ in range(3)] == [1000, 1001, 1002]


def test_a_private_room_has_the_number_that_was_drawn_for_it() -> None:
    assert Bench().room("ada", Open(RoomSpec("stones", 2, private=True), PRIVATE)) == PRIVATE


def test_a_private_room_uses_up_no_number() -> None:
    bench = Bench()
    bench.room("ada", Open(RoomSpec("stones", 2, private=True), PRIVATE))
    assert bench.room("ada", Open(STONES, PRIVATE)) == 1000


def test_a_private_room_is_never_matched() -> None:
    bench = Bench()
    private = RoomSpec("stones", 2, private=True)
    bench.ask("ada", Open(private, PRIVATE))
    assert bench.room("bob", Match("stones", open=STONES)) == 1000


def test_two_players_who_come_at_once_meet_at_one_table() -> None:
    bench = Bench()
    assert bench.room("ada") == bench.room("bob")


def test_the_second_player_gets_the_spec_in_case_the_first_has_not_opened_the_table() -> None:
    bench = Bench()
    bench.ask("ada", WANTED)
    assert bench.ask("bob", Match("stones")).spec == STONES


def test_a_third_gets_a_table_of_his_own() -> None:
    bench = Bench()
    assert [bench.room(who) for who in ("ada", "bob", "eve", "joe")] == [1000, 1000, 1001, 1001]


def test_without_a_waiting_table_a_match_that_may_not_open_one_is_refused() -> None:
    assert Bench().ask("ada", Match("stones")).code == "lobby/no_table"


def test_the_oldest_table_is_filled_first() -> None:
    bench = Bench()
    for who in ("ada", "bob"):
        bench.room(who, Open(STONES, PRIVATE))
        bench.now_ms += 10
    assert bench.room("eve") == 1000


def test_a_table_of_another_game_does_not_fit() -> None:
    bench = Bench()
    bench.room("ada")
    assert bench.ask("bob", Match("codex")).code == "lobby/no_table"


def test_a_table_of_another_size_does_not_fit() -> None:
    bench = Bench()
    bench.room("ada")
    assert bench.ask("bob", Match("stones", 3)).code == "lobby/no_table"


def test_a_table_with_other_options_does_not_fit() -> None:
    bench = Bench()
    bench.room("ada", Match("stones", open=RoomSpec("stones", 2, {"stones": 9})))
    assert bench.ask("bob", Match("stones", options={"stones": 8})).code == "lobby/no_table"


def test_options_that_the_player_left_open_do_not_matter() -> None:
    bench = Bench()
    bench.room("ada", Match("stones", open=RoomSpec("stones", 2, {"stones": 9})))
    assert bench.room("bob", Match("stones")) == 1000


def test_a_table_of_one_dialect_is_for_that_dialect() -> None:
    bench = Bench()
    bench.room("ada", Match("stones", dialect="snarl", open=RoomSpec("stones", 2, only="snarl")))
    assert bench.ask("bob", Match("stones", dialect="play")).code == "lobby/no_table"
    assert bench.room("eve", Match("stones", dialect="snarl")) == 1000


def test_a_player_who_was_refused_at_a_table_is_sent_to_another() -> None:
    bench = Bench()
    bench.room("ada")
    assert bench.room("bob", Match("stones", open=STONES, avoid=(RoomId(1000),))) == 1001


def test_a_reservation_runs_out() -> None:
    bench = Bench()
    bench.room("ada")
    bench.listed(RoomId(1000), 1, 1, "ada")
    bench.room("bob")
    bench.now_ms += RESERVED_MS
    assert bench.room("eve") == 1000


def test_a_reservation_lasts_a_moment() -> None:
    bench = Bench()
    bench.room("ada")
    bench.listed(RoomId(1000), 1, 1, "ada")
    bench.room("bob")
    bench.now_ms += RESERVED_MS - 1
    assert bench.room("eve") == 1001


def test_a_seated_player_needs_no_reservation() -> None:
    bench = Bench()
    bench.room("ada")
    bench.listed(RoomId(1000), 1, 1, "ada")
    assert bench.room("bob") == 1000


def test_a_player_who_asks_again_keeps_the_reservation() -> None:
    bench = Bench()
    bench.room("ada")
    bench.room("bob")
    assert bench.room("bob") == 1000


def test_a_full_table_waits_no_more() -> None:
    bench = Bench()
    bench.room("ada")
    bench.listed(RoomId(1000), 3, 0)
    assert bench.room("bob") == 1001


def test_a_table_that_was_not_opened_in_time_is_forgotten() -> None:
    bench = Bench()
    bench.room("ada", Open(RoomSpec("stones", 99), PRIVATE))
    bench.now_ms += RESERVED_MS
    assert bench.room("bob") == 1001


def test_old_news_of_a_table_change_nothing() -> None:
    bench = Bench()
    bench.listed(RoomId(1001), 5, 1)
    bench.listed(RoomId(1001), 4, 0)
    assert bench.room("bob") == 1001


def test_a_seat_that_became_free_again_is_matched() -> None:
    bench = Bench()
    bench.room("ada")
    bench.listed(RoomId(1000), 2, 1, "ada")
    assert bench.room("bob") == 1000


# --- once -------------------------------------------------------------------------------------------------------------


def test_the_same_question_gets_the_same_answer() -> None:
    bench = Bench()
    assert bench.ask("ada", WANTED, 7) == bench.ask("ada", WANTED, 7)


def test_the_same_question_uses_up_no_number() -> None:
    bench = Bench()
    for _ in range(3):
        bench.ask("ada", Open(STONES, PRIVATE), 7)
    assert bench.room("ada", Open(STONES, PRIVATE), 8) == 1001


def test_the_same_question_gets_the_same_answer_from_the_next_owner() -> None:
    bench = Bench()
    first = bench.ask("ada", WANTED, 7)
    bench.lobby = bench.reload()
    assert bench.ask("ada", WANTED, 7) == first


def test_an_older_question_is_not_answered() -> None:
    bench = Bench()
    bench.ask("ada", WANTED, 7)
    assert bench.ask("ada", WANTED, 6).code == "command/too_old"


def test_a_command_that_is_not_for_the_lobby_is_refused() -> None:
    assert Bench().ask("ada", Gone()).code == "room/unknown"


# --- coming back ------------------------------------------------------------------------------------------------------


def busy() -> Bench:
    bench = Bench()
    for number in range(30):
        who = f"p{number}"
        room = bench.room(who)
        assert room is not None
        bench.now_ms += 100
        if number % 3 == 0:
            bench.listed(room, number + 1, number % 2, who)
    return bench


def test_a_lobby_that_is_loaded_again_is_the_same() -> None:
    bench = busy()
    assert bench.reload().state == bench.lobby.state


def test_a_lobby_that_is_loaded_from_a_snapshot_is_the_same() -> None:
    bench = busy()
    while bench.snapshot is None:
        bench.room(f"q{bench.now_ms}")
        bench.now_ms += 100
    bench.room("last")
    assert bench.reload().state == bench.lobby.state


@pytest.mark.parametrize("times", [SNAPSHOT_EVERY])
def test_a_snapshot_forgets_tables_that_were_never_opened(times: int) -> None:
    bench = Bench()
    for number in range(times):
        bench.room(f"p{number}", Open(STONES, PRIVATE))
        bench.now_ms += RESERVED_MS
    assert len(bench.lobby.state.tables) == 1


LARGE = "B" * 60_000


@pytest.mark.parametrize("private", [True, False])
def test_specs_of_rooms_that_wait_no_more_are_not_kept(private: bool) -> None:
    bench = Bench()
    for number in range(SNAPSHOT_EVERY):
        spec = RoomSpec("stones", 2, {"x": LARGE}, private=private)
        room = bench.room(f"p{number}", Open(spec, RoomId(PRIVATE + number)))
        assert room is not None
        if not private:
            bench.listed(room, 1, 0, spec=RoomSpec("", 0))
    assert bench.snapshot is not None
    assert len(bench.snapshot.body) < len(LARGE)
    assert len(msgspec.json.encode(bench.lobby.state)) < len(LARGE)


@pytest.mark.parametrize("body", [WANTED, Open(STONES, PRIVATE)])
@pytest.mark.parametrize("free", [1, 0])
def test_the_same_question_gets_the_same_answer_once_the_room_is_open(body: RoomCommand, free: int) -> None:
    bench = Bench()
    first = bench.ask("ada", body, 7)
    bench.listed(RoomId(1000), 1, free, "ada")
    bench.lobby = bench.reload()
    assert bench.ask("ada", body, 7) == first


def test_a_repeated_request_for_a_private_room_gets_the_same_one() -> None:
    bench = Bench()
    private = RoomSpec("stones", 2, private=True)
    first = bench.ask("ada", Open(private, PRIVATE), 7)
    bench.lobby = bench.reload()
    assert bench.ask("ada", Open(private, RoomId(PRIVATE + 1)), 7) == first


def test_a_repeated_match_to_a_table_that_waits_no_more_gets_the_requested_spec() -> None:
    bench = Bench()
    bench.room("ada", Open(RoomSpec("stones", 2, {"stones": 9}), PRIVATE))
    assert bench.ask("bob", WANTED, 7).spec == RoomSpec("stones", 2, {"stones": 9})
    bench.listed(RoomId(1000), 1, 0)
    again = bench.ask("bob", WANTED, 7)
    assert (again.to, again.spec) == (1000, STONES)


def test_reservations_that_were_not_used_are_forgotten() -> None:
    bench = Bench()
    room = bench.room("ada")
    assert room is not None
    bench.listed(room, 1, 1, "ada")
    for number in range(50):
        assert bench.room(f"passer-by {number}") == room
        bench.now_ms += RESERVED_MS
    assert len(bench.lobby.state.tables[room].reserved) == 1
    assert bench.reload().state.tables == bench.lobby.state.tables


def test_a_request_that_is_repeated_late_cannot_open_its_room_again() -> None:
    bench = Bench()
    private = Open(RoomSpec("stones", 2, private=True), PRIVATE)
    bench.ask("ada", private, 7)
    bench.now_ms += KEPT_MS - 1
    assert bench.ask("ada", private, 7).spec == private.spec
    bench.now_ms += 1
    assert bench.ask("ada", private, 7).to == PRIVATE
    assert bench.ask("ada", private, 7).spec is None


def test_a_lobby_that_is_loaded_again_knows_when_it_has_answered() -> None:
    bench = Bench()
    private = Open(RoomSpec("stones", 2, private=True), PRIVATE)
    bench.ask("ada", private, 7)
    bench.lobby = bench.reload()
    assert bench.ask("ada", private, 7).spec == private.spec
    bench.now_ms += KEPT_MS
    assert bench.ask("ada", private, 7).spec is None


def test_a_request_that_is_repeated_late_is_led_to_its_table_while_that_waits() -> None:
    bench = Bench()
    room = bench.room("ada", Open(STONES, PRIVATE), 7)
    assert room is not None
    bench.listed(room, 1, 1, "ada")
    bench.now_ms += KEPT_MS
    assert bench.ask("ada", Open(STONES, PRIVATE), 7).spec == STONES


def drain(act: str = "a-1", kind: ActKind = ActKind.DRAIN) -> Operate:
    return Operate(OperatorAct(act, kind, "olga", "upgrade", "w-1"))


def test_an_act_that_concerns_no_room_is_journaled_and_audited_once() -> None:
    bench = Bench()
    assert bench.ask("", drain()).code == ""
    assert bench.result.more.audit == AuditEntry(bench.now_ms, LOBBY, Offset(1), 0, drain().act)
    assert bench.records[0][2].notes == (Acted(drain().act),)
    bench.lobby = bench.reload()
    assert bench.ask("", drain()).code == ""
    assert len(bench.records) == 1


def test_the_lobby_remembers_acts_in_its_snapshot() -> None:
    bench = Bench()
    for number in range(SNAPSHOT_EVERY):
        bench.ask("", drain(f"a-{number}"))
    bench.lobby = bench.reload()
    assert bench.ask("", drain(f"a-{SNAPSHOT_EVERY - 1}")).code == ""
    assert bench.result.records == []


def test_the_lobby_refuses_acts_on_rooms() -> None:
    bench = Bench()
    assert bench.ask("", drain(kind=ActKind.CLOSE)).code == "command/bad"
    assert bench.records == []
