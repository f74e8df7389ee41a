"""The parameters of a WebSocket URL: `players`, `wait`, `table`, `key`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gateway.dialects.snarl.settings import MAX_PLAYERS, MAX_WAIT_S, seconds_of
from shared.errors import ProtocolError
from shared.ids import RoomId


@dataclass(frozen=True, slots=True)
class UrlOptions:
    """The table that a client asks for. None: no preference."""

    players: int | None = None
    wait_ms: int | None = None
    table: RoomId | None = None
    key: str = ""
    """The key of the table, if it is private."""


def read_url_options(query: Mapping[str, str]) -> UrlOptions:
    """Read the parameters; raises `ProtocolError` for an invalid one. With `table`, the others are ignored."""
    table, players, wait = query.get("table"), query.get("players"), query.get("wait")
    if table is not None:
        if not re.fullmatch("[0-9]{1,18}", table):
            raise ProtocolError("frame/malformed", f"table must be the number of a table, not {table!r}")
        return UrlOptions(table=RoomId(int(table)), key=query.get("key", ""))
    if players is not None and players not in map(str, range(1, MAX_PLAYERS + 1)):
        raise ProtocolError("frame/malformed", f"players must be 1 to {MAX_PLAYERS}, not {players!r}")
    try:
        wait_ms = None if wait is None else seconds_of(wait, "wait", MAX_WAIT_S, zero=False)
    except ValueError as error:
        raise ProtocolError("frame/malformed", str(error)) from None
    return UrlOptions(None if players is None else int(players), wait_ms)
