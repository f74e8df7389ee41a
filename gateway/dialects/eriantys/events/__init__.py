"""The dialect `eriantys.events`: one message for every piece that moves (docs/protocols/eriantys-events.md)."""

from collections.abc import Mapping
from typing import Final

from gateway.dialects.contract import Conversation, Dialect, Opening
from gateway.dialects.eriantys.common.listener_options import COMPAT, has_compat
from gateway.dialects.eriantys.events import java_classes
from gateway.dialects.eriantys.events.compat_conversation import COMPAT as GROUP3
from gateway.dialects.eriantys.events.compat_conversation import Group3Conversation
from gateway.dialects.eriantys.events.conversation import EventsConversation
from gateway.dialects.framing import Framing, Lines
from gateway.transports.java_stream.framing import ObjectFraming

__all__ = ["DIALECT"]

_NAME: Final = "eriantys.events"


def _converse(opening: Opening) -> Conversation:
    return Group3Conversation(opening) if COMPAT in opening.compat else EventsConversation(opening)


def _framing(options: Mapping[str, str]) -> Framing:
    if has_compat(options, _NAME, GROUP3):
        return ObjectFraming(java_classes.FROM_CLIENT, java_classes.TO_CLIENT)
    return Lines()


DIALECT: Final = Dialect(_NAME, "/ws/eriantys/events", _converse, _framing)
