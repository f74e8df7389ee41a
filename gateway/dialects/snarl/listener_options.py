"""What can be set for each TCP listener, so that clients in use can be served as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

OWN: Final = ("", 0)
EXTRAS: Final = ("health", "game-won", "info-object", "message-not-null")
SEPARATORS: Final = {"newline": b"\n", "none": b""}
MOST_PAUSE_S: Final = 10.0

_FLAGS: Final = {"": True, "on": True, "off": False}
_FIELDS: Final = {
    "health": "health",
    "game-won": "game_won",
    "message-not-null": "message_not_null",
    "unquoted-names": "unquoted_names",
    "bare-points": "bare_points",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compat:
    """Without any of it: the protocol as it is written."""

    separator: bytes = b"\n"
    pause_ms: int = 0
    unquoted_names: bool = False
    bare_points: bool = False
    """Also takes numbers as strings."""
    message_not_null: bool = False
    health: bool = False
    game_won: bool = False
    info_address: tuple[str, int] | None = None
    """`info` is an object with this address and port; `OWN`: those that the client has connected to."""


def with_options(compat: Compat, options: Mapping[str, str]) -> Compat:
    """The options of a listener on top of the settings; a ValueError for what makes no sense."""
    for name, value in options.items():
        match name:
            case "separator":
                compat = replace(compat, separator=separator_of(value, "separator"))
            case "pause":
                compat = replace(compat, pause_ms=pause_of(value, "pause"))
            case "strict":
                lenient = not _flag(name, value)
                compat = replace(compat, unquoted_names=lenient, bare_points=lenient)
            case "info-object":
                compat = replace(compat, info_address=_address(value))
            case _ if name in _FIELDS:
                changes: dict[str, Any] = {_FIELDS[name]: _flag(name, value)}
                compat = replace(compat, **changes)
            case _:
                known = ", ".join(sorted(["separator", "pause", "strict", "info-object", *_FIELDS]))
                raise ValueError(f"a Snarl listener has no option {name!r}; there are {known}")
    return compat


def separator_of(text: str, name: str) -> bytes:
    if text not in SEPARATORS:
        raise ValueError(f"{name} must be newline or none, not {text!r}")
    return SEPARATORS[text]


def pause_of(text: str, name: str) -> int:
    """Milliseconds, from seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MOST_PAUSE_S:
        raise ValueError(f"{name} must be a number of seconds from 0 to {MOST_PAUSE_S:g}, not {text!r}")
    return round(seconds * 1000)


def _flag(name: str, value: str) -> bool:
    if value not in _FLAGS:
        raise ValueError(f"{name} must be on or off, not {value!r}")
    return _FLAGS[value]


def _address(value: str) -> tuple[str, int] | None:
    if value in _FLAGS:
        return OWN if _FLAGS[value] else None
    host, _, port = value.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"info-object must be on, off or HOST:PORT, not {value!r}")
    return host, int(port)
