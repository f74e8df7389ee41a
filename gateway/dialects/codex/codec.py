"""Bytes to messages, and messages to bytes. Malformed input gives a `Malformed` value; nothing is raised."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, get_args

import msgspec

from gateway.dialects.codex.messages import (
    ChooseObjectiveMessage,
    ChooseStartingMessage,
    ClientMessage,
    ConfirmChatMessage,
    ConfirmChooseObjectiveMessage,
    ConfirmDrawMessage,
    ConfirmGameMessage,
    ConfirmJoinGameMessage,
    ConfirmPickColorMessage,
    ConfirmPlaceCardMessage,
    ConfirmRejoinGameMessage,
    ConfirmStartingCardMessage,
    CreateGameMessage,
    DrawGoldMessage,
    DrawResourceMessage,
    DrawTableMessage,
    ErrorMessage,
    GroupChatMessage,
    JoinGameMessage,
    PickColorMessage,
    PlaceCardMessage,
    PrivateChatMessage,
    RejoinGameMessage,
    ServerMessage,
)

_decoder: Final[msgspec.json.Decoder[ClientMessage]] = msgspec.json.Decoder(ClientMessage)
_encoder: Final = msgspec.json.Encoder()

_TYPES: Final[dict[str, type]] = {str(kind.__struct_config__.tag): kind for kind in get_args(ClientMessage)}

_CONFIRMS: Final[dict[type, Callable[[bool, str], ServerMessage]]] = {
    RejoinGameMessage: ConfirmRejoinGameMessage,
    ChooseStartingMessage: ConfirmStartingCardMessage,
    PickColorMessage: ConfirmPickColorMessage,
    ChooseObjectiveMessage: ConfirmChooseObjectiveMessage,
    PlaceCardMessage: ConfirmPlaceCardMessage,
    DrawTableMessage: ConfirmDrawMessage,
    DrawResourceMessage: ConfirmDrawMessage,
    DrawGoldMessage: ConfirmDrawMessage,
    PrivateChatMessage: ConfirmChatMessage,
    GroupChatMessage: ConfirmChatMessage,
}


@dataclass(frozen=True, slots=True)
class Malformed:
    """A frame that is not a message of a client."""

    reply: ServerMessage
    """The answer to the frame."""


def encode(message: ServerMessage) -> bytes:
    return _encoder.encode(message)


def decode(frame: bytes) -> ClientMessage | Malformed:
    try:
        return _decoder.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Malformed(_error_reply(frame, str(error)))


def confirm(message: ClientMessage) -> ServerMessage:
    """The message that confirms a granted request."""
    return _CONFIRMS[type(message)](True, "")


def deny(message: ClientMessage, details: str) -> ServerMessage:
    """The message that answers a refused request."""
    match message:
        case CreateGameMessage() | JoinGameMessage():
            return _denial(type(message), details, message.nickname)
        case _:
            return _denial(type(message), details)


def _denial(kind: type, details: str, nickname: str = "") -> ServerMessage:
    if kind is CreateGameMessage:
        return ConfirmGameMessage(False, details, nickname)
    if kind is JoinGameMessage:
        return ConfirmJoinGameMessage(False, details, nickname)
    if kind in _CONFIRMS:
        return _CONFIRMS[kind](False, details)
    return ErrorMessage(details)


def _error_reply(frame: bytes, reason: str) -> ServerMessage:
    """The negative Confirm of the message that the client meant, as far as its type can be read; else ErrorMessage."""
    try:
        meant = msgspec.json.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ErrorMessage("this is not JSON")
    if not isinstance(meant, dict):
        return ErrorMessage("a message is a JSON object")
    name = meant.get("type")
    if not isinstance(name, str):
        return ErrorMessage("a message has a type")
    if name not in _TYPES:
        return ErrorMessage("there is no such message from a client")
    nickname = meant.get("nickname")
    return _denial(_TYPES[name], reason, nickname if isinstance(nickname, str) else "")
