"""A partition in the memory of its owner: what goes wrong in one room does not harm the others."""

import msgspec

from shared.bus.journal import StoredRoom
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.commands import Enter, Envelope, Leave, Match, RoomCommand, Watch
from shared.ids import LOBBY, CommandId, Epoch, GatewayId, Offset, Partition, RoomId, SessionId
from shared.journal_records import JournalRecord
from shared.results import Result
from shared.room_events import RoomSpec
from tests.support.batches import entry_of, replies_for, steps_for
from tests.support.room_bench import CATALOG, SETTINGS, act, take
from tests.support.toys import Guess, Poison
from worker.partitions.partition import OwnedPartition

GOOD, BAD = RoomId(1000), RoomId(1004)
G1 = GatewayId("g-1")
EMPTY = StoredRoom(None, ())


class Bench:
    def __init__(self) -> None:
        lease = Lease(Epoch(7), "w:7:x", "5-0", 0)
        self.partition = OwnedPartition(Partition(0), Keys(Partition(0), 4), lease, CATALOG, SETTINGS)
        self._ids = 0
        for room in (GOOD, BAD):
            self.partition.load(room, EMPTY)
            for who in ("ada", "bob"):
                self.handle(self.say(room, who, Enter(who, RoomSpec("toy", 2))))

    def say(self, room: RoomId, who: str, body: RoomCommand) -> Envelope:
        self._ids += 1
        return Envelope(room, SessionId(who), CommandId(self._ids), body, G1, 1)

    def handle(self, *envelopes: Envelope) -> list[Result]:
        return self.partition.handle([("1000-0", envelopes)])


def codes(results: list[Result]) -> list[str]:
    return [reply.code for reply in replies_for(results, G1)]


def test_a_room_that_breaks_is_quarantined() -> None:
    bench = Bench()
    bench.handle(bench.say(BAD, "ada", act(Poison())))
    assert bench.partition.quarantined == {BAD}


def test_the_player_whose_command_broke_a_room_gets_a_refusal() -> None:
    bench = Bench()
    assert codes(bench.handle(bench.say(BAD, "ada", act(Poison())))) == ["room/quarantined"]


def test_other_rooms_of_the_batch_go_on() -> None:
    bench = Bench()
    results = bench.handle(
        bench.say(GOOD, "ada", act(Guess(1))),
        bench.say(BAD, "ada", act(Poison())),
        bench.say(GOOD, "bob", act(Guess(1))),
    )
    done = [step.done.id for step in steps_for(results, G1) if step.done is not None]
    assert codes(results) == ["room/quarantined"]
    assert len(done) == 2


def test_the_steps_of_a_room_before_it_broke_are_kept() -> None:
    bench = Bench()
    results = bench.handle(bench.say(BAD, "ada", act(Guess(1))), bench.say(BAD, "bob", act(Poison())))
    assert [entry_of(filed)[:2] for result in results for filed in result.records] == [(4, 0)]


def test_the_step_that_broke_a_room_is_not_written() -> None:
    bench = Bench()
    results = bench.handle(bench.say(BAD, "ada", act(Poison())))
    (result,) = results
    assert result.records == []
    assert result.more.deadlines == ()
    assert result.more.quarantine


def test_a_quarantined_room_answers_that_it_is() -> None:
    bench = Bench()
    bench.handle(bench.say(BAD, "ada", act(Poison())))
    assert codes(bench.handle(bench.say(BAD, "bob", Watch()))) == ["room/quarantined"]


def test_a_quarantined_room_is_not_loaded_again() -> None:
    bench = Bench()
    bench.handle(bench.say(BAD, "ada", act(Poison())))
    assert bench.partition.missing([("1-0", (bench.say(BAD, "bob", Watch()),))]) == []


def test_a_room_that_cannot_be_loaded_is_quarantined() -> None:
    bench = Bench()
    record = JournalRecord(1, Epoch(1), events=msgspec.Raw(b'[{"type":"what"}]'))
    wrong = bench.partition.load(RoomId(1008), StoredRoom(None, ((Offset(1), 0, record),)))
    assert wrong
    assert bench.partition.quarantined == {RoomId(1008)}


