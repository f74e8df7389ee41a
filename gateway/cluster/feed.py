"""One room that sessions of a gateway follow: its followers, and the answers that wait for missed steps."""

from dataclasses import dataclass
from typing import NamedTuple

from gateway.session.attachments import Attachment
from shared.deliveries import Reply
from shared.ids import Epoch, Offset, RoomId


class HeldAnswer(NamedTuple):
    """An answer to a command that waits until its client was sent the step."""

    reply: Reply
    epoch: Epoch
    """The epoch of the owner that gave the answer."""


@dataclass(slots=True, eq=False)
class Feed:
    """A room that sessions of this gateway follow."""

    room: RoomId
    followers: tuple[Attachment, ...] = ()
    top: Offset = Offset(0)
    """The last step that a message or a reply to this gateway has named."""
    filling: bool = False
    """The missed steps are being read. Meanwhile nothing is delivered, because it would come too early."""
    refill: bool = False
    """A step or a session came while the missed steps were being read: they have to be read once more."""
    behind: int = 0
    """The number of followers that are being sent missed steps in chunks."""
    held: tuple[HeldAnswer, ...] = ()
    """Answers that wait until their clients were sent the step."""

    def attachment_of(self, reply: Reply) -> Attachment | None:
        """The attachment of the client that a reply is for, unless the client waits for a view."""
        for attachment in self.followers:
            if attachment.follower.number == reply.conn:
                return None if attachment.stale else attachment
        return None

    def is_reading_for(self, attachment: Attachment) -> bool:
        """Whether steps that the client has missed are being read and sent."""
        return self.filling or attachment.behind
