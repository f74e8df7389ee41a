"""The step builder: turns the events of a draft into a numbered step of the result, and files other records.

A step is a journal record, the update of each receiver, changes of deadlines and of the room directory, a notice to the
lobby, and now and then a snapshot.
"""

import msgspec

from shared.commands import Envelope, Gone
from shared.deliveries import CompletedCommand, encode_public_step
from shared.errors import CODES, Rejected
from shared.ids import LOBBY, CommandId, CommitNumber, Epoch, GatewayId, Offset, RoomId, Seat, SessionId, game_version
from shared.journal_records import Acted, AnyNote, JournalRecord, encode_logged, encode_logged_step
from shared.results import FiledRecord, Result
from shared.room_events import OVER, Away, Back, Closed, Configured, Ended, Joined, Left, Opened, RoomStatus, Started
from shared.room_views import Update
from shared.runtime.settings import WorkerSettings
from worker.room.draft import RoomDraft
from worker.room.kept_updates import slice_bytes
from worker.room.projection import Projection
from worker.room.results import CommandResult, remember
from worker.room.snapshots import SnapshotLog
from worker.room.state import RoomPresence
from worker.room.timers import RoomTimers

_encode = msgspec.json.Encoder().encode

_OWN = Envelope(LOBBY, SessionId(""), CommandId(0), Gone())
"""Stands in for the command of a step that the room takes by itself."""
_NO_COMMAND = CommandId(0)
NO_RESULT = Result(LOBBY, ())  # type: ignore[arg-type]  # nothing can be appended
"""The result between two commands. The last one must not be kept until the next command: freeing it takes much longer
once it is no longer in the caches of the processor."""
_LOBBY_EVENTS = (Opened, Joined, Left, Configured, Started, Closed)
"""Events that always concern the lobby. While the room waits, all listed events do."""
_LISTED_EVENTS = (*_LOBBY_EVENTS, Away, Back, Ended)
"""Events that change the room's entry in the directory."""


class StepBuilder:
    """Files steps and other records in the result of the current command."""

    __slots__ = (
        "_draft",
        "_epoch",
        "_settings",
        "_slice_bytes",
        "_unsaved",
        "result",
        "snapshots",
        "timers",
    )

    def __init__(self, draft: RoomDraft, epoch: Epoch, settings: WorkerSettings) -> None:
        self._draft = draft
        self._epoch = epoch
        self._settings = settings
        self._slice_bytes = slice_bytes(settings.updates_bytes)
        self._unsaved = 0
        """The number of steps since the last snapshot."""
        self.timers = RoomTimers(draft, settings)
        self.snapshots = SnapshotLog(settings)
        self.result = NO_RESULT

    def begin(self, room: RoomId, commit: CommitNumber) -> Result:
        """Begin with the next command; its result is filled in from now on, and will be part of this commit."""
        result = self.result = Result(room, commit=commit)
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
        `answer` to the command: its gateway receives the step anyway, so that a reply would be a second message.

        This runs for every move. Steps that not all receivers see alike, and those with events of the room itself, take
        longer ways from here."""
        draft, epoch, trace, result = self._draft, self._epoch, envelope.trace, self.result
        draft.conclude()
        state, presence, room = draft.state, draft.presence, result.room
        if presence is not draft.resting_with:
            presence = self._retime(at_ms)
        offset: Offset = state.offset + 1  # type: ignore[assignment]  # calling a NewType takes 70 ns
        state.offset, state.epoch, state.number, state.at_ms = offset, epoch, 0, at_ms
        gateways = presence.gateways
        if draft.of_room:
            draft.mark_seated(draft.events)
            gateways = self._receivers()
        command = envelope.id if seat is not None else _NO_COMMAND
        if command and seat is not None and (place := state.seats.get(seat)) is not None:
            remember(place, command, CommandResult(offset, "", "", epoch))
        done = None
        if answer and envelope.gateway in gateways:
            done = CompletedCommand(envelope.gateway, envelope.conn, envelope.id)
        events = msgspec.Raw(_encode(draft.events))
        body = encode_logged_step(
            room, offset, at_ms, epoch, envelope.sid, command, seat, trace, events, notes, expired
        )
        update = Update(room, epoch, offset, at_ms, events, seat, command or None, trace)
        if draft.of_room or presence.wants or not draft.open_to_all:
            step, kept = self._encode_step(update, done)
        else:
            step = kept = encode_public_step(update, done, result.commit)
        result.records.append(FiledRecord(body, step, kept, gateways, draft.known_game.name))
        self._count(offset, len(kept))
        ends = draft.of_room and self._follow_room_events(at_ms)
        # The chat of a room that is over makes steps, too: a snapshot for each would store the whole room every time.
        if ends or self._unsaved >= self._settings.snapshot_every:
            self._save()
        draft.clear()
        return done is not None

    def _count(self, offset: Offset, size: int) -> None:
        """Count a step, and the bytes that it adds to the room's updates."""
        self._unsaved += 1
        updates = self._draft.state.kept_updates
        updates.size += size
        if updates.size >= self._slice_bytes:
            more = self.result.more
            more.trim_updates = updates.end_slice(offset, self._settings.updates_bytes)
            more.write_history = True

    def _retime(self, at_ms: int) -> RoomPresence:
        """Let the deadlines follow the state, before the events are encoded: a new turn timer is itself an event of the
        step. Returns the presence after that."""
        changes = self.timers.retime(at_ms)
        if changes:
            self.result.more.deadlines += changes
        return self._draft.presence

    def _encode_step(self, update: Update, done: CompletedCommand | None) -> tuple[bytes, bytes]:
        """The message of the step, with what each of its receivers may see, and the message as it is kept."""
        whole, kept = self.projection().messages(self._draft.events, update, done, self.result.commit)
        step = _encode(whole)
        return step, step if kept is whole else _encode(kept)

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
        """Count a step, and the bytes that it has added to the room's updates, by an estimate."""
        self._unsaved += 1
        updates = self._draft.state.kept_updates
        updates.size += size
        if updates.size >= self._slice_bytes:
            updates.end_slice(offset, self._settings.updates_bytes)

    def _receivers(self) -> tuple[GatewayId, ...]:
        """The gateways that receive the room's updates now, or did before this command: a player who leaves still sees
        that step."""
        return tuple(sorted({*self._draft.receivers_before, *self._draft.presence.gateways}))

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
        events = self._draft.events
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
        return Projection(draft.state, draft.known_game, draft.play, draft.whose_turn())

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
        body = encode_logged(state.room, state.offset, state.number, record)
        self.result.records.append(FiledRecord(body))
        self.snapshots.count((state.offset, state.number, record))
        if self.snapshots.due():
            self._save()
        self._expire(record.at)

    def _save(self) -> None:
        self._unsaved = 0
        self.result.more.snapshot = self.snapshots.take(self._draft, self.result.more.snapshot)
