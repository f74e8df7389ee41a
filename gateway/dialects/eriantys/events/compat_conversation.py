"""The conversation of `eriantys.events` with a Group 3 program (the listener's option `compat=group3`).

The conversation is that of the dialect; `compat_render` translates the messages. It differs where an answer would leave
the program stuck: its reader waits for ever with an `Ack`, `Nack` or `RoomId` that no request of its own waits for.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from gateway.dialects.answers import Answer
from gateway.dialects.eriantys.common.codec import decode
from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.events import compat_messages, compat_render, messages, render
from gateway.dialects.eriantys.events.compat_messages import FromGroup3, Group3PublicRooms, Group3RoomId
from gateway.dialects.eriantys.events.conversation import EventsConversation, Parsed, encode
from gateway.dialects.requests import LeaveRequest, Output
from shared.games.eriantys.events import Event
from shared.room_events import RoomEvent

COMPAT: Final = "group3"
_NOT_CREATED: Final = encode(Group3RoomId(-1))

_decode: Callable[[bytes], FromGroup3] = msgspec.json.Decoder(FromGroup3).decode


class Group3Conversation(EventsConversation):
    def parse(self, frame: bytes) -> Parsed:
        return compat_render.received(decode(_decode, frame), self._table)

    # --- rooms -------------------------------------------------------------------------------------------------------

    def _public_rooms(self, wanted: messages.GetPublicRooms) -> bytes:
        """The own room is always listed: a player who returns has to enter it by its number. A number of players that
        no room has is answered with an empty list, not with a `Nack`."""
        return self._list(self._fitting_rooms(wanted))

    def _rooms_refused(self, answer: Answer | None) -> bytes:
        """The program waits for a list: a `Nack` would block its reader for good."""
        return self._list(())

    def _list(self, rooms: Iterable[messages.PublicRoom]) -> bytes:
        shown = {room.room_id: compat_render.room_info(room) for room in rooms}
        if self._table is not None:
            shown.setdefault(self._table.room_id, compat_render.own_room(self._table))
        return encode(Group3PublicRooms(tuple(shown.values())))

    def show_created(self, table: Table) -> Iterable[Output]:
        """Without an `Ack`: the program waits for the `RoomId` alone."""
        return self.put((messages.RoomId(table.room_id), *render.all_players(table)))

    def not_created(self, code: str, text: str = "") -> bytes:
        """The program waits for a `RoomId`, whatever happens, and takes a negative one for a failure."""
        return _NOT_CREATED

    def _access(self, room: int) -> Iterator[Output]:
        """A player who has returned by login is in the room already. The program does not know it before this."""
        if self._table is not None and self._table.room_id == room:
            return iter((encode(messages.Ack()),))
        return super()._access(room)

    def _leave(self) -> Iterator[Output]:
        """Rooms that are over have been left already."""
        return super()._leave() if self._table is not None else iter((encode(messages.Ack()),))

    # --- messages to the client --------------------------------------------------------------------------------------

    def put(self, shown: Iterable[messages.ToClient]) -> Iterable[Output]:
        assert self._table is not None
        return map(encode, compat_render.translated(self._table, shown))

    def show_return(self, table: Table) -> Iterator[Output]:
        yield from self.put(render.all_players(table))
        if table.playing:
            yield from self.put(compat_render.position(table, table.view))

    def render(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        for message in compat_render.translated(table, render.step(table, events)):
            # In a running game only a player who is back is added, and the graphical program shows its lobby then.
            if not (isinstance(message, compat_messages.Group3AddPlayer) and table.playing):
                yield encode(message)
        if table.over:
            yield LeaveRequest(table.room_id, self._left)

    def _left(self, _answer: Answer | None) -> Iterator[Output]:
        """The program enters another room without leaving the last one."""
        self._table = None
        return iter(())
