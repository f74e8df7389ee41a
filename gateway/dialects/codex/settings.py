"""Settings of the dialect `codex`: its heartbeats, and the times of the tables that it opens."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from shared.runtime.settings import PREFIX, from_env, setting

_milliseconds: Final = partial(setting, least=50, most=3_600_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexSettings:
    prefix: ClassVar[str] = PREFIX + "CODEX_"

    heartbeat_ms: int = _milliseconds(1_000, "time between two heartbeats of the server")
    silence_ms: int = _milliseconds(5_000, "time without a message after which a player counts as crashed")
    grace_ms: int = _milliseconds(10_000, "time that a table waits for a crashed player whose turn it is")
    alone_ms: int = _milliseconds(60_000, "time after which the only connected player wins")

    def table_options(self) -> dict[str, int]:
        return {"grace_ms": self.grace_ms, "alone_ms": self.alone_ms}

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "CodexSettings":
        """From variables like TAVOLATA_CODEX_GRACE_MS; raises `SettingError`."""
        return from_env(cls, env)
