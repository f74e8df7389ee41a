"""Reads journals and updates of rooms for HTTP: seats' own updates, replays of finished games, the operators' view.

The journal shows who had which seat, at which gateway, and whether the game is over. Its events are not shown, because
they hold secrets and a gateway has no game's rules: clients get the updates that the worker has written, as far as they
are kept. Both can be long, and moves share the connection to the store with these reads. So they are read in portions,
by few readers at a time, and the facts learnt are remembered.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gateway.http.recent_log import RecentLogs
from gateway.http.room_recording import RoomRecording, public_room_events
from shared.bus import journal, updates, visibility
from shared.bus.keys import Keys
from shared.bus.store import Store
from shared.deliveries import StepMessage
from shared.ids import LOBBY, RoomId, partition_of
from shared.journal_records import JournalEntry
from shared.room_events import Configured, Opened

MOST_STEPS = 1_000
MOST_BYTES = 2 * 1024 * 1024
"""Size of one HTTP response, exceeded by one portion at most. A response is encoded in one go, and no player is served
meanwhile."""
_PORTIONS = 8
"""Portions of a room's history that are read at once."""
_READERS = 4
_REMEMBERED = 128
_TIMEOUT_S = 10.0


@dataclass(slots=True)
class RecordedSteps:
    """As many steps as fit into one HTTP response."""

    steps: list[StepMessage] = field(default_factory=list)
    trimmed: bool = False
    """Some of the steps are kept no more."""
    more: bool = False
    """Further steps follow."""


class RoomRecords:
    """Reads rooms; one for each gateway. Raises `TimeoutError` if that takes too long: the next request goes on where
    this one has ended."""

    def __init__(self, store: Store, partitions: tuple[Keys, ...], *, visible_only: bool = False) -> None:
        """`visible_only`: the durability is `replicated`, and nothing may be shown before replicas have it."""
        self._store = store
        self._partitions = partitions
        self._visible_only = visible_only
        self._logs = RecentLogs(store)
        self._readers = asyncio.Semaphore(_READERS)
        self._known: dict[RoomId, RoomRecording] = {}
        """The recordings that were asked for last, the latest at the end."""

    async def of(self, room: RoomId) -> RoomRecording | None:
        """The facts of a room; None if it does not exist. The lobby has a journal, too, but is not a room."""
        if room == LOBBY:
            return None
        keys = self._keys(room)
        async with self._reader(keys):
            # The log first: a record is written to the room's journal before it is trimmed from the log.
            latest = await self._logs.records(keys, room)
            recording = await self._remembered(keys, room, latest)
            try:
                async for entries in journal.portions(self._store, keys, room, recording.last, _PORTIONS):
                    recording.follow(entries)
                recording.follow([one for one in latest if recording.last is None or one[:2] > recording.last])
            finally:
                self._remember(recording)
        return None if recording.last is None else recording

    async def spec(self, recording: RoomRecording) -> dict[str, Any]:
        """The spec as the public update shows it; without options if that update is kept no more."""
        keys, before = self._keys(recording.room), recording.configured - 1
        async with self._reader(keys):
            latest = await self._logs.steps(keys, recording.room)
            steps, _ = await updates.read(self._store, keys, recording.room, before, 1)
        shown = [step for step in (*steps, *latest) if step.offset == recording.configured]
        events = public_room_events(shown[0]) if shown else []
        specs = [event.spec for event in events if isinstance(event, Opened | Configured)]
        if not specs:
            return recording.public_spec
        spec: dict[str, Any] = msgspec.to_builtins(specs[-1])
        return spec

    async def steps(self, room: RoomId, after: int) -> RecordedSteps:
        """The steps after an offset."""
        keys, found, size, top = self._keys(room), RecordedSteps(more=True), 0, after
        async with self._reader(keys):
            latest = await self._logs.steps(keys, room)
            while found.more and len(found.steps) < MOST_STEPS and size < MOST_BYTES:
                steps, found.more = await updates.read(self._store, keys, room, top, _PORTIONS)
                found.steps += steps
                top = steps[-1].offset if steps else top
                size += sum(len(part) for step in steps for part in (step.public, *step.seats.values()))
        if not found.more:
            found.steps += [step for step in latest if step.offset > top]
        found.trimmed = bool(found.steps) and found.steps[0].offset != after + 1
        return found

    async def latest(self, room: RoomId, most: int) -> list[StepMessage]:
        """The last steps, oldest first."""
        keys = self._keys(room)
        async with self._reader(keys):
            latest = await self._logs.steps(keys, room)
            written = await updates.latest(self._store, keys, room) if len(latest) < most else []
        if written:
            latest = [step for step in written if not latest or step.offset < latest[0].offset] + latest
        return latest[-most:]

    def _keys(self, room: RoomId) -> Keys:
        return self._partitions[partition_of(room, len(self._partitions))]

    @asynccontextmanager
    async def _reader(self, partition: Keys) -> AsyncIterator[None]:
        async with asyncio.timeout(_TIMEOUT_S), self._readers:
            if not self._visible_only:
                yield
                return
            async with visibility.visible_reads(self._store, (partition,)):
                yield

    async def _remembered(self, keys: Keys, room: RoomId, latest: Sequence[JournalEntry]) -> RoomRecording:
        """A copy of the remembered recording, unless the store has lost the records that it was read from."""
        known = self._known.get(room)
        if known is None or known.last is None:
            return RoomRecording(room)
        of_log = [record for offset, number, record in latest if (offset, number) == known.last]
        record = of_log[0] if of_log else await journal.at(self._store, keys, room, known.last)
        if record is None or record.epoch != known.epoch:
            return RoomRecording(room)
        return known.copy()

    def _remember(self, recording: RoomRecording) -> None:
        self._known.pop(recording.room, None)
        if recording.last is not None:
            self._known[recording.room] = recording
        if len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]
