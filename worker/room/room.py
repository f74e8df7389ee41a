"""One room, without IO: a command goes in, a result comes out. Nothing happens outside the room.

The room composes seating, play, attendance and timers over one draft, and passes each command to one of them.
"""

from collections.abc import Collection, Sequence
from typing import TypeAlias

import msgspec

from shared.acts import OperatorAct
from shared.bus import outages
from shared.bus.journal import StoredRoom
from shared.bus.outages import Outage
from shared.commands import (
    Act,
    Compensate,
    Configure,
    Enter,
    Envelope,
    Expired,
    GatewayLost,
    Gone,
    Leave,
    Operate,
    Rematch,
    RoomCommand,
    Say,
    Unwatch,
    Watch,
)
from shared.deliveries import Reply
from shared.errors import Rejected, refusal
from shared.game import DeadlinePassed
from shared.ids import CommitNumber, Epoch, GatewayId, Offset, RoomId, Seat, game_version
from shared.journal_records import Detached, JournalEntry
from shared.results import Result
from shared.room_events import Closed, Opened, RoomStatus, Shifted
from shared.runtime.settings import WorkerSettings
from worker.games import GameCatalog, NoSuchGame
from worker.room import play, replies, seating, timers
from worker.room.acts import RoomActs
from worker.room.attendance import Attendance
from worker.room.draft import RoomBroken, RoomDraft
from worker.room.projection import never_opened
from worker.room.results import CommandResult, known
from worker.room.state import RoomState
from worker.room.step import NO_RESULT, StepBuilder

_decode_state = msgspec.json.Decoder(RoomState).decode

RareSeatCommand: TypeAlias = Say | Configure | Leave | Rematch
SeatCommand: TypeAlias = Act | RareSeatCommand

_WAITING = RoomStatus.WAITING
_EARLY_MS = 250
"""Time by which a deadline may fire too early: the clocks of worker and store differ a little."""


