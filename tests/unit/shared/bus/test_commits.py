"""Encoding of results: the writes, entries and messages of one commit."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from shared.acts import ActKind, AuditEntry, OperatorAct
from shared.bus import commits
from shared.bus.commits import Commit
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.partition_log import UnwrittenRooms
from shared.deliveries import Delivery, Reply, StepMessage
from shared.ids import CommandId, CommitNumber, Epoch, GameVersion, GatewayId, Offset, Partition, RoomId
from shared.journal_records import JournalRecord, encode_logged
from shared.results import DueDeadline, FiledRecord, OtherChanges, Result, Snapshot
from shared.room_events import RoomStatus
from shared.room_views import Listing

ROOM, OTHER = RoomId(1000), RoomId(1004)
G1, G2, G3 = GatewayId("g-1"), GatewayId("g-2"), GatewayId("g-3")
RECORD = JournalRecord(1, Epoch(7))
LISTING = Listing(ROOM, "stones", 2, RoomStatus.WAITING)
KEYS = Keys(Partition(0), 4)
LEASE = Lease(Epoch(7), "w:7:x", "0-0", 0)
_decode = msgspec.json.Decoder(Delivery).decode


def reply(number: int) -> Reply:
    return Reply(1, ROOM, CommandId(number))


def message(offset: int) -> StepMessage:
    return StepMessage(ROOM, Epoch(7), Offset(offset), msgspec.Raw(b"{}"), commit=CommitNumber(3))


def step(offset: int, *gateways: GatewayId) -> FiledRecord:
    body = msgspec.json.encode(message(offset))
    return FiledRecord(encode_logged(ROOM, Offset(offset), 0, RECORD), body, body, gateways)


def refusal(offset: int, number: int, room: RoomId = ROOM) -> FiledRecord:
    return FiledRecord(encode_logged(room, Offset(offset), number, RECORD))


def encode(
    *results: Result,
    numbers: dict[GatewayId, int] | None = None,
    updates_kept: int = 1_000,
    number: int = 3,
    unwritten: UnwrittenRooms | None = None,
    log_bytes: int = 100_000,
    unfinished: dict[GameVersion, int] | None = None,
) -> Commit:
    return commits.encode(
        results,
        KEYS,
        LEASE,
        "1-0",
        "2-0",
        number=CommitNumber(number),
        unwritten=unwritten or UnwrittenRooms(),
        unfinished={} if unfinished is None else unfinished,
        numbers=numbers or {},
        updates_kept=updates_kept,
        log_bytes=log_bytes,
    )


def portion(*places: tuple[int, int]) -> bytes:
    return msgspec.json.encode([[ROOM, offset, number, RECORD] for offset, number in places])


def deliveries(commit: Commit) -> dict[str, Delivery]:
    return {channel.split(":")[2]: _decode(items) for channel, items in commit.publications if "gateway" in channel}


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


def test_a_plain_move_is_part_of_one_entry_of_each_log_and_needs_no_other_write() -> None:
    commit = encode(Result(ROOM, [step(1, G1)]), Result(OTHER, [refusal(4, 1, OTHER)]))
    assert commit.writes == []
    assert msgspec.json.decode(commit.records) == [[[ROOM, 1, 0, _plain(RECORD)], [OTHER, 4, 1, _plain(RECORD)]], []]
    assert msgspec.json.decode(commit.steps, type=tuple[StepMessage, ...]) == (message(1),)


def test_a_step_is_sent_with_its_views_and_kept_without_them() -> None:
    commit = encode(Result(ROOM, [FiledRecord(b"[]", b"[1]", b"[2]", (G1,))]))
    assert commit.steps == b"[[2]]"
    assert commit.messages == [(KEYS.out(G1), b"[0,7,1,[[1]],[]]")]


def test_steps_that_all_gateways_receive_as_they_are_kept_are_sent_to_the_store_once() -> None:
    commit = encode(Result(ROOM, [step(1, G1, G2), refusal(1, 1)], reply(1), G3), Result(OTHER, [step(1, G1, G2)]))
    assert commit.deliveries == [(KEYS.out(one), b"[0,7,1,", b",[]]") for one in (G1, G2)]
    assert [channel for channel, _ in commit.messages] == [KEYS.out(G3)]
    assert deliveries(commit)["g-2"].steps == (message(1), message(1))


@given(st.lists(st.tuples(st.sets(st.sampled_from((G1, G2, G3))), st.sampled_from((b"[1]", b"[2]", b""))), max_size=4))
def test_every_gateway_is_sent_its_steps_in_order(steps: list[tuple[set[GatewayId], bytes]]) -> None:
    filed = [FiledRecord(b"[]", step, step, tuple(sorted(gateways)) if step else ()) for gateways, step in steps]
    commit = encode(Result(ROOM, filed))
    for gateway in (G1, G2, G3):
        sent = [msgspec.json.decode(items)[3] for channel, items in commit.publications if channel == KEYS.out(gateway)]
        expected = [msgspec.json.decode(one.step) for one in filed if gateway in one.gateways]
        assert sent == ([expected] if expected else [])


def test_a_commit_without_records_adds_nothing_to_the_logs() -> None:
    commit = encode(Result(ROOM, reply=reply(1), reply_to=G1))
    assert (commit.records, commit.steps) == (b"", b"")


def test_the_history_of_a_room_is_written_with_its_snapshot() -> None:
    unwritten = UnwrittenRooms()
    encode(Result(ROOM, [step(1)]), Result(OTHER, [step(1)]), unwritten=unwritten)
    commit = encode(
        Result(ROOM, [step(2)], others=OtherChanges(snapshot=Snapshot(Offset(2), 0, b"{}"))),
        number=4,
        unwritten=unwritten,
    )
    written, updated, saved = commit.writes
    assert written == ("XADD", KEYS.journal(ROOM), "2-0", "b", portion((1, 0), (2, 0)))
    assert (updated[:3], msgspec.json.decode(bytes(updated[4]), type=tuple[StepMessage, ...])) == (  # type: ignore[arg-type]
        ("XADD", KEYS.updates(ROOM), "2-0"),
        (message(1), message(2)),
    )
    assert saved == ("SET", KEYS.snapshot(ROOM), b"2-0\n{}")
    assert msgspec.json.decode(commit.records)[1] == [ROOM]
    assert list(unwritten.rooms) == [OTHER]


def test_records_that_a_snapshot_covers_are_left_out_of_the_history() -> None:
    filed = [step(1), refusal(1, 1), refusal(1, 2)]
    snapshot = Snapshot(Offset(1), 2, b"{}", covered=((Offset(1), 1),))
    written, *_ = encode(Result(ROOM, filed, others=OtherChanges(snapshot=snapshot))).writes
    assert written == ("XADD", KEYS.journal(ROOM), "1-2", "b", portion((1, 0), (1, 2)))


def test_the_history_of_a_room_is_written_without_a_snapshot_if_the_room_says_so() -> None:
    unwritten = UnwrittenRooms()
    encode(Result(ROOM, [step(1)]), unwritten=unwritten)
    commit = encode(Result(ROOM, others=OtherChanges(write_history=True)), unwritten=unwritten)
    assert [write[1] for write in commit.writes] == [KEYS.journal(ROOM), KEYS.updates(ROOM)]
    assert msgspec.json.decode(commit.records) == [[], [ROOM]]


def test_rooms_that_wait_longest_are_written_once_the_logs_are_too_long() -> None:
    unwritten = UnwrittenRooms()
    rooms = [RoomId(1000 + 4 * number) for number in range(10)]
    for number, room in enumerate(rooms, start=1):
        encode(Result(room, [step(1)]), number=number, unwritten=unwritten)
    commit = encode(Result(ROOM, [step(2)]), number=11, unwritten=unwritten, log_bytes=600)
    written = [write[1] for write in commit.writes if write[0] == "XADD"]
    left = list(unwritten.rooms)
    assert written == [key for room in rooms if room not in left for key in (KEYS.journal(room), KEYS.updates(room))]
    assert 0 < len(left) < len(rooms)
    assert left == rooms[-len(left) :]
    trims = [write for write in commit.writes if write[0] == "XTRIM"][1:]
    oldest = f"{unwritten.since[left[0]]}-0"
    assert trims == [("XTRIM", key, "MINID", "~", oldest) for key in (KEYS.journal_log, KEYS.updates_log)]


def test_old_updates_of_a_room_are_trimmed_once_there_are_too_many() -> None:
    few = encode(
        Result(ROOM, [step(offset) for offset in range(1, 501)], others=OtherChanges(write_history=True)),
        updates_kept=500,
    )
    many = encode(
        Result(ROOM, [step(offset) for offset in range(501, 600)], others=OtherChanges(write_history=True)),
        updates_kept=500,
    )
    assert [write[0] for write in few.writes] == ["XADD", "XADD"]
    assert many.writes[2:] == [("XTRIM", KEYS.updates(ROOM), "MINID", "~", "99-0")]


def test_every_key_of_a_commit_is_declared() -> None:
    due = DueDeadline(5, ROOM, "turn", 1)
    snapshot = Snapshot(Offset(1), 0, b"{}", covers_journal=True)
    changes = OtherChanges(((due, True),), LISTING, (), G2, G1, snapshot, Offset(1), 7, "it broke")
    result = Result(ROOM, [step(1, G1)], reply(1), G1, changes)
    _, _, count, *words = commits.committing([encode(result)])
    declared = words[: int(count)]
    assert {KEYS.owner, KEYS.journal_log, KEYS.updates_log, KEYS.deadlines, KEYS.directory, KEYS.quarantine} < {
        *declared
    }
    assert {KEYS.at(G1), KEYS.at(G2), KEYS.journal(ROOM), KEYS.updates(ROOM), KEYS.snapshot(ROOM)} < {*declared}
    assert not [word for word in words[int(count) :] if str(word).startswith("{p0")]


def test_deadlines_are_written_in_the_order_in_which_they_changed() -> None:
    due = DueDeadline(5, ROOM, "turn", 1)
    commit = encode(Result(ROOM, others=OtherChanges(deadlines=((due, True), (due, False)))))
    assert [write[0] for write in commit.writes] == ["ZADD", "ZREM"]


def test_the_keys_of_a_room_that_is_over_expire_after_its_snapshot_was_set() -> None:
    commit = encode(Result(ROOM, others=OtherChanges(snapshot=Snapshot(Offset(3), 0, b"{}"), expires_ms=77)))
    save, *expiring = commit.writes
    assert save[0] == "SET"
    assert expiring == [("PEXPIREAT", key(ROOM), 77) for key in (KEYS.journal, KEYS.updates, KEYS.snapshot)]


def test_updates_are_trimmed_from_the_first_step_to_keep() -> None:
    commit = encode(Result(ROOM, others=OtherChanges(trim_updates=Offset(9))))
    assert commit.writes == [("XTRIM", KEYS.updates(ROOM), "MINID", "~", "9-0")]


def test_the_last_listing_of_a_room_counts() -> None:
    commit = encode(Result(ROOM, others=OtherChanges(listing=LISTING)), Result(ROOM, others=OtherChanges(listing=None)))
    assert commit.writes == [("HDEL", KEYS.directory, ROOM)]


def test_a_quarantined_room_is_marked_with_the_reason() -> None:
    commit = encode(Result(ROOM, others=OtherChanges(quarantine="it broke")))
    assert commit.writes == [("HSET", KEYS.quarantine, ROOM, "it broke")]


def test_an_act_ends_the_quarantine_and_is_audited_in_the_same_commit() -> None:
    act = AuditEntry(5, ROOM, Offset(3), 1, OperatorAct("a-1", ActKind.FREE, "olga", "mended"), 2)
    commit = encode(Result(ROOM, others=OtherChanges(freed=True, audit=act)))
    freeing, auditing = commit.writes
    assert freeing == ("HDEL", KEYS.quarantine, ROOM)
    assert auditing == ("XADD", KEYS.audit, "MAXLEN", 1_000, "*", "b", msgspec.json.encode(act))


def test_gateways_that_receive_a_room_are_added_and_removed() -> None:
    commit = encode(Result(ROOM, others=OtherChanges(gateway_added=G2, gateway_removed=G1)))
    assert commit.writes == [
        ("SREM", KEYS.at(G1), ROOM),
        ("SADD", KEYS.at(G2), ROOM),
        ("SADD", KEYS.gateways, G2),
    ]


def _plain(record: JournalRecord) -> object:
    return msgspec.json.decode(msgspec.json.encode(record))


STONES = GameVersion("stones@1")


def test_a_room_that_was_opened_is_counted_with_its_game_version() -> None:
    counts = {STONES: 2}
    written = encode(Result(ROOM, others=OtherChanges(listing=LISTING, opened=STONES)), unfinished=counts).writes
    assert ("HSET", KEYS.games, STONES, 3) in written
    assert counts == {STONES: 3}


def test_the_last_unfinished_room_takes_its_game_version_with_it() -> None:
    written = encode(Result(ROOM, others=OtherChanges(listing=None, ended=STONES)), unfinished={STONES: 1}).writes
    assert ("HDEL", KEYS.games, STONES) in written


def test_a_new_listing_of_a_room_changes_no_number() -> None:
    assert not [
        one for one in encode(Result(ROOM, others=OtherChanges(listing=LISTING))).writes if one[1] == KEYS.games
    ]
