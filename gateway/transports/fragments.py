"""A WebSocket message that arrives in fragments (RFC 6455 section 5.4)."""

from codecs import getincrementaldecoder

from gateway.dialects.framing import MOST_BYTES

_Utf8Decoder = getincrementaldecoder("utf-8")


class FragmentedMessage:
    """The payload so far. The UTF-8 of a text message is checked fragment by fragment, because a character may be
    split between two."""

    __slots__ = ("_utf8", "payload", "text", "too_big")

    def __init__(self, *, text: bool) -> None:
        self.text = text
        self.too_big = False
        self.payload = bytearray()
        self._utf8 = _Utf8Decoder()

    def add(self, fragment: bytes, *, last: bool) -> None:
        """Raises `UnicodeDecodeError` for bytes that are no UTF-8, also for a character without its end. A message
        that is too big is dropped, and so is the rest of it, unchecked."""
        if len(self.payload) + len(fragment) > MOST_BYTES:
            self.drop()
        if self.too_big:
            return
        if self.text:
            self._utf8.decode(fragment, last)
        self.payload += fragment

    def drop(self) -> None:
        """A fragment was too big to be read."""
        self.too_big = True
        self.payload.clear()
