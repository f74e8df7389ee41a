"""The settings of Snarl tables that this dialect opens, and of its TCP listeners."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from gateway.dialects.snarl.listener_options import EXTRAS, SEPARATORS, Compat, pause_of, separator_of, with_options
from shared.games.snarl.level_checks import check_levels
from shared.games.snarl.levels import LevelError, read_levels
from shared.runtime.settings import SNARL

PREFIX: Final = SNARL
LEVELS_FILE: Final = "snarl.levels"
"""Read if it is there and nothing else is set."""
MOST_PLAYERS: Final = 4
MOST_WAIT_S: Final = 3600.0

_SECONDS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class SnarlSettings:
    levels: str | None = None
    """The text of a levels file; none: the levels that come with the program."""
    clients: int = MOST_PLAYERS
    """Seats of a table, unless the URL says."""
    wait_ms: int = 60_000
    """A table starts when so long nobody has joined; a connection without a name is closed after as long."""
    asks: int = 3
    name_asks: int = 5
    """Prompts in all, for a move and for a name."""
    move_time_ms: int = 120_000
    grace_ms: int = 10_000
    separator: str = "newline"
    pause_ms: int = 0
    extras: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.level_options()
        self.compat()

    def table_options(self) -> dict[str, Any]:
        """The options of the tables that are opened."""
        return {"levels": self.level_options(), "move_time_ms": self.move_time_ms, "grace_ms": self.grace_ms}

    def level_options(self) -> Any:
        if self.levels is None:
            return "shipped"
        levels = read_levels(self.levels)
        check_levels(levels)
        return msgspec.to_builtins(levels)

    def compat(self) -> Compat:
        """What a TCP listener does unless told otherwise: lenient reading, the extras that are set."""
        unknown = [name for name in self.extras if name not in EXTRAS]
        if unknown:
            raise ValueError(f"{PREFIX}EXTRAS is a list of {', '.join(EXTRAS)}; {unknown[0]!r} is none of them")
        lenient = Compat(
            separator=separator_of(self.separator, PREFIX + "SEPARATOR"),
            pause_ms=self.pause_ms,
            unquoted_names=True,
            bare_points=True,
        )
        return with_options(lenient, dict.fromkeys(self.extras, ""))

    @classmethod
    def from_env(cls, env: Mapping[str, str], read: Callable[[str], str | None]) -> "SnarlSettings":
        """From the variables; `read` gives the text of a file, or None if it cannot be read."""

        def given(name: str, default: str) -> str:
            return env.get(PREFIX + name, default)

        return cls(
            levels=_levels(env.get(PREFIX + "LEVELS"), read),
            clients=_whole("CLIENTS", given("CLIENTS", "4"), 1, MOST_PLAYERS),
            wait_ms=seconds_of(given("WAIT", "60"), PREFIX + "WAIT", MOST_WAIT_S, zero=False),
            asks=_whole("ASKS", given("ASKS", "3"), 1, 1000),
            name_asks=_whole("NAME_ASKS", given("NAME_ASKS", "5"), 1, 1000),
            move_time_ms=seconds_of(given("MOVE_TIME", "120"), PREFIX + "MOVE_TIME", 86_400.0),
            grace_ms=seconds_of(given("GRACE", "10"), PREFIX + "GRACE", 3_600.0),
            separator=given("SEPARATOR", next(iter(SEPARATORS))),
            pause_ms=pause_of(given("PAUSE", "0"), PREFIX + "PAUSE"),
            extras=tuple(part for part in re.split(r"[\s,]+", given("EXTRAS", "")) if part),
        )


def seconds_of(text: str, name: str, most: float, *, zero: bool = True) -> int:
    """Milliseconds from a number of seconds, with decimals or without."""
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
    """The text of the levels file; it must be there if it was named, and be good if it is there."""
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
"""What each variable means, with its default, for the tables of settings."""
