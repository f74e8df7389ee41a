"""The contract between a connection and its transport, a WebSocket or a TCP connection."""

from typing import Protocol

from gateway.transports.close_codes import CloseCode


class Transport(Protocol):
    """A connection to a client. Nothing here waits."""

    def send(self, messages: list[bytes]) -> None:
        """Send messages, in order, in one write."""

    def close(self, close_code: CloseCode) -> None:
        """Send the rest, then close; a WebSocket with this code."""

    def abort(self) -> None:
        """Close at once and drop the rest, which the peer does not read."""

    def ping(self) -> bool:
        """Ask the client for a pong. False if the transport has no pings: then silence means nothing."""

    def buffered(self) -> int:
        """The number of bytes that are not sent yet."""
