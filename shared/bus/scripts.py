"""The Lua scripts, by name: read once, loaded on every connection, called by their hash."""

from collections.abc import Sequence
from hashlib import sha1
from importlib import resources

from shared.bus.store import Argument, RedisCommand

_NAMES = (
    "claim",
    "commit",
    "forget_gateway",
    "heartbeat",
    "release",
    "renew",
    "reveal",
    "take",
    "unclaim",
    "unregister",
)
SOURCES = {name: resources.files("shared.bus").joinpath(f"lua/{name}.lua").read_text() for name in _NAMES}
_HASHES = {name: sha1(source.encode(), usedforsecurity=False).hexdigest() for name, source in SOURCES.items()}

LOADING: tuple[RedisCommand, ...] = tuple(("SCRIPT", "LOAD", source) for source in SOURCES.values())
"""The commands that load all scripts into the server of a connection."""


def script(name: str, keys: Sequence[str], arguments: Sequence[Argument]) -> RedisCommand:
    """The command that runs a script."""
    return ("EVALSHA", _HASHES[name], len(keys), *keys, *arguments)
