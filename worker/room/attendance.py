"""Attendance: which connection a seat, or a gateway's spectators, receive the room's updates on.

Connections come and go more often than players: most changes are notes in the journal that no client is shown. Only a
player who goes away, or comes back, makes a step.
"""

from shared.commands import Enter, Envelope, Wants, Watch
from shared.game import Absent
from shared.ids import CommandId, GatewayId, Seat
from shared.journal_records import Attached, Detached
from shared.room_events import Away
from worker.room import seating
from worker.room.draft import RoomDraft
from worker.room.state import SeatState
from worker.room.step import StepBuilder


class Attendance:
    """Attaches connections to a room, and detaches them."""

    __slots__ = ("_draft", "_steps")

    def __init__(self, draft: RoomDraft, steps: StepBuilder) -> None:
        self._draft = draft
        self._steps = steps

    def attach(self, envelope: Envelope, seat: Seat, at_ms: int, *, joining: bool = False) -> None:
        """Make this connection the seat's. `joining`: the command took the seat, so that the step is its result."""
        draft, steps, place = self._draft, self._steps, self._draft.state.seats[seat]
        command = _attaching_command(envelope)
        if _outdated(command, envelope, place):
            return
        before = place.gateway if place.here else GatewayId("")
        if not place.here and not draft.events and not draft.state.over:
            seating.come_back(draft, seat, envelope.sid)
        address = envelope.body.address if isinstance(envelope.body, Enter) else place.address
        note = Attached(envelope.gateway, envelope.conn, seat, envelope.wants, command, address)
        if draft.events:
            draft.note(note)
            steps.close(at_ms, envelope, seat if joining else None, notes=(note,))
        elif (place.gateway, place.conn, place.wants, place.here) != (note.gateway, note.conn, note.wants, True):
            steps.file_note(note, at_ms)
        if before:
            self.remove_gateway(before)
        steps.result.more.gateway_added = envelope.gateway

    def watch(self, envelope: Envelope, at_ms: int) -> None:
        """Add a spectator. The room keeps what all spectators of a gateway want together: a step has one variant for
        spectators with views, whatever gateway they use. Options are for seats alone."""
        wants = envelope.wants & ~Wants.OPTIONS.value
        known = self._draft.state.audience.get(envelope.gateway)
        if known is None or known | wants != known:
            self._steps.file_note(Attached(envelope.gateway, wants=wants | (known or 0)), at_ms)
        self._steps.result.more.gateway_added = envelope.gateway

    def unwatch(self, gateway: GatewayId, at_ms: int) -> None:
        """Remove a gateway's spectators."""
        if gateway in self._draft.state.audience:
            self._steps.file_note(Detached(gateway), at_ms)
            self.remove_gateway(gateway)

    def connection_lost(self, envelope: Envelope, at_ms: int) -> None:
        """Mark a player as away, unless the seat has another connection by now."""
        seat = self._draft.state.seat_of(envelope.sid)
        if seat is None:
            return
        place = self._draft.state.seats[seat]
        if place.here and (place.gateway, place.conn) == (envelope.gateway, envelope.conn):
            self._mark_away([seat], at_ms)
            self.remove_gateway(envelope.gateway)

    def gateway_lost(self, gateway: GatewayId, at_ms: int) -> None:
        """Mark all players of a gateway as away, in one step, and remove its spectators."""
        state = self._draft.state
        if gateway in state.audience:
            self._steps.file_note(Detached(gateway), at_ms)
        lost = [seat for seat, place in state.seats.items() if place.here and place.gateway == gateway]
        self._mark_away(lost, at_ms)
        self._steps.result.more.gateway_removed = gateway

    def remove_gateway(self, gateway: GatewayId) -> None:
        """Stop sending updates to a gateway, unless another seat or a spectator there still receives them."""
        if gateway not in self._draft.presence.gateways:
            self._steps.result.more.gateway_removed = gateway

    def _mark_away(self, seats: list[Seat], at_ms: int) -> None:
        draft = self._draft
        if draft.state.over:
            for seat in seats:
                self._steps.file_note(Detached(draft.state.seats[seat].gateway, seat), at_ms)
            return
        for seat in seats:
            draft.add(Away(seat))
            draft.notify(Absent(seat))
        if draft.events:
            self._steps.close(at_ms)


def _attaching_command(envelope: Envelope) -> CommandId:
    body = envelope.body
    return body.again if isinstance(body, Watch) and body.again is not None else envelope.id


def _outdated(command: CommandId, envelope: Envelope, place: SeatState) -> bool:
    """Whether a newer command has attached another connection. A repeated command can arrive late; it must not take the
    seat back to a connection that is gone."""
    return command < place.attached and (envelope.gateway, envelope.conn) != (place.gateway, place.conn)
