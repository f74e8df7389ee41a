"""Commands of a partition that wait for an owner that can play their rooms (docs/decisions/0018).

They are behind the cursor already, so that the other rooms of the partition go on. A hash keeps them: the command is
the field, so that a repetition by its gateway changes nothing, and the value is its place in the order.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand
from shared.commands import Envelope
from shared.ids import TraceId

ParkedCommands: TypeAlias = dict[bytes, int]
"""The place of each parked command in the order, by its encoded envelope."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Envelope).decode


def encoded(envelope: Envelope) -> bytes:
    """The command as it is kept. Each repetition of a command has the same form; only the trace differs."""
    return _encode(msgspec.structs.replace(envelope, trace=TraceId("")))


def envelopes(parked: ParkedCommands) -> list[Envelope]:
    """The commands in their order."""
    return [_decode(command) for command in sorted(parked, key=parked.__getitem__)]


def parking(partition: Keys, command: bytes, place: int) -> RedisCommand:
    """The command that parks a command."""
    return ("HSET", partition.parked, command, place)


def removing(partition: Keys, command: bytes) -> RedisCommand:
    """The command that removes a parked command, which was handled."""
    return ("HDEL", partition.parked, command)


def reading(partition: Keys) -> RedisCommand:
    """The command that reads the parked commands; `parse` takes its reply."""
    return ("HGETALL", partition.parked)


def parse(reply: Sequence[bytes]) -> ParkedCommands:
    return {reply[at]: int(reply[at + 1]) for at in range(0, len(reply), 2)}
