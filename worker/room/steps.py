"""How a room takes a step, without IO: events are applied one by one, then the step is numbered, filed and told.

`_emit` applies, `_close` ends the step. Whatever raises in between has broken the room in memory: its owner drops it,
and it is loaded again from what was committed.
"""

import logging
from collections.abc import Callable, Collection
from typing import Any, get_args

import msgspec

from shared.bus.journal import AnyNote, Attached, Detached, JournalEntry, JournalRecord, StoredRoom, passing
from shared.commands import Envelope, Gone, Rematch
from shared.deliveries import CompletedCommand, Reply
from shared.errors import CODES, Rejected
from shared.game import AnyGame, Notice, Outcome, open_to_all
from shared.ids import LOBBY, CommandId, Epoch, GatewayId, Offset, RoomId, Seat, SessionId
from shared.room_events import (
    NOTHING,
    OVER,
    Away,
    Back,
    Clock,
    Closed,
    Configured,
    Ended,
    Joined,
    Left,
    Opened,
    RoomEvent,
    RoomSpec,
    RoomStatus,
    Started,
)
from shared.room_views import Update
from shared.runtime.settings import WorkerSettings
from worker.games import GameCatalog
from worker.room import timers
from worker.room.batch import Batch, DueDeadline
from worker.room.projection import Projection, told_to_all
from worker.room.state import CommandResult, Deadline, RoomPresence, RoomState, apply

log = logging.getLogger("tavolata.room")

_encode = msgspec.json.Encoder().encode
_decode_state = msgspec.json.Decoder(RoomState).decode

_NOBODYS = Envelope(LOBBY, SessionId(""), CommandId(0), Gone())
"""Stands in for the command of a step that the room takes by itself."""
_ROOM_EVENTS = frozenset(get_args(RoomEvent))
_SEATING = (Opened, Joined, Left, Configured, Started, Closed)
"""The events that concern the lobby (before the start all that are listed do) ..."""
_LISTED = (*_SEATING, Away, Back, Ended)
"""... and those that show in the directory."""


class RoomBroken(Exception):
    """The room cannot be brought back, or went wrong in the middle of a step."""


