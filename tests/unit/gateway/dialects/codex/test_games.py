"""Whole games in the dialect, played by the clients of the load tool, with disconnections at any moment."""

from random import Random

import pytest

from gateway.dialects.codex import CodexSettings
from loadtest.clients.codex import PLAYERS
from loadtest.clients.codex.client import CodexPlayer
from loadtest.clients.contract import SeatAssignment
from tests.support.codex_table import Client, Cluster


class Hall:
    """Clients of the load tool at one table of an in-memory cluster."""

    def __init__(self, players: int, seed: int, settings: CodexSettings | None = None) -> None:
        self.cluster = Cluster(seed, settings)
        self.number: int | None = None
        self.players = [CodexPlayer(self._seating(place, players, seed)) for place in range(players)]
        self.clients: list[Client | None] = [None] * players

    def _seating(self, place: int, players: int, seed: int) -> SeatAssignment:
        def opened(room: int) -> None:
            self.number = room

        return SeatAssignment(
            f"P{place}", "codex", players, {}, seed * 7 + place, lambda: self.number, opened, place == 0
        )

    def connect(self, place: int) -> None:
        client = self.clients[place] = self.cluster.connect()
        for frame in self.players[place].open():
            client.say(frame)

    def pump(self, most: int = 10**6) -> None:
        """Carry up to this many frames between clients and server."""
        moved = True
        while moved and most > 0:
            moved = False
            for player, client in zip(self.players, self.clients, strict=True):
                if client is not None and client.frames:
                    moved, most = True, most - 1
                    for answer in player.receive(client.frames.pop(0)):
                        client.say(answer)

    def tick(self) -> None:
        self.cluster.advance(1_000, ticks=True)
        for player, client in zip(self.players, self.clients, strict=True):
            if client is not None and client.closed is None:
                for frame in player.tick():
                    client.say(frame)
        self.pump()

    def check(self) -> None:
        first = self.players[0].received
        for player in self.players:
            assert player.over
            assert player.received.faults == []
            assert player.received.result == first.result
            assert player.received.board == first.board or None in (player.received.board, first.board)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_game_is_played_to_its_end(players: int, seed: int) -> None:
    hall = Hall(players, seed)
    for place in range(players):
        hall.connect(place)
        hall.pump()
    hall.check()
    assert all(player.moves > 10 and player.received.board is not None for player in hall.players)
    assert all(player.received.counts == {} for player in hall.players)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_players_who_lose_the_connection_repeatedly_play_to_the_end(players: int, seed: int) -> None:
    luck = Random(seed)
    hall = Hall(players, seed)
    for place in range(players):
        hall.connect(place)
        if place < players - 1:
            hall.pump()
    for _ in range(3_000):
        if all(player.over for player in hall.players):
            break
        hall.pump(most=luck.randrange(60))
        place = luck.randrange(players)
        client = hall.clients[place]
        if client is None or client.closed is not None:
            hall.connect(place)
        elif luck.random() < 0.5:
            client.drop()
            hall.clients[place] = None
        if luck.random() < 0.3:
            hall.tick()
    for place in range(players):
        if hall.clients[place] is None:
            hall.connect(place)
    for _ in range(100):
        hall.tick()
        if all(player.over for player in hall.players):
            break
    hall.check()


def test_the_load_tool_finds_the_player_by_the_name_of_the_dialect() -> None:
    assert set(PLAYERS) == {"codex"}
