"""What a session needs of the thing it talks through: a WebSocket or a TCP connection."""

from typing import Protocol

from gateway.transports.close_codes import CloseCode


class Transport(Protocol):
    """A connection to a client. Nothing here waits."""

    def send(self, messages: list[bytes]) -> None:
        """Messages, in order, in one write."""

    def close(self, closing: CloseCode) -> None:
        """Say why, send what is left, and close."""

    def abort(self) -> None:
        """Close at once; the peer does not read anyway."""

    def ping(self) -> bool:
        """Ask for a sign of life; False if this transport cannot, so that silence means nothing."""

    def buffered(self) -> int:
        """Bytes that are not sent yet."""
