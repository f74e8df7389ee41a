"""The list of rooms for operators: filters and pages over the room directory and the quarantined rooms."""

from collections.abc import Collection, Mapping
from heapq import nsmallest

import msgspec

from shared.ids import RoomId
from shared.name_rules import folded, is_valid
from shared.room_events import RoomStatus
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


def reports(listings: Collection[Listing], quarantined: Mapping[RoomId, str], wanted: RoomFilter) -> RoomReports:
    """The first rooms that fit, by number. There can be tens of thousands, and players wait meanwhile: reports are made
    of the rooms of the page alone."""
    fitting = {listing.room: listing for listing in listings if _fits(listing, quarantined, wanted)}
    listed = {listing.room for listing in listings} if quarantined else set()
    # Of a quarantined room that is not in the directory only the number is known.
    unlisted = [room for room in quarantined if room not in listed and _fits(_unknown(room), quarantined, wanted)]
    page = nsmallest(wanted.limit + 1, (*fitting, *unlisted))
    rooms = [_report(fitting.get(room) or _unknown(room), quarantined.get(room)) for room in page[: wanted.limit]]
    return RoomReports(rooms, len(page) > wanted.limit)


def _unknown(room: RoomId) -> Listing:
    return Listing(room, "", 0, RoomStatus.UNOPENED)


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


def _fits(room: Listing, quarantined: Mapping[RoomId, str], wanted: RoomFilter) -> bool:
    return (
        room.room > wanted.after
        and wanted.game in ("", room.game)
        and wanted.status in ("", room.status)
        and wanted.private in (None, room.private)
        and (wanted.quarantined is None or wanted.quarantined == (room.room in quarantined))
        and (not wanted.player or any(_contains(name, wanted.player) for name in room.names.values()))
    )


def _contains(name: str, part: str) -> bool:
    """Whether a name has this part, in any case. Folding is slow, and most names need none."""
    return part.lower() in name.lower() if name.isascii() else folded(part) in folded(name)
