"""The conditions under which a room is saved, and the records that a snapshot makes superfluous."""

import msgspec

from shared.ids import Seat
from shared.journal_records import JournalEntry, RecordPlace, without_effect
from shared.results import Snapshot
from shared.runtime.settings import WorkerSettings
from worker.room.draft import RoomDraft

_encode = msgspec.json.Encoder().encode
_NO_GAME = msgspec.Raw(b"null")


class SnapshotLog:
    """Counts what was filed since the last snapshot."""

    __slots__ = ("_filed", "_settings", "_without_effect")

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._filed = 0
        self._without_effect: list[tuple[Seat | None, RecordPlace]] = []
        """Seat and place of the records without effect that are still in the journal."""

    def count(self, entry: JournalEntry) -> None:
        """Note a record that is not a step."""
        self._filed += 1
        if without_effect(entry):
            offset, number, record = entry
            self._without_effect.append((record.seat, (offset, number)))

    def due(self) -> bool:
        """Whether the records behind steps alone make a snapshot due: a room in which nothing happens except refusals
        must not take ever longer to load."""
        return self._filed >= self._settings.snapshot_every

    def take(self, draft: RoomDraft, before: Snapshot | None) -> Snapshot:
        """Save the room as it is now. `before` is a snapshot of the same result, which this one replaces."""
        state = draft.state
        self._filed = 0
        state.game = msgspec.Raw(_encode(draft.play))
        body = _encode(state)
        state.game = _NO_GAME
        covered = (() if before is None else before.covered) + self._cover()
        return Snapshot(state.offset, state.number, body, covered)

    def _cover(self) -> tuple[RecordPlace, ...]:
        """The records without effect that can go. The last one of every seat stays: if the snapshot is lost, they
        still show which commands the room has handled and how far its journal goes."""
        last = dict(self._without_effect)
        covered = tuple(place for seat, place in self._without_effect if place != last[seat])
        self._without_effect = list(last.items())
        return covered
