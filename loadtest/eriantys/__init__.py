"""Players of Eriantys for its three dialects. Each knows only what it was told."""

from collections.abc import Callable

from loadtest.eriantys.events import EventsPlayer
from loadtest.eriantys.prompts import PromptsPlayer
from loadtest.eriantys.status import StatusPlayer
from loadtest.player import Player, Seating

PLAYERS: dict[str, Callable[[Seating], Player]] = {
    "eriantys.events": EventsPlayer,
    "eriantys.prompts": PromptsPlayer,
    "eriantys.status": StatusPlayer,
}
