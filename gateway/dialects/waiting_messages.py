"""Messages that a client sends while its last request is still being carried out. They are handled after it, in order.

Answers of some dialects do not name the request. Their clients take the next answer for that of their oldest request,
so no answer may come earlier, not even one that the gateway could give at once.
"""

from collections import deque
from typing import Final, Generic, TypeVar

from gateway.dialects.framing import MOST_BYTES

MOST_MESSAGES: Final = 64

M = TypeVar("M")


class WaitingMessages(Generic[M]):
    """The queue of one connection, with no more bytes than the largest message may have.

    A message that does not fit is refused as busy, but this answer has its turn, too. Until then all later messages are
    refused as well, so that their number is all that has to be kept."""

    def __init__(self, refused: M) -> None:
        """`refused` takes the place of every message that is refused."""
        self._messages: deque[tuple[M, int]] = deque()
        self._bytes = 0
        self._refused_message = refused
        self._refused = 0
        """The number of refused messages, which come after all others."""

    def add(self, message: M, size: int) -> bool:
        """Add a message that had this many bytes. False if it is refused."""
        if self._refused or len(self._messages) >= MOST_MESSAGES or self._bytes + size > MOST_BYTES:
            self._refused += 1
            return False
        self._messages.append((message, size))
        self._bytes += size
        return True

    def refuse(self) -> None:
        """Add a message that is refused in any case."""
        self._refused += 1

    def take(self) -> M | None:
        """Remove the first message, and return it or what takes its place; None if there is none."""
        if self._messages:
            message, size = self._messages.popleft()
            self._bytes -= size
            return message
        if self._refused:
            self._refused -= 1
            return self._refused_message
        return None

    def clear(self) -> None:
        self._messages.clear()
        self._bytes = self._refused = 0
