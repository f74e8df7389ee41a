"""The registry of dialects. A new dialect is a package in this folder and a line in `dialects`."""

from collections.abc import Callable, Mapping

from gateway.dialects import codex, play, snarl
from gateway.dialects.codex.settings import CodexSettings
from gateway.dialects.contract import Dialect
from gateway.dialects.eriantys import events, prompts, status
from gateway.dialects.snarl.settings import SnarlSettings
from shared.runtime.settings import SettingError, Settings, described

SETTINGS: tuple[type[Settings], ...] = (CodexSettings, SnarlSettings)


def dialects(env: Mapping[str, str], read_text: Callable[[str], str | None]) -> tuple[Dialect, ...]:
    """All dialects, with settings from the environment; raises `SettingError`.

    `read_text` returns the text of a file, or None if it cannot be read: dialects do no IO of their own.
    """
    try:
        return (
            play.DIALECT,
            events.DIALECT,
            prompts.prompts_dialect(read_text),
            status.DIALECT,
            codex.codex_dialect(codex.CodexSettings.from_env(env)),
            snarl.snarl_dialect(snarl.SnarlSettings.from_env(env, read_text)),
        )
    except ValueError as error:
        raise SettingError(str(error)) from None


def variables() -> list[str]:
    """The names of all environment variables that dialects read."""
    return [name for kind in SETTINGS for name, _, _ in described(kind)]
