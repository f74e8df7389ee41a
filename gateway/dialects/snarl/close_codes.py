"""How this dialect ends conversations: WebSocket close codes with their reasons."""

from gateway.dialects.requests import CloseConnection

GAME_OVER = CloseConnection(1000, "the game is over")
TOO_BIG = CloseConnection(1009, "a message is larger than 64 KiB")
BUSY = CloseConnection(1013, "too many messages, try again later")
NAMELESS = CloseConnection(4400, "no usable name was given")
NO_TABLE = CloseConnection(4404, "this table cannot be joined")
NO_NAME_IN_TIME = CloseConnection(4408, "no name was given in time")
REMOVED = CloseConnection(4410, "you are out of this game")
TABLE_CLOSED = CloseConnection(4411, "the table was closed")
