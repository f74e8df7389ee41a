"""Clients of the three dialects of Eriantys. Each knows only what its dialect has sent."""

from collections.abc import Callable

from loadtest.clients.contract import Player, SeatAssignment
from loadtest.clients.eriantys.events import EventsPlayer
from loadtest.clients.eriantys.prompts import PromptsPlayer
from loadtest.clients.eriantys.status import StatusPlayer

PLAYERS: dict[str, Callable[[SeatAssignment], Player]] = {
    "eriantys.events": EventsPlayer,
    "eriantys.prompts": PromptsPlayer,
    "eriantys.status": StatusPlayer,
}
