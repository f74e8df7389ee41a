"""The Snarl protocol, over WebSocket and TCP."""

from collections.abc import Mapping
from dataclasses import replace

from gateway.dialects.contract import Conversation, Dialect, Opening
from gateway.dialects.framing import Framing
from gateway.dialects.snarl.conversation import SnarlConversation
from gateway.dialects.snarl.framing import SnarlFraming
from gateway.dialects.snarl.listener_options import OWN, Compat, with_options
from gateway.dialects.snarl.settings import SnarlSettings
from gateway.dialects.snarl.url_options import wishes_of

__all__ = ["DIALECT", "SnarlSettings", "snarl_dialect"]


def snarl_dialect(settings: SnarlSettings) -> Dialect:
    """The dialect with these settings. Options of a TCP listener come on top; a wrong one is a ValueError."""
    usual, table_options = settings.compat(), settings.table_options()

    def converse(opening: Opening) -> Conversation:
        compat = with_options(usual, opening.compat) if opening.transport == "tcp" else Compat()
        if compat.info_address == OWN:
            compat = replace(compat, info_address=opening.local)
        return SnarlConversation(opening, settings, compat, wishes_of(opening.query), table_options)

    def framing(options: Mapping[str, str]) -> Framing:
        return SnarlFraming(with_options(usual, options))

    return Dialect(name="snarl", path="/ws/snarl", converse=converse, framing=framing)


DIALECT = snarl_dialect(SnarlSettings())
