"""The command streams: gateways add commands, the owner of a partition reads them from its stored cursor.

Consumer groups are not used: the commit script stores the cursor together with the results, which a group could not.
"""

import logging
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import msgspec

from shared.bus.keys import FIELD, Keys
from shared.bus.store import RedisCommand, Store
from shared.commands import Envelope
from shared.ids import Partition

log = logging.getLogger("tavolata.commands")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[Envelope, ...]).decode
MOST_COMMANDS = 64
MOST_BYTES = 32 * 1024
"""Bounds of a stream entry. A worker can end its turn only between two entries."""

StreamEntry = tuple[str, tuple[Envelope, ...]]
"""The id of a stream entry, and the commands in it: of one gateway, added in one tick of its loop."""
Cursors: TypeAlias = dict[Partition, tuple[Keys, str]]
"""The last entry of each partition that was read."""


def adding(partition: Keys, envelopes: Sequence[Envelope]) -> RedisCommand:
    """The command that adds these few envelopes as one stream entry."""
    return ("XADD", partition.commands, "*", FIELD, _encode(envelopes))


def adding_many(partition: Keys, envelopes: Sequence[Envelope]) -> list[RedisCommand]:
    """The commands that add any number of envelopes in order, as stream entries within the bounds."""
    if len(envelopes) <= MOST_COMMANDS:
        return _adding_bounded(partition, envelopes)
    adds: list[RedisCommand] = []
    for at in range(0, len(envelopes), MOST_COMMANDS):
        adds += _adding_bounded(partition, envelopes[at : at + MOST_COMMANDS])
    return adds


def _adding_bounded(partition: Keys, envelopes: Sequence[Envelope]) -> list[RedisCommand]:
    body = _encode(envelopes)
    if len(body) <= MOST_BYTES or len(envelopes) <= 1:
        return [("XADD", partition.commands, "*", FIELD, body)]
    half = len(envelopes) // 2
    return _adding_bounded(partition, envelopes[:half]) + _adding_bounded(partition, envelopes[half:])


async def read(store: Store, cursors: Cursors, count: int, block_ms: int | None) -> dict[Partition, list[StreamEntry]]:
    """The entries behind each cursor, all from one server; waits up to `block_ms` for the first one (None: not at
    all)."""
    names = [keys.commands for keys, _ in cursors.values()]
    places = [cursor for _, cursor in cursors.values()]
    blocking = () if block_ms is None else ("BLOCK", block_ms)
    reply = await store.call("XREAD", "COUNT", count, *blocking, "STREAMS", *names, *places)
    if not reply:
        return {}
    partitions = dict(zip(names, cursors, strict=True))
    return {partitions[name.decode()]: [_entry(item) for item in items] for name, items in reply}


def reading(partition: Keys, cursor: str, count: int, block_ms: int | None) -> RedisCommand:
    """The command that reads one partition; `entries` takes its reply."""
    blocking = () if block_ms is None else ("BLOCK", block_ms)
    return ("XREAD", "COUNT", count, *blocking, "STREAMS", partition.commands, cursor)


def entries(reply: list[Any]) -> list[StreamEntry]:
    return [_entry(item) for _, items in reply for item in items]


def _entry(item: list[Any]) -> StreamEntry:
    """An entry that cannot be decoded counts as empty: it would stop its partition for ever."""
    entry_id = item[0].decode()
    try:
        return entry_id, _decode(item[1][1])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        log.exception("stream entry %s cannot be decoded and is skipped", entry_id)
        return entry_id, ()


def time_of(entry_id: str) -> int:
    """The time at which an entry was added: milliseconds of the store's clock."""
    return int(entry_id.partition("-")[0])


def trimming(partition: Keys, cursor: str) -> RedisCommand:
    """The command that drops entries before the cursor, or most of them. The cursor's own entry stays: the store
    derives new ids from the last entry, so an id that was handled cannot be given again."""
    return ("XTRIM", partition.commands, "MINID", "~", cursor)


class CommandReader(Protocol):
    """Reads the command streams of the partitions that a worker owns."""

    async def read(self, cursors: Cursors, count: int, block_ms: int | None) -> dict[Partition, list[StreamEntry]]:
        """The entries behind each cursor, up to `count` of each; waits up to `block_ms` for the first one (None: not at
        all). Raises `StoreError`."""

    async def wake(self) -> None:
        """End a `read` that waits: it covers the partitions that were owned when it began, and these have changed.
        Raises `StoreError`."""


class BlockingStore(Store, Protocol):
    """A connection on which a reader blocks."""

    client_id: int | None

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class StreamReader:
    """Reads all streams with one blocking command, on a connection of its own."""

    def __init__(self, connection: BlockingStore, store: Store) -> None:
        self._connection = connection
        self._store = store

    async def start(self) -> None:
        await self._connection.start()

    async def stop(self) -> None:
        await self._connection.stop()

    async def read(self, cursors: Cursors, count: int, block_ms: int | None) -> dict[Partition, list[StreamEntry]]:
        return await read(self._connection, cursors, count, block_ms)

    async def wake(self) -> None:
        if self._connection.client_id is not None:
            await self._store.call("CLIENT", "UNBLOCK", self._connection.client_id)
