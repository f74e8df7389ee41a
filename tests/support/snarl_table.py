"""A cluster of one process for the Snarl dialect, without IO: names, tables, and conversations joined to them."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, Refused
from gateway.dialects.contract import DeliveredStep, Dialect, Opening
from gateway.dialects.requests import (
    ActRequest,
    CloseConnection,
    JoinRequest,
    LoginRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    ReturnRequest,
)
from gateway.dialects.snarl import SnarlSettings, snarl_dialect
from gateway.transports.close_codes import CloseCode
from shared.errors import ErrorCode, Rejected
from shared.game import Absent, DeadlinePassed, Present, Table
from shared.games.snarl.events import Event
from shared.games.snarl.game import GAME
from shared.games.snarl.setup import Options
from shared.games.snarl.state import State
from shared.ids import Epoch, Offset, RoomId, Seat
from shared.room_events import NOTHING, Away, Back, Joined, Left, RoomEvent, RoomSpec, RoomStatus, Started
from shared.room_views import Listing, RoomView, SeatView, Update

Setup = Callable[[Table[Options]], tuple[Event, ...]]

LOCAL = ("127.0.0.1", 4242)


class Client:
    """The client's end of a connection: what it was sent, and whether it was closed."""

    def __init__(self, cluster: "Cluster", opening: Opening) -> None:
        self.conversation = cluster.dialect.converse(opening)
        self.cluster = cluster
        self.name = ""
        self.seat: tuple[SnarlTable, Seat] | None = None
        self.inbox: list[bytes] = []
        self.closed: CloseCode | None = None

    def say(self, value: Any) -> None:
        """Send a JSON value, and let everything happen that follows from it."""
        self.send(msgspec.json.encode(value))

    def send(self, frame: bytes) -> None:
        self.cluster.carry_out(self, self.conversation.receive(frame))

    def invalid_frame(self, code: ErrorCode) -> None:
        self.cluster.carry_out(self, self.conversation.invalid_frame(code))

    def tick(self, now_ms: int) -> None:
        self.cluster.carry_out(self, self.conversation.tick(now_ms))

    def heard(self) -> list[Any]:
        """All that came since this was last asked."""
        frames, self.inbox = self.inbox, []
        return [msgspec.json.decode(frame) for frame in frames]

    def drop(self) -> None:
        """The connection is lost."""
        self.cluster.lose(self)


@dataclass
class SnarlTable:
    room: RoomId
    spec: RoomSpec
    cluster: "Cluster"
    names: dict[Seat, str] = field(default_factory=dict)
    clients: dict[Seat, Client] = field(default_factory=dict)
    state: State | None = None
    offset: int = 0

    @property
    def status(self) -> str:
        if self.state is None:
            return "waiting"
        return "playing" if GAME.outcome(self.state) is None else "finished"

    @property
    def free(self) -> list[Seat]:
        return [Seat(seat) for seat in range(self.spec.seats) if Seat(seat) not in self.names]

    def gone(self) -> tuple[Seat, ...]:
        removed = () if self.state is None else GAME.removed(self.state)
        return tuple(seat for seat in self.names if seat not in self.clients and seat not in removed)

    def listing(self) -> Listing:
        status = RoomStatus(self.status)
        return Listing(self.room, "snarl", self.spec.seats, status, dict(self.names), self.gone(), free=len(self.free))

    def sit_down(self, client: Client, ref: Any) -> None:
        seat = self.free[0]
        self.names[seat], self.clients[seat], client.seat = client.name, client, (self, seat)
        self.tell(Joined(seat, client.name), but=client)
        self.enter(client, seat, ref)
        if not self.free:
            self.start()

    def enter(self, client: Client, seat: Seat, ref: Any, *, back: bool = False) -> None:
        game = NOTHING if self.state is None else msgspec.Raw(msgspec.json.encode(GAME.view(self.state, seat)))
        seats = tuple(SeatView(taken, name) for taken, name in sorted(self.names.items()))
        status = RoomStatus(self.status)
        view = RoomView(self.room, Epoch(1), Offset(self.offset), status, self.spec, 1, seats, you=seat, game=game)
        self.cluster.answer(client, ref, Entered(self.room, seat, view, back))

    def start(self) -> None:
        """All are there, or the wait is over."""
        seats = tuple(sorted(self.names))
        order = tuple(self.names)
        options = msgspec.convert(self.spec.options, Options)
        events = self.cluster.setup(Table(options, seats, order, self.cluster.seed + self.room))
        self.state = GAME.empty
        self.happen((Started(seats, order),), events)

    def act(self, client: Client, seat: Seat, act: ActRequest) -> None:
        if self.state is None:
            self.cluster.answer(client, act.ref, Refused("room/not_started", ""))
            return
        command = msgspec.json.decode(msgspec.json.encode(act.command), type=GAME.command_type)
        decided = GAME.decide(self.state, seat, command)
        if isinstance(decided, Rejected):
            self.cluster.answer(client, act.ref, Refused(decided.code, str(decided)))
        else:
            self.happen((), decided, client, act.ref)

    def notice(self, news: Absent | Present | DeadlinePassed, *room_events: RoomEvent) -> None:
        assert self.state is not None
        assert GAME.notice is not None
        self.happen(room_events, GAME.notice(self.state, news))

    def happen(
        self, room_events: tuple[RoomEvent, ...], events: tuple[Event, ...], by: Client | None = None, ref: Any = None
    ) -> None:
        for event in events:
            assert self.state is not None
            self.state = GAME.evolve(self.state, event)
        self.offset += 1
        for seat, client in list(self.clients.items()):
            received = [*room_events, *(GAME.redact(event, seat) for event in events)]
            self.cluster.deliver(client, self._update(received), ref if client is by else None)
        if self.status == "finished":
            self.cluster.release(self)

    def tell(self, event: RoomEvent, but: Client | None = None) -> None:
        self.offset += 1
        for client in list(self.clients.values()):
            if client is not but:
                self.cluster.deliver(client, self._update([event]), None)

    def _update(self, events: list[Any]) -> Update:
        return Update(self.room, Epoch(1), Offset(self.offset), 0, msgspec.Raw(msgspec.json.encode(events)))


