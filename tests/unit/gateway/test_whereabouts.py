"""Who sits where, read off a journal."""

import msgspec

from gateway.whereabouts import Whereabouts
from shared.bus.journal import AnyNote, Attached, Detached, Record
from shared.ids import Epoch, GatewayId, Seat
from shared.rooms import Away, Back, Joined, Left, RoomWord

HERE, THERE = GatewayId("g-1"), GatewayId("g-2")


def record(*events: RoomWord, notes: tuple[AnyNote, ...] = ()) -> Record:
    return Record(1, Epoch(1), events=msgspec.Raw(msgspec.json.encode(events)), notes=notes)


def followed(*records: Record) -> Whereabouts:
    where = Whereabouts()
    for one in records:
        where.follow(one)
    return where


def test_a_seat_is_where_its_last_connection_is() -> None:
    where = followed(
        record(Joined(Seat(0), "ann"), notes=(Attached(HERE, 3, Seat(0)),)),
        record(Away(Seat(0))),
        record(Back(Seat(0)), notes=(Attached(THERE, 9, Seat(0)),)),
    )
    ann = where.seats[Seat(0)]
    assert (ann.here, ann.gateway, ann.connection) == (True, "g-2", 9)


def test_who_is_away_or_left_is_not_here() -> None:
    where = followed(
        record(Joined(Seat(0), "ann"), Joined(Seat(1), "bob"), notes=(Attached(HERE, 1, Seat(0)),)),
        record(Away(Seat(0))),
        record(Left(Seat(1), "bob", "left")),
    )
    assert not where.seats[Seat(0)].here
    assert where.seats[Seat(1)].left


def test_bots_are_always_here() -> None:
    assert followed(record(Joined(Seat(1), "Bot1", bot=True))).seats[Seat(1)].here


def test_gateways_with_spectators_come_and_go() -> None:
    where = followed(record(notes=(Attached(HERE), Attached(THERE))), record(notes=(Detached(HERE),)))
    assert list(where.audience) == [THERE]
