"""Java's modified UTF-8 (specification, 6.2): NUL as two bytes, characters above U+FFFF as two surrogates."""

import re
from typing import Final

from shared.errors import ProtocolError

_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_FIRST_OF_FOUR: Final = re.compile(rb"[\xf0-\xff]")
"""Bytes that begin a sequence of four in standard UTF-8. The modified form has none."""


def encode(text: str) -> bytes:
    """Raises `UnicodeEncodeError` for a lone surrogate, which no text of ours contains."""
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    text.encode("utf-8")
    pairs = _ASTRAL.sub(_surrogates, text)
    return pairs.encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def _surrogates(found: re.Match[str]) -> str:
    offset = ord(found.group()) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


def decode(data: bytes) -> str:
    """Raises `ProtocolError`. A lone surrogate is refused, too: a Java string may contain one, a JSON message not."""
    if data.isascii():
        return data.decode("ascii")
    if _FIRST_OF_FOUR.search(data):
        raise ProtocolError("frame/malformed", "a string is not modified UTF-8")
    try:
        units = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        return units.encode("utf-16-be", "surrogatepass").decode("utf-16-be")
    except UnicodeDecodeError:
        raise ProtocolError("frame/malformed", "a string is not modified UTF-8") from None
