"""Checks of the messages of a Snarl server against the protocol."""

import re
from collections.abc import Iterator
from typing import Any, Final

RESULTS: Final = ("OK", "Key", "Exit", "Eject", "Invalid")
_TEXT: Final = re.compile(r"Player [A-Za-z0-9]+ (moved|found the key|was expelled|exited|disconnected)\.")
_MEMBERS: Final[dict[str, dict[str, Any]]] = {
    "welcome": {"info": str},
    "start-level": {"level": int, "players": list},
    "player-update": {"layout": list, "position": list, "objects": list, "actors": list, "message": str | None},
    "end-level": {"key": str | None, "exits": list, "ejects": list},
    "end-game": {"scores": list},
}


def faults_of(message: Any, name: str) -> Iterator[str]:
    """The faults of a message to this player, as texts."""
    if isinstance(message, str):
        if message not in ("name", "move", *RESULTS):
            yield f"unknown message {message!r}"
        return
    kind = message.get("type") if isinstance(message, dict) else None
    members = _MEMBERS.get(kind) if isinstance(kind, str) else None
    if members is None or set(message) != {"type", *members}:
        yield f"not a message of the protocol: {message!r}"
        return
    for member, wanted in members.items():
        if not isinstance(message[member], wanted):
            yield f"the member {member} of a {kind} is {message[member]!r}"
            return
    if kind == "player-update":
        yield from _update_faults(message, name)


def _update_faults(update: dict[str, Any], name: str) -> Iterator[str]:
    layout = update["layout"]
    if [len(row) for row in layout] != [5] * 5 or any(tile not in (0, 1, 2) for row in layout for tile in row):
        yield f"a layout is not five by five tiles: {layout!r}"
    elif layout[2][2] == 0:
        yield f"the player is in a wall at {update['position']}"
    row, column = update["position"]
    for thing in (*update["objects"], *update["actors"]):
        if abs(thing["position"][0] - row) > 2 or abs(thing["position"][1] - column) > 2:
            yield f"the player at {update['position']} is shown {thing!r}"
    if any(actor.get("name") == name for actor in update["actors"]):
        yield "the player is among the actors it is shown"
    if update["message"] is not None and not _TEXT.fullmatch(update["message"]):
        yield f"an update says {update['message']!r}"
