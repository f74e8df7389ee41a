"""This gateway's copy of the room directory, kept up to date by the changes that commits publish."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Protocol

import msgspec

from gateway.dialects.answers import RoomsChanged
from gateway.dialects.contract import RoomPage, RoomQuery
from shared.bus.directory import ListingChange
from shared.ids import RoomId
from shared.room_events import RoomStatus
from shared.room_views import Listing

_encode = msgspec.json.Encoder().encode
_MOST_CACHED = 256
"""Pages and rendered lists that are kept since the last change: clients choose the filters."""


class DirectoryWatcher(Protocol):
    """A connection whose client sees the list of rooms."""

    def rooms_changed(self, change: RoomsChanged) -> None:
        """Public rooms changed. All watchers of a game get the same object."""


class RoomDirectory:
    """Answers from memory; reports changes to its watchers once per tick of the loop."""

    def __init__(self, call_soon: Callable[[Callable[[], None]], object]) -> None:
        self._rooms: dict[RoomId, Listing] = {}
        self._listed: dict[str, tuple[Listing, ...]] = {}
        """Lists by game since the last change: many clients ask for the same."""
        self._pages: dict[RoomQuery, RoomPage] = {}
        self._rendered: dict[Hashable, bytes] = {}
        self._call_soon = call_soon
        self._watchers: dict[DirectoryWatcher, str] = {}
        """The game that each watcher sees; empty: all games."""
        self._changed: dict[str, dict[RoomId, None]] = {}
        self._collections: list[list[ListingChange]] = []
        """The changes since each reading of the store that is in progress began."""

    def listed(self, game: str) -> tuple[Listing, ...]:
        """The public rooms of a game (empty: of all games), oldest first, as strangers may see them."""
        listed = self._listed.get(game)
        if listed is None:
            found = [_shown(room) for room in self._rooms.values() if _is_public(room) and game in ("", room.game)]
            listed = tuple(sorted(found, key=lambda room: (room.created_ms, room.room)))
            if listed:
                self._listed[game] = listed
        return listed

    def page(self, query: RoomQuery) -> RoomPage:
        """Pages go by number, so that `after` is good even if that room is gone: numbers rise with time."""
        page = self._pages.get(query)
        if page is None:
            fitting = [room for room in self.listed(query.game) if room.room > query.after and _fits(room, query)]
            fitting.sort(key=lambda room: room.room)
            shown = fitting[: query.limit]
            body = _encode({"rooms": shown, "more": len(fitting) > len(shown)})
            page = RoomPage(frozenset(room.room for room in shown), body)
            if len(self._pages) < _MOST_CACHED:
                self._pages[query] = page
        return page

    def rendered(self, key: Hashable, render: Callable[[], bytes]) -> bytes:
        found = self._rendered.get(key)
        if found is None:
            found = render()
            if len(self._rendered) < _MOST_CACHED:
                self._rendered[key] = found
        return found

    def get(self, room: RoomId) -> Listing | None:
        return self._rooms.get(room)

    def all(self) -> Collection[Listing]:
        """All rooms, for operators: private ones and those that wait for their parameters are among them."""
        return self._rooms.values()

    def awaits_return(self, game: str) -> bool:
        """Whether a player of a running game of this kind is away and may come back by name."""
        playing = (room for room in self._rooms.values() if room.game == game and room.status is RoomStatus.PLAYING)
        return any(room.gone for room in playing)

    def count(self) -> dict[str, int]:
        """The number of rooms by status, private ones included."""
        statuses = [room.status for room in self._rooms.values()]
        return {status: statuses.count(status) for status in (RoomStatus.WAITING, RoomStatus.PLAYING)}

    def collect_changes(self) -> list[ListingChange]:
        """Begin to collect changes, before all rooms are read from the store. A change that is published during the
        reading may be newer than the listing that was read: applied only before it, it would be overwritten."""
        self._collections.append([])
        return self._collections[-1]

    def discard(self, collected: Sequence[ListingChange]) -> None:
        """Stop collecting: the reading has failed. The next reading will be newer than these changes, and a store that
        has lost its last writes meanwhile may contradict them."""
        self._collections = [changes for changes in self._collections if changes is not collected]

    def gathered(self, rooms: Iterable[Listing], collected: Sequence[ListingChange] = ()) -> None:
        """Replace everything by all rooms as read from the store, and apply the changes collected since."""
        known, self._rooms = self._rooms, {listing.room: listing for listing in rooms}
        self._forget_lists()
        for room in {**known, **self._rooms}:
            if known.get(room) != self._rooms.get(room):
                self._mark(known.get(room), self._rooms.get(room))
        self.discard(collected)
        self.change(collected)

    def change(self, changes: Iterable[ListingChange]) -> None:
        for change in changes:
            for collected in self._collections:
                collected.append(change)
            before = self._rooms.get(change.room)
            if change.listing is None:
                self._rooms.pop(change.room, None)
            else:
                self._rooms[change.room] = change.listing
            self._forget_lists()
            self._mark(before, change.listing)

    def _forget_lists(self) -> None:
        self._listed.clear()
        self._pages.clear()
        self._rendered.clear()

    def watch(self, watcher: DirectoryWatcher, game: str) -> None:
        self._watchers[watcher] = game

    def unwatch(self, watcher: DirectoryWatcher) -> None:
        self._watchers.pop(watcher, None)

    def _mark(self, before: Listing | None, after: Listing | None) -> None:
        if not self._watchers or not any(room is not None and _is_public(room) for room in (before, after)):
            return
        listing = after or before
        assert listing is not None
        if not self._changed:
            self._call_soon(self._report)
        self._changed.setdefault(listing.game, {})[listing.room] = None

    def _report(self) -> None:
        changed, self._changed = self._changed, {}
        by_game = {
            game: RoomsChanged({room: self._shown_now(room) for room in rooms}) for game, rooms in changed.items()
        }
        of_all_games = RoomsChanged({room: self._shown_now(room) for rooms in changed.values() for room in rooms})
        for watcher, game in list(self._watchers.items()):
            change = by_game.get(game) if game else of_all_games
            if change is not None:
                watcher.rooms_changed(change)

    def _shown_now(self, room: RoomId) -> Listing | None:
        listing = self._rooms.get(room)
        return _shown(listing) if listing is not None and _is_public(listing) else None


def _shown(room: Listing) -> Listing:
    """The listing without the seats whose players are away: a stranger who knows them could claim them by name."""
    return msgspec.structs.replace(room, gone=()) if room.gone else room


def _is_public(room: Listing) -> bool:
    return not room.private and not room.only


def _fits(room: Listing, query: RoomQuery) -> bool:
    return query.status in ("", room.status) and query.seats in (None, room.seats)
