"""The command streams: gateways add, the owner of a partition reads from a stored offset. No consumer groups."""

import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from shared.bus.entries import FIELD
from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.commands import Envelope
from shared.ids import Partition

log = logging.getLogger("tavolata.commands")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[Envelope, ...]).decode
StreamEntry = tuple[str, tuple[Envelope, ...]]
"""A stream id, and the commands that one gateway added in one tick."""


def adding(partition: Keys, envelopes: Sequence[Envelope]) -> RedisCommand:
    """The command that adds these, as one entry."""
    return ("XADD", partition.commands, "*", FIELD, _encode(envelopes))


async def read(
    store: Store, cursors: dict[Partition, tuple[Keys, str]], count: int, block_ms: int | None
) -> dict[Partition, list[StreamEntry]]:
    """The entries after each cursor; waits up to `block_ms` for the first (None: not at all)."""
    streams = [(partition, held.commands, cursor) for partition, (held, cursor) in cursors.items()]
    blocking = () if block_ms is None else ("BLOCK", block_ms)
    reply = await store.call(
        "XREAD", "COUNT", count, *blocking, "STREAMS", *(name for _, name, _ in streams), *(at for _, _, at in streams)
    )
    if not reply:
        return {}
    partitions = {name.encode(): partition for partition, name, _ in streams}
    return {partitions[name]: [_entry(item) for item in items] for name, items in reply}


def _entry(item: list[Any]) -> StreamEntry:
    place = item[0].decode()
    try:
        return place, _decode(item[1][1])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        log.exception("entry %s is no list of commands and is passed over", place)
        return place, ()


def time_of(entry_id: str) -> int:
    """When a command was put on the stream: milliseconds of the store's clock."""
    return int(entry_id.partition("-")[0])


def trimming(partition: Keys, cursor: str) -> RedisCommand:
    """Drops what was handled, or most of it. The cursor's own entry stays, so that its id never comes again."""
    return ("XTRIM", partition.commands, "MINID", "~", cursor)