class Cluster:
    """Carries out what conversations ask for, one thing after the other."""

    def __init__(self, settings: SnarlSettings | None = None, *, seed: int = 1, setup: Setup = GAME.setup) -> None:
        self.dialect: Dialect = snarl_dialect(settings or SnarlSettings())
        self.seed = seed
        self.setup = setup
        self.tables: dict[RoomId, SnarlTable] = {}
        self.names: set[str] = set()
        self.busy: deque[str] = deque()
        """Codes that the next requests are refused with; empty: it is carried out."""
        self._queue: deque[tuple[Client, Output]] = deque()
        self._working = False

    def connect(
        self, query: Mapping[str, str] | None = None, *, tcp: bool = False, compat: Mapping[str, str] | None = None
    ) -> Client:
        transport = "tcp" if tcp else "websocket"
        client = Client(self, Opening(query or {}, self, compat or {}, transport, LOCAL if tcp else ("", 0)))
        self.carry_out(client, client.conversation.open())
        return client

    def join(self, name: str, query: Mapping[str, str] | None = None) -> Client:
        """A client that has said its name."""
        client = self.connect(query)
        client.say(name)
        client.inbox = client.inbox[2:]
        return client

    def listed(self, game: str) -> tuple[Listing, ...]:
        return tuple(table.listing() for table in self.tables.values() if table.status != "finished")

    def get(self, room: RoomId) -> Listing | None:
        table = self.tables.get(room)
        return None if table is None or table.status == "finished" else table.listing()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What is said in here comes in one piece: nothing happens in between."""
        self._working = True
        yield
        self._work()

    def carry_out(self, client: Client, out: Any) -> None:
        self._queue.extend((client, word) for word in out)
        if not self._working:
            self._work()

    def _work(self) -> None:
        self._working = True
        while self._queue:
            who, word = self._queue.popleft()
            if who.closed is None:
                self._one(who, word)
        self._working = False

    def _one(self, client: Client, word: Output) -> None:
        refusal = (
            self.busy.popleft() if self.busy and not isinstance(word, bytes | CloseConnection | LogoutRequest) else ""
        )
        if refusal:
            self.answer(client, getattr(word, "ref", None), Refused(refusal, ""))
            return
        match word:
            case bytes():
                client.inbox.append(word)
            case CloseConnection():
                client.closed = word.close_code
                self.lose(client)
            case LoginRequest(name=name, ref=ref):
                if not name or name in self.names:
                    self.answer(client, ref, Refused("name/taken" if name else "name/bad", ""))
                else:
                    self.names.add(name)
                    client.name = name
                    self.answer(client, ref, LoggedIn(name))
            case LogoutRequest():
                self.names.discard(client.name)
            case MatchRequest():
                self._match(client, word)
            case JoinRequest(room=room, ref=ref):
                table = self.tables.get(room)
                if table is None or table.status != "waiting" or not table.free:
                    self.answer(client, ref, Refused("room/full", ""))
                else:
                    table.sit_down(client, ref)
            case ReturnRequest():
                self._return(client, word)
            case ActRequest():
                assert client.seat is not None
                client.seat[0].act(client, client.seat[1], word)
            case _:
                raise AssertionError(f"the dialect asks for {word}")

    def _match(self, client: Client, wanted: MatchRequest) -> None:
        for table in self.tables.values():
            if table.status == "waiting" and table.free and wanted.seats in (None, table.spec.seats):
                table.sit_down(client, wanted.ref)
                return
        assert wanted.open is not None
        room = RoomId(1000 + len(self.tables))
        self.tables[room] = SnarlTable(room, wanted.open, self)
        self.tables[room].sit_down(client, wanted.ref)

    def _return(self, client: Client, wanted: ReturnRequest) -> None:
        for table in self.tables.values():
            for seat in table.gone():
                if table.names[seat] == wanted.name and table.status == "playing":
                    client.name, client.seat, table.clients[seat] = wanted.name, (table, seat), client
                    table.notice(Present(seat), Back(seat))
                    table.enter(client, seat, wanted.ref, back=True)
                    return
        self.answer(client, wanted.ref, Refused("room/unknown", ""))

    def lose(self, client: Client) -> None:
        """The socket is gone, whoever closed it."""
        if client.seat is None:
            self.names.discard(client.name)
            return
        (table, seat), client.seat = client.seat, None
        del table.clients[seat]
        if table.status == "waiting":
            del table.names[seat]
            self.names.discard(client.name)
            table.tell(Left(seat, client.name, "gone"))
        elif table.status == "playing":
            table.notice(Absent(seat), Away(seat))

    def release(self, table: SnarlTable) -> None:
        self.names.difference_update(table.names.values())

    def answer(self, client: Client, ref: Any, answer: Answer) -> None:
        self.carry_out(client, client.conversation.answer(ref, answer))

    def deliver(self, client: Client, update: Update, ref: Any) -> None:
        self.carry_out(client, client.conversation.deliver(DeliveredStep(msgspec.json.encode(update)), ref))
