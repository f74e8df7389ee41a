"""Freeing a quarantined room: it is loaded for the operator's act, and goes on if that works."""

import msgspec

from shared.acts import ActKind, OperatorAct
from shared.bus.journal import StoredRoom
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.outages import Outage
from shared.commands import Enter, Envelope, Operate, RoomCommand, Watch
from shared.ids import CommandId, Epoch, GatewayId, Offset, Partition, RoomId, SessionId
from shared.journal_records import JournalEntry, JournalRecord
from shared.results import Result
from shared.room_events import RoomSpec
from tests.support.batches import entry_of, replies_for
from tests.support.room_bench import CATALOG, SETTINGS, act, take
from tests.support.toys import Poison
from worker.partitions.partition import OwnedPartition

ROOM = RoomId(1000)
G1 = GatewayId("g-1")
KEYS = Keys(Partition(0), 4)
FREE = Operate(OperatorAct("a-1", ActKind.FREE, "olga", "mended"))
TIMED = RoomSpec("stones", 2, turn_ms=60_000)
TORN = StoredRoom(None, ((Offset(1), 0, JournalRecord(1, Epoch(1), events=msgspec.Raw(b'[{"type":"what"}]'))),))


class Bench:
    """A room where ada and bob play, quarantined since."""

    def __init__(self, spec: RoomSpec = TIMED) -> None:
        lease = Lease(Epoch(7), "w:7:x", "5-0", 0)
        self.partition = OwnedPartition(Partition(0), KEYS, lease, CATALOG, SETTINGS)
        self.records: list[JournalEntry] = []
        self._ids = 0
        self.partition.load(ROOM, StoredRoom(None, ()))
        for who in ("ada", "bob"):
            for result in self.handle(1_000, self.say(who, Enter(who, spec))):
                self.records += map(entry_of, result.records)
        self.partition.gateways = {G1}
        del self.partition.rooms[ROOM]
        self.partition.quarantined.add(ROOM)

    @property
    def stored(self) -> StoredRoom:
        return StoredRoom(None, tuple(self.records))

    def say(self, who: str, body: RoomCommand) -> Envelope:
        self._ids += 1
        return Envelope(ROOM, SessionId(who), CommandId(self._ids), body, G1, 1)

    def handle(self, at_ms: int, *envelopes: Envelope) -> list[Result]:
        return self.partition.handle([(f"{at_ms}-0", envelopes)])

    def free(self, stored: StoredRoom, *others: Envelope) -> list[Result]:
        """Load the room for an operator's act, and handle the act and other commands."""
        self.partition.load(ROOM, stored)
        return self.handle(9_000, self.say("", FREE), *others)


def codes(results: list[Result]) -> list[str]:
    return [reply.code for reply in replies_for(results, G1)]


def test_a_quarantined_room_is_loaded_for_the_act_that_frees_it_alone() -> None:
    bench = Bench()
    assert bench.partition.missing([("1-0", (bench.say("ada", Watch()),))]) == []
    assert bench.partition.missing([("1-0", (bench.say("", FREE),))]) == [ROOM]


def test_a_freed_room_goes_on_within_the_same_batch() -> None:
    bench = Bench()
    results = bench.free(bench.stored, bench.say("ada", take(1)))
    assert codes(results[:1]) == [""]
    assert results[1].records
    assert bench.partition.quarantined == set()


def test_the_commit_that_journals_the_act_ends_the_quarantine_and_writes_the_audit() -> None:
    bench = Bench()
    commit = bench.partition.encode(bench.free(bench.stored), "9-0")
    assert ("HDEL", KEYS.quarantine, ROOM) in commit.writes
    assert [write[1] for write in commit.writes if KEYS.audit in write] == [KEYS.audit]
    assert b'"note":"acted"' in commit.records


def test_commands_before_the_act_are_refused_although_the_room_is_loaded() -> None:
    bench = Bench()
    bench.partition.load(ROOM, bench.stored)
    assert codes(bench.handle(9_000, bench.say("ada", take(1)))) == ["room/quarantined"]


def test_a_room_that_cannot_be_loaded_stays_quarantined_and_the_act_is_refused_once() -> None:
    bench = Bench()
    assert codes(bench.free(TORN)) == ["room/quarantined"]
    assert bench.partition.quarantined == {ROOM}
    assert bench.partition.missing([("1-0", (bench.say("", FREE),))]) == [ROOM]


def test_an_act_is_handled_after_its_room_could_not_be_loaded() -> None:
    bench = Bench()
    bench.partition.load(ROOM, TORN)
    assert bench.partition.missing([("1-0", (bench.say("", FREE),))]) == []


def test_the_clocks_of_a_freed_room_are_put_back_by_the_time_since_its_last_record() -> None:
    bench = Bench()
    (result,) = bench.free(bench.stored)
    assert bench.partition.rooms[ROOM].state.deadlines["turn"].due_ms == 61_000 + 8_000
    assert [(due.name, due.due_ms) for due, started in result.more.deadlines if started] == [("turn", 69_000)]


def test_outages_during_the_quarantine_are_made_up_for_once() -> None:
    bench = Bench()
    bench.partition.outages = (Outage(2_000, 5_000),)
    bench.free(bench.stored, bench.say("bob", Watch()))
    assert bench.partition.rooms[ROOM].state.deadlines["turn"].due_ms == 61_000 + 8_000


def test_players_of_a_freed_room_whose_gateway_is_gone_are_away() -> None:
    bench = Bench()
    bench.partition.gateways = set()
    bench.free(bench.stored)
    assert not any(place.here for place in bench.partition.rooms[ROOM].state.seats.values())


def test_a_freed_room_that_breaks_again_is_quarantined_by_the_same_commit() -> None:
    bench = Bench(RoomSpec("toy", 2))
    commit = bench.partition.encode(bench.free(bench.stored, bench.say("ada", act(Poison()))), "9-0")
    marks = [write[0] for write in commit.writes if write[1] == KEYS.quarantine]
    assert marks == ["HDEL", "HSET"]
    assert bench.partition.quarantined == {ROOM}


def test_the_act_that_has_freed_a_room_is_repeated_without_effect() -> None:
    bench = Bench()
    bench.free(bench.stored)
    results = bench.handle(9_500, bench.say("", FREE))
    assert codes(results) == [""]
    assert results[0].records == []