def test_a_room_whose_journal_cannot_be_read_is_quarantined() -> None:
    bench = Bench()
    wrong = bench.partition.load(RoomId(1008), StoredRoom(None, (), "it is torn"))
    assert "it is torn" in wrong
    assert bench.partition.quarantined == {RoomId(1008)}


def test_a_lobby_that_cannot_be_loaded_refuses_and_harms_no_room() -> None:
    bench = Bench()
    bench.partition.load(LOBBY, StoredRoom(b"torn", ()))
    match = bench.say(LOBBY, "ada", Match("toy"))
    results = bench.handle(match, bench.say(GOOD, "ada", Watch()))
    assert codes(results) == ["internal", ""]
    assert bench.partition.missing([("1001-0", (match,))]) == []


def test_rooms_are_loaded_when_they_are_needed() -> None:
    bench = Bench()
    asked = (bench.say(RoomId(1008), "ada", Watch()), bench.say(GOOD, "ada", Watch()), bench.say(LOBBY, "ada", Watch()))
    assert bench.partition.missing([("1-0", asked)]) == [1008, LOBBY]


def test_a_room_that_was_never_opened_does_not_stay_in_memory() -> None:
    bench = Bench()
    bench.partition.load(RoomId(1008), EMPTY)
    watch = bench.say(RoomId(1008), "ada", Watch())
    results = bench.handle(watch, watch)
    assert codes(results) == ["room/unknown", "room/unknown"]
    bench.partition.committed(bench.partition.encode(results, "9-0"))
    assert RoomId(1008) not in bench.partition.rooms


def test_a_commit_goes_on_from_where_the_stream_was() -> None:
    bench = Bench()
    commit = bench.partition.encode(bench.handle(), "9-0")
    assert commit.before == "5-0"
    assert commit.after == "9-0"


def test_a_committed_batch_moves_the_cursor_and_the_numbers() -> None:
    bench = Bench()
    bench.partition.committed(bench.partition.encode(bench.handle(bench.say(GOOD, "ada", Watch())), "9-0"))
    assert bench.partition.cursor == "9-0"
    assert bench.partition.numbers == {G1: 1}
    assert bench.partition.gateways == {G1}


def test_a_batch_that_was_not_committed_moves_nothing() -> None:
    bench = Bench()
    bench.partition.encode(bench.handle(bench.say(GOOD, "ada", Watch())), "9-0")
    assert bench.partition.cursor == "5-0"
    assert bench.partition.numbers == {}


def test_running_rooms_stay_in_memory() -> None:
    bench = Bench()
    bench.partition.evict(10**15, 0)
    assert set(bench.partition.rooms) == {GOOD, BAD}


def test_rooms_that_are_over_and_idle_leave_memory() -> None:
    bench = Bench()
    over = RoomId(1008)
    bench.partition.load(over, EMPTY)
    for who in ("ada", "bob"):
        bench.handle(bench.say(over, who, Enter(who, RoomSpec("stones", 2, {"stones": 1}))))
    bench.handle(bench.say(over, "ada", take(1)))
    bench.partition.evict(1_001, 0)
    assert over not in bench.partition.rooms


def test_rooms_that_have_left_the_store_leave_memory_even_if_they_are_watched() -> None:
    bench = Bench()
    closed = RoomId(1008)
    bench.partition.load(closed, EMPTY)
    bench.handle(bench.say(closed, "ada", Enter("ada", RoomSpec("stones", 2))))
    bench.handle(bench.say(closed, "ada", Leave()))
    expires_ms = bench.partition.rooms[closed].expires_ms
    assert expires_ms == 1_000 + bench.partition.settings.keep_unplayed_ms
    bench.partition.evict(0, expires_ms - 1)
    assert closed in bench.partition.rooms
    bench.partition.evict(0, expires_ms)
    assert closed not in bench.partition.rooms


def test_a_lobby_that_breaks_refuses_the_command_and_is_loaded_again() -> None:
    bench = Bench()
    bench.partition.load(LOBBY, EMPTY)
    lobby = bench.partition.lobby
    assert lobby is not None
    lobby.state.tables[RoomId(1)] = None  # type: ignore[assignment]
    match = bench.say(LOBBY, "ada", Match("toy"))
    results = bench.handle(match)
    assert codes(results) == ["internal"]
    assert [result.records for result in results] == [[]]
    assert bench.partition.missing([("1001-0", (match,))]) == [LOBBY]
