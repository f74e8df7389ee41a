"""The dialect `codex` (docs/protocols/codex.md). The rules are in shared/games/codex."""

from typing import Final

from gateway.dialects.codex.conversation import CodexConversation
from gateway.dialects.codex.settings import CodexSettings
from gateway.dialects.contract import Conversation, Dialect, Opening

__all__ = ["DIALECT", "CodexSettings", "codex_dialect"]


def codex_dialect(settings: CodexSettings) -> Dialect:
    """The dialect with these settings."""

    def converse(opening: Opening) -> Conversation:
        return CodexConversation(opening, settings)

    return Dialect(name="codex", path="/ws/codex", converse=converse)


DIALECT: Final = codex_dialect(CodexSettings())
