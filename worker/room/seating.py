"""Who sits in a room and who looks on: opening, joining, coming back, going away. Without IO."""

import re

import msgspec

from shared.bus.journal import Attached, Detached
from shared.commands import WANTS_OPTIONS, Configure, Enter, Envelope, Watch
from shared.errors import Rejected
from shared.game import Absent, AnyGame, Choice, Present, Table
from shared.ids import GatewayId, Seat, SessionId
from shared.room_events import Away, Back, Closed, Configured, Joined, Left, Opened, RoomSpec, RoomStatus, Started
from worker.games import NoSuchGame
from worker.room.batch import Batch
from worker.room.projection import never_opened
from worker.room.state import RoomState
from worker.room.steps import Steps

LONGEST_MS = 30 * 24 * 3_600_000
"""Of a table's timers."""


class Seating(Steps):
    """The part of a room that deals with people."""

    # --- opening and joining ----------------------------------------------------------------------------------------

    def _enter(self, envelope: Envelope, body: Enter, at: int, batch: Batch) -> None:
        seat = self.state.seat_of(envelope.sid)
        if seat is not None:
            self._attend(envelope, seat, at, batch)
            if self.state.status != RoomStatus.WAITING:
                self._remind_lobby(body, at, batch)
            return
        refusal = self._open_if_new(body, at)
        taken = refusal or (self._take_back(envelope, body) if body.by_name else self._sit_down(envelope, body))
        if isinstance(taken, Rejected):
            if not self.state.offset:
                self.state, self._game, self._play = RoomState(self.state.room), None, None
            self._refuse(envelope, taken, batch)
            self._remind_lobby(body, at, batch, hopeless=refusal is not None or body.new)
            return
        self._attend(envelope, taken, at, batch, joining=True)
        self._start_if_full(at, batch)

    def _remind_lobby(self, body: Enter, at: int, batch: Batch, *, hopeless: bool = False) -> None:
        """Somebody was sent here in vain, or back to a game that has begun: perhaps a notice to the lobby was lost in a
        crash, or the table that it has numbered is not opened, since there is none like it or its maker was refused."""
        notice = None
        if self.state.status:
            notice = self._teller().to_lobby()
        elif hopeless and body.spec is not None and not body.spec.private:
            notice = never_opened(self.state.room, at)
        if notice is not None:
            batch.onward.append(notice)

    def _open_if_new(self, body: Enter, at: int) -> Rejected | None:
        spec = body.spec
        if self.state.status:
            return Rejected("room/exists") if body.new else None
        if spec is None:
            return Rejected("room/unknown")
        try:
            game = self._engines.get(spec.game)
        except NoSuchGame:
            return Rejected("game/unknown")
        if (refusal := self._unfit(game, spec)) is not None:
            return refusal
        self._open(game, at)
        self._emit(Opened(spec, game.version, body.of, body.seed))
        for number in range(spec.seats - spec.bots, spec.seats):
            choice = self._admit(Seat(number), {})
            if isinstance(choice, Rejected):
                return choice
            self._emit(Joined(Seat(number), f"Bot{number - spec.seats + spec.bots + 1}", True, choice))
        return None

    def _unfit(self, game: AnyGame, spec: RoomSpec) -> Rejected | None:
        """Why a table like this cannot be."""
        if spec.seats not in game.seats or not 0 <= spec.bots < spec.seats:
            return Rejected("room/bad_seats", f"{game.title} is played by {', '.join(map(str, game.seats))}")
        if not (0 <= spec.turn_ms <= LONGEST_MS and 0 <= spec.wait_ms <= LONGEST_MS):
            return Rejected("room/bad_options", f"turn_ms and wait_ms are 0 to {LONGEST_MS}")
        try:
            self._options(game, spec)
        except msgspec.ValidationError as error:
            return Rejected("room/bad_options", str(error))
        return None

    def _sit_down(self, envelope: Envelope, body: Enter) -> Seat | Rejected:
        state, game = self.state, self._the_game
        if state.status != RoomStatus.WAITING:
            return (
                Rejected("room/closed")
                if state.status == RoomStatus.CLOSED
                else Rejected("room/started", self._ending())
            )
        if state.spec.only and body.dialect != state.spec.only:
            return Rejected("room/wrong_dialect")
        free = state.free()
        if not free:
            return Rejected("room/full")
        if game.names and not re.fullmatch(game.names, body.name):
            return Rejected("name/bad", "this game does not allow that name")
        if state.seat_named(body.name) is not None:
            return Rejected("name/taken")
        choice = self._admit(free[0], body.choice)
        if isinstance(choice, Rejected):
            return choice
        self._emit(Joined(free[0], body.name, False, choice, envelope.sid))
        return free[0]

    def _admit(self, seat: Seat, choice: Choice) -> Choice | Rejected:
        taken = {number: place.choice for number, place in self.state.seats.items()}
        game, spec = self._the_game, self.state.spec
        return game.admit(self._options(game, spec), spec.seats, taken, seat, choice)

    def _configure(self, seat: Seat, body: Configure) -> Rejected | None:
        """Whoever opened a table without knowing its size settles it; those for whom there is no seat must go."""
        state, game = self.state, self._the_game
        if state.status != RoomStatus.WAITING or not state.spec.only or seat != min(state.seats):
            return Rejected("room/started")
        spec = msgspec.structs.replace(state.spec, seats=body.seats, options=body.options, only="")
        if (refusal := self._unfit(game, spec)) is not None:
            return refusal
        options = self._options(game, spec)
        choices: dict[Seat, Choice] = {}
        for number, place in state.seats.items():
            if number < spec.seats:
                choice = game.admit(options, spec.seats, choices, number, place.choice)
                if isinstance(choice, Rejected):
                    choice = game.admit(options, spec.seats, choices, number, {})
                choices[number] = place.choice if isinstance(choice, Rejected) else choice
        kicked = [(number, place.name) for number, place in state.seats.items() if number >= spec.seats]
        self._emit(*(Left(number, name, "kicked") for number, name in kicked))
        self._emit(Configured(spec, choices))
        return None

    def _start_if_full(self, at: int, batch: Batch) -> None:
        state = self.state
        if state.status == RoomStatus.WAITING and not state.spec.only and not state.free():
            self._start(at, batch)

    def _start(self, at: int, batch: Batch) -> None:
        state, game = self.state, self._the_game
        seats = tuple(state.seats)
        order = tuple(sorted(seats, key=lambda seat: (state.seats[seat].bot, state.seats[seat].joined)))
        choices = {seat: place.choice for seat, place in state.seats.items()}
        self._emit(Started(seats, order))
        self._emit(*game.setup(Table(self._options(game, state.spec), seats, order, state.seed, choices)))
        self._converted = None
        for seat, place in state.seats.items():
            if not place.here:
                self._notice(Absent(seat))
        self._close(at, batch)

    # --- being there ------------------------------------------------------------------------------------------------

    def _take_back(self, envelope: Envelope, body: Enter) -> Seat | Rejected:
        """The seat of a player who is gone, for somebody who knows the name."""
        state = self.state
        seat = state.seat_named(body.name)
        if state.outcome is not None:
            return Rejected("game/over", self._ending())
        if seat is None or state.seats[seat].left or state.seats[seat].bot or seat in self._removed():
            return Rejected("room/nobody")
        if state.over:
            return Rejected("room/closed")
        if state.seats[seat].here:
            return Rejected("room/not_gone")
        self._back(seat, envelope.sid)
        return seat

    def _ending(self) -> str:
        """For who comes after the end: in some dialects nothing else tells how a game went that ended meanwhile."""
        outcome = self.state.outcome
        return f"the game is over; it was won by {', '.join(outcome.names) or 'nobody'}" if outcome is not None else ""

    def _back(self, seat: Seat, sid: SessionId) -> None:
        self._emit(Back(seat, sid))
        self._notice(Present(seat))

    def _attend(
        self, envelope: Envelope, seat: Seat, at: int, batch: Batch, *, view: bool = True, joining: bool = False
    ) -> None:
        """The seat's connection is this one now."""
        state = self.state
        place = state.seats[seat]
        if envelope.id < place.attached and (envelope.gateway, envelope.conn) != (place.gateway, place.conn):
            self._answer(envelope, batch, seat, view=view)
            return
        before = place.gateway if place.here else GatewayId("")
        if not place.here and not self._events and not state.over:
            self._back(seat, envelope.sid)
        note = Attached(envelope.gateway, envelope.conn, seat, envelope.wants, envelope.id)
        if self._events:
            self._note(note)
            self._close(at, batch, envelope, seat if joining else None, notes=(note,))
        elif (place.gateway, place.conn, place.wants, place.here) != (note.gateway, note.conn, note.wants, True):
            self._file_note(note, at, batch)
        if before:
            self._turn_away(before, batch)
        batch.attend(state.room, envelope.gateway)
        self._answer(envelope, batch, seat, view=view)

    def _watch(self, envelope: Envelope, body: Watch, at: int, batch: Batch) -> None:
        state = self.state
        if not state.status:
            self._refuse(envelope, Rejected("room/unknown"), batch)
            return
        seat = state.seat_of(envelope.sid)
        if seat is not None:
            self._attend(envelope, seat, at, batch, view=body.view)
            return
        wants = envelope.wants & ~WANTS_OPTIONS
        known = state.audience.get(envelope.gateway)
        if known is None or known | wants != known:
            self._file_note(Attached(envelope.gateway, wants=wants | (known or 0)), at, batch)
        batch.attend(state.room, envelope.gateway)
        self._answer(envelope, batch, None, view=body.view)

    # --- going away -------------------------------------------------------------------------------------------------

    def _unwatch(self, envelope: Envelope, at: int, batch: Batch) -> None:
        if envelope.gateway in self.state.audience:
            self._file_note(Detached(envelope.gateway), at, batch)
            self._turn_away(envelope.gateway, batch)

    def _leave(self, seat: Seat) -> None:
        """Give the seat up; once the game is over that means nothing any more."""
        state = self.state
        if not state.over:
            self._emit(Left(seat, state.seats[seat].name, "left"))
            self._notice(Absent(seat, for_good=True))
            self._close_if_empty()

    def _gone(self, envelope: Envelope, at: int, batch: Batch) -> None:
        """A connection was lost; if the seat has another one by now, that means nothing."""
        seat = self.state.seat_of(envelope.sid)
        if seat is None:
            return
        place = self.state.seats[seat]
        if place.here and (place.gateway, place.conn) == (envelope.gateway, envelope.conn):
            self._lose([seat], at, batch)
            self._turn_away(envelope.gateway, batch)

    def _gateway_lost(self, gateway: GatewayId, at: int, batch: Batch) -> None:
        state = self.state
        if gateway in state.audience:
            self._file_note(Detached(gateway), at, batch)
        lost = [seat for seat, place in state.seats.items() if place.here and place.gateway == gateway]
        self._lose(lost, at, batch)
        batch.turn_away(state.room, gateway)

    def _lose(self, seats: list[Seat], at: int, batch: Batch) -> None:
        if self.state.over:
            for seat in seats:
                self._file_note(Detached(self.state.seats[seat].gateway, seat), at, batch)
            return
        for seat in seats:
            self._emit(Away(seat))
            self._notice(Absent(seat))
        if self._events:
            self._close(at, batch)

    def _close_if_empty(self) -> None:
        if self.state.status == RoomStatus.WAITING and not self.state.humans:
            self._emit(Closed("empty"))

    def _turn_away(self, gateway: GatewayId, batch: Batch) -> None:
        if gateway not in self._presence().gateways:
            batch.turn_away(self.state.room, gateway)
