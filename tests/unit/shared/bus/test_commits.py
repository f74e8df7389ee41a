"""Encoding of results: the writes, entries and messages of one commit."""

import msgspec

from shared.bus import commits
from shared.bus.commits import WRITE, Commit
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.deliveries import Delivery, Reply, StepMessage
from shared.ids import CommandId, Epoch, GatewayId, Offset, Partition, RoomId
from shared.journal_records import JournalRecord
from shared.results import DueDeadline, FiledRecord, Result, Snapshot
from shared.room_events import RoomStatus
from shared.room_views import Listing

ROOM, OTHER = RoomId(1000), RoomId(1004)
G1, G2 = GatewayId("g-1"), GatewayId("g-2")
RECORD = JournalRecord(1, Epoch(7))
LISTING = Listing(ROOM, "stones", 2, RoomStatus.WAITING)
KEYS = Keys(Partition(0), 4)
LEASE = Lease(Epoch(7), "w:7:x", "0-0", 0)
_decode = msgspec.json.Decoder(Delivery).decode


def reply(number: int) -> Reply:
    return Reply(1, ROOM, CommandId(number))


def message(offset: int) -> StepMessage:
    return StepMessage(ROOM, Epoch(7), Offset(offset), msgspec.Raw(b"{}"))


def step(offset: int, *gateways: GatewayId) -> FiledRecord:
    return FiledRecord(Offset(offset), 0, RECORD, message(offset), gateways)


def encode(*results: Result, numbers: dict[GatewayId, int] | None = None, updates_kept: int = 1_000) -> Commit:
    return commits.encode(results, KEYS, LEASE, "1-0", "2-0", numbers=numbers or {}, updates_kept=updates_kept)


def deliveries(commit: Commit) -> dict[str, Delivery]:
    return {channel.split(":")[2]: _decode(items) for channel, items in commit.messages if "gateway" in channel}


def test_everything_for_a_gateway_is_one_delivery() -> None:
    commit = encode(Result(ROOM, [step(1, G1, G2)]), Result(ROOM, [step(2, G1)], reply(1), G1))
    expected = Delivery(Partition(0), Epoch(7), 1, (message(1), message(2)), (reply(1),))
    assert deliveries(commit)["g-1"] == expected


def test_deliveries_to_a_gateway_are_numbered() -> None:
    commit = encode(Result(ROOM, reply=reply(1), reply_to=G1), numbers={G1: 41, G2: 5})
    assert commit.numbers == {G1: 42, G2: 5}


def test_encoding_does_not_change_the_numbers_of_the_last_deliveries() -> None:
    numbers = {G1: 41}
    encode(Result(ROOM, reply=reply(1), reply_to=G1), numbers=numbers)
    assert numbers == {G1: 41}


def test_a_gateway_without_steps_and_replies_gets_no_delivery() -> None:
    assert deliveries(encode(Result(ROOM), numbers={G1: 3})) == {}


def test_a_plain_move_needs_no_write_besides_its_entry() -> None:
    commit = encode(Result(ROOM, [step(1, G1)]))
    assert len(commit.entries) == 1
    assert commit.writes == []


def test_the_updates_of_a_room_are_trimmed_now_and_then_once_there_are_too_many() -> None:
    few = encode(Result(ROOM, [step(offset) for offset in range(1, 501)]), updates_kept=500)
    many = encode(Result(ROOM, [step(offset) for offset in range(501, 600)]), updates_kept=500)
    assert few.writes == []
    assert many.writes == [("XTRIM", KEYS.updates(ROOM), "MAXLEN", "~", 500)] * 3


def test_the_writes_of_a_room_stand_before_the_entries_of_the_next() -> None:
    due = DueDeadline(5, ROOM, "turn", 1)
    commit = encode(Result(ROOM, [step(1)], deadlines=((due, True),)), Result(OTHER, [step(1)]))
    assert [entry == WRITE for entry in commit.entries] == [False, True, False]
    assert commit.writes == [("ZADD", KEYS.deadlines, 5, "1000:1:turn")]


def test_deadlines_are_written_in_the_order_in_which_they_changed() -> None:
    due = DueDeadline(5, ROOM, "turn", 1)
    commit = encode(Result(ROOM, deadlines=((due, True), (due, False))))
    assert [write[0] for write in commit.writes] == ["ZADD", "ZREM"]


def test_many_covered_records_are_deleted_with_several_commands() -> None:
    places = tuple((Offset(3), number) for number in range(1, 2_501))
    save, *deletions = encode(Result(ROOM, snapshot=Snapshot(Offset(3), 2_500, b"{}", places))).writes
    assert save == ("SET", KEYS.snapshot(ROOM), b"3-2500\n{}")
    assert [len(write) for write in deletions] == [1_002, 1_002, 502]
    deleted = [word for write in deletions for word in write[2:]]
    assert deleted == [f"{offset}-{number}" for offset, number in places]


def test_a_snapshot_of_a_room_that_is_over_lets_all_its_keys_expire() -> None:
    commit = encode(Result(ROOM, snapshot=Snapshot(Offset(3), 0, b"{}", expire_ms=77)))
    expiring = [write[1:] for write in commit.writes if write[0] == "PEXPIRE"]
    assert expiring == [(key(ROOM), 77) for key in (KEYS.journal, KEYS.updates, KEYS.snapshot)]


def test_the_last_listing_of_a_room_counts() -> None:
    commit = encode(Result(ROOM, listing=LISTING), Result(ROOM, listing=None))
    assert commit.writes == [("HDEL", KEYS.directory, ROOM)]


def test_a_quarantined_room_is_marked_with_the_reason() -> None:
    commit = encode(Result(ROOM, quarantine="it broke"))
    assert commit.writes == [("HSET", KEYS.quarantine, ROOM, "it broke")]


def test_gateways_that_receive_a_room_are_added_and_removed() -> None:
    commit = encode(Result(ROOM, gateway_added=G2, gateway_removed=G1))
    assert commit.writes == [
        ("SREM", KEYS.at(G1), ROOM),
        ("SADD", KEYS.at(G2), ROOM),
        ("SADD", KEYS.gateways, G2),
    ]


def test_line_breaks_between_values_do_not_end_an_entry() -> None:
    record = JournalRecord(1, Epoch(7), events=msgspec.Raw(b'[{"a":\n1}]'))
    (entry,) = encode(Result(ROOM, [FiledRecord(Offset(1), 0, record)])).entries
    assert entry.count(b"\n") == 4