class Room:
    """A room in the memory of its owner."""

    __slots__ = ("_acts", "_attendance", "_draft", "_epoch", "_lost_ms", "_settings", "_steps", "touched_ms")

    def __init__(
        self,
        room: RoomId,
        epoch: Epoch,
        catalog: GameCatalog,
        settings: WorkerSettings,
        stored: StoredRoom,
        missed: Sequence[Outage] = (),
    ) -> None:
        """The room as the store has it; a room that was never opened is empty. Raises `RoomBroken`, or `NoSuchGame` if
        this worker cannot play it."""
        self.touched_ms = 0
        """The time of the last command."""
        self._epoch = epoch
        self._settings = settings
        self._draft = RoomDraft(room, catalog)
        self._steps = StepBuilder(self._draft, epoch, settings)
        self._attendance = Attendance(self._draft, self._steps)
        self._acts = RoomActs(self._draft, self._steps)
        try:
            if stored.snapshot is not None:
                self._restore(stored.snapshot)
            for entry in stored.records:
                self._replay(entry)
            self._draft.clear()
            self._steps.timers.loaded()
        except NoSuchGame:
            raise
        except Exception as error:  # a game's code may fail in any way on what an older version wrote
            raise RoomBroken(f"room {room} cannot be loaded: {error!r}") from error
        self._lost_ms = self._lost_in(missed)
        """The time by which the next command moves the deadlines back: the room was not played for so long."""

    @property
    def state(self) -> RoomState:
        return self._draft.state

    @property
    def expires_ms(self) -> int:
        """The time at which the room leaves the store; 0: it is not over."""
        return self._steps.expires_ms

    # --- loading ----------------------------------------------------------------------------------------------------

    def _restore(self, snapshot: bytes) -> None:
        draft = self._draft
        state = draft.state = _decode_state(snapshot)
        draft.presence = state.presence()
        game = draft.catalog.get(state.spec.game, state.version)
        draft.set_game(game, msgspec.json.decode(state.game, type=game.state_type))
        state.game = msgspec.Raw(b"null")

    def _replay(self, entry: JournalEntry) -> None:
        """Apply a record of the journal, as it was applied when it was filed."""
        offset, number, record = entry
        draft, state = self._draft, self._draft.state
        if offset > state.offset + 1:
            raise RoomBroken(f"the journal has no step {state.offset + 1}")
        state.offset, state.number, state.at_ms = offset, number, record.at
        state.deadlines.pop(record.expired, None)
        events = draft.catalog.events(draft.game, record.events)
        for event in events:
            if isinstance(event, Opened):
                draft.open_game(draft.catalog.get(event.spec.game, event.version), record.at)
            draft.apply(event)
        for note in record.notes:
            draft.note(note, record.code)
        if record.seat is not None and record.id:
            step = Offset(0) if number else offset
            self._steps.remember(record.seat, record.id, CommandResult(step, record.code, record.text, record.epoch))
        if number:
            self._steps.snapshots.count(entry)
            return
        state.epoch = record.epoch
        self._steps.replayed(offset, len(record.events))
        if state.over and not state.over_ms:
            state.over_ms = record.at
        draft.mark_seated(events)
        if draft.game is not None:
            self._steps.timers.retime(record.at)

    # --- handling ---------------------------------------------------------------------------------------------------

    def handle(self, envelope: Envelope, at_ms: int, commit: CommitNumber) -> Result:
        """Carry a command out, or refuse it. The result is to be part of this commit of the partition. If this raises,
        the room is broken: drop it and load it again."""
        self.touched_ms = at_ms
        steps, body = self._steps, envelope.body
        result = steps.begin(envelope.room, commit)
        if self._lost_ms:
            self._compensate(self._lost_ms, at_ms)
            self._lost_ms = 0
        if type(body) is Act:  # before the others: nearly all commands are moves
            self._from_seat(envelope, body, at_ms, result)
        else:
            self._handle_other(envelope, body, at_ms, result)
        steps.result = NO_RESULT
        return result

    def _handle_other(self, envelope: Envelope, body: RoomCommand, at_ms: int, result: Result) -> None:
        match body:
            case Say() | Configure() | Leave() | Rematch():
                self._from_seat(envelope, body, at_ms, result)
            case Enter():
                self._enter(envelope, body, at_ms, result)
            case Watch():
                self._watch(envelope, body, at_ms, result)
            case Unwatch():
                self._attendance.unwatch(envelope.gateway, at_ms)
                result.answer(envelope, replies.done(self.state, envelope))
            case Gone():
                self._attendance.connection_lost(envelope, at_ms)
                result.answer(envelope, replies.done(self.state, envelope))
            case Expired():
                self._expire(body, at_ms)
            case GatewayLost():
                self._attendance.gateway_lost(body.gateway, at_ms)
            case Compensate():
                self._compensate(body.by_ms, at_ms)
            case Operate():
                self._answer_operator(envelope, self._acts.carry_out(body.act, at_ms), result)
            case _:
                self._refuse(envelope, refusal("command/bad"), result)

    def _from_seat(self, envelope: Envelope, body: SeatCommand, at_ms: int, result: Result) -> None:
        """Handle a command that only a seat may give, and that is carried out once."""
        draft = self._draft
        taken = draft.presence.places.get(envelope.sid)
        if taken is None:
            result.answer(envelope, self._to_stranger(envelope))
            return
        seat, place = taken
        if envelope.id <= place.last_id and (earlier := known(place, envelope.id)) is not None:
            result.answer(envelope, replies.repeated(draft.state, envelope, seat, earlier))
            return
        if type(body) is Act:
            refused = play.act(draft, seat, body)
            if refused is None and draft.events:  # nearly always
                if not self._steps.close(at_ms, envelope, seat, answer=True):
                    result.answer(envelope, replies.done(draft.state, envelope, seat))
                return
        else:
            refused = self._carry_out(seat, body)
        if refused is not None:
            self._steps.file_refusal(envelope, seat, refused, at_ms)
            self._refuse(envelope, refused, result)
            return
        if type(body) is Leave:
            self._left(envelope, seat, place.gateway, at_ms, result)
        elif not draft.events:
            self._steps.file_done(envelope, seat, (), at_ms)
            result.answer(envelope, replies.done(draft.state, envelope, seat))
        elif not self._steps.close(at_ms, envelope, seat, answer=type(body) is not Rematch):
            result.answer(envelope, replies.done(draft.state, envelope, seat))
        if draft.state.status is _WAITING:
            self._start_if_full(at_ms)

    def _to_stranger(self, envelope: Envelope) -> Reply:
        """The reply to a session without a seat. It can do nothing; if it has left a seat, it still gets the results of
        its earlier commands again."""
        state = self.state
        seat = state.seat_left_by(envelope.sid)
        earlier = None if seat is None else known(state.seats[seat], envelope.id)
        if seat is not None and earlier is not None:
            return replies.repeated(state, envelope, seat, earlier)
        hidden = not state.status or state.spec.private  # a stranger must not learn which private rooms there are
        if isinstance(envelope.body, Leave) and (not hidden or envelope.sid in state.departed):
            return replies.no_step(state.room, self._epoch, envelope)
        return replies.refused(state.room, envelope, refusal("room/unknown" if hidden else "room/not_seated"))

    def _carry_out(self, seat: Seat, body: RareSeatCommand) -> Rejected | None:
        match body:
            case Say():
                return play.say(self._draft, seat, body, self._settings.chat_bytes)
            case Configure():
                return seating.configure(self._draft, seat, body)
            case Rematch():
                return play.rematch(self._draft, body)
            case Leave():
                seating.leave(self._draft, seat)
                return None

    def free(
        self, envelope: Envelope, act: OperatorAct, at_ms: int, commit: CommitNumber, live: Collection[GatewayId]
    ) -> Result:
        """Handle the act that frees this room, which was loaded although it is quarantined. `live`: the gateways that
        its partition sends something to."""
        self.touched_ms = at_ms
        result = self._steps.begin(envelope.room, commit)
        self._answer_operator(envelope, self._acts.free(act, at_ms, live), result)
        if result.more.freed:
            self._lost_ms = 0  # the outages are a part of the time that the room got back
        self._steps.result = NO_RESULT
        return result

    def _answer_operator(self, envelope: Envelope, code: str, result: Result) -> None:
        if code:
            self._refuse(envelope, Rejected(code), result)
        else:
            result.answer(envelope, replies.done(self.state, envelope))

    def _left(self, envelope: Envelope, seat: Seat, gateway: GatewayId, at_ms: int, result: Result) -> None:
        """File that a player has given up a seat; in a room that is over, only the connection goes."""
        if self._draft.events:
            answered = self._steps.close(at_ms, envelope, seat, answer=True)
            reply = None if answered else replies.done(self.state, envelope, seat)
        else:
            self._steps.file_done(envelope, seat, (Detached(gateway, seat),), at_ms)
            reply = replies.no_step(self.state.room, self._epoch, envelope)
        self._attendance.remove_gateway(envelope.gateway)
        if reply is not None:
            result.answer(envelope, reply)

    def _refuse(self, envelope: Envelope, refused: Rejected, result: Result) -> None:
        result.answer(envelope, replies.refused(self.state.room, envelope, refused))

    # --- seats and spectators ---------------------------------------------------------------------------------------

    def _enter(self, envelope: Envelope, body: Enter, at_ms: int, result: Result) -> None:
        """Take a seat, in a new room or in this one; or attach another connection to the seat one has."""
        draft = self._draft
        seat = draft.state.seat_of(envelope.sid)
        if seat is not None:
            self._attach(envelope, seat, at_ms, result)
            if draft.state.status != RoomStatus.WAITING:
                self._remind_lobby(body, at_ms)
            return
        unopened = seating.open_if_new(draft, body, at_ms)
        sit = seating.take_back if body.by_name else seating.sit_down
        taken = unopened or sit(draft, envelope.sid, body)
        if isinstance(taken, Rejected):
            if not draft.state.offset:
                draft.reset()
            self._refuse(envelope, taken, result)
            self._remind_lobby(body, at_ms, never_opens=unopened is not None or body.new)
            return
        self._attach(envelope, taken, at_ms, result, joining=True)
        self._start_if_full(at_ms)

    def _attach(
        self, envelope: Envelope, seat: Seat, at_ms: int, result: Result, *, view: bool = True, joining: bool = False
    ) -> None:
        self._attendance.attach(envelope, seat, at_ms, joining=joining)
        self._answer_with_view(envelope, seat, result, view=view)

    def _watch(self, envelope: Envelope, body: Watch, at_ms: int, result: Result) -> None:
        # Without a view, the client has seen a part of the history, and its gateway reads the rest.
        result.more.write_history = not body.view and body.again is None
        seat = self.state.seat_of(envelope.sid)
        if seat is not None:
            self._attach(envelope, seat, at_ms, result, view=body.view)
            return
        refused = seating.watch_refusal(self.state, body.key) if body.again is None else refusal("room/not_seated")
        if refused is not None:
            self._refuse(envelope, refused, result)
            return
        self._attendance.watch(envelope, at_ms)
        self._answer_with_view(envelope, None, result, view=body.view)

    def _answer_with_view(self, envelope: Envelope, seat: Seat | None, result: Result, *, view: bool) -> None:
        shown = self._steps.projection().view(seat, envelope.wants) if view else None
        result.answer(envelope, replies.attached(self.state, envelope, seat, shown))

    def _remind_lobby(self, body: Enter, at_ms: int, *, never_opens: bool = False) -> None:
        """Repeat to the lobby how many seats are free: it sent a player here in vain, or back to a game that has begun.
        A notice may have been lost in a crash; or the lobby has numbered a table that no
        player will open (`never_opens`), because its spec was refused."""
        if self.state.status:
            self._steps.notify_lobby(self._steps.projection().lobby_notice())
        elif never_opens and body.spec is not None and not body.spec.private:
            self._steps.notify_lobby(never_opened(self.state.room, at_ms))

    def _start_if_full(self, at_ms: int) -> None:
        if seating.ready_to_start(self.state):
            seating.start(self._draft)
            self._steps.close(at_ms)

    # --- time -------------------------------------------------------------------------------------------------------

    def _expire(self, body: Expired, at_ms: int) -> None:
        """Handle a deadline that has passed. A deadline that was replaced or cleared has another generation, or is
        not there: a deadline may be put on the stream twice, and must count once."""
        state = self.state
        deadline = state.deadlines.get(body.name)
        if deadline is None or deadline.generation != body.generation or at_ms < deadline.due_ms - _EARLY_MS:
            return
        state.deadlines = {other: due for other, due in state.deadlines.items() if other != body.name}
        self._deadline_passed(body.name)
        if not self._draft.events:
            self._steps.retime(at_ms)
        elif body.name == timers.WAIT:
            self._steps.close(at_ms)
        else:
            self._steps.close(at_ms, expired=body.name)

    def _deadline_passed(self, deadline: str) -> None:
        draft = self._draft
        name, _, number = deadline.partition(".")
        match name:
            case timers.WAIT:
                seating.start(draft)
            case timers.ABANDONED:
                draft.add(Closed("abandoned"))
            case timers.SEAT:
                seating.free_seat(draft, Seat(int(number)))
            case timers.TURN:
                play.play_for_all(draft, "time")
            case timers.BOT | timers.AWAY:
                play.play_for(draft, Seat(int(number)), name)
            case _:
                draft.notify(DeadlinePassed(number))

    def _lost_in(self, missed: Sequence[Outage]) -> int:
        """The part of the outages that came after the last record. Later records are made by owners that have made up
        for earlier outages, and are dated after them."""
        state = self.state
        if not state.deadlines:
            return 0
        return outages.lost_ms(missed, game_version(state.spec.game, state.version), state.at_ms)

    def _compensate(self, by_ms: int, at_ms: int) -> None:
        """Move all deadlines back by the time during which the room was not played."""
        if self.state.deadlines:
            self._draft.add(Shifted(by_ms))
            self._steps.close(at_ms)
