"""The delivery of steps to one follower of a room.

The functions move the follower's attachment. They need neither the room's other followers nor the store.
"""

import msgspec

from gateway.cluster.visibility import visible_part
from gateway.dialects.contract import DeliveredStep
from gateway.session.attachments import Attachment
from shared.bus.updates import Missed
from shared.deliveries import StepMessage

CHUNK_BYTES = 64 * 1024
"""Size of the missed steps that a follower is sent at once. The next chunk follows when the client has read."""
SEAT_LEFT = b'"room.left"'
"""Part of every step in which a seat was given up or taken away."""


def catch_up(attachment: Attachment, missed: Missed) -> bool:
    """Deliver missed steps; False if some are left for the next chunk."""
    if missed.lost:
        attachment.stale = True
        attachment.follower.position_lost(attachment, missed.lost)
    sent = 0
    for step in missed.steps:
        if sent >= CHUNK_BYTES or attachment.stale:
            return False
        part = bytes(visible_part(step, attachment.seat, attachment.since, attachment.wants))
        sent += len(part)
        delivered = DeliveredStep(part)
        advance(attachment, step, delivered)
        if step.unseats is not False and SEAT_LEFT in part and step.offset >= attachment.since:
            notify_if_seat_lost(attachment, delivered)
    return not missed.more


def advance(attachment: Attachment, step: StepMessage, delivered: DeliveredStep) -> None:
    """Deliver the step after the attachment's position."""
    attachment.epoch, attachment.offset, attachment.commit = step.epoch, step.offset, step.commit
    attachment.follower.deliver(attachment, delivered)
    if attachment.pending_view is not None:
        send_due_views(attachment)


def send_due_views(attachment: Attachment) -> None:
    pending = attachment.pending_view
    if pending is not None and pending.top.offset <= attachment.offset and not attachment.stale:
        attachment.follower.views_due(attachment)


def has_missed(attachment: Attachment, step: StepMessage) -> bool:
    """Whether a follower that the step cannot be delivered to has missed steps before it, which have to be read."""
    if attachment.stale or attachment.behind:
        attachment.refill |= attachment.behind
        return False
    if attachment.offset < step.offset:
        return True
    if step.epoch > attachment.epoch:  # the store has lost steps that the client has seen
        attachment.stale = True
        attachment.follower.position_lost(attachment, "rewound")
    return False


def notify_if_seat_lost(attachment: Attachment, step: DeliveredStep) -> None:
    """Notify a follower whose seat a step has taken away: the private parts of later steps are for the next player of
    the seat. The feed searches the step for it, because steps are sent to clients of `play` without being decoded. A
    player who gives a seat up is detached with the answer to that request."""
    for event in msgspec.json.decode(step.update.events):
        if event["type"] == "room.left" and event["seat"] == attachment.seat and event["reason"] != "left":
            attachment.follower.seat_lost(attachment, event["reason"])
