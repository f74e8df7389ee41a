"""The dialect `eriantys.status`: commands and status objects (docs/protocols/eriantys-status.md)."""

from typing import Final

from gateway.dialects.contract import Dialect
from gateway.dialects.eriantys.status.conversation import DIALECT_NAME, StatusConversation

__all__ = ["DIALECT"]

DIALECT: Final = Dialect(DIALECT_NAME, "/ws/eriantys/status", StatusConversation)
