"""Effects: plain values with which a session asks for something to be done. `gateway.connection` and
`gateway.performer` perform them.

A `bytes` object is an effect, too: a frame to write to the client. Effects that end in a result (`Question`) are
answered with `Session.resume` or `Session.fail`; a submitted command is answered with `Session.answered`.
"""

from typing import TypeAlias

import msgspec

from gateway.dialects.requests import CountRejection
from gateway.session.attachments import Attachment
from gateway.transports.close_codes import CloseCode
from shared.commands import RoomCommand
from shared.ids import CommandId, Epoch, Offset, RoomId, SessionId
from shared.room_views import Position


class Submit(msgspec.Struct, frozen=True, gc=False):
    """Send a command to a room or to the lobby."""

    room: RoomId
    id: CommandId
    body: RoomCommand
    wants: int = 0


class CompleteCommand(msgspec.Struct, frozen=True):
    """An update has shown that a command was carried out: no other answer is needed."""

    room: RoomId
    id: CommandId
    epoch: Epoch
    offset: Offset


class Close(msgspec.Struct, frozen=True):
    """Send the frames written so far, then close the connection."""

    close_code: CloseCode


# --- rooms ------------------------------------------------------------------------------------------------------------


class Attach(msgspec.Struct, frozen=True):
    """Deliver the steps of a room from the attachment's position on. `top` is the room's last step."""

    attachment: Attachment
    top: Position


class Detach(msgspec.Struct, frozen=True):
    """Stop delivering the steps of a room."""

    attachment: Attachment
    gone: bool = False
    """The client has lost its connection, and the room has to be notified."""


class Withdraw(msgspec.Struct, frozen=True):
    """Report this connection as gone to a room that may regard it as present."""

    room: RoomId


class Refresh(msgspec.Struct, frozen=True):
    """Ask the room for a full view in place of steps that the attachment has missed."""

    attachment: Attachment


class Reposition(msgspec.Struct, frozen=True):
    """The client was sent a view as of this position: deliver the steps after it."""

    attachment: Attachment
    position: Position


class WatchRooms(msgspec.Struct, frozen=True):
    """Report changes of the room directory, of one game or (empty) of all games."""

    game: str


class UnwatchRooms(msgspec.Struct, frozen=True):
    """Report changes of the room directory no more."""


# --- names and sessions -----------------------------------------------------------------------------------------------


class ReleaseName(msgspec.Struct, frozen=True):
    """Free a name, unless a room keeps it; with `keep`, reserve it for the session for a while."""

    name: str
    sid: SessionId
    keep: bool


class CloseReplaced(msgspec.Struct, frozen=True):
    """Close the older connection of this session at this gateway, if there is one."""

    sid: SessionId


class RegisterSession(msgspec.Struct, frozen=True):
    """This connection is the session's newest."""

    sid: SessionId


class CountResume(msgspec.Struct, frozen=True):
    """Count how a client's position was dealt with."""

    outcome: str


# --- questions --------------------------------------------------------------------------------------------------------


class ClaimName(msgspec.Struct, frozen=True):
    """Claim a name for a session -> bool: whether the session has it now."""

    name: str
    sid: SessionId
    token: bool = False
    """The session has a token, or is about to get its first one."""
    presented: bool = False
    """The client has presented the token: the claim of a session without tokens gives way."""


class TakeOverName(msgspec.Struct, frozen=True):
    """A room has given the name's seat to this session: move the claim to it, unless its holder has a token -> None."""

    name: str
    sid: SessionId


class ReadNotedRooms(msgspec.Struct, frozen=True):
    """Read the rooms that a name was noted for -> tuple[RoomId, ...]."""

    name: str


class FindKeptRooms(msgspec.Struct, frozen=True):
    """Look up rooms -> tuple[Listing | None, ...]: the listing of each that goes on and keeps the name."""

    name: str
    rooms: tuple[RoomId, ...]


class NoteRoom(msgspec.Struct, frozen=True):
    """Note that the player of this name is about to take a seat in a room -> None."""

    name: str
    room: RoomId


class ForgetRooms(msgspec.Struct, frozen=True):
    """Remove the notes of rooms that do not keep the name -> None."""

    name: str
    rooms: tuple[RoomId, ...]


class ReadGames(msgspec.Struct, frozen=True):
    """Look up the games that workers play -> Mapping[str, GameCard], read again if `wanted` is not among them."""

    wanted: str = ""


class CheckToken(msgspec.Struct, frozen=True):
    """Check a session token, and that the session was not revoked -> tuple[SessionId, str] | Rejected: the session and
    its name."""

    token: str


class RevokeSession(msgspec.Struct, frozen=True):
    """Make all tokens of a session invalid -> None."""

    sid: SessionId


class IssueToken(msgspec.Struct, frozen=True):
    """Issue a session token -> str."""

    sid: SessionId
    name: str


class Draw(msgspec.Struct, frozen=True):
    """Draw an unpredictable number from 0 up to but not including the limit -> int."""

    limit: int


StoreQuestion: TypeAlias = (
    ClaimName
    | TakeOverName
    | ReadNotedRooms
    | FindKeptRooms
    | NoteRoom
    | ForgetRooms
    | ReadGames
    | CheckToken
    | RevokeSession
)
"""Questions that the store answers, after a round trip."""
Question: TypeAlias = StoreQuestion | IssueToken | Draw
RoomEffect: TypeAlias = Attach | Detach | Withdraw | Refresh | Reposition | WatchRooms | UnwatchRooms
Effect: TypeAlias = (
    bytes
    | Submit
    | CompleteCommand
    | Close
    | RoomEffect
    | ReleaseName
    | CloseReplaced
    | RegisterSession
    | CountResume
    | CountRejection
    | Question
)
