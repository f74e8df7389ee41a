"""The checker of the load tool on a simulation: compares what simulated players received with the store."""

import msgspec

from loadtest.checks.checker import Findings, Recorded, RoomRecord, Track, check_record
from shared.bus.keys import Keys
from shared.ids import RoomId, partition_of
from tests.support import promise
from tests.support.fake_store import FakeServer
from tests.support.simulated_player import Visit


def findings_of(server: FakeServer, partitions: int, visits: list[Visit]) -> Findings:
    findings = Findings()
    by_room: dict[int, list[Visit]] = {}
    for visit in visits:
        by_room.setdefault(visit.room, []).append(visit)
    for room, there in by_room.items():
        record = _record(server, partitions, room)
        check_record(room, record, [visit.seat for visit in there], findings)
        for visit in there:
            _track(visit, findings).compare(record)
    return findings


def _record(server: FakeServer, partitions: int, room: int) -> RoomRecord:
    """The record as `/api/rooms/<room>/updates` would answer it."""
    keys = Keys(partition_of(RoomId(room), partitions), partitions)
    return RoomRecord(
        [
            Recorded(step["epoch"], step["offset"], _raw(step["events"]), step.get("by"), step.get("id"))
            for step in promise.recorded(server, keys, room)
        ]
    )


def _track(visit: Visit, findings: Findings) -> Track:
    """The track that a load client in this seat would have kept."""
    track = Track(visit.room, visit.seat, findings)
    track.view(*visit.entered)
    for update in visit.seen:
        track.update(update["epoch"], update["offset"], _raw(update["events"]))
    for number, (_, offset) in visit.acked.items():
        track.acked(number, offset)
    return track


def _raw(events: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(events))
