"""A session's places in rooms: one attachment per room, and views that wait until the steps they show were sent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from gateway.dialects.answers import RoomAttached, ViewReason
from gateway.dialects.contract import DeliveredStep
from shared.deliveries import Reply
from shared.ids import CommandId, CommitNumber, Epoch, Offset, RoomId, Seat
from shared.room_views import Position

PendingAnswer: TypeAlias = tuple[Any, RoomAttached]
"""The reference of a request for a view, and its answer."""


@dataclass(frozen=True, slots=True)
class PendingView:
    """Views that must not be sent before the steps up to `top`, which they show."""

    top: Position
    answers: tuple[PendingAnswer, ...]


class Follower(Protocol):
    """A connection that follows a room."""

    number: int
    """The number by which replies name the connection."""

    def deliver(self, attachment: "Attachment", step: DeliveredStep) -> None:
        """The next step, as this follower may see it."""

    def views_due(self, attachment: "Attachment") -> None:
        """All steps up to the pending views were delivered."""

    def views_missed(self, attachment: "Attachment") -> None:
        """Missed steps were delivered. The store keeps them without the views that this follower wants."""

    def position_lost(self, attachment: "Attachment", reason: ViewReason) -> None:
        """The steps after the attachment's position cannot be delivered: `trimmed` or `rewound`."""

    def attach_again(self, attachment: "Attachment") -> None:
        """Repeat to the room that its updates are received here: the store may have lost that."""

    def seat_lost(self, attachment: "Attachment", reason: str) -> None:
        """The step that was just delivered took the attachment's seat away."""

    def buffered(self) -> int:
        """Bytes that the client has not read yet."""


@dataclass(slots=True, eq=False)
class Attachment:
    """A session's place in a feed. The feed moves it from step to step."""

    room: RoomId
    seat: Seat | None
    wants: int
    epoch: Epoch
    offset: Offset
    since: Offset = Offset(0)
    """The step that seated the player: a seat's own part of earlier steps belongs to another player."""
    key: str = ""
    """The key that a spectator of a private room has presented: asking for a fresh view takes it again."""
    command: CommandId = CommandId(0)
    """The command that attached the client."""
    commit: CommitNumber = CommitNumber(0)
    """The commit of the step at this position; 0: it is not known."""
    stale: bool = False
    """The client waits for a full view; steps are not delivered."""
    rewound: bool = False
    """The store has lost the step at this position: `rewound` is the reason of the view that the client waits for."""
    behind: bool = False
    """The client is being sent the steps that it missed, chunk by chunk; live steps wait."""
    refill: bool = False
    """Steps are left to be read: the last chunk was full, or a message was lost since."""
    pending_view: PendingView | None = None
    refresh_id: CommandId | None = None
    """The gateway's own command that asks for a full view. A reply to an earlier one is out of date."""
    refresh_reason: ViewReason = ""
    follower: Follower = field(init=False, repr=False)
    """The connection that the steps are delivered to. `Feeds.attach` sets it."""

    @property
    def position(self) -> Position:
        return Position(self.epoch, self.offset)


class SessionAttachments:
    """The attachments of one session, by room."""

    def __init__(self) -> None:
        self._by_room: dict[RoomId, Attachment] = {}

    @property
    def by_room(self) -> Mapping[RoomId, Attachment]:
        """A view of all attachments that stays up to date."""
        return self._by_room

    def __iter__(self) -> Iterator[Attachment]:
        return iter(list(self._by_room.values()))

    def __contains__(self, room: RoomId) -> bool:
        return room in self._by_room

    def get(self, room: RoomId) -> Attachment | None:
        return self._by_room.get(room)

    def add(
        self, reply: Reply, wants: int, position: Position | None, view: PendingAnswer | None, key: str = ""
    ) -> tuple[Attachment, tuple[PendingAnswer, ...]]:
        """Attach to the room of a reply, from its step or from an earlier position on. A `view` is held back until the
        steps up to the reply's were sent, and so are views that the replaced attachment was waiting with. Also returns
        the views that need not wait."""
        before = self._by_room.get(reply.room)
        waiting = before.pending_view.answers if before is not None and before.pending_view is not None else ()
        if view is not None:
            waiting += (view,)
        top = Position(reply.epoch, reply.offset)
        start = position or top
        attachment = Attachment(reply.room, reply.seat, wants, start.epoch, start.offset, reply.since, key, reply.id)
        if before is not None and before.position == start:
            attachment.commit = before.commit
        self._by_room[reply.room] = attachment
        if start == top:
            return attachment, waiting
        if waiting:
            attachment.pending_view = PendingView(top, waiting)
        return attachment, ()

    def remove(self, attachment: Attachment) -> tuple[PendingAnswer, ...]:
        """Forget the attachment; returns the views that were waiting with it."""
        self._by_room.pop(attachment.room, None)
        pending = attachment.pending_view
        return () if pending is None else pending.answers
