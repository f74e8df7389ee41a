"""The WebSocket close codes of the Snarl dialect alone (docs/protocols/snarl.md lists them)."""

from gateway.transports.close_codes import CloseCode

GAME_OVER = CloseCode(1000, "the game is over")
TOO_BIG = CloseCode(1009, "a message is larger than 64 KiB")
BUSY = CloseCode(1013, "too many messages, try again later", reconnect=True)
NAMELESS = CloseCode(4400, "no usable name was given")
NO_TABLE = CloseCode(4404, "this table cannot be joined")
NO_NAME_IN_TIME = CloseCode(4408, "no name was given in time")
REMOVED = CloseCode(4410, "you are out of this game")
TABLE_CLOSED = CloseCode(4411, "the table was closed", reconnect=True)
"""A client that reconnects is seated at another table, unless its URL names this one."""
