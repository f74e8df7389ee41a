"""The dialect `eriantys.prompts`: the server asks for each move (docs/protocols/eriantys-prompts.md)."""

from typing import Final

from gateway.dialects.contract import Dialect
from gateway.dialects.eriantys.prompts.conversation import PromptsConversation

__all__ = ["DIALECT"]

DIALECT: Final = Dialect("eriantys.prompts", "/ws/eriantys/prompts", PromptsConversation)
