"""The step builder: turns the events of a draft into a numbered step of the result, and files other records.

A step is a journal record, the update of each receiver, changes of deadlines and of the room directory, a notice to the
lobby, and now and then a snapshot.
"""

from typing import Any

import msgspec

from shared.commands import Envelope, Gone
from shared.deliveries import CompletedCommand, StepMessage
from shared.errors import CODES, Rejected
from shared.game import open_to_all
from shared.ids import LOBBY, CommandId, Epoch, GatewayId, Offset, Seat, SessionId, game_version
from shared.journal_records import Acted, AnyNote, JournalRecord
from shared.results import FiledRecord, Result
from shared.room_events import OVER, Away, Back, Closed, Configured, Ended, Joined, Left, Opened, RoomStatus, Started
from shared.room_views import Update
from shared.runtime.settings import WorkerSettings
from worker.room.draft import RoomDraft
from worker.room.kept_updates import SLICES, stored_size
from worker.room.projection import Projection, public_message
from worker.room.results import CommandResult, remember
from worker.room.snapshots import SnapshotLog
from worker.room.timers import RoomTimers

_encode = msgspec.json.Encoder().encode

_OWN = Envelope(LOBBY, SessionId(""), CommandId(0), Gone())
"""Stands in for the command of a step that the room takes by itself."""
_LOBBY_EVENTS = (Opened, Joined, Left, Configured, Started, Closed)
"""Events that always concern the lobby. While the room waits, all listed events do."""
_LISTED_EVENTS = (*_LOBBY_EVENTS, Away, Back, Ended)
"""Events that change the room's entry in the directory."""


