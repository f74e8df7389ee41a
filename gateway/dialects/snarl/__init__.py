"""The dialect `snarl` (docs/protocols/snarl.md), over WebSocket and TCP. The rules are in shared/games/snarl."""

from collections.abc import Mapping
from dataclasses import replace

from gateway.dialects.contract import Conversation, Dialect, Opening
from gateway.dialects.framing import Framing
from gateway.dialects.snarl.conversation import SnarlConversation
from gateway.dialects.snarl.framing import SnarlFraming
from gateway.dialects.snarl.listener_options import OWN, ListenerOptions, with_options
from gateway.dialects.snarl.settings import SnarlSettings
from gateway.dialects.snarl.url_options import read_url_options

__all__ = ["DIALECT", "SnarlSettings", "snarl_dialect"]


def snarl_dialect(settings: SnarlSettings) -> Dialect:
    """The dialect with these settings. The options of a TCP listener take precedence over them; an invalid one raises
    `ValueError`. Over WebSocket the protocol is spoken as it is written."""
    defaults, table_options = settings.listener_options(), settings.table_options()

    def converse(opening: Opening) -> Conversation:
        tcp = opening.transport == "tcp"
        listener = with_options(defaults, opening.compat) if tcp else ListenerOptions()
        if listener.info_address == OWN:
            listener = replace(listener, info_address=opening.local)
        return SnarlConversation(opening, settings, listener, read_url_options(opening.query), table_options)

    def framing(options: Mapping[str, str]) -> Framing:
        return SnarlFraming(with_options(defaults, options))

    return Dialect(name="snarl", path="/ws/snarl", converse=converse, framing=framing)


DIALECT = snarl_dialect(SnarlSettings())
