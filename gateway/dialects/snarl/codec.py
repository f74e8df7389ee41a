"""Messages to bytes, and bytes to JSON values and names. Nothing is raised for malformed input."""

import re
from typing import Any, Final

import msgspec

from gateway.dialects.snarl.messages import Message
from shared.games.snarl.commands import NAMES

NOT_JSON: Final = object()
"""The value of a frame that is not JSON. (`null` is JSON, and decodes to None.)"""

_NAME: Final = re.compile(NAMES)
_encode = msgspec.json.Encoder().encode


def encode(message: Message) -> bytes:
    """One line, with a space after each colon and comma: some clients search the text for members."""
    return msgspec.json.format(_encode(message), indent=0)


def encode_result(result: str) -> bytes:
    return b'"' + result.encode() + b'"'


def decode(frame: bytes) -> Any:
    """The JSON value in a frame, or `NOT_JSON`."""
    try:
        return msgspec.json.decode(frame)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return NOT_JSON


def decode_name(frame: bytes, *, unquoted: bool) -> str | None:
    """A valid player name, or None. With `unquoted`, a name without quotes is accepted too."""
    if unquoted and not frame.lstrip().startswith(b'"'):
        name: Any = frame.decode(errors="replace").strip()
    else:
        name = decode(frame)
    return name if isinstance(name, str) and _NAME.fullmatch(name) else None
