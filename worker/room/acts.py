"""Acts of operators on a room: each is carried out or refused once, journaled with its author, and audited."""

from collections.abc import Callable, Collection

from shared.acts import ActKind, AuditEntry, OperatorAct
from shared.errors import Rejected, refusal
from shared.game import Absent
from shared.ids import GatewayId, Seat
from shared.journal_records import Acted
from shared.name_rules import folded
from shared.room_events import Away, Closed, Shifted
from worker.room import seating
from worker.room.draft import RoomDraft
from worker.room.state import RoomState
from worker.room.step import StepBuilder


class RoomActs:
    """Carries out the acts of operators. The methods return the code of a refusal, empty if there is none; an act that
    was handled before has no effect, and the same code."""

    __slots__ = ("_draft", "_steps")

    def __init__(self, draft: RoomDraft, steps: StepBuilder) -> None:
        self._draft = draft
        self._steps = steps

    def carry_out(self, act: OperatorAct, at_ms: int) -> str:
        """Carry out an act on a room that is in order."""
        return self._once(act, at_ms, lambda: self._decide(act))

    def free(self, act: OperatorAct, at_ms: int, live: Collection[GatewayId]) -> str:
        """Let a quarantined room go on. It has missed its deadlines and the loss of gateways: its clocks are put back
        by the time since its last record, and players whose gateways are not among the `live` ones are away."""

        def decide() -> None:
            if not self._draft.state.over:
                self._mark_away(live)
                self._put_clocks_back(at_ms)
            self._steps.result.more.freed = True

        return self._once(act, at_ms, decide)

    def _once(self, act: OperatorAct, at_ms: int, decide: Callable[[], Rejected | None]) -> str:
        draft, steps = self._draft, self._steps
        state = draft.state
        if not state.status:
            return "room/unknown"
        if (earlier := state.acts.get(act.id)) is not None:
            return earlier
        note = Acted(act, _players(state, act))
        refused = decide()
        if draft.events:
            draft.note(note)
            steps.close(at_ms, notes=(note,))
        else:
            steps.file_act(note, refused, at_ms)
        code = "" if refused is None else refused.code
        steps.result.more.audit = AuditEntry(at_ms, state.room, state.offset, state.number, act, note.players, code)
        return code

    def _decide(self, act: OperatorAct) -> Rejected | None:
        """Add the events of an act, or refuse it; then no event was added."""
        state = self._draft.state
        match act.kind:
            case ActKind.FREE:
                return refusal("room/not_quarantined")
            case ActKind.CLOSE | ActKind.REMOVE if state.over:
                return refusal("room/closed" if state.outcome is None else "game/over")
            case ActKind.CLOSE:
                self._draft.add(Closed("operator"))
                return None
            case ActKind.REMOVE:
                return self._remove(_seat_of(state, act.subject))
            case _:
                return refusal("command/bad", "the lobby handles this act")

    def _remove(self, seat: Seat | None) -> Rejected | None:
        draft = self._draft
        if seat is None:
            return refusal("room/nobody")
        gateway = draft.state.seats[seat].gateway
        seating.leave(draft, seat, "removed")
        if gateway not in draft.presence.gateways:
            self._steps.result.more.gateway_removed = gateway
        return None

    def _mark_away(self, live: Collection[GatewayId]) -> None:
        draft = self._draft
        for seat, place in draft.state.seats.items():
            if place.here and not place.bot and place.gateway not in live:
                draft.add(Away(seat))
                draft.notify(Absent(seat))

    def _put_clocks_back(self, at_ms: int) -> None:
        """Move all deadlines. This also schedules them again: those that passed meanwhile were dropped. The snapshot of
        an earlier release lacks the time of the last record; then the first deadline counts."""
        state = self._draft.state
        if state.deadlines:
            since_ms = state.at_ms or min(deadline.due_ms for deadline in state.deadlines.values())
            self._draft.add(Shifted(max(1, at_ms - since_ms)))


def _seat_of(state: RoomState, name: str) -> Seat | None:
    """The seat of a player, by a name in any case."""
    for seat, place in state.seats.items():
        if folded(place.name) == folded(name) and not place.bot and not place.left:
            return seat
    return None


def _players(state: RoomState, act: OperatorAct) -> int:
    """The number of players that an act concerns."""
    if act.kind is ActKind.REMOVE:
        return 0 if _seat_of(state, act.subject) is None else 1
    return len(state.humans)
