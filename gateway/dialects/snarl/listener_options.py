"""The options of a TCP listener. They adapt the protocol to the deviations of clients that are in use."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

OWN: Final = ("", 0)
"""Stands for the address and port that the client has connected to."""
EXTRAS: Final = ("health", "game-won", "info-object", "message-not-null")
SEPARATORS: Final = {"newline": b"\n", "none": b""}
MAX_PAUSE_S: Final = 10.0

_FLAGS: Final = {"": True, "on": True, "off": False}
_FIELDS: Final = {
    "health": "health",
    "game-won": "game_won",
    "message-not-null": "message_not_null",
    "unquoted-names": "unquoted_names",
    "bare-points": "bare_points",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerOptions:
    """The defaults are the protocol as it is written."""

    separator: bytes = b"\n"
    pause_ms: int = 0
    unquoted_names: bool = False
    bare_points: bool = False
    """Accept a point or null by itself as a move, and coordinates as strings."""
    message_not_null: bool = False
    health: bool = False
    game_won: bool = False
    info_address: tuple[str, int] | None = None
    """If set, `info` is an object with this address and port; `OWN`: those that the client has connected to."""


def with_options(base: ListenerOptions, options: Mapping[str, str]) -> ListenerOptions:
    """The base options with those of a listener on top; raises `ValueError` for an unknown or invalid one."""
    for name, value in options.items():
        match name:
            case "separator":
                base = replace(base, separator=separator_of(value, "separator"))
            case "pause":
                base = replace(base, pause_ms=pause_of(value, "pause"))
            case "strict":
                lenient = not _flag(name, value)
                base = replace(base, unquoted_names=lenient, bare_points=lenient)
            case "info-object":
                base = replace(base, info_address=_address(value))
            case _ if name in _FIELDS:
                changes: dict[str, Any] = {_FIELDS[name]: _flag(name, value)}
                base = replace(base, **changes)
            case _:
                known = ", ".join(sorted(["separator", "pause", "strict", "info-object", *_FIELDS]))
                raise ValueError(f"a Snarl listener has no option {name!r}; there are {known}")
    return base


def separator_of(text: str, name: str) -> bytes:
    if text not in SEPARATORS:
        raise ValueError(f"{name} must be newline or none, not {text!r}")
    return SEPARATORS[text]


def pause_of(text: str, name: str) -> int:
    """Milliseconds, from a text in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_PAUSE_S:
        raise ValueError(f"{name} must be a number of seconds from 0 to {MAX_PAUSE_S:g}, not {text!r}")
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
