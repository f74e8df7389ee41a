"""The three kinds of failure, and every error code of the cluster.

A command that the player may not give is refused with a `Rejected` value. Input that is not a message of its protocol
raises `ProtocolError`. Any other exception is a fault of the program. Games define codes of their own under `<game>/`.
"""

from typing import Final, Literal, TypeAlias, final

import msgspec

ErrorCode: TypeAlias = Literal[
    "busy/backlog",
    "busy/connections",
    "busy/no_worker",
    "busy/rate",
    "busy/reading",
    "busy/store",
    "busy/store_full",
    "busy/tokens",
    "busy/workers",
    "command/bad",
    "command/too_old",
    "frame/binary",
    "frame/endless",
    "frame/malformed",
    "frame/too_big",
    "frame/unknown_type",
    "game/illegal",
    "game/not_your_turn",
    "game/over",
    "game/unknown",
    "http/unknown_path",
    "http/wrong_method",
    "internal",
    "lobby/no_table",
    "name/bad",
    "name/taken",
    "ops/role",
    "ops/unanswered",
    "ops/unknown",
    "ops/upgrade",
    "protocol/version",
    "room/bad_options",
    "room/bad_seats",
    "room/bad_text",
    "room/chat_full",
    "room/closed",
    "room/exists",
    "room/full",
    "room/no_spectators",
    "room/not_finished",
    "room/not_first",
    "room/not_seated",
    "room/nobody",
    "room/not_gone",
    "room/not_quarantined",
    "room/not_started",
    "room/quarantined",
    "room/removed",
    "room/seated",
    "room/started",
    "room/unknown",
    "room/wrong_dialect",
    "session/none",
    "session/twice",
    "session/too_many_rooms",
    "token/bad",
    "token/expired",
    "token/revoked",
    "updates/denied",
]
"""The codes of the cluster itself. Games have codes of their own, under `<game>/`."""


_LONGEST_TEXT: Final = 300
"""Characters of a refusal's text. A decoder's message can quote a whole command, and refusals are journaled."""


@final
class Rejected(msgspec.Struct, frozen=True):
    """A refusal: the command was understood and not carried out, and nothing changed."""

    code: str
    text: str = ""

    def __str__(self) -> str:
        return self.text or text_of(self.code)


class ProtocolError(Exception):
    """A frame that is not a valid message of its dialect."""

    def __init__(self, code: ErrorCode, text: str = "") -> None:
        super().__init__(text or CODES[code])
        self.code = code


def refusal(code: ErrorCode, text: str = "") -> Rejected:
    """A refusal by the cluster itself, with the text of its code unless another is given."""
    return Rejected(code, text[:_LONGEST_TEXT] or CODES[code])


def text_of(code: str) -> str:
    """The sentence of a code of the cluster. A code of a game has none here: the code itself is returned."""
    return CODES.get(code, code)


CODES: Final[dict[str, str]] = {
    "busy/backlog": "too many commands are waiting; try again in a moment",
    "busy/connections": "too many connections from this address; try again later",
    "busy/no_worker": "no worker can play this game right now; nothing was changed, try again later",
    "busy/rate": "too many messages; slow down and try again",
    "busy/reading": "reading this takes too long right now; try again in a moment",
    "busy/store": "the store cannot be reached right now; nothing was changed, try again",
    "busy/store_full": "the store is almost full; nothing was changed, try again later",
    "busy/tokens": "too many wrong tokens; try again later",
    "busy/workers": "no worker has come up yet; try again in a moment",
    "command/bad": "the command does not have the form that the game expects",
    "command/too_old": "a later command was already handled; this one was not run",
    "frame/binary": "send text frames, not binary ones",
    "frame/endless": "the message has no end",
    "frame/malformed": "the frame is not a message of this protocol",
    "frame/too_big": "the frame is larger than 64 KiB",
    "frame/unknown_type": "there is no message of this type",
    "game/illegal": "the rules do not allow this now",
    "game/not_your_turn": "it is not your turn",
    "game/over": "the game is over",
    "game/unknown": "there is no such game here",
    "http/unknown_path": "there is nothing at this path",
    "http/wrong_method": "this path is not for requests of this method",
    "internal": "something broke on our side; nothing was changed",
    "lobby/no_table": "no table is waiting for players",
    "name/bad": "a name has 1 to 32 visible characters, one alphabet in each word, and is not that of a bot",
    "name/taken": "somebody is using this name",
    "ops/role": "the role of this operator does not allow that",
    "ops/unanswered": "the act was not confirmed in time; it is carried out once if it is sent again with the same id",
    "ops/unknown": "there is no such process",
    "ops/upgrade": "acts have to wait until the upgrade is finished (tavolata upgrade --finish)",
    "protocol/version": "this gateway speaks another version of the protocol",
    "room/bad_options": "the options do not fit the game",
    "room/bad_seats": "the game is not played by that many",
    "room/bad_text": "a message has 1 to 500 characters, no control characters, and is not blank",
    "room/chat_full": "this room has no space for more chat",
    "room/closed": "the room is closed",
    "room/exists": "a room with this number is there already",
    "room/full": "all seats are taken",
    "room/no_spectators": "this room admits no spectators",
    "room/not_finished": "the game is not finished",
    "room/not_first": "only the player in the first seat can do that",
    "room/not_seated": "you have no seat in this room",
    "room/nobody": "nobody of that name is here",
    "room/not_gone": "the player of that name is connected",
    "room/not_quarantined": "the room is in order",
    "room/not_started": "the game has not started",
    "room/quarantined": "this room is out of order and is being looked at",
    "room/removed": "an operator has removed you from this room",
    "room/seated": "you have a seat in this room already",
    "room/started": "the game has started",
    "room/unknown": "there is no such room",
    "room/wrong_dialect": "this table is not open to you yet",
    "session/none": "say hello first",
    "session/twice": "you have introduced yourself already",
    "session/too_many_rooms": "you are in too many rooms already",
    "token/bad": "the token is not one of ours",
    "token/expired": "the token has expired",
    "token/revoked": "the session of this token was ended",
    "updates/denied": "only the seats of this room may read this",
}
