"""A house of tables in memory: conversations of the Eriantys dialects at rooms that the engine drives, without IO."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gateway.dialects import contract
from gateway.dialects.answers import Answer, Entered, LoggedIn, Refused, RequestDone, RoomsChanged
from gateway.dialects.eriantys import events, prompts, status
from gateway.dialects.requests import (
    ActRequest,
    CloseConnection,
    ConfigureRequest,
    CountRejection,
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    LoginRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    ReturnRequest,
    WatchRoomsRequest,
)
from gateway.transports.close_codes import CloseCode
from shared.errors import Rejected
from shared.game import Absent, DeadlinePassed, Notice, Present, Table
from shared.games.eriantys.game import GAME
from shared.games.eriantys.state import State
from shared.ids import Epoch, Offset, RoomId, Seat
from shared.room_events import Away, Back, Configured, Ended, Joined, Left, RoomSpec, Started
from shared.room_views import Listing, Update
from tests.support.eriantys_room import HouseRoom, Person

DIALECTS = {dialect.name: dialect for dialect in (events.DIALECT, prompts.DIALECT, status.DIALECT)}


@dataclass(eq=False)
class Line:
    """One connection."""

    house: "House"
    dialect: str
    talk: contract.Conversation
    frames: list[bytes] = field(default_factory=list)
    name: str = ""
    seat: tuple[RoomId, Seat] | None = None
    watching: bool = False
    closed: CloseCode | None = None
    heard: Callable[[bytes], None] | None = None
    complaints: list[str] = field(default_factory=list)
    """Codes of what the conversation found wrong by itself."""

    @property
    def is_closed(self) -> bool:
        return self.closed is not None

    def say(self, frame: Any) -> list[Any]:
        """Send a message (bytes as they are, all else as JSON); what this client is received until all is quiet."""
        self.frames.clear()
        raw = frame if isinstance(frame, bytes) else msgspec.json.encode(frame)
        self.house.feed(self, lambda: self.talk.receive(raw))
        self.house.settle()
        return self.received()

    def received(self) -> list[Any]:
        """What was said to this client since it was last asked, decoded; bare words as text."""
        frames, self.frames = self.frames, []
        return [msgspec.json.decode(frame) if frame[:1] in b'{["' else frame.decode() for frame in frames]

    def tick(self) -> list[Any]:
        self.house.feed(self, lambda: self.talk.tick(0))
        self.house.settle()
        return self.received()


class House:
    """All rooms, all names, all connections; also the gateway's copy of the directory."""

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.lines: list[Line] = []
        self.rooms: dict[RoomId, HouseRoom] = {}
        self._work: deque[Callable[[], None]] = deque()

    # --- the directory -----------------------------------------------------------------------------------------------

    def listed(self, game: str) -> tuple[Listing, ...]:
        rooms = (room.listing() for room in self.rooms.values() if room.status in ("waiting", "playing"))
        return tuple(room for room in rooms if not room.private and not room.only)

    def get(self, room: RoomId) -> Listing | None:
        return self.rooms[room].listing() if room in self.rooms else None

    # --- connections -------------------------------------------------------------------------------------------------

    def connect(self, dialect: str, query: Mapping[str, str] | None = None) -> Line:
        talk = DIALECTS[dialect].converse(contract.Opening(query or {}, self))
        line = Line(self, dialect, talk)
        self.lines.append(line)
        self.feed(line, talk.open)
        self.settle()
        return line

    def lose(self, line: Line) -> None:
        """The socket is gone; the name stays with a seat that is being played."""
        self.lines.remove(line)
        if line.seat is not None:
            room = self.rooms[line.seat[0]]
            room.people[line.seat[1]].line = None
            if room.status == "playing":
                self.step(room, [Away(line.seat[1])], Absent(line.seat[1]))
        self.settle()

    def arrange(self, room: HouseRoom, state: State) -> None:
        """Put another position on the table; everybody knows it."""
        room.state = state
        for person in room.people.values():
            if person.line is not None:
                person.line.talk._table.view = state.view

    def deadline(self, room: HouseRoom) -> None:
        """Every timer that runs now runs out."""
        assert GAME.notice is not None
        for timer in GAME.timers(room.state):
            self.step(room, [], DeadlinePassed(timer.name))
        self.settle()

    def feed(self, line: Line, source: Callable[[], Iterable[Output]]) -> None:
        self._work.append(lambda: self._carry_out(line, source()))

    def settle(self) -> None:
        while self._work:
            self._work.popleft()()

    def _carry_out(self, line: Line, outs: Iterable[Output]) -> None:
        for out in outs:
            match out:
                case bytes():
                    assert line.closed is None
                    line.frames.append(out)
                    if line.heard is not None:
                        line.heard(out)
                case CountRejection(code=code):
                    line.complaints.append(code)
                case CloseConnection():
                    line.closed = out.close_code
                case LogoutRequest():
                    line.name = ""
                case WatchRoomsRequest(on=on):
                    line.watching = on
                    if on:
                        self.feed(line, lambda: line.talk.rooms_changed(RoomsChanged()))
                case _:
                    self._request(line, out)

    def _request(self, line: Line, request: Any) -> None:
        match request:
            case LoginRequest(name=name):
                answer: Any = self._login(line, name)
            case CreateRequest(spec=spec, choice=choice):
                answer = self._create(line, spec, choice)
            case JoinRequest(room=number, choice=choice):
                answer = self._join(line, number, choice)
            case MatchRequest(open=spec):
                answer = self._match(line, spec)
            case ReturnRequest(name=name, room=number):
                answer = self._return(line, name, number)
            case ActRequest(room=number, command=command):
                answer = self._act(line, number, command, request.ref)
            case ConfigureRequest():
                answer = self._configure(line, request)
            case LeaveRequest(room=number):
                answer = self._leave(line, number)
            case _:
                raise AssertionError(f"no dialect of this game asks for {request}")
        if answer is not None:
            self.feed(line, lambda: line.talk.answer(request.ref, answer))
        self._start_what_is_full()

    # --- requests ----------------------------------------------------------------------------------------------------

    def _login(self, line: Line, name: str) -> Answer:
        if not name.strip() or len(name) > 32:
            return Refused("name/bad", "")
        kept = {
            person.name
            for room in self.rooms.values()
            if room.status in ("waiting", "playing")
            for person in room.people.values()
        }
        if line.name == name:
            return LoggedIn(name)
        if name in kept or any(other.name == name for other in self.lines):
            return Refused("name/taken", "")
        line.name = name
        return LoggedIn(name)

    def _create(self, line: Line, spec: RoomSpec, choice: dict[str, Any]) -> Answer:
        if spec.seats not in GAME.seats:
            return Refused("room/bad_seats", "")
        number = RoomId(1000 + len(self.rooms))
        room = HouseRoom(number, spec, self.seed + number)
        answer = self._sit(line, room, choice)
        if isinstance(answer, Entered):
            self.rooms[number] = room
            self._list_changed()
        return answer

    def _join(self, line: Line, number: RoomId, choice: dict[str, Any]) -> Answer:
        room = self.rooms.get(number)
        if room is None:
            return Refused("room/unknown", "")
        if room.spec.only not in ("", line.dialect):
            return Refused("room/wrong_dialect", "")
        return self._sit(line, room, choice)

    def _match(self, line: Line, spec: RoomSpec | None) -> Answer:
        for room in self.rooms.values():
            public = not room.spec.private and room.spec.only in ("", line.dialect)
            if public and room.status == "waiting" and room.free():
                return self._sit(line, room, {})
        return self._create(line, spec, {}) if spec is not None else Refused("lobby/no_table", "")

    def _sit(self, line: Line, room: HouseRoom, wanted: dict[str, Any]) -> Answer:
        if room.status != "waiting":
            return Refused("room/started", "")
        if not room.free():
            return Refused("room/full", "")
        seat = room.free()[0]
        taken = {other: person.choice for other, person in room.people.items()}
        choice = GAME.admit(room.options, room.spec.seats, taken, seat, wanted)
        if isinstance(choice, Rejected):
            return Refused(choice.code, choice.text)
        self.step(room, [Joined(seat, line.name, choice=choice)])
        room.people[seat] = Person(line.name, choice, line)
        line.seat = (room.number, seat)
        return Entered(room.number, seat, room.view(seat))

    def _return(self, line: Line, name: str, number: RoomId | None) -> Answer:
        for room in self.rooms.values():
            for seat, person in room.people.items():
                if person.name == name and number in (None, room.number) and room.status in ("waiting", "playing"):
                    if person.line is not None:
                        return Refused("room/not_gone", "")
                    self.step(room, [Back(seat)], Present(seat))
                    person.line, line.name, line.seat = line, name, (room.number, seat)
                    return Entered(room.number, seat, room.view(seat), back=True)
        return Refused("room/unknown", "")

    def _act(self, line: Line, number: RoomId, command: Any, ref: Any) -> Answer | None:
        room = self.rooms[number]
        assert line.seat is not None
        if room.status != "playing":
            return Refused("room/not_started" if room.status == "waiting" else "game/over", "")
        again = msgspec.json.decode(msgspec.json.encode(command), type=GAME.command_type)
        happened = GAME.decide(room.state, line.seat[1], again)
        if isinstance(happened, Rejected):
            return Refused(happened.code, happened.text)
        self.step(room, happened, by=line, ref=ref)
        return None

    def _configure(self, line: Line, wanted: ConfigureRequest) -> Answer | None:
        room = self.rooms[wanted.room]
        assert line.seat is not None
        if room.status != "waiting" or not room.spec.only or line.seat[1] != min(room.people):
            return Refused("room/started", "")
        kicked = [(seat, person) for seat, person in sorted(room.people.items()) if seat >= wanted.seats]
        room.spec = msgspec.structs.replace(room.spec, seats=wanted.seats, options=wanted.options, only="")
        choices: dict[Seat, Any] = {}
        for seat in sorted(room.people):
            if seat < wanted.seats:
                choices[seat] = GAME.admit(room.options, wanted.seats, choices, seat, {})
                room.people[seat].choice = choices[seat]
        left = [Left(seat, person.name, "kicked") for seat, person in kicked]
        self.step(room, [*left, Configured(room.spec, choices)], by=line, ref=wanted.ref)
        for seat, person in kicked:
            del room.people[seat]
            if person.line is not None:
                person.line.seat = None
        self._list_changed()
        return None

    def _leave(self, line: Line, number: RoomId) -> Answer:
        room = self.rooms[number]
        assert line.seat is not None
        seat, line.seat = line.seat[1], None
        room.people[seat].line = None
        if room.status == "waiting":
            person = room.people.pop(seat)
            self.step(room, [Left(seat, person.name, "left")])
        return RequestDone(number)

    # --- steps -------------------------------------------------------------------------------------------------------

    def step(
        self,
        room: HouseRoom,
        happened: Iterable[Any],
        notice: Notice | None = None,
        by: Line | None = None,
        ref: Any = None,
    ) -> None:
        """Apply events (and what a notice makes of them), and tell everybody at the table in one update."""
        all_events = list(happened)
        for event in all_events:
            self._apply(room, event)
        if notice is not None and room.status == "playing" and GAME.notice is not None:
            for event in GAME.notice(room.state, notice):
                self._apply(room, event)
                all_events.append(event)
        outcome = GAME.outcome(room.state) if room.status == "playing" else None
        if outcome is not None:
            names = tuple(room.people[seat].name for seat in outcome.winners)
            all_events.append(Ended(outcome.winners, names, outcome.reason))
            room.status = "finished"
            self._list_changed()
        if not all_events:
            return
        room.offset += 1
        for seat, person in sorted(room.people.items()):
            if person.line is not None:
                shown = [GAME.redact(e, seat) if type(e).__module__ != "shared.room_events" else e for e in all_events]
                raw = msgspec.Raw(msgspec.json.encode(shown))
                update = Update(room.number, Epoch(1), Offset(room.offset), 0, raw)
                self._deliver(person.line, update, ref if person.line is by else None)

    def _deliver(self, line: Line, update: Update, ref: Any) -> None:
        self.feed(line, lambda: line.talk.deliver(contract.DeliveredStep(msgspec.json.encode(update)), ref))

    def _apply(self, room: HouseRoom, event: Any) -> None:
        if type(event).__module__ == "shared.room_events":
            return
        room.journal.append(event)
        room.state = GAME.evolve(room.state, event)

    def _start_what_is_full(self) -> None:
        for room in self.rooms.values():
            if room.status == "waiting" and not room.free() and not room.spec.only:
                room.status = "playing"
                seats = tuple(sorted(room.people))
                choices = {seat: person.choice for seat, person in room.people.items()}
                setup = GAME.setup(Table(room.options, seats, seats, room.seed, choices))
                self.step(room, [Started(seats, seats), *setup])
                for seat, person in room.people.items():
                    if person.line is None:
                        self.step(room, [], Absent(seat))
                self._list_changed()

    def _list_changed(self) -> None:
        for line in self.lines:
            if line.watching:
                self._tell_rooms(line)

    def _tell_rooms(self, line: Line) -> None:
        self.feed(line, lambda: line.talk.rooms_changed(RoomsChanged()) if line.watching else ())
