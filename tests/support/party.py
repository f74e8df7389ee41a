"""Whole games by headless clients of the load tool, over the in-memory cluster. Serves every dialect and game."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from loadtest.clients.contract import Player, SeatAssignment
from shared.room_events import RoomStatus
from tests.support.memory_cluster import MemoryClient, MemoryCluster
from worker.room.room import Room

MOST_FRAMES = 20_000
"""Frames after which a game that has not ended fails its test."""
FIRST_ROOM = 1000
"""The number of the first room of a cluster: the rooms of a party are the only ones."""

PlayerFactory: TypeAlias = Callable[[SeatAssignment], Player]


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
    ) -> None:
        """`seats` holds the dialect and the client of each seat; `seed` decides the choices of the players."""
        self.cluster = cluster
        self.record: Callable[[int, str, bytes], None] = lambda _seat, _direction, _frame: None
        """Called for every frame with the seat, `>` (to the server) or `<`, and the frame."""
        self.clients: list[MemoryClient] = []
        self._outbox: deque[tuple[int, bytes]] = deque()
        """The frames that the players will send, with their seats."""
        self._opened: int | None = None
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
        client = self.cluster.connect(self._dialects[seat], dict(parse_qsl(urlsplit(player.path).query)))
        client.on_frame = lambda frame: self._receive(seat, frame)
        self._send(seat, player.open())
        for frame in client.received():
            self._receive(seat, frame)
        self._send(seat, player.tick())
        self._outbox.extend(later)
        return client

    def lose(self, seat: int) -> None:
        """Drop a connection, and with it the frames that its player has not sent yet."""
        self.clients[seat].on_frame = None
        self.clients[seat].drop()
        self._outbox = deque(entry for entry in self._outbox if entry[0] != seat)

    def reconnect(self, seat: int) -> None:
        self.clients[seat] = self._connect(seat)

    def _receive(self, seat: int, frame: bytes) -> None:
        self.record(seat, "<", frame)
        self._send(seat, self.players[seat].receive(frame))

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
            self.record(seat, ">", frame)
            client = self.clients[seat]
            client.send(frame)
            client.frames.clear()
        raise AssertionError("the game does not end")

    def _tick(self) -> None:
        for seat in range(len(self.clients)):
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
