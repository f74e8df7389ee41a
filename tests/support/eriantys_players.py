"""Parties for Eriantys: the load tool's players of its three dialects, on a cluster that knows this game alone."""

from collections.abc import Iterable, Mapping

from gateway.dialects.eriantys import events, prompts, status
from loadtest.clients.eriantys import PLAYERS
from shared.games.eriantys.game import GAME
from tests.support.memory_cluster import MemoryCluster
from tests.support.party import FIRST_ROOM, Party, PlayerFactory

DIALECTS = (events.DIALECT, prompts.DIALECT, status.DIALECT)


def eriantys_cluster() -> MemoryCluster:
    return MemoryCluster(DIALECTS, games=[GAME])


def eriantys_party(
    dialects: Iterable[str], *, expert: bool, seed: int, clients: Mapping[str, PlayerFactory] = PLAYERS
) -> Party:
    """A table with these dialects. The seed decides the game and the choices of the players."""
    cluster = eriantys_cluster()
    cluster.ids.game_seeds.append(seed + FIRST_ROOM)
    seats = [(dialect, clients[dialect]) for dialect in dialects]
    return Party(cluster, GAME.name, seats, options={"expert": expert}, seed=seed)
