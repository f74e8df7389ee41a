"""Faults on the players' side: clients that read slowly, and a storm of reconnects."""

import asyncio
from collections.abc import Sequence
from random import Random

from loadtest.clients.connection import PlayerConnection

SLOW_S = 5.0
"""Time in which slow readers read nothing."""
SLOW_SHARE = 0.1


async def slow_readers(connections: Sequence[PlayerConnection], dice: Random) -> None:
    """A share of the clients stops reading for a while."""
    chosen = dice.sample(list(connections), max(1, int(len(connections) * SLOW_SHARE))) if connections else []
    try:
        for connection in chosen:
            connection.read_nothing(True)
        await asyncio.sleep(SLOW_S)
    finally:
        for connection in chosen:
            connection.read_nothing(False)


def reconnect_storm(connections: Sequence[PlayerConnection]) -> None:
    """Every client loses its connection at the same moment."""
    for connection in connections:
        connection.drop()
