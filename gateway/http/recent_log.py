"""The logs of partitions, read for HTTP: records and steps of rooms that their own streams do not have yet.

A log is read on from where the last reading ended: many rooms of a partition are asked for one after the other, and
reading megabytes for each would slow moves down.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec

from shared.bus import partition_log
from shared.bus.keys import Keys
from shared.bus.store import Store
from shared.deliveries import StepMessage
from shared.ids import RoomId
from shared.journal_records import JournalEntry

_MOST_LOGS = 16
_MOST_BYTES = 4 * 1024 * 1024
"""Size of what is remembered of a log from which on it is read again: its beginning has been trimmed meanwhile."""
_decode_step = msgspec.json.Decoder(StepMessage).decode


@dataclass(slots=True)
class _CachedLog:
    """The entries of one log that were read so far, by room."""

    last: bytes = b""
    """The id of the last entry."""
    size: int = 0
    rooms: dict[RoomId, list[bytes]] = field(default_factory=dict)

    def add(self, room: RoomId, body: bytes) -> None:
        self.rooms.setdefault(room, []).append(body)
        self.size += len(body)


class RecentLogs:
    """Reads what commits have added to the logs; one for each gateway."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._logs: dict[str, _CachedLog] = {}
        """By key; the log that was read last stands at the end."""

    async def records(self, partition: Keys, room: RoomId) -> list[JournalEntry]:
        """The records of a room in the log, oldest first."""
        log = await self._read(partition.journal_log, partition_log.logged_records)
        bodies = log.rooms.get(room, ())
        return [partition_log.journal_entry(partition_log.decode_logged(body)) for body in bodies]

    async def steps(self, partition: Keys, room: RoomId) -> list[StepMessage]:
        """The steps of a room in the log, oldest first."""
        log = await self._read(partition.updates_log, partition_log.logged_steps)
        return [_decode_step(body) for body in log.rooms.get(room, ())]

    async def _read(self, key: str, bodies: Callable[[bytes], Iterator[tuple[RoomId, msgspec.Raw]]]) -> _CachedLog:
        known = self._logs.pop(key, None)
        log = _CachedLog() if known is None or known.size > _MOST_BYTES else known
        (entries,) = await partition_log.read(self._store, [(key, log.last.decode() or "-")])
        if log.last and (not entries or entries[0][0] != log.last):
            # The last entry was trimmed, or the store has lost it: what was read may not be part of the log any more.
            log = _CachedLog()
            (entries,) = await partition_log.read(self._store, [(key, "-")])
        for name, body in entries:
            if name != log.last:
                log.last = name
                for room, one in bodies(body):
                    log.add(room, bytes(one))
        self._logs[key] = log
        if len(self._logs) > _MOST_LOGS:
            del self._logs[next(iter(self._logs))]
        return log
