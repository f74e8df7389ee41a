"""This gateway's copy of the directory: all rooms of the cluster, kept up to date by what the commits publish."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from shared.bus.directory import ListingChange
from shared.ids import RoomId
from shared.room_events import RoomStatus
from shared.room_views import Listing

Tell: TypeAlias = Callable[[Mapping[RoomId, Listing | None]], None]
"""Takes the rooms that changed, as they are now; None: listed no more."""


class RoomDirectory:
    """Answers at once; tells its watchers once per tick of the loop."""

    def __init__(self, soon: Callable[[Callable[[], None]], object]) -> None:
        self._rooms: dict[RoomId, Listing] = {}
        self._listed: dict[str, tuple[Listing, ...]] = {}
        """Lists that were asked for since the last change: many ask for the same."""
        self._soon = soon
        self._watchers: dict[object, tuple[str, Tell]] = {}
        self._changed: dict[str, dict[RoomId, None]] = {}
        self._meanwhile: list[list[ListingChange]] = []

    def listed(self, game: str) -> tuple[Listing, ...]:
        """The public rooms of a game (empty: of all games), oldest first."""
        listed = self._listed.get(game)
        if listed is None:
            found = [room for room in self._rooms.values() if _public(room) and game in ("", room.game)]
            listed = tuple(sorted(found, key=lambda room: (room.created_ms, room.room)))
            if listed:
                self._listed[game] = listed
        return listed

    def get(self, room: RoomId) -> Listing | None:
        return self._rooms.get(room)

    def count(self) -> dict[str, int]:
        """How many rooms there are, private ones too, by status."""
        statuses = [room.status for room in self._rooms.values()]
        return {status: statuses.count(status) for status in (RoomStatus.WAITING, RoomStatus.PLAYING)}

    def gathering(self) -> list[ListingChange]:
        """All rooms are about to be read. What changes meanwhile may be newer than what is read: it is collected."""
        self._meanwhile.append([])
        return self._meanwhile[-1]

    def gathered(self, rooms: Iterable[Listing], meanwhile: Sequence[ListingChange] = ()) -> None:
        """All rooms there are, read from the store, and what has changed since the reading began."""
        known, self._rooms = self._rooms, {listing.room: listing for listing in rooms}
        self._listed.clear()
        for room in {**known, **self._rooms}:
            if known.get(room) != self._rooms.get(room):
                self._mark(known.get(room), self._rooms.get(room))
        self._meanwhile = [changes for changes in self._meanwhile if changes is not meanwhile]
        self.change(meanwhile)

    def change(self, changes: Iterable[ListingChange]) -> None:
        for change in changes:
            for collected in self._meanwhile:
                collected.append(change)
            before = self._rooms.get(change.room)
            if change.listing is None:
                self._rooms.pop(change.room, None)
            else:
                self._rooms[change.room] = change.listing
            self._listed.clear()
            self._mark(before, change.listing)

    def watch(self, who: object, game: str, tell: Tell) -> None:
        self._watchers[who] = (game, tell)

    def unwatch(self, who: object) -> None:
        self._watchers.pop(who, None)

    def _mark(self, before: Listing | None, after: Listing | None) -> None:
        if not self._watchers or not any(room is not None and _public(room) for room in (before, after)):
            return
        listing = after or before
        assert listing is not None
        if not self._changed:
            self._soon(self._tell)
        self._changed.setdefault(listing.game, {})[listing.room] = None

    def _tell(self) -> None:
        changed, self._changed = self._changed, {}
        by_game = {game: {room: self._shown(room) for room in rooms} for game, rooms in changed.items()}
        everything = {room: listing for rooms in by_game.values() for room, listing in rooms.items()}
        for game, tell in list(self._watchers.values()):
            rooms = everything if not game else by_game.get(game)
            if rooms:
                tell(rooms)

    def _shown(self, room: RoomId) -> Listing | None:
        listing = self._rooms.get(room)
        return listing if listing is not None and _public(listing) else None


def _public(room: Listing) -> bool:
    return not room.private and not room.only
