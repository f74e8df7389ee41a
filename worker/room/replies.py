"""Replies of a room to commands."""

import msgspec

from shared.commands import Envelope, Rematch
from shared.deliveries import Reply
from shared.errors import CODES, Rejected
from shared.ids import Epoch, Offset, RoomId, Seat
from shared.room_events import NOTHING
from worker.room.results import CommandResult
from worker.room.state import RoomState


def done(state: RoomState, envelope: Envelope, seat: Seat | None = None, view: bytes | None = None) -> Reply:
    """The command was carried out; the reply names the room's last step, and carries a view if there is one."""
    place = None if seat is None else state.seats.get(seat)  # a player who has just left has no seat
    reply = Reply(
        envelope.conn,
        state.room,
        envelope.id,
        epoch=state.epoch,
        offset=state.offset,
        seat=seat,
        view=NOTHING if view is None else msgspec.Raw(view),
        since=Offset(0) if place is None else place.since,
    )
    if isinstance(envelope.body, Rematch):
        return msgspec.structs.replace(reply, to=state.rematch, spec=state.spec)
    return reply


def no_step(room: RoomId, epoch: Epoch, envelope: Envelope) -> Reply:
    """The command was carried out and needed no step."""
    return Reply(envelope.conn, room, envelope.id, epoch=epoch)


def refused(room: RoomId, envelope: Envelope, refusal: Rejected) -> Reply:
    text = refusal.text or CODES.get(refusal.code, "")
    return Reply(envelope.conn, room, envelope.id, refusal.code, text)


def repeated(state: RoomState, envelope: Envelope, seat: Seat, known: CommandResult | Rejected) -> Reply:
    """The reply to a command that was handled before."""
    if isinstance(known, Rejected):
        return refused(state.room, envelope, known)
    if known.code:
        return refused(state.room, envelope, Rejected(known.code, known.text))
    if isinstance(envelope.body, Rematch):
        return done(state, envelope, seat)
    return Reply(envelope.conn, state.room, envelope.id, "", "", known.epoch, known.offset)
