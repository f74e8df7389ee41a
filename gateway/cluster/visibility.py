"""The part of a step that a receiver may see. Live deliveries and the HTTP API share this rule."""

import msgspec

from shared.commands import Wants
from shared.deliveries import StepMessage
from shared.ids import Offset, Seat
from shared.room_events import NOTHING


def visible_part(step: StepMessage, seat: Seat | None, since: Offset, wants: int = 0) -> msgspec.Raw:
    """The encoded update for a seat, or for a spectator (no seat).

    A seat has its own part only since the step that seated its player (`since`): earlier parts may show the secrets of
    the player who had the seat before."""
    if seat is not None:
        if step.seats and step.offset >= since:
            return step.seats.get(seat, step.public)
        return step.public
    if wants & Wants.VIEW and step.watchers != NOTHING:
        return step.watchers
    return step.public
