"""Reading of untrusted input, and the error names, for the three dialects of Eriantys."""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from gateway.dialects.framing import fault_of
from shared.errors import CODES as COMMON_CODES
from shared.errors import ProtocolError
from shared.games.eriantys.refusals import CODES

_BEYOND: Final = 1_000_000
"""All numbers of the game are far smaller; a number beyond is replaced by this one, which is just as illegal."""
_MAX_ROOM: Final = 10**15

T = TypeVar("T")


def decode(decoder: Callable[[bytes], T], frame: bytes) -> T:
    """Decode a frame; raises `ProtocolError`, and nothing else, for bytes that do not fit the decoder's type."""
    try:
        return decoder(frame)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ProtocolError(fault_of(str(error)), str(error)) from None


def bounded(number: int) -> int:
    """The number, cut to a range that every store and decoder can carry. Legal numbers are not affected."""
    return max(-_BEYOND, min(_BEYOND, number))


def may_exist(room: int) -> bool:
    """Whether a room can have this number."""
    return 0 < room < _MAX_ROOM


def error_name(code: str) -> str:
    """The name of an error code in these dialects: BUSY, NOT_YOUR_TURN, ROW_FULL, NAME_TAKEN, ROOM_FULL, ..."""
    namespace, _, name = code.partition("/")
    match namespace:
        case "busy":
            return "BUSY"
        case "game" | "eriantys":
            return name.upper()
        case _:
            return code.replace("/", "_").upper()


def text_of(code: str) -> str:
    """The sentence for a code of the game or of the cluster."""
    return CODES.get(code) or COMMON_CODES.get(code, code)
