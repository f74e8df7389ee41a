"""The checker: what one seat was told of one room, and what the room's record must say about it. No IO.

A seat must see every step once and in order; every acknowledged move must be in the record once, at the step that the
acknowledgement named; and what the seat was told must be what the record says it was told.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import msgspec

VIOLATIONS = ("holes", "repeats", "disorder", "lost", "doubled", "misplaced", "differing", "faults", "unfinished")
"""Each of these must be zero."""
REMARKS = ("resyncs", "rewound", "resends", "unchecked")
"""These may happen, and are worth knowing."""


class Recorded(msgspec.Struct):
    """One step in the answer of `/api/rooms/<room>/updates`."""

    epoch: int
    offset: int
    events: msgspec.Raw
    by: int | None = None
    id: int | None = None


class RoomRecord(msgspec.Struct):
    """A room's record, as far as a seat may read it."""

    updates: list[Recorded]
    trimmed: bool = False


def digest(epoch: int, events: msgspec.Raw) -> int:
    return crc32(events, epoch & 0xFFFFFFFF)


@dataclass(slots=True)
class Findings:
    """Everything that was counted, and the first violations in words."""

    counts: Counter[str] = field(default_factory=Counter)
    words: list[str] = field(default_factory=list)
    most_words: int = 20

    def add(self, kind: str, text: str, times: int = 1) -> None:
        self.counts[kind] += times
        if kind in VIOLATIONS and len(self.words) < self.most_words:
            self.words.append(f"{kind}: {text}")

    @property
    def clean(self) -> bool:
        return not any(self.counts[kind] for kind in VIOLATIONS)

    def verdict(self) -> str:
        counted = ", ".join(f"{self.counts[kind]} {kind}" for kind in VIOLATIONS)
        return f"{'all good' if self.clean else 'NOT GOOD'}: {counted}"


class Track:
    """What one seat was told of its room, step by step."""

    def __init__(self, room: int, seat: int, findings: Findings) -> None:
        self.room = room
        self.seat = seat
        self.epoch = 0
        self.offset = 0
        self.broken = False
        """A step did not come in its place; only a view puts that right."""
        self._findings = findings
        self._missing: set[int] = set()
        self._first = 0
        self._digests = array("I")
        self._acked_ids = array("q")
        self._acked_offsets = array("q")

    def view(self, epoch: int, offset: int, reason: str = "") -> None:
        """A whole view came: what follows begins after it."""
        if reason == "rewound":
            self._findings.add("rewound", f"{self} went back from step {self.offset} to {offset}")
        elif reason:
            self._findings.add("resyncs", f"{self} got a view at step {offset}: {reason}")
        self.broken = False
        self.epoch, self.offset = epoch, offset
        self._first = offset + 1
        self._missing.clear()
        self._digests = array("I")

    def update(self, epoch: int, offset: int, events: msgspec.Raw) -> bool:
        """A step was told. True if it is the next one; the player shall ignore any other."""
        if offset == self.offset + 1 and not self.broken:
            self.epoch, self.offset = epoch, offset
            self._digests.append(digest(epoch, events))
            return True
        self.broken = True
        self._out_of_step(epoch, offset)
        return False

    def _out_of_step(self, epoch: int, offset: int) -> None:
        if offset == self.offset + 1:
            self.epoch, self.offset = epoch, offset
        elif offset > self.offset:
            missing = range(self.offset + 1, offset)
            self._findings.add("holes", f"{self} got step {offset} after {self.offset}", len(missing))
            self._missing.update(missing)
            self.epoch, self.offset = epoch, offset
        elif offset in self._missing:
            self._missing.discard(offset)
            self._findings.counts["holes"] -= 1
            self._findings.add("disorder", f"{self} got step {offset} only after {self.offset}")
        else:
            self._findings.add("repeats", f"{self} got step {offset} again after {self.offset}")

    def acked(self, command: int, offset: int) -> None:
        if self._acked_ids and self._acked_ids[-1] == command:
            if self._acked_offsets[-1] != offset:
                text = f"{self}: move {command} was acknowledged for steps {self._acked_offsets[-1]} and {offset}"
                self._findings.add("doubled", text)
            return
        self._acked_ids.append(command)
        self._acked_offsets.append(offset)

    @property
    def acknowledged(self) -> int:
        return len(self._acked_ids)

    @property
    def top(self) -> int:
        """The latest step that the record must hold."""
        return max(self.offset, max(self._acked_offsets, default=0))

    def compare(self, record: RoomRecord) -> None:
        """Hold what was told and acknowledged against the record as this seat may read it."""
        steps = {step.offset: step for step in record.updates}
        for offset, mine in enumerate(self._digests, self._first):
            step = steps.get(offset)
            if step is not None and digest(step.epoch, step.events) != mine:
                self._findings.add("differing", f"{self} was told something else in step {offset} than the record says")
        begin = min(steps, default=0) if record.trimmed else 0
        places = _places(record.updates)
        for command, offset in zip(self._acked_ids, self._acked_offsets, strict=True):
            if offset < begin:
                self._findings.add("unchecked", "")
            else:
                self._check_move(command, offset, places.get((self.seat, command), []))

    def _check_move(self, command: int, offset: int, places: list[int]) -> None:
        if not places:
            self._findings.add("lost", f"{self}: move {command}, acknowledged as step {offset}, is not in the record")
        elif len(places) == 1 and places != [offset]:
            text = f"{self}: move {command}, acknowledged as step {offset}, is step {places[0]} in the record"
            self._findings.add("misplaced", text)

    def __str__(self) -> str:
        return f"room {self.room} seat {self.seat}"


def _places(steps: Iterable[Recorded]) -> dict[tuple[int, int], list[int]]:
    """Where each command of each seat stands in the record."""
    places: dict[tuple[int, int], list[int]] = {}
    for step in steps:
        if step.by is not None and step.id is not None:
            places.setdefault((step.by, step.id), []).append(step.offset)
    return places


def check_record(room: int, record: RoomRecord, seats: Collection[int], findings: Findings) -> None:
    """What must hold for a record by itself: consecutive steps, no command of these seats twice. (A seat that was
    taken back by name has another session, whose ids may be those of the former one.)"""
    for before, after in zip(record.updates, record.updates[1:], strict=False):
        if after.offset != before.offset + 1:
            findings.add("holes", f"the record of room {room} has step {after.offset} after {before.offset}")
    for (seat, command), offsets in _places(record.updates).items():
        if len(offsets) > 1 and seat in seats:
            findings.add("doubled", f"room {room} seat {seat}: command {command} became steps {offsets}")


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two JSON-like values differ, and how."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{path}.{key}" if path else str(key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{path}[{number}]")
    elif one != other:
        yield f"{path or 'it'} is {one} to one, {other} to another"
