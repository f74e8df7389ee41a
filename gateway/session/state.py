"""The part of a session that requests read and change: who the client is, its rooms, and the effects so far."""

from enum import StrEnum
from typing import Any

from gateway.dialects.contract import Dialect
from gateway.session.attachments import Attachment, PendingAnswer, SessionAttachments
from gateway.session.effects import Attach, Detach, Effect, ReleaseName
from shared.deliveries import Reply
from shared.ids import CommandId, RoomId, SessionId
from shared.room_views import Position


class ReturnByName(StrEnum):
    """The clients that get a seat of a dialect without tokens back by its name (TAVOLATA_RETURN_BY_NAME)."""

    ANY = "any"
    ADDRESS = "address"
    """Seats that were lost from the same client address."""
    OFF = "off"


class SessionState:
    """The state of one session."""

    __slots__ = (
        "_last_id",
        "attachments",
        "claiming",
        "dialect",
        "effects",
        "entered",
        "has_token",
        "name",
        "return_by_name",
        "rooms_per_player",
        "seat_address",
        "sid",
    )

    def __init__(
        self, dialect: Dialect, sid: SessionId, rooms_per_player: int, return_by_name: ReturnByName, address: str
    ) -> None:
        self.dialect = dialect
        self.sid = sid
        self.name = ""
        self.has_token = False
        """Whether the client was given a token, with which it can take the session up again."""
        self.return_by_name = return_by_name
        self.seat_address = address if return_by_name is ReturnByName.ADDRESS else ""
        """The client's address, if seats come back by name to the same address only; else empty."""
        self.claiming = ("", sid)
        """The name that was asked for last, and for which session. The store may hold this claim although its result
        has not arrived, so it is released with the connection."""
        self.rooms_per_player = rooms_per_player
        self.attachments = SessionAttachments()
        self.effects: list[Effect] = []
        """The effects of the call in progress."""
        self.entered: tuple[tuple[Any, RoomId], ...] = ()
        """The latest requests for a seat that were answered with a room, in a dialect whose clients may repeat them."""
        self._last_id = 0

    def mint_id(self) -> CommandId:
        """A command id for a client whose dialect has none."""
        self._last_id += 1
        return CommandId(self._last_id)

    def command_id(self, ref: Any) -> CommandId:
        """Clients of a raw dialect number their requests themselves, so that they can repeat one after a loss."""
        return CommandId(ref) if self.dialect.raw else self.mint_id()

    def log_out(self) -> None:
        """Free the name, unless a room keeps it."""
        if self.name:
            self.effects.append(ReleaseName(self.name, self.sid, keep=False))
            self.name = ""

    def attach(
        self,
        reply: Reply,
        wants: int,
        position: Position | None = None,
        view: PendingAnswer | None = None,
        key: str = "",
    ) -> tuple[PendingAnswer, ...]:
        """Follow the room of a reply (see `SessionAttachments.add`); returns the views to send now."""
        attachment, due = self.attachments.add(reply, wants, position, view, key)
        self.effects.append(Attach(attachment, Position(reply.epoch, reply.offset)))
        return due

    def seen(self, room: RoomId) -> Position | None:
        """The last step that this client was sent of a room which it follows."""
        attachment = self.attachments.get(room)
        return None if attachment is None else attachment.position

    def detach(self, room: RoomId) -> tuple[PendingAnswer, ...]:
        """Stop following a room that needs no report of it; returns the views to send now."""
        attachment = self.attachments.get(room)
        return () if attachment is None else self.drop(attachment)

    def drop(self, attachment: Attachment, *, gone: bool = False) -> tuple[PendingAnswer, ...]:
        due = self.attachments.remove(attachment)
        self.effects.append(Detach(attachment, gone))
        return due
