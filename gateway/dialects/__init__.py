"""The dialects that a gateway speaks. A new one is a module or folder, and a line here."""

from collections.abc import Mapping
from pathlib import Path

from gateway.dialects.codex import CodexSettings, codex_dialect
from gateway.dialects.contract import Dialect
from gateway.dialects.eriantys.events import conversation as events
from gateway.dialects.eriantys.prompts import conversation as prompts
from gateway.dialects.eriantys.status import conversation as status
from gateway.dialects.play import conversation as play
from gateway.dialects.snarl import SnarlSettings, snarl_dialect
from shared.runtime.settings import SettingError, Settings, described

SETTINGS: tuple[type[Settings], ...] = (CodexSettings, SnarlSettings)


def dialects(env: Mapping[str, str]) -> tuple[Dialect, ...]:
    """All dialects, set up from the environment; raises `SettingError`."""
    try:
        return (
            play.DIALECT,
            events.DIALECT,
            prompts.DIALECT,
            status.DIALECT,
            codex_dialect(CodexSettings.from_env(env)),
            snarl_dialect(SnarlSettings.from_env(env, read_text)),
        )
    except ValueError as error:
        raise SettingError(str(error)) from None


def variables() -> list[str]:
    """The names of the variables that dialects read."""
    return [name for kind in SETTINGS for name, _, _ in described(kind)]


def read_text(path: str) -> str | None:
    """The text of a file; None if there is none that can be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