class Steps:
    """A room's state and game, and the ways to change them."""

    def __init__(
        self, room: RoomId, epoch: Epoch, engines: GameCatalog, settings: WorkerSettings, kept: StoredRoom
    ) -> None:
        """The room as the store has it; one that was never opened is simply empty. Raises `Broken`."""
        self.state = RoomState(room)
        self._epoch = epoch
        self._engines = engines
        self._settings = settings
        self._game: AnyGame | None = None
        self._play: Any = None
        self._read: Callable[[msgspec.Raw], Any] = msgspec.json.decode
        """Reads a command in the game's words."""
        self._converted: tuple[RoomSpec, Any] | None = None
        """The spec whose options were needed last, and these."""
        self._turn: tuple[Seat, ...] = ()
        self._events: list[Any] = []
        self._seats_changed = False
        """Whether an event of the room itself is among them."""
        self._present: RoomPresence | None = None
        """None: to be found out."""
        self._timeless = False
        self._before: tuple[GatewayId, ...] = ()
        """The gateways where somebody attended to the room before this command."""
        self._snapshot_at = Offset(0)
        self._filed = 0
        """Records since the last snapshot that are no steps."""
        self._passing: list[tuple[Seat | None, tuple[Offset, int]]] = []
        """Whose commands came to nothing since then, and where that is filed."""
        self._indexed: dict[str, Deadline] = {}
        """The deadlines as the partition's index has them."""
        try:
            if kept.snapshot is not None:
                self._restore(kept.snapshot)
            for filed in kept.records:
                self._replay(filed)
            self._turn = self._whose_turn()
            self._indexed = self.state.deadlines
        except Exception as error:  # a game's code may fail in any way on what an older version wrote
            raise RoomBroken(f"room {room} cannot be loaded: {error!r}") from error

    def _restore(self, snapshot: bytes) -> None:
        self.state = _decode_state(snapshot)
        self._snapshot_at = self.state.offset
        game = self._engines.get(self.state.spec.game, self.state.version)
        self._set_game(game, msgspec.json.decode(self.state.game, type=game.state_type))
        self.state.game = msgspec.Raw(b"null")

    def _replay(self, filed: JournalEntry) -> None:
        offset, number, record = filed
        self.state.offset, self.state.number = offset, number
        self.state.deadlines.pop(record.expired, None)
        events = self._engines.events(self._game, record.events)
        for event in events:
            if isinstance(event, Opened):
                self._open(self._engines.get(event.spec.game, event.version), record.at)
            self._apply(event)
        for note in record.notes:
            self._note(note)
        if record.seat is not None and record.id:
            step = Offset(0) if number else offset
            self._file(record.seat, record.id, CommandResult(step, record.code, record.text, record.epoch))
        if number:
            self._count(filed)
        else:
            self.state.epoch = record.epoch
            self._date(events)
            self._turn = self._whose_turn()
            self._retime(record.at)

    def _open(self, game: AnyGame, at: int) -> None:
        self._set_game(game, game.empty)
        self.state.created_ms = at

    def _set_game(self, game: AnyGame, play: Any) -> None:
        self._game, self._play, self._read = game, play, self._engines.commands(game)

    # --- a step -----------------------------------------------------------------------------------------------------

    def _emit(self, *events: Any) -> None:
        for event in events:
            self._apply(event)
        self._events += events

    def _apply(self, event: Any) -> None:
        if type(event) in _ROOM_EVENTS:
            apply(self.state, event)
            self._seats_changed = True
            self._present = None
        else:
            assert self._game is not None
            self.state.moves += 1
            self._play = self._game.evolve(self._play, event)

    def _note(self, note: AnyNote) -> None:
        self._present = None
        match note:
            case Attached(gateway=gateway, conn=conn, seat=seat, wants=wants, id=command):
                if seat is None:
                    self.state.audience[gateway] = wants
                else:
                    place = self.state.seats[seat]
                    place.gateway, place.conn, place.wants, place.here = gateway, conn, wants, True
                    place.attached = max(place.attached, command)
            case Detached(gateway=gateway, seat=None):
                self.state.audience.pop(gateway, None)
            case Detached(seat=int(seat)):
                self.state.seats[Seat(seat)].here = False

    def _notice(self, notice: Notice) -> None:
        """Tell the game of presence or time."""
        if self.state.status == RoomStatus.PLAYING and self._the_game.notice is not None:
            self._emit(*self._the_game.notice(self._play, notice))

    def _close(
        self,
        at: int,
        batch: Batch,
        envelope: Envelope = _NOBODYS,
        seat: Seat | None = None,
        *,
        notes: tuple[AnyNote, ...] = (),
        expired: str = "",
        answer: bool = False,
    ) -> bool:
        """The events so far are one step: number it, file it, tell it. `seat`: whose command this was. True if the
        step is the `answer` to it, because its gateway is told of the step anyway."""
        state, epoch, game = self.state, self._epoch, self._game
        assert game is not None
        if state.status == RoomStatus.PLAYING and (outcome := game.outcome(self._play)) is not None:
            self._end(outcome)
        self._turn = self._whose_turn()
        offset = Offset(state.offset + 1)
        state.offset, state.epoch, state.number = offset, epoch, 0
        if self._seats_changed:
            self._date(self._events)
        self._retime(at, batch)
        command = envelope.id if seat is not None else CommandId(0)
        events = msgspec.Raw(_encode(self._events))
        record = JournalRecord(at, epoch, envelope.sid, command, seat, envelope.trace, events, notes, "", "", expired)
        if seat is not None and command:
            self._file(seat, command, CommandResult(offset, "", "", epoch))
        gateways = self._receivers()
        done = None
        if answer and envelope.gateway in gateways:
            done = CompletedCommand(envelope.gateway, envelope.conn, command)
        update = Update(state.room, epoch, offset, at, events, seat, command or None, envelope.trace)
        if self._seats_changed or self._presence().wants or game.redact is not open_to_all:
            told = self._teller().told(self._events, update, done)
        else:
            told = told_to_all(update, done)
        batch.step(record, told, gateways)
        if self._seats_changed:
            self._list(batch)
        if state.status in OVER or offset - self._snapshot_at >= self._settings.snapshot_every:
            self._save(batch)
        self._begin()
        return done is not None

    def _date(self, events: list[Any]) -> None:
        """Note which step seated those who were seated in this one."""
        for event in events:
            if type(event) is Joined:
                self.state.seats[event.seat].since = self.state.offset

    def _begin(self) -> None:
        self._events.clear()
        self._seats_changed = False

    def _presence(self) -> RoomPresence:
        if self._present is None:
            present = self._present = self.state.presence()
            self._timeless = self._game is not None and timers.timeless(self.state, self._game, present.attended)
        return self._present

    def _receivers(self) -> tuple[GatewayId, ...]:
        """Where somebody attends to the room, or did before this command."""
        if not self._seats_changed:
            return self._before
        return tuple(sorted({*self._before, *self._presence().gateways}))

    def _end(self, outcome: Outcome) -> None:
        names = tuple(self.state.seats[seat].name for seat in outcome.winners)
        self._emit(Ended(outcome.winners, names, outcome.reason, dict(outcome.scores)))

    def _retime(self, at: int, batch: Batch | None = None) -> None:
        """Let the deadlines follow the state. On a replay there is no batch, and nothing more to do."""
        state = self.state
        if self._game is None:
            return
        attended = self._presence().attended
        if self._timeless and not state.deadlines and not self._indexed:
            return
        wanted = timers.wanted(state, self._game, self._play, self._turn, attended, self._settings)
        if wanted or state.deadlines:
            state.deadlines = timers.retimed(state.deadlines, wanted, at)
        before = self._indexed
        if batch is None or state.deadlines == before:
            return
        self._indexed = state.deadlines
        for name, deadline in before.items():
            now = state.deadlines.get(name)
            if now != deadline:
                due = DueDeadline(deadline.due_ms, state.room, name, deadline.generation)
                batch.clear(due, replaced=now is not None)
        for name, deadline in state.deadlines.items():
            if before.get(name) != deadline:
                batch.start(DueDeadline(deadline.due_ms, state.room, name, deadline.generation))
        turn = state.deadlines.get(timers.TURN)
        clock_ms = turn.due_ms if turn is not None else 0
        if clock_ms != state.clock_ms and self._events:
            self._emit(Clock(clock_ms))

    def _list(self, batch: Batch) -> None:
        """Keep the directory and the lobby informed of what concerns them."""
        if not any(isinstance(event, _LISTED) for event in self._events):
            return
        teller = self._teller()
        batch.listings[self.state.room] = teller.listing()
        seating = self.state.status == RoomStatus.WAITING or any(isinstance(event, _SEATING) for event in self._events)
        if seating and (notice := teller.to_lobby()) is not None:
            batch.onward.append(notice)

    def _save(self, batch: Batch) -> None:
        state = self.state
        self._snapshot_at, self._filed = state.offset, 0
        state.game = msgspec.Raw(_encode(self._play))
        batch.snapshot(state.room, state.offset, state.number, _encode(state))
        state.game = msgspec.Raw(b"null")
        self._forget_passing(batch)
        if state.status in OVER:
            batch.expire(state.room, self._settings.keep_finished_ms)

    def _forget_passing(self, batch: Batch) -> None:
        """What came to nothing need not be in the journal once it is saved, except for the last of every seat: without
        the snapshot the room would still know which commands it has handled, and how far its journal goes."""
        last = dict(self._passing)
        gone = [place for seat, place in self._passing if place != last[seat]]
        self._passing = list(last.items())
        batch.forget(self.state.room, gone)

    # --- filing and answering ---------------------------------------------------------------------------------------

    def _file(self, seat: Seat, command: CommandId, result: CommandResult) -> None:
        place = self.state.seats.get(seat)
        if place is not None:
            place.file(command, result)

    def _file_note(self, note: AnyNote, at: int, batch: Batch) -> None:
        self._note(note)
        self._file_after(JournalRecord(at, self._epoch, notes=(note,)), batch)

    def _file_done(self, envelope: Envelope, seat: Seat, notes: tuple[AnyNote, ...], at: int, batch: Batch) -> None:
        """A command that came to nothing new is remembered like the others."""
        for note in notes:
            self._note(note)
        self._file(seat, envelope.id, CommandResult(epoch=self._epoch))
        record = JournalRecord(at, self._epoch, envelope.sid, envelope.id, seat, envelope.trace, notes=notes)
        self._file_after(record, batch)

    def _file_refusal(self, envelope: Envelope, seat: Seat, refusal: Rejected, at: int, batch: Batch) -> None:
        """A refusal is a result too: the same command again, later, must not be carried out."""
        self._begin()
        text = refusal.text or CODES.get(refusal.code, "")
        self._file(seat, envelope.id, CommandResult(Offset(0), refusal.code, text, self._epoch))
        record = JournalRecord(
            at, self._epoch, envelope.sid, envelope.id, seat, envelope.trace, code=refusal.code, text=text
        )
        self._file_after(record, batch)
        self._refuse(envelope, refusal, batch)

    def _file_after(self, record: JournalRecord, batch: Batch) -> None:
        """File what the room remembers by now, after the last step. So many of these make a snapshot due, too: a room
        where nothing happens but refusals must not take ever longer to load."""
        state = self.state
        state.number += 1
        batch.file(state.room, state.offset, state.number, record)
        self._count((state.offset, state.number, record))
        if self._filed >= self._settings.snapshot_every:
            self._save(batch)

    def _count(self, filed: JournalEntry) -> None:
        self._filed += 1
        if passing(filed):
            offset, number, record = filed
            self._passing.append((record.seat, (offset, number)))

    def _answer(self, envelope: Envelope, batch: Batch, seat: Seat | None = None, *, view: bool = False) -> None:
        state = self.state
        place = None if seat is None else state.seats.get(seat)  # who has just left has none
        shown = msgspec.Raw(self._teller().view(seat, envelope.wants)) if view else NOTHING
        reply = Reply(
            envelope.conn,
            state.room,
            envelope.id,
            epoch=state.epoch,
            offset=state.offset,
            seat=seat,
            view=shown,
            since=Offset(0) if place is None else place.since,
        )
        if isinstance(envelope.body, Rematch):
            reply = msgspec.structs.replace(reply, to=state.rematch, spec=state.spec)
        batch.reply(envelope, reply)

    def _nothing_new(self, envelope: Envelope, batch: Batch) -> None:
        """The answer to a command that needed no step."""
        batch.reply(envelope, Reply(envelope.conn, self.state.room, envelope.id, epoch=self._epoch))

    def _repeat(self, envelope: Envelope, seat: Seat, known: CommandResult | Rejected, batch: Batch) -> None:
        """The answer to a command that was handled before."""
        if isinstance(known, Rejected):
            self._refuse(envelope, known, batch)
        elif known.code:
            self._refuse(envelope, Rejected(known.code, known.text), batch)
        elif isinstance(envelope.body, Rematch):
            self._answer(envelope, batch, seat)
        else:
            room = self.state.room
            batch.reply(envelope, Reply(envelope.conn, room, envelope.id, "", "", known.epoch, known.offset))

    def _refuse(self, envelope: Envelope, refusal: Rejected, batch: Batch) -> None:
        text = refusal.text or CODES.get(refusal.code, "")
        batch.reply(envelope, Reply(envelope.conn, self.state.room, envelope.id, refusal.code, text))

    def _teller(self) -> Projection:
        return Projection(self.state, self._the_game, self._play, self._turn)

    # --- small things -----------------------------------------------------------------------------------------------

    @property
    def _the_game(self) -> AnyGame:
        if self._game is None:
            raise RoomBroken(f"room {self.state.room} has no game")
        return self._game

    def _options(self, game: AnyGame, spec: RoomSpec) -> Any:
        """A table's options as its game knows them; raises `msgspec.ValidationError`. To check them can take long:
        they are kept for as long as the spec is the same."""
        if self._converted is None or self._converted[0] is not spec:
            self._converted = spec, msgspec.convert(spec.options, game.options_type)
        return self._converted[1]

    def _removed(self) -> Collection[Seat]:
        """The seats whose players the game has let go for good."""
        return self._the_game.removed(self._play) if self.state.status == RoomStatus.PLAYING else ()

    def _whose_turn(self) -> tuple[Seat, ...]:
        if self.state.status != RoomStatus.PLAYING:
            return ()
        assert self._game is not None
        return self._game.turn(self._play)
