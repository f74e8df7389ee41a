"""A cluster in miniature, without IO or processes: conversations of the dialect, rooms run by the engine, a clock.

Answers and updates are queued and handed out one after the other, as a gateway would.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, Refused, RequestDone
from gateway.dialects.codex import CodexSettings
from gateway.dialects.codex.conversation import CodexConversation
from gateway.dialects.contract import DeliveredStep, Opening
from gateway.dialects.requests import (
    ActRequest,
    CloseConnection,
    CountRejection,
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    LoginRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    ReturnRequest,
    SayRequest,
)
from gateway.transports.close_codes import CloseCode
from shared.errors import CODES, Rejected
from shared.game import Absent, DeadlinePassed, Notice, Present, Table
from shared.games.codex.game import GAME
from shared.games.codex.setup import Options
from shared.ids import CommandId, Epoch, Offset, RoomId, Seat
from shared.room_events import (
    NOTHING,
    Away,
    Back,
    BaseRoomEvent,
    Ended,
    Joined,
    Left,
    RoomSpec,
    RoomStatus,
    Said,
    Started,
)
from shared.room_views import Listing, RoomView, SeatView, Update

EPOCH = Epoch(1)


@dataclass
class Place:
    name: str
    client: "Client | None"
    left: bool = False


@dataclass
class MiniRoom:
    number: RoomId
    spec: RoomSpec
    seed: int
    seats: dict[Seat, Place] = field(default_factory=dict)
    status: str = "waiting"
    play: Any = GAME.empty
    offset: Offset = Offset(0)
    chat: list[Said] = field(default_factory=list)
    due: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Timers: generation and time."""


class Client:
    """One connection and what its client has been sent."""

    def __init__(self, cluster: "Cluster", query: dict[str, str]) -> None:
        self.cluster = cluster
        self.name = ""
        self.closed: CloseCode | None = None
        self.frames: list[bytes] = []
        self.complaints: list[str] = []
        """Codes of what the conversation found wrong by itself."""
        self.conversation = CodexConversation(Opening(query, cluster), cluster.settings)
        self.put_out(self.conversation.open())

    def say(self, message: msgspec.Struct | dict[str, Any] | bytes) -> None:
        """Send a frame, and let everything happen that comes of it."""
        frame = message if isinstance(message, bytes) else msgspec.json.encode(message)
        self.put_out(self.conversation.receive(frame))
        self.cluster.settle()

    def heard(self, *, beats: bool = False) -> list[dict[str, Any]]:
        """What has come since the last time."""
        frames, self.frames = self.frames, []
        messages = [msgspec.json.decode(frame) for frame in frames]
        return [message for message in messages if beats or message["type"] != "HeartbeatMessage"]

    def put_out(self, outs: Iterable[Output]) -> None:
        for out in outs:
            if isinstance(out, bytes):
                self.frames.append(out)
                self.cluster.overheard(self, out)
            elif isinstance(out, CountRejection):
                self.complaints.append(out.code)
            elif isinstance(out, CloseConnection):
                self.closed = out.close_code
                self.cluster.later(lambda: self.cluster.lose(self))
                return
            else:
                self.cluster.later(lambda request=out: self.cluster.carry_out(self, request))  # type: ignore[misc]

    def drop(self) -> None:
        """The connection is lost without a word."""
        self.cluster.lose(self)
        self.cluster.settle()


