"""Whole games by headless clients of the load tool, over the in-memory cluster. Serves every dialect and game."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from gateway.dialects.framing import Framing
from loadtest.clients.contract import Player, SeatAssignment
from shared.room_events import RoomStatus
from tests.support.memory_cluster import MemoryClient, MemoryCluster
from worker.room.room import Room

MOST_FRAMES = 20_000
"""Frames after which a game that has not ended fails its test."""
FIRST_ROOM = 1000
"""The number of the first room of a cluster: the rooms of a party are the only ones."""

PlayerFactory: TypeAlias = Callable[[SeatAssignment], Player]


@dataclass(frozen=True, slots=True)
class Listener:
    """A TCP listener, and the framing that clients have on their side of it."""

    dialect: str
    options: Mapping[str, str]
    client_framing: Callable[[], Framing]


class Wire:
    """The bytes of one TCP connection, between the framings of its two ends."""

    def __init__(self, server: Framing, client: Framing, record: Callable[[str, bytes], None]) -> None:
        self._server = server
        self._client = client
        self._record = record
        if server.preamble:
            record("<", server.preamble)
            client.feed(server.preamble)
        if client.preamble:
            record(">", client.preamble)
            server.feed(client.preamble)

    def to_client(self, frame: bytes) -> list[bytes]:
        data = self._server.frame(frame)
        self._record("<", data)
        return self._whole(self._client.feed(data))

    def to_server(self, frame: bytes) -> list[bytes]:
        data = self._client.frame(frame)
        self._record(">", data)
        return self._whole(self._server.feed(data))

    def _whole(self, frames: Iterable[bytes | Exception]) -> list[bytes]:
        found = []
        for frame in frames:
            if isinstance(frame, Exception):
                raise frame
            found.append(frame)
        return found


class Party:
    """Players who take their seats at one table, in order, and play. The first one opens the table."""

    def __init__(
        self,
        cluster: MemoryCluster,
        game: str,
        seats: Iterable[tuple[str, PlayerFactory]],
        *,
        options: Mapping[str, Any] | None = None,
        seed: int = 1,
        listeners: Mapping[str, Listener] | None = None,
    ) -> None:
        """`seats` holds the dialect and the client of each seat; `seed` decides the choices of the players. A dialect
        that `listeners` has is spoken over TCP, and recorded with its framing."""
        self.cluster = cluster
        self.record: Callable[[int, str, bytes], None] = lambda _seat, _direction, _frame: None
        """Called for every frame with the seat, `>` (to the server) or `<`, and the frame."""
        self.clients: list[MemoryClient] = []
        self._outbox: deque[tuple[int, bytes]] = deque()
        """The frames that the players will send, with their seats."""
        self._opened: int | None = None
        self._released: set[int] = set()
        """Seats that the test itself drives."""
        self._listeners = listeners or {}
        self._wires: dict[int, Wire] = {}
        places = tuple(seats)
        self._dialects = [dialect for dialect, _ in places]
        self.players = [
            factory(self._assignment(seat, len(places), game, dict(options or {}), seed * 10 + seat))
            for seat, (_, factory) in enumerate(places)
        ]

    def _assignment(self, seat: int, seats: int, game: str, options: dict[str, Any], seed: int) -> SeatAssignment:
        return SeatAssignment(
            name=f"player{seat}",
            game=game,
            seats=seats,
            options=options,
            seed=seed,
            table=lambda: self._opened,
            opened=self._set_opened,
            first=seat == 0,
        )

    def _set_opened(self, room: int) -> None:
        self._opened = room

    @property
    def room(self) -> Room:
        return self.cluster.room(FIRST_ROOM)

    # --- connections --------------------------------------------------------------------------------------------------

    def take_seats(self) -> None:
        for seat in range(len(self.players)):
            self.clients.append(self._connect(seat))
            self.run(until=self.is_playing if seat else lambda: False)

    def _connect(self, seat: int) -> MemoryClient:
        """The frames that a player sends on a new connection precede all that others have ready."""
        player, later = self.players[seat], self._outbox
        self._outbox = deque()
        client = self._open(seat, player)
        client.on_frame = lambda frame: self._receive(seat, frame)
        self._send(seat, player.open())
        for frame in client.received():
            self._receive(seat, frame)
        self._send(seat, player.tick())
        self._outbox.extend(later)
        return client

    def _open(self, seat: int, player: Player) -> MemoryClient:
        listener = self._listeners.get(self._dialects[seat])
        if listener is None:
            return self.cluster.connect(self._dialects[seat], dict(parse_qsl(urlsplit(player.path).query)))
        framing = self.cluster.dialects[listener.dialect].framing(listener.options)

        def record(direction: str, data: bytes) -> None:
            self.record(seat, direction, data)

        self._wires[seat] = Wire(framing, listener.client_framing(), record)
        return self.cluster.connect(listener.dialect, tcp=listener.options)

    def lose(self, seat: int) -> None:
        """Drop a connection, and with it the frames that its player has not sent yet."""
        self.clients[seat].on_frame = None
        self.clients[seat].drop()
        self._outbox = deque(entry for entry in self._outbox if entry[0] != seat)

    def release(self, seat: int) -> MemoryClient:
        """Leave a seat to the test: its player sends nothing any more. Returns the connection."""
        self._released.add(seat)
        self._outbox = deque(entry for entry in self._outbox if entry[0] != seat)
        self.clients[seat].on_frame = None
        return self.clients[seat]

    def reconnect(self, seat: int) -> None:
        self.clients[seat] = self._connect(seat)

    def _receive(self, seat: int, frame: bytes) -> None:
        wire = self._wires.get(seat)
        if wire is None:
            self.record(seat, "<", frame)
        for received in (frame,) if wire is None else wire.to_client(frame):
            self._send(seat, self.players[seat].receive(received))

    def _send(self, seat: int, frames: Iterable[bytes]) -> None:
        self._outbox.extend((seat, frame) for frame in frames)

    # --- playing ------------------------------------------------------------------------------------------------------

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Send the frames of the players one by one until `until` holds or no player has anything to send."""
        for _ in range(MOST_FRAMES):
            if until():
                return
            if not self._outbox:
                self._tick()
            if not self._outbox:
                return
            seat, frame = self._outbox.popleft()
            self._deliver(seat, frame)
        raise AssertionError("the game does not end")

    def _deliver(self, seat: int, frame: bytes) -> None:
        wire, client = self._wires.get(seat), self.clients[seat]
        if wire is None:
            self.record(seat, ">", frame)
        for sent in (frame,) if wire is None else wire.to_server(frame):
            client.send(sent)
        client.frames.clear()

    def _tick(self) -> None:
        for seat, client in enumerate(self.clients):
            if client.on_frame is not None and seat not in self._released:
                self._send(seat, self.players[seat].tick())

    def run_for(self, events: int) -> None:
        """Play until this many more events of the game have happened, or nothing more happens."""
        enough = self.room.state.moves + events
        self.run(until=lambda: self.room.state.moves >= enough or not self.is_playing())

    def play(self) -> None:
        """Play a whole game."""
        self.take_seats()
        self.run(until=self.is_over)
        self.run()

    def is_playing(self) -> bool:
        return self.room.state.status is RoomStatus.PLAYING

    def is_over(self) -> bool:
        """Whether every player has received the result."""
        return all(player.over for player in self.players)

    def check(self) -> None:
        """Check that no player has found a fault, and that all have received the same result and the same board."""
        assert [fault for player in self.players for fault in player.received.faults] == []
        assert self.is_over()
        first, *others = [player.received for player in self.players]
        assert first.result is not None
        for received in others:
            assert received.result == first.result
            assert received.board == first.board
