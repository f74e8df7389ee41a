"""Tables for tests: two to four seated players on an in-memory cluster, each connected in some dialect."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from gateway.dialects.contract import Conversation
from gateway.transports.close_codes import CloseCode
from shared.games.eriantys.state import State
from shared.ids import Seat
from shared.room_events import RoomStatus
from tests.support.eriantys_players import LISTENERS, eriantys_cluster
from tests.support.memory_cluster import MemoryClient, MemoryCluster
from tests.support.party import FIRST_ROOM
from worker.room.state import SeatState

EVENTS, PROMPTS, STATUS = "eriantys.events", "eriantys.prompts", "eriantys.status"
NAMES = ("ann", "bob", "cid", "dan")
DEADLINE_MS = 100
"""The timers of an arranged game: shorter than the time between two pings of `eriantys.prompts`."""


class Client:
    """A connected client of a dialect, which sends and receives JSON values."""

    def __init__(self, memory: MemoryClient) -> None:
        self.memory = memory

    def send(self, message: Any) -> list[Any]:
        """Send a message (bytes as they are, all else as JSON). Returns the messages that this client gets in return;
        earlier messages are discarded."""
        self.memory.frames.clear()
        self.memory.send(message if isinstance(message, bytes) else msgspec.json.encode(message))
        return self.received()

    def received(self) -> list[Any]:
        """The messages since the last call. A bare word, such as `ping`, is returned as text."""
        frames = self.memory.received()
        return [msgspec.json.decode(frame) if frame[:1] in b'{["' else frame.decode() for frame in frames]

    def drop(self) -> None:
        """Lose the connection."""
        self.memory.drop()

    @property
    def closed(self) -> CloseCode | None:
        return self.memory.closed

    @property
    def conversation(self) -> Conversation:
        return self.memory.conversation


def connect(cluster: MemoryCluster, dialect: str, query: Mapping[str, str] | None = None) -> Client:
    """Over TCP to a listener in its compat mode, if the dialect is that of an original program."""
    listener = LISTENERS.get(dialect)
    if listener is not None:
        return Client(cluster.connect(listener.dialect, tcp=listener.options))
    return Client(cluster.connect(dialect, query))


def open_table(cluster: MemoryCluster, dialect: str, players: int, expert: bool) -> Client:
    """A table with the number 1000, opened by the first player, ann."""
    client = connect(cluster, dialect)
    match dialect:
        case "eriantys.events":
            client.send({"type": "Login", "username": NAMES[0]})
            client.send({"type": "CreateRoom", "numberOfPlayers": players, "expert": expert, "private": False})
        case "eriantys.group3":
            client.send({"type": "Login", "username": NAMES[0]})
            client.send({"type": "CreateRoom", "numberOfPlayers": players, "expert": expert, "isPrivate": False})
        case "eriantys.prompts" | "eriantys.am24":
            client.send(
                {"type": "GameParams", "numPlayers": players, "expert": expert, "nickname": NAMES[0], "mage": "MAGE1"}
            )
        case _:
            client.send(NAMES[0].encode())
            client.send({"numPlayers": players, "gameMode": "expert" if expert else "simple"})
    return client


def join_table(cluster: MemoryCluster, dialect: str, seat: int) -> Client:
    client = connect(cluster, dialect, {"table": str(FIRST_ROOM)})
    match dialect:
        case "eriantys.events":
            client.send({"type": "Login", "username": NAMES[seat]})
            client.send({"type": "AccessRoom", "roomId": FIRST_ROOM})
        case "eriantys.group3":
            client.send({"type": "Login", "username": NAMES[seat]})
            client.send({"type": "AccessRoom", "id": FIRST_ROOM})
        case "eriantys.prompts" | "eriantys.am24":
            client.send({"type": "Join", "nickname": NAMES[seat], "mage": f"MAGE{seat + 1}", "index": FIRST_ROOM})
        case _:
            client.send(NAMES[seat].encode())
    return client


class Seats:
    """A game that has begun. `position` replaces the initial position."""

    def __init__(self, *dialects: str, expert: bool = True, position: State | None = None) -> None:
        self.cluster = eriantys_cluster()
        first = open_table(self.cluster, dialects[0], len(dialects), expert)
        others = (join_table(self.cluster, dialect, seat) for seat, dialect in enumerate(dialects[1:], 1))
        self.clients = [first, *others]
        self.discard()
        if position is not None:
            self.arrange(position)

    @property
    def position(self) -> State:
        """The game in the memory of the room's owner."""
        state: State = self.cluster.room(FIRST_ROOM)._draft.play
        return state

    @property
    def status(self) -> RoomStatus:
        return self.cluster.room(FIRST_ROOM).state.status

    @property
    def places(self) -> dict[Seat, SeatState]:
        """The seats as the room's owner has them."""
        return self.cluster.room(FIRST_ROOM).state.seats

    def arrange(self, position: State) -> None:
        """Put another position on the table, and into the view that each connected client has of it."""
        self.arranged = replace(position, grace_ms=DEADLINE_MS, alone_ms=DEADLINE_MS)
        self.cluster.arrange(FIRST_ROOM, self.arranged)
        for client in self.clients:
            table: Any = client.conversation
            table._table.view = position.view

    def connect(self, dialect: str, query: Mapping[str, str] | None = None) -> Client:
        return connect(self.cluster, dialect, query)

    def drop(self, seat: int) -> None:
        """Lose the connection of a player."""
        self.clients[seat].drop()

    def pass_deadlines(self) -> None:
        """Let the timers of an arranged game run out."""
        self.cluster.advance(2 * DEADLINE_MS)

    def discard(self) -> None:
        for client in self.clients:
            client.received()

    def send(self, seat: int, message: Any) -> list[Any]:
        """The messages that the sender gets in return. Earlier messages to the other seats are discarded."""
        self.discard()
        return self.clients[seat].send(message)

    def received(self, seat: int) -> list[Any]:
        return self.clients[seat].received()


def types(messages: list[Any]) -> list[str]:
    return [message["type"] for message in messages]


def nack_name(answer: list[Any]) -> str:
    """The error name of a refusal in `eriantys.events`, which must be the only message."""
    assert types(answer) == ["Nack"]
    text: str = answer[0]["errorMessage"]
    return text.partition(":")[0]


def error_code(answer: list[Any]) -> str:
    """The code of a refusal in `eriantys.prompts`, which must be the only message."""
    assert types(answer) == ["Error"]
    assert answer[0]["string"]
    found: str = answer[0]["code"]
    return found


def error_status(answer: list[Any]) -> int:
    """The code of a refusal in `eriantys.status`, which must be the only message."""
    assert len(answer) == 1
    assert set(answer[0]) == {"status", "errorMessage"}
    found: int = answer[0]["status"]
    return found
