"""The list of rooms for operators: filters and pages over the room directory and the quarantined rooms."""

from collections.abc import Iterable, Mapping

import msgspec

from shared.ids import RoomId
from shared.name_rules import folded, is_valid
from shared.room_views import Listing

MOST_LISTED = 100


class RoomFilter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rooms that an operator wants to see; every part that is not given fits all rooms."""

    game: str = ""
    status: str = ""
    player: str = ""
    """A part of a player's name, in any case."""
    quarantined: bool | None = None
    private: bool | None = None
    after: int = 0
    """Only rooms with higher numbers."""
    limit: int = MOST_LISTED


class RoomReport(msgspec.Struct, frozen=True):
    """A room in the list. Of a quarantined room that is not in the directory only the number is known."""

    room: RoomId
    game: str = ""
    status: str = ""
    names: tuple[str, ...] = ()
    players: int = 0
    """The number of seats with a player; bots do not count."""
    seats: int = 0
    private: bool = False
    created_ms: int = 0
    quarantine: str | None = None
    """The reason why the room is quarantined."""


class RoomReports(msgspec.Struct, frozen=True):
    rooms: list[RoomReport]
    more: bool


def reports(listings: Iterable[Listing], quarantined: Mapping[RoomId, str], wanted: RoomFilter) -> RoomReports:
    """The first rooms that fit, by number."""
    found = {listing.room: _report(listing, quarantined.get(listing.room)) for listing in listings}
    found |= {room: RoomReport(room, quarantine=why) for room, why in quarantined.items() if room not in found}
    fitting = sorted((one for one in found.values() if _fits(one, wanted)), key=lambda one: one.room)
    limit = min(max(1, wanted.limit), MOST_LISTED)
    return RoomReports(fitting[:limit], len(fitting) > limit)


def _report(listing: Listing, quarantine: str | None) -> RoomReport:
    names = tuple(listing.names.values())
    return RoomReport(
        listing.room,
        listing.game,
        listing.status,
        names,
        sum(map(is_valid, names)),
        listing.seats,
        listing.private,
        listing.created_ms,
        quarantine,
    )


def _fits(room: RoomReport, wanted: RoomFilter) -> bool:
    return (
        room.room > wanted.after
        and wanted.game in ("", room.game)
        and wanted.status in ("", room.status)
        and wanted.private in (None, room.private)
        and wanted.quarantined in (None, room.quarantine is not None)
        and (not wanted.player or any(folded(wanted.player) in folded(name) for name in room.names))
    )
