"""Full views that take the place of steps which a client was not sent, and their place among the steps.

The functions change the attachment, add effects to the state, and return the views to send to the client now.
"""

import msgspec

from gateway.dialects.answers import RoomAttached, ViewReason
from gateway.session.attachments import Attachment, PendingAnswer, PendingView
from gateway.session.effects import Refresh, Reposition
from gateway.session.state import SessionState
from shared.deliveries import Reply
from shared.room_views import Position


def refresh(state: SessionState, attachment: Attachment, reason: ViewReason) -> tuple[PendingAnswer, ...]:
    """Replace the steps that the client was not sent by a view: the pending one, or one that the room is asked for."""
    pending, attachment.pending_view = attachment.pending_view, None
    if pending is not None:
        state.effects.append(Reposition(attachment, pending.top))
        return tuple((ref, msgspec.structs.replace(view, reason=reason)) for ref, view in pending.answers)
    attachment.stale = True
    attachment.refresh_reason = reason
    state.effects.append(Refresh(attachment))
    return ()


def refreshed(state: SessionState, attachment: Attachment, reply: Reply) -> tuple[PendingAnswer, ...]:
    """The room has answered a `Refresh` with a view."""
    top = Position(reply.epoch, reply.offset)
    view = RoomAttached(reply.room, reply.seat, top.epoch, top.offset, bytes(reply.view))
    if not attachment.stale:
        return _late_view(attachment, top, view)
    attachment.seat = reply.seat
    # The view was asked for after the client had seen its last step: only a store that has lost it shows less.
    rewound = attachment.rewound or attachment.position.voided_by(top)
    reason: ViewReason = "rewound" if rewound else attachment.refresh_reason
    state.effects.append(Reposition(attachment, top))
    return ((None, msgspec.structs.replace(view, reason=reason)),)


def _late_view(attachment: Attachment, top: Position, view: RoomAttached) -> tuple[PendingAnswer, ...]:
    """Steps were delivered without the views that the client wants, and this view follows. It waits for the steps that
    it shows; if later ones were delivered, they came with views of their own."""
    if attachment.offset == top.offset:
        return ((None, view),)
    if attachment.offset < top.offset:
        waiting = () if attachment.pending_view is None else attachment.pending_view.answers
        attachment.pending_view = PendingView(top, (*waiting, (None, view)))
    return ()
