"""Whole games of Eriantys without IO: the load tool's players at the lines of a house."""

from collections import deque
from collections.abc import Callable, Iterable
from urllib.parse import parse_qsl, urlsplit

from loadtest.clients.contract import Player, SeatAssignment
from loadtest.clients.eriantys import PLAYERS
from shared.ids import RoomId
from tests.support.eriantys_room import HouseRoom
from tests.support.eriantys_table import House, Line

MOST_ROUNDS = 20_000


class Party:
    """Players who sit down at one table and play it to the end."""

    def __init__(self, dialects: Iterable[str], *, expert: bool, seed: int) -> None:
        self.house = House(seed)
        self.dialects = tuple(dialects)
        self.players: list[Player] = []
        self.lines: list[Line] = []
        self.room_number: int | None = None
        self.record: Callable[[str, str, bytes], None] = lambda _name, _way, _frame: None
        """Called with the player's name, `>` (to the server) or `<`, and the frame of everything that is said."""
        self._outbox: deque[tuple[Line, bytes]] = deque()
        self._names: dict[int, str] = {}
        self._expert, self._seed = expert, seed

    @property
    def room(self) -> HouseRoom:
        return self.house.rooms[RoomId(self.room_number or 1000)]

    def sit_down(self) -> None:
        for seat, dialect in enumerate(self.dialects):
            seating = SeatAssignment(
                name=f"player{seat}",
                game="eriantys",
                seats=len(self.dialects),
                options={"expert": self._expert},
                seed=self._seed * 10 + seat,
                table=lambda: self.room_number,
                opened=self._opened,
                first=seat == 0,
            )
            self.players.append(PLAYERS[dialect](seating))
            self.lines.append(self.connect(seat))
            self.run(stop=self.is_playing)

    def _opened(self, room: int) -> None:
        self.room_number = room

    def connect(self, seat: int) -> Line:
        """What the player says first is carried before everything else."""
        player, later = self.players[seat], self._outbox
        self._outbox = deque()
        line = self.house.connect(self.dialects[seat], dict(parse_qsl(urlsplit(player.path).query)))
        self._names[id(line)] = f"player{seat}"
        line.heard = lambda frame: self._heard(line, player, frame)
        early, line.frames = line.frames, []
        for frame in player.open():
            self._say(line, frame)
        for frame in early:
            self._heard(line, player, frame)
        for frame in player.tick():
            self._say(line, frame)
        self._outbox.extend(later)
        return line

    def lose(self, seat: int) -> None:
        """The socket is gone, with everything that was on its way."""
        self.house.lose(self.lines[seat])
        self._outbox = deque(item for item in self._outbox if item[0] is not self.lines[seat])

    def come_back(self, seat: int) -> None:
        self.lines[seat] = self.connect(seat)

    def _heard(self, line: Line, player: Player, frame: bytes) -> None:
        self.record(self._names[id(line)], "<", frame)
        for answer in player.receive(frame):
            self._say(line, answer)

    def _say(self, line: Line, frame: bytes) -> None:
        self._outbox.append((line, frame))

    def run(self, stop: Callable[[], bool]) -> None:
        """Carry frames until all is quiet, or something is reached."""
        for _ in range(MOST_ROUNDS):
            if stop():
                return
            if not self._outbox:
                for line, player in zip(self.lines, self.players, strict=False):
                    for frame in player.tick():
                        self._say(line, frame)
                if not self._outbox:
                    return
            line, frame = self._outbox.popleft()
            self.record(self._names[id(line)], ">", frame)
            self.house.feed(line, lambda line=line, frame=frame: line.talk.receive(frame))  # type: ignore[misc]
            self.house.settle()
            line.frames.clear()
        raise AssertionError("the game does not end")

    def is_playing(self) -> bool:
        return any(room.status == "playing" for room in self.house.rooms.values())

    def run_on(self, events: int) -> None:
        """Until so many more things have happened, or nothing more does."""
        enough = len(self.room.journal) + events
        self.run(stop=lambda: len(self.room.journal) >= enough or not self.is_playing())

    def play(self) -> None:
        self.sit_down()
        self.run(stop=lambda: all(player.over for player in self.players))
        self.run(stop=lambda: False)

    def check(self) -> None:
        """Nobody was told anything wrong, and all were told the same."""
        assert [fault for player in self.players for fault in player.received.faults] == []
        assert all(player.over for player in self.players)
        assert self.players[0].received.result is not None
        for player in self.players[1:]:
            assert player.received.result == self.players[0].received.result
            assert player.received.board == self.players[0].received.board
