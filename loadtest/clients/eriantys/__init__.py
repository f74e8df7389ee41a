"""Clients of the three dialects of Eriantys, and models of the original programs. Each knows only what it was sent."""

from collections.abc import Callable
from functools import partial

from gateway.dialects.eriantys.events import java_classes
from gateway.dialects.framing import Framing, Lines
from gateway.transports.java_stream.framing import ObjectFraming, StringFraming
from loadtest.clients.contract import Player, SeatAssignment
from loadtest.clients.eriantys.am24 import Am24Player
from loadtest.clients.eriantys.am24_program import Texts
from loadtest.clients.eriantys.am28 import Am28Player
from loadtest.clients.eriantys.events import EventsPlayer
from loadtest.clients.eriantys.group3 import Group3Player
from loadtest.clients.eriantys.prompts import PromptsPlayer
from loadtest.clients.eriantys.status import StatusPlayer

PLAYERS: dict[str, Callable[[SeatAssignment], Player]] = {
    "eriantys.events": EventsPlayer,
    "eriantys.prompts": PromptsPlayer,
    "eriantys.status": StatusPlayer,
}


AM28, AM24, GROUP3 = "eriantys.am28", "eriantys.am24", "eriantys.group3"
"""The original programs, each with a listener in its compat mode, as dialects of the load tool."""

FRAMINGS: dict[str, Callable[[], Framing]] = {
    AM28: Lines,
    AM24: StringFraming,
    GROUP3: partial(ObjectFraming, java_classes.TO_CLIENT, java_classes.FROM_CLIENT, resets=False),
}
"""The framing that each original program has on its side of the connection."""


def original_players(texts: Texts) -> dict[str, Callable[[SeatAssignment], Player]]:
    """The players with an original program; `texts` are those of the AM24 listener."""
    return {AM28: Am28Player, AM24: partial(Am24Player, texts=texts), GROUP3: Group3Player}
