"""Limits how often a client may name rooms that perhaps do not exist: the answers would reveal the numbers of private
rooms."""

from collections.abc import Container

from gateway.dialects.contract import Rooms
from gateway.session.rates import RequestRates
from shared.ids import RoomId


class RoomGuesses:
    """The guesses of one session."""

    def __init__(self, rooms: Rooms, attached: Container[RoomId], rates: RequestRates) -> None:
        self._rooms = rooms
        self._attached = attached
        self._rates = rates

    def may_name(self, room: RoomId | None, *, resuming: bool = False) -> bool:
        """Whether the client may name this room now. A guess that turns out wrong has to be counted with `missed`."""
        return not self._is_guess(room) or self._rates.may_guess(resuming=resuming)

    def missed(self) -> None:
        """The client has named a room that does not exist."""
        self._rates.missed()

    def count(self, room: RoomId) -> bool:
        """Like `may_name`, for a command whose answer the client does not wait for: a guess is counted before it is
        known whether it was wrong."""
        if not self.may_name(room):
            return False
        if self._is_guess(room):
            self._rates.missed()
        return True

    def _is_guess(self, room: RoomId | None) -> bool:
        """Whether the answer would reveal if there is a room of this number."""
        if room is None or room in self._attached:
            return False
        listing = self._rooms.get(room)
        return listing is None or listing.private
