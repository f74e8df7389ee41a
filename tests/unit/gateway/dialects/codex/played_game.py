"""Clients of the dialect `codex` on the in-memory cluster that play up to a given point of a game, for tests."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from gateway.dialects import play
from gateway.dialects.codex import CodexSettings, codex_dialect
from gateway.transports.close_codes import CloseCode
from shared.games import stones
from shared.games.codex.game import GAME
from shared.games.codex.pieces import Phase
from shared.ids import Seat
from shared.room_events import RoomStatus
from tests.support.memory_cluster import MemoryClient, MemoryCluster

Message = dict[str, Any]
NAMES = ("Ann", "Bob", "Cid", "Dot")
ROOM = 1000
"""The number of the first room."""
HEARTBEAT = {"type": "HeartbeatMessage", "heartbeat": "ping"}
_ENCODED_HEARTBEAT = msgspec.json.encode(HEARTBEAT)
_ENOUGH_POINTS = 20
"""A player with this many points brings about the last round."""


def codex_cluster(seed: int = 1, settings: CodexSettings | None = None) -> MemoryCluster:
    """A cluster whose first game has this seed. It speaks `play` as well, and has one other game."""
    speaks = [codex_dialect(settings or CodexSettings()), play.DIALECT]
    cluster = MemoryCluster(speaks, games=(GAME, stones.GAME))
    cluster.ids.game_seeds.append(seed)
    return cluster


def game_state(cluster: MemoryCluster) -> Any:
    """The state of the game in the first room, secrets included."""
    return cluster.room(ROOM)._draft.play


def types(messages: list[Message]) -> list[str]:
    """The names of the messages, without their common suffix."""
    return [message["type"].removesuffix("Message") for message in messages]


def one(messages: list[Message], kind: str) -> Message:
    """The only message of this type."""
    found = [message for message in messages if message["type"] == kind + "Message"]
    assert len(found) == 1, found
    return found[0]


class CodexClient:
    """A client that sends and receives messages of the dialect. It answers heartbeats, unless it is made `silent`."""

    def __init__(self, cluster: MemoryCluster, query: Mapping[str, str] | None = None, *, silent: bool = False) -> None:
        self.cluster = cluster
        self.memory: MemoryClient = cluster.connect("codex", query)
        if not silent:
            self.memory.on_frame = self._answer_heartbeat

    @property
    def closed(self) -> CloseCode | None:
        """The code that the gateway has closed the connection with."""
        return self.memory.closed

    def is_open(self) -> bool:
        return self.memory.closed is None

    def send(self, message: Message | bytes) -> None:
        self.memory.send(message if isinstance(message, bytes) else msgspec.json.encode(message))

    def send_at_once(self, *frames: bytes) -> None:
        """Send frames that arrive together, before the first one is answered."""

        def receive() -> None:
            for frame in frames:
                self.memory.connection.receive(frame)

        self.cluster.do(receive)

    def received(self) -> list[Message]:
        """The messages since the last call, without heartbeats."""
        return [message for message in self.memory.received_json() if message != HEARTBEAT]

    def drop(self) -> None:
        """Lose the connection."""
        self.memory.drop()

    def _answer_heartbeat(self, frame: bytes) -> None:
        if frame == _ENCODED_HEARTBEAT:
            asyncio.get_running_loop().call_soon(self.memory.connection.receive, frame)


class PlayedGame:
    """One table and the clients of its players, by name."""

    def __init__(
        self, players: int = 2, seed: int = 1, settings: CodexSettings | None = None, *, full: bool = True
    ) -> None:
        self.cluster = codex_cluster(seed, settings)
        self.clients: dict[str, CodexClient] = {}
        for name in NAMES[:players] if full else NAMES[:1]:
            client = self.clients[name] = CodexClient(self.cluster)
            if name == NAMES[0]:
                client.send({"type": "CreateGameMessage", "numPlayers": players, "nickname": name})
            else:
                client.send({"type": "JoinGameMessage", "nickname": name})

    def connect(self) -> CodexClient:
        """A client without a seat."""
        return CodexClient(self.cluster)

    # --- the room -----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        return game_state(self.cluster)

    @property
    def playing(self) -> bool:
        return self.cluster.room(ROOM).state.status == RoomStatus.PLAYING

    def name(self, seat: Seat) -> str:
        return self.cluster.room(ROOM).state.seats[seat].name

    def seat(self, name: str) -> Seat:
        return next(seat for seat, place in self.cluster.room(ROOM).state.seats.items() if place.name == name)

    @property
    def order(self) -> list[str]:
        return [self.name(seat) for seat in self.state.table.order]

    @property
    def current(self) -> str:
        return self.name(self.state.table.current)

    # --- messages -----------------------------------------------------------------------------------------------------

    def discard(self) -> None:
        """Discard all messages so far."""
        for client in self.clients.values():
            client.received()

    def received(self) -> dict[str, list[Message]]:
        return {name: client.received() for name, client in self.clients.items()}

    # --- play ---------------------------------------------------------------------------------------------------------

    def act(self, **changes: Any) -> None:
        """Make a legal move for the current player."""
        self.clients[self.current].send(self.move(**changes))

    def move(self, **changes: Any) -> Message:
        """A legal move of the current player."""
        name, state = self.current, self.state
        command = GAME.options(state, state.table.current)[0]
        kinds: dict[str, Message] = {
            "ChooseStarting": {"player": name, "face": "FRONT"},
            "PickColor": {"nickname": name, "color": str(getattr(command, "color", "")).upper()},
            "ChooseObjective": {"player": name, "choose": 1},
            "DrawResource": {"nickname": name},
            "DrawGold": {"nickname": name},
            "DrawTable": {"nickname": name, "choice": getattr(command, "choice", 0)},
            "PlaceCard": {
                "player": name,
                "choice": getattr(command, "choice", 0),
                "i": getattr(command, "i", 0),
                "j": getattr(command, "j", 0),
                "face": str(getattr(command, "face", "")).upper(),
            },
        }
        kind = type(command).__name__
        return {"type": kind + "Message", **kinds[kind], **changes}

    def play_until(self, phase: str) -> None:
        """Play on until the game is in this phase, and discard the messages on the way."""
        if phase == "ENDING":
            self.finish()
        while self.state.table.phase.upper() != phase:
            self.act()
        self.discard()

    def near_the_end(self) -> None:
        """Go on to a game in which the first player has the points for the last round, and the last player draws."""
        self.play_until("DRAWING")
        while self.current != self.order[-1] or self.state.table.phase is not Phase.DRAWING:
            self.act()
        state, table = self.state, self.state.table
        first = replace(table.players[table.order[0]], points=_ENOUGH_POINTS)
        players = {**table.players, table.order[0]: first}
        self.cluster.arrange(ROOM, replace(state, table=replace(table, players=players)))
        self.discard()

    def finish(self) -> None:
        """Bring the game to its end in a few rounds."""
        self.near_the_end()
        while self.playing:
            self.act()

    def play_to_the_end(self) -> None:
        """Play the whole game."""
        while self.playing:
            self.act()

    def come_back(self, name: str, **extra: Any) -> CodexClient:
        """Connect again and ask for the player's seat."""
        self.clients[name] = client = CodexClient(self.cluster)
        client.send({"type": "RejoinGameMessage", "nickname": name, **extra})
        return client


@cache
def whole_game() -> dict[str, list[Message]]:
    """All messages that each of four players receives in a whole game, by name."""
    game = PlayedGame(4)
    game.play_to_the_end()
    received = game.received()
    game.cluster.close()
    return received
