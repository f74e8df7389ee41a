"""The dialect `eriantys.status`: commands and status objects (docs/protocols/eriantys-status.md)."""

from collections.abc import Mapping
from typing import Final

from gateway.dialects.contract import Conversation, Dialect, Opening
from gateway.dialects.eriantys.common.listener_options import COMPAT, has_compat
from gateway.dialects.eriantys.status.compat_conversation import COMPAT as AM28
from gateway.dialects.eriantys.status.compat_conversation import SILENCE_MS, Am28Conversation
from gateway.dialects.eriantys.status.conversation import DIALECT_NAME, StatusConversation, ping_of
from gateway.dialects.framing import Framing, Lines
from shared.errors import ProtocolError

__all__ = ["DIALECT"]


def _converse(opening: Opening) -> Conversation:
    return Am28Conversation(opening) if COMPAT in opening.compat else StatusConversation(opening)


def _framing(options: Mapping[str, str]) -> Framing:
    """Both modes have lines; the options are only checked. Raises `ValueError`."""
    compat = has_compat(options, DIALECT_NAME, AM28, "ping_ms")
    if "ping_ms" in options:
        try:
            ping_ms = ping_of(options["ping_ms"])
        except ProtocolError as error:
            raise ValueError(str(error)) from None
        if compat and not 0 < ping_ms < SILENCE_MS:
            raise ValueError(f"with compat={AM28}, ping_ms must be from 1 to {SILENCE_MS - 1}")
    return Lines()


DIALECT: Final = Dialect(DIALECT_NAME, "/ws/eriantys/status", _converse, _framing)
