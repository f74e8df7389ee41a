"""Clients of the Snarl dialect at an in-memory cluster that plays Snarl alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gateway.dialects.snarl import SnarlSettings, snarl_dialect
from shared.game import Draft, Table
from shared.games.snarl.boards import draw
from shared.games.snarl.events import Event, GameBegan, LevelBegan, TurnCame
from shared.games.snarl.game import GAME
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.levels import Level
from shared.games.snarl.pieces import Actor, Kind, Point
from shared.games.snarl.rounds import show
from shared.games.snarl.setup import Options
from shared.games.snarl.state import State, evolve
from shared.runtime.settings import GatewaySettings
from tests.support.memory_cluster import GATEWAY, MemoryClient, MemoryCluster

FIRST_ROOM = 1000
"""The number of the first table that a cluster opens; the next ones follow."""

STAY = {"type": "move", "to": None}

Setup = Callable[[Table[Options]], tuple[Event, ...]]


def snarl_cluster(
    settings: SnarlSettings | None = None, *, setup: Setup = GAME.setup, gateway: GatewaySettings = GATEWAY
) -> MemoryCluster:
    """A cluster with these settings of the dialect, whose games begin as `setup` says."""
    dialect = snarl_dialect(settings or SnarlSettings())
    return MemoryCluster([dialect], games=[replace(GAME, setup=setup)], gateway=gateway)


def join(cluster: MemoryCluster, name: str, query: Mapping[str, str] | None = None) -> MemoryClient:
    """A client that has given its name; the welcome and the prompt for the name are already read."""
    client = cluster.connect("snarl", query)
    client.received()
    client.send_json(name)
    return client


def start_game(
    level: Level,
    players: Mapping[str, Point],
    adversaries: Sequence[Actor] = (),
    *,
    last: int = 1,
    settings: SnarlSettings | None = None,
    tcp: Mapping[str, str] | None = None,
) -> tuple[MemoryCluster, list[MemoryClient]]:
    """A game that begins in this position, and its players in the order of play. They have read their messages."""

    def setup(table: Table[Options]) -> tuple[Event, ...]:
        draft = Draft(State(), evolve)
        chosen = table.options
        draft.emit(GameBegan(table.order, 1, last, chosen.move_time_ms, chosen.grace_ms, HouseRules(), 5))
        places = tuple(
            Actor(Kind.PLAYER, seat, place) for seat, place in zip(table.order, players.values(), strict=True)
        )
        show(draft, LevelBegan(1, table.order, draw(level), places, tuple(adversaries)))
        draft.emit(TurnCame(table.order[0]))
        return tuple(draft.events)

    settings = replace(settings or SnarlSettings(), clients=len(players))
    cluster = snarl_cluster(settings, setup=setup)
    clients = [cluster.connect("snarl", tcp=tcp) for _ in players]
    for client, name in zip(clients, players, strict=True):
        client.send_json(name)
    for client in clients:
        client.received()
    return cluster, clients


def move(*to: int) -> dict[str, Any]:
    return {"type": "move", "to": list(to)}


def summary(client: MemoryClient) -> list[Any]:
    """The messages that a client received: strings as they are, updates as their text, others as their type."""
    return [_summarized(message) for message in client.received_json()]


def _summarized(message: Any) -> Any:
    if isinstance(message, str):
        return message
    return ("update", message["message"]) if message["type"] == "player-update" else message["type"]
