"""Whole games in the dialect, played by the clients of the load tool, with disconnections at any moment."""

from contextlib import closing
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtest.clients.codex import PLAYERS
from loadtest.clients.codex.client import CodexPlayer
from loadtest.clients.contract import SeatAssignment
from tests.support.examples import fewer_examples
from tests.support.memory_cluster import MemoryClient, MemoryCluster
from tests.unit.gateway.dialects.codex.played_game import codex_cluster

pytestmark = pytest.mark.slow


class LoadPlayers:
    """Clients of the load tool at one table of an in-memory cluster."""

    def __init__(self, cluster: MemoryCluster, players: int, seed: int) -> None:
        self.cluster = cluster
        self.number: int | None = None
        self.players = [CodexPlayer(self._assignment(place, players, seed)) for place in range(players)]
        self.clients: list[MemoryClient | None] = [None] * players

    def _assignment(self, place: int, players: int, seed: int) -> SeatAssignment:
        def opened(room: int) -> None:
            self.number = room

        return SeatAssignment(
            f"P{place}", "codex", players, {}, seed * 7 + place, lambda: self.number, opened, place == 0
        )

    @property
    def over(self) -> bool:
        return all(player.over for player in self.players)

    def connect(self, place: int) -> None:
        client = self.clients[place] = self.cluster.connect("codex")
        for frame in self.players[place].open():
            client.send(frame)

    def pump(self, most: int = 10**6) -> None:
        """Carry up to this many frames between clients and server."""
        moved = True
        while moved and most > 0:
            moved = False
            for player, client in zip(self.players, self.clients, strict=True):
                if client is not None and client.frames:
                    moved, most = True, most - 1
                    for answer in player.receive(client.frames.pop(0)):
                        client.send(answer)

    def tick(self) -> None:
        self.cluster.advance(1_000)
        for player, client in zip(self.players, self.clients, strict=True):
            if client is not None and client.closed is None:
                for frame in player.tick():
                    client.send(frame)
        self.pump()

    def disconnect_or_reconnect(self, dice: Random) -> None:
        """Connect a player who is away; else perhaps lose the connection."""
        place = dice.randrange(len(self.players))
        client = self.clients[place]
        if client is None or client.closed is not None:
            self.connect(place)
        elif dice.random() < 0.5:
            client.drop()
            self.clients[place] = None

    def reconnect_all(self) -> None:
        for place, client in enumerate(self.clients):
            if client is None or client.closed is not None:
                self.connect(place)

    def check(self) -> None:
        first = self.players[0].received
        for player in self.players:
            assert player.over
            assert player.received.faults == []
            assert player.received.result == first.result
            assert player.received.board == first.board or None in (player.received.board, first.board)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_is_played_to_its_end(players: int) -> None:
    game = LoadPlayers(codex_cluster(seed=players), players, seed=players)
    for place in range(players):
        game.connect(place)
        game.pump()
    game.check()
    for player in game.players:
        assert player.moves > 10
        assert player.received.board is not None
        assert player.received.counts == {}


@fewer_examples(20)
@given(st.integers(2, 4), st.integers(0, 10**6))
def test_players_who_lose_the_connection_repeatedly_play_to_the_end(players: int, seed: int) -> None:
    dice = Random(seed)
    with closing(codex_cluster(seed)) as cluster:
        game = LoadPlayers(cluster, players, seed)
        for place in range(players):
            game.connect(place)
            if place < players - 1:
                game.pump()
        for _ in range(3_000):
            if game.over:
                break
            game.pump(most=dice.randrange(60))
            game.disconnect_or_reconnect(dice)
            if dice.random() < 0.3:
                game.tick()
        game.reconnect_all()
        for _ in range(100):
            game.tick()
            if game.over:
                break
        game.check()


def test_the_load_tool_finds_the_player_by_the_name_of_the_dialect() -> None:
    assert set(PLAYERS) == {"codex"}
