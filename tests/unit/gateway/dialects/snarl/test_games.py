"""Whole games in the dialect, played by the clients of the load tool, by message and by byte."""

from collections import deque

import pytest

from gateway.dialects.framing import Framing
from gateway.dialects.snarl import SnarlSettings
from loadtest.clients.contract import SeatAssignment
from loadtest.clients.snarl import PLAYERS
from loadtest.clients.snarl.client import SnarlPlayer
from shared.dice import Dice
from tests.support.snarl_table import Client, Cluster


def seat_all(cluster: Cluster, count: int, seats: int, seed: int) -> list[tuple[SnarlPlayer, Client]]:
    found = []
    for number in range(count):
        first = number % seats == 0
        opened: list[int] = []
        seating = SeatAssignment(f"p{number}", "snarl", seats, {}, seed + number, lambda: None, opened.append, first)
        player = PLAYERS["snarl"](seating)
        query = dict(part.split("=") for part in player.path.partition("?")[2].split("&"))
        list(player.open())
        found.append((player, cluster.connect(query)))
    return found


def play_on(pairs: list[tuple[SnarlPlayer, Client]], most: int = 100_000) -> None:
    """Carry messages between clients and server until there are none left."""
    busy = deque(pairs)
    idle = 0
    for _ in range(most):
        player, client = busy[0]
        busy.rotate(-1)
        frames, client.inbox = client.inbox, []
        idle = 0 if frames else idle + 1
        for frame in frames:
            for answer in player.receive(frame):
                client.send(answer)
        if idle > len(pairs):
            return
    raise AssertionError("they talk for ever")


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_players_of_the_load_tool_play_whole_games(seats: int) -> None:
    for seed in range(3):
        pairs = seat_all(Cluster(seed=seed), seats, seats, seed)
        play_on(pairs)
        for player, client in pairs:
            assert player.received.faults == []
            assert player.over
            assert client.closed is not None
            assert client.closed.code == 1000
        assert len({str(player.received.result) for player, _ in pairs}) == 1
        assert sum(player.moves for player, _ in pairs) > 0


def test_many_tables_fill_one_after_the_other() -> None:
    cluster = Cluster()
    pairs = seat_all(cluster, 8, 2, 5)
    play_on(pairs)
    assert len(cluster.tables) == 4
    assert all(player.over and not player.received.faults for player, _ in pairs)


def test_a_player_that_loses_its_connection_comes_back_and_the_game_ends() -> None:
    cluster = Cluster(SnarlSettings(grace_ms=10_000))
    pairs = seat_all(cluster, 3, 3, 8)
    picks = Dice(3, "drops")
    for _ in range(30):
        for _ in range(5):
            for player, client in pairs:
                frames, client.inbox = client.inbox, []
                for frame in frames:
                    for answer in player.receive(frame):
                        client.send(answer)
        lost = picks.below(3)
        player, client = pairs[lost]
        if not player.over and client.closed is None:
            client.drop()
            list(player.open())
            pairs[lost] = (player, cluster.connect())
    play_on(pairs)
    assert all(player.over for player, _ in pairs)
    assert [player.received.faults for player, _ in pairs] == [[], [], []]


class Wire:
    """A client over TCP: its bytes go through the server's framing, in pieces."""

    def __init__(self, client: Client, framing: Framing, piece: int) -> None:
        self.client, self.framing, self.piece = client, framing, piece
        self.stream = b""

    def pump(self) -> bytes:
        frames, self.client.inbox = self.client.inbox, []
        return b"".join(self.framing.frame(frame) for frame in frames)

    def send(self, data: bytes) -> None:
        for at in range(0, len(data), self.piece):
            for part in self.framing.feed(data[at : at + self.piece]):
                if isinstance(part, bytes):
                    self.client.send(part)
                else:
                    self.client.invalid_frame(part.code)


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_a_whole_game_over_a_tcp_stream_cut_to_pieces(piece: int) -> None:
    cluster = Cluster(SnarlSettings(clients=1))
    player = PLAYERS["snarl"](SeatAssignment("alice", "snarl", 1, {}, 4, lambda: None, lambda _: None, True))
    wire = Wire(cluster.connect(tcp=True), cluster.dialect.framing({}), piece)
    while not player.over:
        *lines, rest = wire.pump().split(b"\n")
        assert rest == b""
        assert lines, "the server has nothing to say, and neither has the player"
        for line in lines:
            for answer in player.receive(line):
                wire.send(answer)
    assert player.received.faults == []
