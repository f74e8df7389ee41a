"""The seats of a room, read from its journal."""

import msgspec

from gateway.http.room_recording import RoomRecording
from shared.ids import Epoch, GatewayId, Offset, RoomId, Seat
from shared.journal_records import AnyNote, Attached, Detached, JournalRecord
from shared.room_events import Away, Back, BaseRoomEvent, Joined, Left

HERE, THERE = GatewayId("g-1"), GatewayId("g-2")


def record(*events: BaseRoomEvent, notes: tuple[AnyNote, ...] = ()) -> JournalRecord:
    return JournalRecord(1, Epoch(1), events=msgspec.Raw(msgspec.json.encode(events)), notes=notes)


def followed(*records: JournalRecord) -> RoomRecording:
    recording = RoomRecording(RoomId(1_000))
    recording.follow([(Offset(offset), 0, one) for offset, one in enumerate(records, 1)])
    return recording


def test_a_seat_is_where_its_last_connection_is() -> None:
    recording = followed(
        record(Joined(Seat(0), "ann"), notes=(Attached(HERE, 3, Seat(0)),)),
        record(Away(Seat(0))),
        record(Back(Seat(0)), notes=(Attached(THERE, 9, Seat(0)),)),
    )
    ann = recording.seats[Seat(0)]
    assert (ann.here, ann.gateway, ann.connection) == (True, "g-2", 9)


def test_a_seat_whose_player_is_away_or_left_is_not_here() -> None:
    recording = followed(
        record(Joined(Seat(0), "ann"), Joined(Seat(1), "bob"), notes=(Attached(HERE, 1, Seat(0)),)),
        record(Away(Seat(0))),
        record(Left(Seat(1), "bob", "left")),
    )
    assert not recording.seats[Seat(0)].here
    assert recording.seats[Seat(1)].left


def test_bots_are_always_here() -> None:
    assert followed(record(Joined(Seat(1), "Bot1", bot=True))).seats[Seat(1)].here


def test_gateways_with_spectators_come_and_go() -> None:
    recording = followed(record(notes=(Attached(HERE), Attached(THERE))), record(notes=(Detached(HERE),)))
    assert recording.audience == {THERE}


def test_a_player_who_leaves_after_the_end_does_not_detach_spectators() -> None:
    recording = followed(
        record(Joined(Seat(0), "ann"), notes=(Attached(HERE, 3, Seat(0)), Attached(HERE))),
        record(notes=(Detached(HERE, Seat(0)),)),
    )
    assert not recording.seats[Seat(0)].here
    assert recording.audience == {HERE}