class Cluster:
    def __init__(self, seed: int = 1, settings: CodexSettings | None = None) -> None:
        self.settings = settings or CodexSettings()
        self.now = 0
        self.rooms: dict[RoomId, MiniRoom] = {}
        self.clients: list[Client] = []
        self.busy = False
        """Refuse everything as if there were too much to do."""
        self.overheard: Callable[[Client, bytes], None] = lambda _client, _frame: None
        self._names: dict[str, Client] = {}
        self._seed = seed
        self._jobs: deque[Callable[[], None]] = deque()

    def connect(self, **query: str) -> Client:
        client = Client(self, query)
        self.clients.append(client)
        self.settle()
        return client

    def later(self, job: Callable[[], None]) -> None:
        self._jobs.append(job)

    def settle(self) -> None:
        while self._jobs:
            self._jobs.popleft()()

    # --- the directory -----------------------------------------------------------------------------------------------

    def get(self, room: RoomId) -> Listing | None:
        known = self.rooms.get(room)
        return None if known is None else Listing(room, known.spec.game, known.spec.seats, RoomStatus(known.status))

    def listed(self, game: str) -> tuple[Listing, ...]:
        return tuple(listing for room in self.rooms if (listing := self.get(room)) is not None)

    # --- requests ----------------------------------------------------------------------------------------------------

    def carry_out(self, client: Client, request: Output) -> None:
        if client.closed is not None or client not in self.clients:
            return
        ref = getattr(request, "ref", None)
        answer = Refused("busy/store", CODES["busy/store"]) if self.busy else self._do(client, request)
        if answer is not None:
            client.put_out(client.conversation.answer(ref, answer))
        self._start_full_rooms()

    def _do(self, client: Client, request: Output) -> Answer | None:
        match request:
            case LoginRequest(name=name):
                if self._in_use(name):
                    return _refused("name/taken")
                self._names[name], client.name = client, name
                return LoggedIn(name)
            case LogoutRequest():
                self._names.pop(client.name, None)
                client.name = ""
                return None
            case CreateRequest(spec=spec):
                room = MiniRoom(RoomId(1000 + len(self.rooms)), spec, self._seed + len(self.rooms))
                self.rooms[room.number] = room
                return self._sit_down(client, room)
            case JoinRequest(room=number):
                known = self.rooms.get(number)
                return _refused("room/unknown") if known is None else self._sit_down(client, known)
            case MatchRequest():
                waiting = [room for room in self.rooms.values() if room.status == "waiting"]
                return self._sit_down(client, waiting[0]) if waiting else _refused("lobby/no_table")
            case ReturnRequest(name=name, room=wanted):
                return self._come_back(client, name, wanted)
            case ActRequest() | SayRequest():
                return self._act(client, request)
            case LeaveRequest(room=number):
                self._leave(client, self.rooms[number])
                return RequestDone(number)
            case _:
                raise AssertionError(request)

    def _in_use(self, name: str) -> bool:
        kept = (
            place.name for room in self.rooms.values() if room.status != "finished" for place in room.seats.values()
        )
        return name in self._names or name in kept

    def _sit_down(self, client: Client, room: MiniRoom) -> Answer:
        if room.status != "waiting":
            return _refused("room/started")
        free = [Seat(number) for number in range(room.spec.seats) if Seat(number) not in room.seats]
        if not free:
            return _refused("room/full")
        room.seats[free[0]] = Place(client.name, client)
        self._step(room, [Joined(free[0], client.name)], but=client)
        return self._entered(room, free[0])

    def _come_back(self, client: Client, name: str, wanted: RoomId | None) -> Answer:
        for room in self.rooms.values():
            for seat, place in room.seats.items():
                if place.name != name or (wanted is not None and room.number != wanted):
                    continue
                if room.status == "finished":
                    winners = [room.seats[winner].name for winner in room.play.table.result.winners]
                    return Refused("game/over", f"the game is over; it was won by {', '.join(winners) or 'nobody'}")
                if place.client is not None:
                    return _refused("room/not_gone")
                place.client, client.name = client, name
                self._names[name] = client
                self._step(room, [Back(seat)], Present(seat), but=client)
                return self._entered(room, seat, back=True)
        return _refused("room/unknown")

    def _act(self, client: Client, request: ActRequest | SayRequest) -> Answer | None:
        room = self.rooms[request.room]
        seat = next((seat for seat, place in room.seats.items() if place.client is client), None)
        if seat is None:
            return _refused("room/not_seated")
        if isinstance(request, SayRequest):
            to = next((other for other, place in room.seats.items() if place.name == request.to), None)
            said = Said(seat, client.name, request.text, to)
            room.chat.append(said)
            self._step(room, [said], by=seat, ref=request.ref)
            return None
        command = msgspec.json.decode(msgspec.json.encode(request.command), type=GAME.command_type)
        events = GAME.decide(room.play, seat, command)
        if isinstance(events, Rejected):
            return Refused(events.code, str(events))
        self._step(room, list(events), by=seat, ref=request.ref)
        return None

    def _leave(self, client: Client, room: MiniRoom) -> None:
        for seat, place in list(room.seats.items()):
            if place.client is client:
                place.client = None
                if room.status == "playing":
                    place.left = True
                    self._step(room, [Left(seat, place.name, "left")], Absent(seat, for_good=True))

    # --- steps -------------------------------------------------------------------------------------------------------

    def _start_full_rooms(self) -> None:
        for room in self.rooms.values():
            if room.status == "waiting" and len(room.seats) == room.spec.seats:
                room.status = "playing"
                seats = tuple(sorted(room.seats))
                options = msgspec.convert(room.spec.options, Options)
                events = GAME.setup(Table(options, seats, seats, room.seed))
                absent = [Absent(seat) for seat in seats if room.seats[seat].client is None]
                self._step(room, [Started(seats, seats), *events], *absent)

    def _step(
        self,
        room: MiniRoom,
        events: list[Any],
        *notices: Notice,
        by: Seat | None = None,
        ref: Any = None,
        but: Client | None = None,
    ) -> None:
        """Apply the events and what the game makes of the notices, and tell everybody what they may know."""
        for event in events:
            if not isinstance(event, BaseRoomEvent):
                room.play = GAME.evolve(room.play, event)
        assert GAME.notice is not None
        for notice in notices if room.status == "playing" else ():
            for event in GAME.notice(room.play, notice):
                room.play = GAME.evolve(room.play, event)
                events.append(event)
        outcome = GAME.outcome(room.play)
        if outcome is not None and room.status == "playing":
            room.status = "finished"
            names = tuple(room.seats[seat].name for seat in outcome.winners)
            events.append(Ended(outcome.winners, names, outcome.reason, dict(outcome.scores)))
        room.offset = Offset(room.offset + 1)
        self._retime(room)
        for seat, place in room.seats.items():
            if place.client is not None and place.client is not but:
                shown = [_shown(event, seat) for event in events]
                raw = msgspec.Raw(msgspec.json.encode([event for event in shown if event is not None]))
                update = Update(room.number, EPOCH, room.offset, self.now, raw, by, CommandId(1))
                self.later(_delivery(place.client, update, ref if seat == by else None))

    def _entered(self, room: MiniRoom, seat: Seat, back: bool = False) -> Entered:
        game = NOTHING
        if room.status != "waiting":
            game = msgspec.Raw(msgspec.json.encode(GAME.view(room.play, seat)))
        view = RoomView(
            room=room.number,
            epoch=EPOCH,
            offset=room.offset,
            status=RoomStatus(room.status),
            spec=room.spec,
            version=1,
            seats=tuple(
                SeatView(number, place.name, here=place.client is not None, left=place.left)
                for number, place in sorted(room.seats.items())
            ),
            you=seat,
            chat=tuple(said for said in room.chat if said.to is None or seat in (said.seat, said.to)),
            game=game,
        )
        return Entered(room.number, seat, view, back)

    # --- time and loss -----------------------------------------------------------------------------------------------

    def lose(self, client: Client) -> None:
        if client not in self.clients:
            return
        self.clients.remove(client)
        if self._names.get(client.name) is client:
            del self._names[client.name]
        for room in self.rooms.values():
            for seat, place in list(room.seats.items()):
                if place.client is client:
                    place.client = None
                    if room.status != "finished":
                        self._step(room, [Away(seat)], Absent(seat))

    def _retime(self, room: MiniRoom) -> None:
        wanted: dict[str, tuple[int, int]] = {}
        if room.status == "playing":
            wanted = {timer.name: (timer.generation, timer.after_ms) for timer in GAME.timers(room.play)}
        elif room.status == "waiting":
            lost = [seat for seat, place in room.seats.items() if place.client is None]
            wanted = {f"seat.{seat}": (0, self.settings.grace_ms) for seat in lost}
        room.due = {
            name: room.due[name] if room.due.get(name, (-1, 0))[0] == generation else (generation, self.now + after)
            for name, (generation, after) in wanted.items()
        }

    def advance(self, ms: int, *, ticks: bool = False) -> None:
        """Let time pass; with `ticks` the conversations are called as often as they want."""
        end = self.now + ms
        while True:
            due = [(time, name, room) for room in self.rooms.values() for name, (_, time) in room.due.items()]
            following = min((time for time, _, _ in due), default=end + 1)
            if ticks:
                following = min(following, (self.now // 1_000 + 1) * 1_000)
            if following > end:
                break
            self.now = following
            for time, name, room in due:
                if time == self.now and name in room.due:
                    del room.due[name]
                    self._expired(room, name)
            if ticks and self.now % 1_000 == 0:
                for client in list(self.clients):
                    client.put_out(client.conversation.tick(self.now))
            self.settle()
        self.now = end

    def _expired(self, room: MiniRoom, name: str) -> None:
        if name.startswith("seat."):
            seat = Seat(int(name.removeprefix("seat.")))
            self._step(room, [Left(seat, room.seats.pop(seat).name, "gone")])
        else:
            self._step(room, [], DeadlinePassed(name))


def _delivery(client: Client, update: Update, ref: Any) -> Callable[[], None]:
    def deliver() -> None:
        if client.closed is None and client in client.cluster.clients:
            client.put_out(client.conversation.deliver(DeliveredStep(msgspec.json.encode(update)), ref))

    return deliver


def _shown(event: Any, seat: Seat) -> Any:
    """The event as the seat may see it, or None."""
    match event:
        case Said(seat=sender, to=to):
            return event if to is None or seat in (sender, to) else None
        case BaseRoomEvent():
            return event
        case _:
            return GAME.redact(event, seat)


def _refused(code: str) -> Refused:
    return Refused(code, CODES[code])
