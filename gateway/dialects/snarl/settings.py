"""Settings of the dialect `snarl`: the tables that it opens, and its TCP listeners."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import msgspec

from gateway.dialects.snarl.listener_options import (
    EXTRAS,
    ListenerOptions,
    pause_of,
    separator_of,
    with_options,
)
from shared.games.snarl.level_checks import check_levels
from shared.games.snarl.levels import LevelError, read_levels
from shared.runtime import settings
from shared.runtime.settings import from_env, setting

PREFIX: Final = settings.PREFIX + "SNARL_"
LEVELS_FILE: Final = "snarl.levels"
"""The file that is read if TAVOLATA_SNARL_LEVELS is not set."""
MAX_PLAYERS: Final = 4
MAX_WAIT_S: Final = 3600.0

_SECONDS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def seconds_of(text: str, name: str, most: float, *, zero: bool = True) -> int:
    """Milliseconds from a number of seconds, with decimals or without."""
    seconds = float(text) if _SECONDS.fullmatch(text) else -1.0
    if not 0 <= seconds <= most or (seconds == 0 and not zero):
        bounds = f"from 0 to {most:g}" if zero else f"above 0 and up to {most:g}"
        raise ValueError(f"{name} must be a number of seconds {bounds}, not {text!r}")
    return max(1, round(seconds * 1000)) if seconds else 0


def _words(text: str, _name: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[\s,]+", text) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnarlSettings:
    prefix: ClassVar[str] = PREFIX

    levels: str | None = setting(None, "file with the levels; by default snarl.levels, or else the shipped levels")
    """The text of the file; None: the shipped levels."""
    clients: int = setting(MAX_PLAYERS, "seats of a table, unless the URL names a number", least=1, most=MAX_PLAYERS)
    wait_ms: int = setting(
        60,
        "seconds without a new player after which a table starts",
        variable="WAIT",
        parse=partial(seconds_of, most=MAX_WAIT_S, zero=False),
    )
    """A connection that gives no name is closed after the same time."""
    asks: int = setting(3, "number of times that a player is prompted for a move", least=1, most=1000)
    name_asks: int = setting(5, "number of times that a client is prompted for a name", least=1, most=1000)
    move_time_ms: int = setting(
        120, "seconds for a move; 0: no limit", variable="MOVE_TIME", parse=partial(seconds_of, most=86_400.0)
    )
    grace_ms: int = setting(
        10,
        "seconds that the seat of a disconnected player is kept; 0: not kept",
        variable="GRACE",
        parse=partial(seconds_of, most=3_600.0),
    )
    whole_level: str = setting(
        "off", "on: spectators see the whole level; off: only what players have seen", one_of=("on", "off")
    )
    separator: str = setting("newline", "separator after each message over TCP: newline or none")
    pause_ms: int = setting(0, "least seconds between two messages to a TCP client", variable="PAUSE", parse=pause_of)
    extras: tuple[str, ...] = setting(
        "", "additions over TCP, a list of health, game-won, info-object, message-not-null", parse=_words
    )

    def __post_init__(self) -> None:
        self.level_options()
        self.listener_options()

    def table_options(self) -> dict[str, Any]:
        """The game options of the rooms that this dialect opens."""
        options = {"levels": self.level_options(), "move_time_ms": self.move_time_ms, "grace_ms": self.grace_ms}
        return options | {"whole_level": True} if self.whole_level == "on" else options

    def level_options(self) -> Any:
        if self.levels is None:
            return "shipped"
        levels = read_levels(self.levels)
        check_levels(levels)
        return msgspec.to_builtins(levels)

    def listener_options(self) -> ListenerOptions:
        """The options of a TCP listener that sets none itself: lenient reading, and the extras of these settings."""
        unknown = [name for name in self.extras if name not in EXTRAS]
        if unknown:
            raise ValueError(f"{PREFIX}EXTRAS is a list of {', '.join(EXTRAS)}; {unknown[0]!r} is none of them")
        lenient = ListenerOptions(
            separator=separator_of(self.separator, PREFIX + "SEPARATOR"),
            pause_ms=self.pause_ms,
            unquoted_names=True,
            bare_points=True,
        )
        return with_options(lenient, dict.fromkeys(self.extras, ""))

    @classmethod
    def from_env(cls, env: Mapping[str, str], read: Callable[[str], str | None]) -> "SnarlSettings":
        """From the variables; `read` returns the text of a file, or None if it cannot be read."""
        return from_env(cls, env, levels=_levels(env.get(PREFIX + "LEVELS"), read))


def _levels(path: str | None, read: Callable[[str], str | None]) -> str | None:
    """The text of the levels file. A file that is named must exist; one that exists must be valid."""
    text = read(path or LEVELS_FILE)
    if path and text is None:
        raise ValueError(f"{PREFIX}LEVELS: the file {path!r} cannot be read")
    if text is not None:
        try:
            check_levels(read_levels(text))
        except LevelError as error:
            raise ValueError(f"{PREFIX}LEVELS: {path or LEVELS_FILE}: {error}") from None
    return text
