"""Bytes to messages and messages to bytes. Raises `MalformedFrame` for bad input and nothing else."""

from collections.abc import Callable
from typing import Any

import msgspec

from gateway.dialects.play.messages import AckOut, AnyIn, ErrorOut
from shared.ids import CommandId, Epoch, Offset, RoomId

_MAX_DEPTH = 100
_BLOCK = 256
"""Brackets that are counted together by the check of the depth."""
_BRACKETS_AND_QUOTES = b'[]{}"'
_OTHERS = bytes(set(range(256)) - set(_BRACKETS_AND_QUOTES))
_AS_LISTS = bytes.maketrans(b"{}", b"[]")

encode = msgspec.json.Encoder().encode
_decode: Callable[[bytes], AnyIn] = msgspec.json.Decoder(AnyIn).decode


class RequestKeys(msgspec.Struct):
    """The keys of a malformed message that its error should repeat."""

    id: Any = None
    room: Any = None


class MalformedFrame(Exception):
    """A frame that is not a message of this dialect. The text says why."""

    def __init__(self, text: str, keys: RequestKeys) -> None:
        super().__init__(text)
        self.keys = keys


_decode_keys = msgspec.json.Decoder(RequestKeys).decode


def decode(frame: bytes) -> AnyIn:
    try:
        if not frame.isascii():
            # msgspec checks the UTF-8 of the strings that it decodes, but not of the raw command of a game.
            frame.decode()
        if len(frame) > _MAX_DEPTH and is_nested_too_deeply(frame):
            raise MalformedFrame("it is nested too deeply", RequestKeys())
        return _decode(frame)
    except UnicodeDecodeError:
        raise MalformedFrame("it is not UTF-8", RequestKeys()) from None
    except RecursionError:
        raise MalformedFrame("it is nested too deeply", RequestKeys()) from None
    except msgspec.MsgspecError as error:
        raise MalformedFrame(str(error), request_keys(frame)) from None


def is_nested_too_deeply(frame: bytes) -> bool:
    """Whether decoding the frame could exhaust the stack of a worker, where the raw command of a game is decoded.

    No step looks at single bytes in Python, so this costs less than decoding the command. The depth is computed after
    each block of brackets only: inside a block it may exceed the limit by half a block, and no frame within the limit
    is refused."""
    if frame.count(b"[") + frame.count(b"{") <= _MAX_DEPTH:
        return False
    if b"\\" in frame:
        # In a string, backslashes come in pairs or escape the next byte. The order of the two steps matters.
        frame = frame.replace(b"\\\\", b"").replace(b'\\"', b"")
    # Strings without brackets are pairs of quotes now. Removing a pair never swaps inside and outside.
    brackets = frame.translate(_AS_LISTS, _OTHERS).replace(b'""', b"")
    if b'"' in brackets:
        brackets = b"".join(brackets.split(b'"')[::2])  # what is outside of strings
    depth = 0
    for start in range(0, len(brackets), _BLOCK):
        opened = brackets.count(b"[", start, start + _BLOCK)
        depth += 2 * opened - min(_BLOCK, len(brackets) - start)
        if depth > _MAX_DEPTH:
            return True
    return False


def request_keys(frame: bytes) -> RequestKeys:
    """The id and the room of a malformed message, as far as they are there."""
    try:
        found = _decode_keys(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return RequestKeys()
    return RequestKeys(found.id if type(found.id) is int else None, found.room if type(found.room) is int else None)


def encode_error(code: str, text: str, ref: int | None = None, room: int | None = None) -> bytes:
    return encode(ErrorOut(code=code, text=text, id=ref, room=room))


def encode_ack(command_id: CommandId, room: RoomId, epoch: Epoch, offset: Offset) -> bytes:
    return encode(AckOut(command_id, room, epoch, offset))
