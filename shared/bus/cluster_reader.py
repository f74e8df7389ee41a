"""Reads the command streams of a Cluster, where one command reads one slot only.

Partitions that had entries lately are asked without waiting, in one write per node. When none of them has any, each
partition is waited for on a connection of its own; such a read lasts over several calls, so that a quiet partition
costs nothing while others are busy.
"""

import asyncio
import logging
from dataclasses import dataclass

from shared.bus import command_streams
from shared.bus.cluster_map import Place, slot_of
from shared.bus.cluster_view import ClusterView
from shared.bus.command_streams import Cursors, StreamEntry
from shared.bus.connection import StoreConnection, connect
from shared.bus.keys import Keys
from shared.bus.store import OutcomeUnknown, Store, StoreDown, StoreError
from shared.ids import Partition

log = logging.getLogger("tavolata.cluster")

_BLOCK_MS = 1_000
_SILENCE_S = 3.0
"""A read that waits ends at the latest after `_BLOCK_MS`; a node that does not answer by then is left."""
_AFTER_ERROR_S = 0.05


@dataclass(slots=True)
class _Waiting:
    """A read that waits for a partition's next entry."""

    cursor: str
    task: "asyncio.Task[list[StreamEntry]]"


class ClusterReader:
    """The command streams of the partitions of one worker."""

    def __init__(self, view: ClusterView, store: Store) -> None:
        self._view = view
        self._store = store
        self._waiting: dict[Partition, _Waiting] = {}
        self._connections: dict[Partition, tuple[Place, StoreConnection]] = {}
        self._woken = asyncio.Event()

    async def start(self) -> None:
        """Connections are made when they are needed."""

    async def stop(self) -> None:
        tasks = [waiting.task for waiting in self._waiting.values()]
        for partition in list(self._waiting):
            self._give_up(partition)
        await asyncio.gather(*tasks, return_exceptions=True)
        for partition in list(self._connections):
            self._disconnect(partition)

    async def wake(self) -> None:
        self._woken.set()

    async def read(self, cursors: Cursors, count: int, block_ms: int | None) -> dict[Partition, list[StreamEntry]]:
        self._woken.clear()
        found = self._taken(cursors)
        unwatched = {partition: place for partition, place in cursors.items() if partition not in self._waiting}
        unwatched = {partition: place for partition, place in unwatched.items() if partition not in found}
        if unwatched:
            found |= await self._poll(unwatched, count)
        if found or block_ms is None:
            return found
        for partition, (keys, cursor) in cursors.items():
            if partition not in self._waiting:
                task = asyncio.create_task(self._wait(partition, keys, cursor, count))
                self._waiting[partition] = _Waiting(cursor, task)
        await self._first(block_ms / 1_000)
        return self._taken(cursors)

    def _taken(self, cursors: Cursors) -> dict[Partition, list[StreamEntry]]:
        """The entries that reads have waited for. Reads from another cursor are given up: the partition was lost and
        taken again meanwhile."""
        found: dict[Partition, list[StreamEntry]] = {}
        for partition, waiting in list(self._waiting.items()):
            if partition not in cursors or cursors[partition][1] != waiting.cursor:
                self._give_up(partition)
            elif waiting.task.done():
                del self._waiting[partition]
                if entries := waiting.task.result():
                    found[partition] = entries
        return found

    def _give_up(self, partition: Partition) -> None:
        waiting = self._waiting.pop(partition)
        if not waiting.task.done():
            waiting.task.cancel()
            self._disconnect(partition)  # a reply may still come, and would be taken for that of the next read

    async def _poll(self, cursors: Cursors, count: int) -> dict[Partition, list[StreamEntry]]:
        """The entries that are there now. A node that does not answer keeps no partition of another node waiting."""
        reads = [command_streams.reading(keys, cursor, count, None) for keys, cursor in cursors.values()]
        replies = await self._store.pipe(reads, errors=True)
        failures = [reply for reply in replies if isinstance(reply, StoreError)]
        if failures and len(failures) == len(replies):
            raise failures[0]
        pairs = zip(cursors, replies, strict=True)
        read = {partition: reply for partition, reply in pairs if reply and not isinstance(reply, StoreError)}
        return {partition: command_streams.entries(reply) for partition, reply in read.items()}

    async def _first(self, limit_s: float) -> None:
        """Return when a read has ended, `wake` is called, or after the time."""
        woken = asyncio.ensure_future(self._woken.wait())
        tasks = {waiting.task for waiting in self._waiting.values()}
        try:
            await asyncio.wait({*tasks, woken}, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.cancel()

    async def _wait(self, partition: Partition, keys: Keys, cursor: str, count: int) -> list[StreamEntry]:
        """The next entries of a partition. Nothing if its node has failed or has moved the slot: then the next call
        polls, which follows redirections."""
        try:
            while True:
                connection = await self._connection(partition, keys)
                command = command_streams.reading(keys, cursor, count, _BLOCK_MS)
                async with asyncio.timeout(_SILENCE_S):
                    (reply,) = await connection.request((command,))
                if isinstance(reply, Exception):
                    raise StoreDown(str(reply))
                if reply:
                    return command_streams.entries(reply)
        except (StoreDown, OutcomeUnknown, StoreError, TimeoutError) as error:
            log.debug("cannot wait for the commands of partition %s: %s", partition, error)
            self._view.suspect()
            self._disconnect(partition)
            await asyncio.sleep(_AFTER_ERROR_S)
            return []

    async def _connection(self, partition: Partition, keys: Keys) -> StoreConnection:
        place = self._view.map.place_of(slot_of(keys.commands))
        if place is None:
            raise StoreDown("no node of the Cluster serves the partition")
        known = self._connections.get(partition)
        if known is not None and known[0] == place and known[1].open:
            return known[1]
        self._disconnect(partition)
        connection = await connect(self._view.address_of(place), lambda: None)
        self._connections[partition] = (place, connection)
        return connection

    def _disconnect(self, partition: Partition) -> None:
        known = self._connections.pop(partition, None)
        if known is not None:
            known[1].abort()
