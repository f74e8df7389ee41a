"""The dialect `eriantys.events`: one message for every piece that moves (docs/protocols/eriantys-events.md)."""

from typing import Final

from gateway.dialects.contract import Dialect
from gateway.dialects.eriantys.events.conversation import EventsConversation

__all__ = ["DIALECT"]

DIALECT: Final = Dialect("eriantys.events", "/ws/eriantys/events", EventsConversation)
