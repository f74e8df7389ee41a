"""Whole games in the dialect, played by the clients of the load tool, by message and by byte."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.dialects.framing import Framing
from gateway.dialects.snarl import SnarlSettings
from gateway.dialects.snarl.close_codes import GAME_OVER
from loadtest.clients.contract import SeatAssignment
from loadtest.clients.snarl import PLAYERS
from loadtest.clients.snarl.client import SnarlPlayer
from shared.dice import Dice
from shared.room_events import RoomStatus
from tests.support.examples import fewer_examples
from tests.support.memory_cluster import GATEWAY, MemoryClient, MemoryCluster
from tests.support.snarl_clients import FIRST_ROOM, snarl_cluster
from tests.unit.gateway.dialects.snarl.test_transcripts import LEVELS

pytestmark = pytest.mark.slow

UNLIMITED = replace(GATEWAY, burst=1_000_000)
"""No time passes during a game, so all its moves count as sent at once."""


def new_player(name: str, seats: int, seed: int, *, first: bool) -> SnarlPlayer:
    return PLAYERS["snarl"](SeatAssignment(name, "snarl", seats, {}, seed, lambda: None, lambda _room: None, first))


@dataclass(slots=True)
class PlayerConnection:
    """A player of the load tool, and its connection."""

    player: SnarlPlayer
    client: MemoryClient

    def answer(self) -> bool:
        """Answer the frames received since the last call; False if there were none."""
        frames = self.client.received()
        for frame in frames:
            for answer in self.player.receive(frame):
                self.client.send(answer)
        return bool(frames)

    def reconnect(self) -> None:
        self.client.drop()
        list(self.player.open())
        self.client = self.client.cluster.connect("snarl")


def connect_players(cluster: MemoryCluster, count: int, seats: int, seed: int) -> list[PlayerConnection]:
    connected = []
    for number in range(count):
        player = new_player(f"p{number}", seats, seed + number, first=number % seats == 0)
        query = dict(part.split("=") for part in player.path.partition("?")[2].split("&"))
        list(player.open())
        connected.append(PlayerConnection(player, cluster.connect("snarl", query)))
    return connected


def play(connected: list[PlayerConnection]) -> None:
    """Carry messages between players and cluster until there are none left."""
    for _ in range(10_000):
        if sum(connection.answer() for connection in connected) == 0:
            return
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@given(seed=st.integers(0, 1_000))
@fewer_examples(60)
def test_players_of_the_load_tool_play_whole_games(seats: int, seed: int) -> None:
    cluster = snarl_cluster(gateway=UNLIMITED)
    cluster.ids.game_seeds.append(seed)
    connected = connect_players(cluster, seats, seats, seed)
    play(connected)
    for connection in connected:
        assert connection.player.received.faults == []
        assert connection.player.over
        assert connection.client.closed is GAME_OVER
    assert len({str(connection.player.received.result) for connection in connected}) == 1
    assert sum(connection.player.moves for connection in connected) > 0
    cluster.close()


def test_tables_fill_one_after_the_other_and_their_games_do_not_mix() -> None:
    cluster = snarl_cluster(SnarlSettings(levels=LEVELS), gateway=UNLIMITED)
    connected = connect_players(cluster, 8, 2, 5)
    play(connected)
    for table in range(4):
        names = [seat.name for seat in cluster.room(FIRST_ROOM + table).state.seats.values()]
        assert names == [f"p{2 * table}", f"p{2 * table + 1}"]
    for connection in connected:
        assert connection.player.over
        assert connection.player.received.faults == []


def test_a_player_that_loses_its_connection_returns_and_the_game_ends() -> None:
    cluster = snarl_cluster(SnarlSettings(grace_ms=10_000), gateway=UNLIMITED)
    connected = connect_players(cluster, 3, 3, 8)
    dice = Dice(3, "drops")
    drops = 0
    for _ in range(30):
        for _ in range(5):
            for connection in connected:
                connection.answer()
        lost = connected[dice.below(3)]
        # After the end the same name would open another table.
        if cluster.room(FIRST_ROOM).state.status == RoomStatus.PLAYING and lost.client.closed is None:
            lost.reconnect()
            drops += 1
    play(connected)
    assert drops > 0
    for connection in connected:
        assert connection.player.over
        assert connection.player.received.faults == []


class TcpStream:
    """A connection over TCP: its bytes go through the server's framing, in pieces."""

    def __init__(self, client: MemoryClient, framing: Framing, piece: int) -> None:
        self._client = client
        self._framing = framing
        self._piece = piece

    def read(self) -> bytes:
        return b"".join(self._framing.frame(frame) for frame in self._client.received())

    def write(self, data: bytes) -> None:
        for at in range(0, len(data), self._piece):
            for part in self._framing.feed(data[at : at + self._piece]):
                if isinstance(part, bytes):
                    self._client.send(part)
                else:
                    self._client.send_invalid(part.code)


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_a_whole_game_over_a_tcp_stream_cut_to_pieces(piece: int) -> None:
    cluster = snarl_cluster(SnarlSettings(clients=1), gateway=UNLIMITED)
    player = new_player("alice", 1, 4, first=True)
    stream = TcpStream(cluster.connect("snarl", tcp={}), cluster.dialects["snarl"].framing({}), piece)
    while not player.over:
        *lines, rest = stream.read().split(b"\n")
        assert rest == b""
        assert lines, "neither the server nor the player has a message to send"
        for line in lines:
            for answer in player.receive(line):
                stream.write(answer)
    assert player.received.faults == []
