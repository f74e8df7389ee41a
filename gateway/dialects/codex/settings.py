"""The settings of this dialect: its timeouts, and those of the rooms that it opens."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from shared.runtime.settings import CODEX

PREFIX: Final = CODEX
MAX_MS: Final = 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexSettings:
    heartbeat_ms: int = 1_000
    """Time between two heartbeats of the server."""
    silence_ms: int = 5_000
    """Silence after which a player counts as crashed."""
    grace_ms: int = 10_000
    """Time that a table waits for a crashed player whose turn it is."""
    alone_ms: int = 60_000
    """Time after which the only connected player wins."""

    def table_options(self) -> dict[str, int]:
        return {"grace_ms": self.grace_ms, "alone_ms": self.alone_ms}

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "CodexSettings":
        """From variables like TAVOLATA_CODEX_GRACE_MS; raises `ValueError` for an invalid one."""
        given = {field.name: env.get(PREFIX + field.name.upper()) for field in fields(cls)}
        return cls(**{name: _milliseconds(name, text) for name, text in given.items() if text is not None})


def _milliseconds(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 50 <= int(text) <= MAX_MS):
        raise ValueError(f"{PREFIX}{name.upper()} must be a whole number from 50 to {MAX_MS}, not {text!r}")
    return int(text)


DESCRIBED: Final = (
    ("HEARTBEAT_MS", "1000", "how often the server sends a heartbeat"),
    ("SILENCE_MS", "5000", "how long a player may be silent before being given up as crashed"),
    ("GRACE_MS", "10000", "how long a table waits for a crashed player whose turn it is"),
    ("ALONE_MS", "60000", "how long a player is alone before winning"),
)
"""Each variable with its default and its description, for the reference of settings."""
