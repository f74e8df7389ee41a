"""What a WebSocket client asks for in its URL: `players`, `wait`, `table`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gateway.dialects.snarl.settings import MOST_PLAYERS, MOST_WAIT_S, seconds_of
from shared.errors import ProtocolError
from shared.ids import RoomId


@dataclass(frozen=True, slots=True)
class Wishes:
    players: int | None = None
    wait_ms: int | None = None
    table: RoomId | None = None


def wishes_of(query: Mapping[str, str]) -> Wishes:
    """Raises `ProtocolError` for a value that makes no sense. Next to `table` nothing else counts."""
    table, players, wait = query.get("table"), query.get("players"), query.get("wait")
    if table is not None:
        if not re.fullmatch("[0-9]{1,18}", table):
            raise ProtocolError("frame/malformed", f"table must be the number of a table, not {table!r}")
        return Wishes(table=RoomId(int(table)))
    if players is not None and players not in map(str, range(1, MOST_PLAYERS + 1)):
        raise ProtocolError("frame/malformed", f"players must be 1 to {MOST_PLAYERS}, not {players!r}")
    try:
        wait_ms = None if wait is None else seconds_of(wait, "wait", MOST_WAIT_S, zero=False)
    except ValueError as error:
        raise ProtocolError("frame/malformed", str(error)) from None
    return Wishes(None if players is None else int(players), wait_ms)
