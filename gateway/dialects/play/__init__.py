"""The dialect `play`, this project's own protocol: JSON messages for all games (docs/protocols/play.md)."""

from typing import Final

from gateway.dialects.contract import Dialect
from gateway.dialects.play.codec import encode_ack
from gateway.dialects.play.conversation import PlayConversation

__all__ = ["DIALECT"]

DIALECT: Final = Dialect("play", "/ws/play", PlayConversation, raw=True, resumable=True, ack=encode_ack)
