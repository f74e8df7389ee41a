"""How this dialect ends conversations: WebSocket close codes with their reasons."""

from gateway.dialects.base import Hangup

GAME_OVER = Hangup(1000, "the game is over")
TOO_BIG = Hangup(1009, "a message is larger than 64 KiB")
BUSY = Hangup(1013, "too many messages, try again later")
NAMELESS = Hangup(4400, "no usable name was given")
NO_TABLE = Hangup(4404, "this table cannot be joined")
NO_NAME_IN_TIME = Hangup(4408, "no name was given in time")
REMOVED = Hangup(4410, "you are out of this game")
TABLE_CLOSED = Hangup(4411, "the table was closed")
