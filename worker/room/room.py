"""One room, without IO: a command goes in, and what it comes to goes into a batch."""

from typing import Any

import msgspec

from shared.bus.journal import Detached
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
    Rematch,
    Say,
    Unwatch,
    Watch,
)
from shared.dice import Dice
from shared.errors import Rejected
from shared.game import DeadlinePassed, default_bot
from shared.ids import Seat
from shared.room_events import Closed, Left, Played, Rematched, RoomStatus, Said, Shifted
from worker.room import timers
from worker.room.batch import Batch
from worker.room.seating import Seating
from worker.room.steps import RoomBroken, log

__all__ = ["Room", "RoomBroken"]

MOST_TEXT = 500
_NOT_PLAYING = {
    RoomStatus.WAITING: "room/not_started",
    RoomStatus.FINISHED: "game/over",
    RoomStatus.CLOSED: "room/closed",
}
"""Why nobody can move in a room with this status."""
_EARLY_MS = 250
"""A deadline may fire so much before its time: the clocks of worker and store differ a little."""


class Room(Seating):
    """A room in the memory of its owner."""

    touched_ms = 0
    """When it was last asked for something."""

    def handle(self, envelope: Envelope, at: int, batch: Batch) -> None:
        """Carry a command out, or refuse it."""
        self.touched_ms = at
        self._begin()
        self._before = self._presence().gateways
        body = envelope.body
        match body:
            case Act() | Say() | Configure() | Leave() | Rematch():
                self._from_seat(envelope, at, batch)
            case Enter():
                self._enter(envelope, body, at, batch)
            case Watch():
                self._watch(envelope, body, at, batch)
            case Unwatch():
                self._unwatch(envelope, at, batch)
                self._answer(envelope, batch)
            case Gone():
                self._gone(envelope, at, batch)
                self._answer(envelope, batch)
            case Expired():
                self._expired(body, at, batch)
            case GatewayLost():
                self._gateway_lost(body.gateway, at, batch)
            case Compensate():
                if self.state.deadlines:
                    self._emit(Shifted(body.by_ms))
                    self._close(at, batch)
            case _:
                self._refuse(envelope, Rejected("command/bad"), batch)

    def _from_seat(self, envelope: Envelope, at: int, batch: Batch) -> None:
        """A command that only a seat may give, and that is carried out once."""
        state, body = self.state, envelope.body
        seat = self._presence().seats.get(envelope.sid)
        if seat is None:
            self._from_nobody(envelope, batch)
            return
        place = state.seats[seat]
        known = place.known(envelope.id)
        if known is not None:
            self._repeat(envelope, seat, known, batch)
            return
        refusal = self._act(seat, body) if type(body) is Act else self._carry_out(seat, body)
        if refusal is not None:
            self._file_refusal(envelope, seat, refusal, at, batch)
            return
        answered = False
        leaving, stepped = type(body) is Leave, bool(self._events)
        if stepped:
            answered = self._close(at, batch, envelope, seat, answer=type(body) is not Rematch)
        else:
            notes = (Detached(place.gateway, seat),) if leaving else ()
            self._file_done(envelope, seat, notes, at, batch)
        if leaving:
            self._turn_away(envelope.gateway, batch)
        if leaving and not stepped:
            self._nothing_new(envelope, batch)
        elif not answered:
            self._answer(envelope, batch, seat)
        if state.status == RoomStatus.WAITING:
            self._start_if_full(at, batch)

    def _from_nobody(self, envelope: Envelope, batch: Batch) -> None:
        """Somebody without a seat can do nothing. Who has left is still told again what became of earlier commands."""
        state = self.state
        seat = state.seat_left_by(envelope.sid)
        known = None if seat is None else state.seats[seat].known(envelope.id)
        if seat is not None and known is not None:
            self._repeat(envelope, seat, known, batch)
        elif state.status and isinstance(envelope.body, Leave):
            self._nothing_new(envelope, batch)
        else:
            self._refuse(envelope, Rejected("room/not_seated" if state.status else "room/unknown"), batch)

    def _carry_out(self, seat: Seat, body: Any) -> Rejected | None:
        match body:
            case Say():
                return self._say(seat, body)
            case Configure():
                return self._configure(seat, body)
            case Leave():
                self._leave(seat)
                return None
            case Rematch():
                return self._rematch(body)
            case _:
                return Rejected("command/bad")

    def _act(self, seat: Seat, body: Act) -> Rejected | None:
        if self.state.status != RoomStatus.PLAYING:
            return Rejected(_NOT_PLAYING[self.state.status])
        try:
            command = self._read(body.command)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            return Rejected("command/bad", str(error))
        return self._decide(seat, command)

    def _decide(self, seat: Seat, command: Any) -> Rejected | None:
        assert self._game is not None
        try:
            events = self._game.decide(self._play, seat, command)
        except Exception:  # noqa: BLE001 - a game's mistake costs this command, not the room
            log.exception("room %s: decide failed on %r", self.state.room, command)
            return Rejected("internal")
        if type(events) is Rejected:
            return events
        self._emit(*events)
        return None

    def _say(self, seat: Seat, body: Say) -> Rejected | None:
        state = self.state
        if not body.text.strip() or len(body.text) > MOST_TEXT:
            return Rejected("room/bad_text")
        if state.status == RoomStatus.CLOSED:
            return Rejected("room/closed")
        to: Seat | None = None
        if body.to is not None:
            to = state.seat_named(body.to)
            if to is None or to == seat or not state.seats[to].here:
                return Rejected("room/nobody")
        self._emit(Said(seat, state.seats[seat].name, body.text, to))
        return None

    def _rematch(self, body: Rematch) -> Rejected | None:
        if self.state.status != RoomStatus.FINISHED:
            return Rejected("room/not_finished")
        if self.state.rematch is None:
            self._emit(Rematched(body.room))
        return None

    # --- time -------------------------------------------------------------------------------------------------------

    def _expired(self, body: Expired, at: int, batch: Batch) -> None:
        deadline = self.state.deadlines.get(body.name)
        if deadline is None or deadline.generation != body.generation or at < deadline.due_ms - _EARLY_MS:
            return
        self.state.deadlines = {other: due for other, due in self.state.deadlines.items() if other != body.name}
        name, _, number = body.name.partition(".")
        match name:
            case timers.WAIT:
                self._start(at, batch)
                return
            case timers.ABANDONED:
                self._emit(Closed("abandoned"))
            case timers.SEAT:
                seat = Seat(int(number))
                self._emit(Left(seat, self.state.seats[seat].name, "gone"))
                self._close_if_empty()
            case timers.TURN:
                for seat in self._turn:
                    if not self.state.seats[seat].bot and seat in self._whose_turn():
                        self._play_for(seat, "time")
            case timers.BOT | timers.AWAY:
                self._play_for(Seat(int(number)), name)
            case _:
                self._notice(DeadlinePassed(number))
        if self._events:
            self._close(at, batch, expired=body.name)
        else:
            self._retime(at, batch)

    def _play_for(self, seat: Seat, reason: str) -> None:
        """The room makes the move of a bot, or of a player who does not."""
        dice = Dice(self.state.seed, "bot", self.state.offset, seat)
        command = default_bot(self._the_game, self._play, seat, dice)
        self._emit(Played(seat, reason))
        refusal = self._decide(seat, command)
        if refusal is not None:
            self._events.pop()
            log.error("room %s: the bot's %r was refused: %s", self.state.room, command, refusal.code)
