"""Parties for Eriantys: the load tool's players of its dialects, on a cluster that knows this game alone."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gateway.dialects import play
from gateway.dialects.eriantys import events, prompts, status
from loadtest.clients.eriantys import AM24, AM28, FRAMINGS, GROUP3, PLAYERS, original_players
from loadtest.clients.play.client import Play
from loadtest.clients.registry import PLAY, first_id
from shared.games.eriantys.game import GAME
from shared.runtime.files import read_text
from tests.support.memory_cluster import MemoryCluster
from tests.support.party import FIRST_ROOM, Listener, Party, PlayerFactory

TEXTS_FILE = Path(__file__).parents[2] / "docs" / "protocols" / "am24-texts.example.json"
TEXTS: dict[str, Any] = json.loads(TEXTS_FILE.read_text())
DIALECTS = (events.DIALECT, prompts.prompts_dialect(read_text), status.DIALECT, play.DIALECT)
LISTENERS = {
    AM28: Listener("eriantys.status", {"compat": "am28"}, FRAMINGS[AM28]),
    AM24: Listener("eriantys.prompts", {"compat": "am24", "texts": str(TEXTS_FILE)}, FRAMINGS[AM24]),
    GROUP3: Listener("eriantys.events", {"compat": "group3"}, FRAMINGS[GROUP3]),
}
CLIENTS: dict[str, PlayerFactory] = {
    **PLAYERS,
    **original_players(TEXTS),
    PLAY: lambda seating: Play(seating, first_id(), None),
}


def eriantys_cluster() -> MemoryCluster:
    return MemoryCluster(DIALECTS, games=[GAME])


def eriantys_party(
    dialects: Iterable[str], *, expert: bool, seed: int, clients: Mapping[str, PlayerFactory] = CLIENTS
) -> Party:
    """A table with these dialects. The seed decides the game and the choices of the players."""
    cluster = eriantys_cluster()
    cluster.ids.game_seeds.append(seed + FIRST_ROOM)
    seats = [(dialect, clients[dialect]) for dialect in dialects]
    return Party(cluster, GAME.name, seats, options={"expert": expert}, seed=seed, listeners=LISTENERS)
