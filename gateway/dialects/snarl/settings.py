"""The settings of this dialect: of the rooms that it opens, and of its TCP listeners."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from gateway.dialects.snarl.listener_options import (
    EXTRAS,
    SEPARATORS,
    ListenerOptions,
    pause_of,
    separator_of,
    with_options,
)
from shared.games.snarl.checks import check_levels
from shared.games.snarl.levels import LevelError, read_levels
from shared.runtime.settings import SNARL

PREFIX: Final = SNARL
LEVELS_FILE: Final = "snarl.levels"
"""The levels file that is read, if it exists, when no other is set."""
MAX_PLAYERS: Final = 4
MAX_WAIT_S: Final = 3600.0

_SECONDS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class SnarlSettings:
    levels: str | None = None
    """The text of a levels file; None: the levels that are shipped with the game."""
    clients: int = MAX_PLAYERS
    """The seats of a new table, unless the URL sets them."""
    wait_ms: int = 60_000
    """A table starts when no player has joined for this long. A connection without a name is closed after it, too."""
    asks: int = 3
    name_asks: int = 5
    """The number of prompts for a move (`asks`) and for a name (`name_asks`)."""
    move_time_ms: int = 120_000
    grace_ms: int = 10_000
    separator: str = "newline"
    pause_ms: int = 0
    extras: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.level_options()
        self.listener_options()

    def table_options(self) -> dict[str, Any]:
        """The game options of the rooms that this dialect opens."""
        return {"levels": self.level_options(), "move_time_ms": self.move_time_ms, "grace_ms": self.grace_ms}

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
        """From environment variables. `read` returns the text of a file, or None if it cannot be read."""

        def given(name: str, default: str) -> str:
            return env.get(PREFIX + name, default)

        return cls(
            levels=_levels(env.get(PREFIX + "LEVELS"), read),
            clients=_whole("CLIENTS", given("CLIENTS", "4"), 1, MAX_PLAYERS),
            wait_ms=seconds_of(given("WAIT", "60"), PREFIX + "WAIT", MAX_WAIT_S, zero=False),
            asks=_whole("ASKS", given("ASKS", "3"), 1, 1000),
            name_asks=_whole("NAME_ASKS", given("NAME_ASKS", "5"), 1, 1000),
            move_time_ms=seconds_of(given("MOVE_TIME", "120"), PREFIX + "MOVE_TIME", 86_400.0),
            grace_ms=seconds_of(given("GRACE", "10"), PREFIX + "GRACE", 3_600.0),
            separator=given("SEPARATOR", next(iter(SEPARATORS))),
            pause_ms=pause_of(given("PAUSE", "0"), PREFIX + "PAUSE"),
            extras=tuple(part for part in re.split(r"[\s,]+", given("EXTRAS", "")) if part),
        )


def seconds_of(text: str, name: str, most: float, *, zero: bool = True) -> int:
    """Milliseconds, from a text in seconds, with or without decimals."""
    seconds = float(text) if _SECONDS.fullmatch(text) else -1.0
    if not 0 <= seconds <= most or (seconds == 0 and not zero):
        bounds = f"from 0 to {most:g}" if zero else f"above 0 and up to {most:g}"
        raise ValueError(f"{name} must be a number of seconds {bounds}, not {text!r}")
    return max(1, round(seconds * 1000)) if seconds else 0


def _whole(name: str, text: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise ValueError(f"{PREFIX}{name} must be a whole number from {least} to {most}, not {text!r}")
    return int(text)


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


DESCRIBED: Final = (
    ("LEVELS", "", "file with the levels of tables that this dialect opens; else snarl.levels, else those shipped"),
    ("CLIENTS", "4", "seats of a table, unless the URL says"),
    ("WAIT", "60", "seconds without a new player after which a table starts"),
    ("ASKS", "3", "how often a player is asked for a move"),
    ("NAME_ASKS", "5", "how often a client is asked for a name"),
    ("MOVE_TIME", "120", "seconds for a move; 0: no limit"),
    ("GRACE", "10", "seconds that a lost player keeps the place; 0: none"),
    ("SEPARATOR", "newline", "after each message over TCP: newline or none"),
    ("PAUSE", "0", "least seconds between two messages to a TCP client"),
    ("EXTRAS", "", "over TCP, a list of health, game-won, info-object, message-not-null"),
)
"""Each variable with its default and its description, for the reference of settings."""
