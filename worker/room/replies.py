"""Replies of a room to commands."""

import msgspec

from shared.commands import Envelope, Rematch
from shared.deliveries import Reply
from shared.errors import CODES, Rejected
from shared.ids import Epoch, Offset, RoomId, Seat
from shared.room_events import NOTHING, RoomSpec
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
        return msgspec.structs.replace(reply, to=state.rematch, spec=_spec_again(state), key=state.rematch_key)
    return reply


def _spec_again(state: RoomState) -> RoomSpec:
    """The spec of the next game, with as many bots as this one had: some may have joined after the opening."""
    return msgspec.structs.replace(state.spec, bots=sum(place.bot for place in state.seats.values()))


def attached(state: RoomState, envelope: Envelope, seat: Seat | None, view: bytes | None) -> Reply:
    """The connection is attached, at a seat or as a spectator. Players are given the key, so that they can invite
    others; it is that of the room, whatever key a repeated command has brought."""
    reply = done(state, envelope, seat, view)
    return reply if seat is None or not state.key else msgspec.structs.replace(reply, key=state.key)


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
