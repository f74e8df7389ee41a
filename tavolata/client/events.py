"""Values that the core of a client returns, besides messages: requests that are done, and what has ended."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from tavolata.client.errors import ClientError, RequestRefused
from tavolata.client.messages import AttachedMessage, TableList, TableListChange, TableUpdate, Welcome
from tavolata.client.requests import PendingRequest


class Stage(StrEnum):
    """The stage of a session."""

    OFFLINE = "offline"
    GREETING = "greeting"
    """Connected; the answer to `hello` has not been received."""
    ONLINE = "online"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class RoomLost:
    """The room cannot be followed any more."""

    room: int
    error: RequestRefused


@dataclass(frozen=True, slots=True)
class SessionOver:
    """The session has ended; every request has failed."""

    error: ClientError


@dataclass(frozen=True, slots=True)
class Complaint:
    """A frame that is no message of the protocol, or an error that answers no request. It has to be logged."""

    text: str


Event: TypeAlias = (
    TableUpdate
    | AttachedMessage
    | PendingRequest
    | Welcome
    | TableList
    | TableListChange
    | RoomLost
    | SessionOver
    | Complaint
)
"""A value for the program, in the order in which things happened. A `PendingRequest` among them is done."""