class StepBuilder:
    """Files steps and other records in the result of the current command."""

    __slots__ = (
        "_draft",
        "_epoch",
        "_receivers_before",
        "_settings",
        "_slice_bytes",
        "_snapshot_every",
        "_updates_bytes",
        "result",
        "snapshots",
        "timers",
    )

    def __init__(self, draft: RoomDraft, epoch: Epoch, settings: WorkerSettings) -> None:
        self._draft = draft
        self._epoch = epoch
        self._settings = settings
        self._snapshot_every = settings.snapshot_every
        self._updates_bytes = settings.updates_bytes
        self._slice_bytes = settings.updates_bytes // SLICES
        self._receivers_before: tuple[GatewayId, ...] = ()
        self.timers = RoomTimers(draft, settings)
        self.snapshots = SnapshotLog(settings)
        self.result = Result(draft.state.room)

    def begin(self) -> Result:
        """Begin with the next command; its result is filled in from now on."""
        draft = self._draft
        if draft.events or draft.of_room:
            draft.clear()
        self._receivers_before = draft.presence.gateways
        result = self.result = Result(draft.state.room)
        return result

    def close(
        self,
        at_ms: int,
        envelope: Envelope = _OWN,
        seat: Seat | None = None,
        *,
        notes: tuple[AnyNote, ...] = (),
        expired: str = "",
        answer: bool = False,
    ) -> bool:
        """Make the events of the draft one step. `seat` is the seat whose command it was. True if the step is also the
        `answer` to the command: its gateway receives the step anyway, so that a reply would be a second message."""
        draft, epoch = self._draft, self._epoch
        state = draft.state
        draft.conclude()
        offset = Offset(state.offset + 1)
        state.offset, state.epoch, state.number, state.at_ms = offset, epoch, 0, at_ms
        if draft.of_room:
            draft.mark_seated(draft.events)
        # Deadlines come before the events are encoded: a new turn timer is itself an event of the step.
        if changes := self.timers.retime(at_ms):
            self.result.more.deadlines += changes
        command = envelope.id if seat is not None else CommandId(0)
        events = msgspec.Raw(_encode(draft.events))
        record = JournalRecord(
            at_ms, epoch, envelope.sid, command, seat, envelope.trace, events, notes, "", "", expired
        )
        if seat is not None and command and (place := state.seats.get(seat)) is not None:
            remember(place, command, CommandResult(offset, "", "", epoch))
        gateways = self._receivers() if draft.of_room else self._receivers_before
        done = None
        if answer and envelope.gateway in gateways:
            done = CompletedCommand(envelope.gateway, envelope.conn, command)
        update = Update(state.room, epoch, offset, at_ms, events, seat, command or None, envelope.trace)
        self._file_step(record, update, gateways, done)
        ends = draft.of_room and self._follow_room_events(at_ms)
        # The chat of a room that is over makes steps, too: a snapshot for each would store the whole room every time.
        if ends or offset - self.snapshots.saved_at >= self._snapshot_every:
            self._save()
        draft.clear()
        return done is not None

    def _file_step(
        self, record: JournalRecord, update: Update, gateways: tuple[GatewayId, ...], done: CompletedCommand | None
    ) -> None:
        """File the step with what its receivers may see of it, and count its size among the updates kept."""
        draft = self._draft
        game = draft.game
        assert game is not None
        kept: StepMessage | None = None
        if draft.of_room or draft.presence.wants or game.redact is not open_to_all:
            message, kept = self.projection().messages(draft.events, update, done)
            size = stored_size(kept or message)
        else:
            message = public_message(update, done)
            size = len(message.public)
        self.result.records.append(FiledRecord(update.offset, 0, record, message, gateways, kept))
        updates = draft.state.kept_updates
        updates.size += size
        if updates.size >= self._slice_bytes:
            self.result.more.trim_updates = updates.end_slice(update.offset, self._updates_bytes)

    def _follow_room_events(self, at_ms: int) -> bool:
        """Let directory, lobby and expiry follow the events of the room. True if the room is over with this step."""
        self._list()
        state = self._draft.state
        ends = state.status in OVER and not state.over_ms
        if ends:
            state.over_ms = at_ms
        self._expire(at_ms)
        return ends

    def replayed(self, offset: Offset, size: int) -> None:
        """Count the bytes that a step has added to the room's updates, by an estimate."""
        updates = self._draft.state.kept_updates
        updates.size += size
        if updates.size >= self._slice_bytes:
            updates.end_slice(offset, self._updates_bytes)

    def _receivers(self) -> tuple[GatewayId, ...]:
        """The gateways that receive the room's updates now, or did before this command: a player who leaves still sees
        that step."""
        return tuple(sorted({*self._receivers_before, *self._draft.presence.gateways}))

    def _expire(self, at_ms: int) -> None:
        """Let the keys of a room that is over expire. Each record sets the same time again: a key that is added to
        after it has expired would otherwise stay for ever."""
        if self._draft.state.status in OVER:
            self.result.more.expires_ms = self.expires_ms or at_ms + self._settings.keep_finished_ms

    @property
    def expires_ms(self) -> int:
        """The time at which the room leaves the store; 0: it is not over."""
        state, settings = self._draft.state, self._settings
        if not state.over_ms:
            return 0
        played = state.moves or state.outcome is not None
        return state.over_ms + (settings.keep_finished_ms if played else settings.keep_unplayed_ms)

    def _list(self) -> None:
        """Bring the room directory and the lobby up to date."""
        events: list[Any] = self._draft.events
        if not any(isinstance(event, _LISTED_EVENTS) for event in events):
            return
        projection = self.projection()
        listing = self.result.more.listing = projection.listing()
        state = self._draft.state
        if any(isinstance(event, Opened) for event in events):
            self.result.more.opened = game_version(state.spec.game, state.version)
        if listing is None and not state.over_ms:
            self.result.more.ended = game_version(state.spec.game, state.version)
        waiting = state.status == RoomStatus.WAITING
        if waiting or any(isinstance(event, _LOBBY_EVENTS) for event in events):
            self.notify_lobby(projection.lobby_notice())

    def notify_lobby(self, notice: Envelope | None) -> None:
        if notice is not None:
            self.result.more.notices += (notice,)

    def retime(self, at_ms: int) -> None:
        """Let the deadlines follow the state, without a step."""
        self.result.more.deadlines += self.timers.retime(at_ms)

    def projection(self) -> Projection:
        draft = self._draft
        return Projection(draft.state, draft.known_game, draft.play, draft.turn)

    # --- records that are not steps ---------------------------------------------------------------------------------

    def file_note(self, note: AnyNote, at_ms: int) -> None:
        """File an attachment note."""
        self._draft.note(note)
        self._file(JournalRecord(at_ms, self._epoch, notes=(note,)))

    def file_act(self, note: Acted, refused: Rejected | None, at_ms: int) -> None:
        """File an operator's act without a step. A refusal is kept, so that the same act is refused again."""
        self._draft.clear()
        code, text = ("", "") if refused is None else (refused.code, refused.text)
        self._draft.note(note, code)
        self._file(JournalRecord(at_ms, self._epoch, notes=(note,), code=code, text=text))

    def file_done(self, envelope: Envelope, seat: Seat, notes: tuple[AnyNote, ...], at_ms: int) -> None:
        """File a command that was carried out and changed nothing that players see."""
        for note in notes:
            self._draft.note(note)
        self.remember(seat, envelope.id, CommandResult(epoch=self._epoch))
        self._file(JournalRecord(at_ms, self._epoch, envelope.sid, envelope.id, seat, envelope.trace, notes=notes))

    def file_refusal(self, envelope: Envelope, seat: Seat, refused: Rejected, at_ms: int) -> None:
        """File a refusal: it is a result like any other. If the command comes again, the room must refuse it again,
        even though the same move might be legal by then."""
        self._draft.clear()
        code, text = refused.code, refused.text or CODES.get(refused.code, "")
        self.remember(seat, envelope.id, CommandResult(Offset(0), code, text, self._epoch))
        record = JournalRecord(
            at_ms, self._epoch, envelope.sid, envelope.id, seat, envelope.trace, code=code, text=text
        )
        self._file(record)

    def remember(self, seat: Seat, command: CommandId, result: CommandResult) -> None:
        """Keep the result of a command with its seat, unless the command has freed the seat."""
        place = self._draft.state.seats.get(seat)
        if place is not None:
            remember(place, command, result)

    def _file(self, record: JournalRecord) -> None:
        """File a record behind the last step."""
        state = self._draft.state
        state.number += 1
        state.at_ms = record.at
        self.result.records.append(FiledRecord(state.offset, state.number, record))
        self.snapshots.count((state.offset, state.number, record))
        if self.snapshots.due():
            self._save()
        self._expire(record.at)

    def _save(self) -> None:
        self.result.more.snapshot = self.snapshots.take(self._draft, self.result.more.snapshot)
