"""The checker: compares what a seat received of its room with the room's record. No IO.

A seat must receive every step once and in order. Every acknowledged move must be in the record once, at the offset that
the acknowledgement named. Every update that the seat received must equal the one in the record.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from zlib import crc32

import msgspec

_VIOLATIONS = {
    "holes": "a seat did not receive a step",
    "repeats": "a seat received a step twice",
    "disorder": "a seat received a step after a later one",
    "lost": "an acknowledged move is not in the record",
    "doubled": "a move is in the record twice",
    "misplaced": "a move is in the record at another step than the one that was acknowledged",
    "differing": "a seat received another step, position or result than the record or another seat has",
    "faults": "the server sent an error or an illegal message, or did not recover from a fault",
    "unfinished": "a table made no move for a long time",
    "rewound": "an acknowledged move was undone, because the store came back without its last writes, and said so",
}
_REMARKS = {
    "resyncs": "a client continued from a whole view, with a reason that the protocol names",
    "rewinds": "a client continued from a view of a store that came back without its last writes",
    "resends": "a request was sent again with the same id after a lost connection",
    "unchecked": "a move that the room no longer keeps",
}
VIOLATIONS = tuple(_VIOLATIONS)
"""Kinds of findings that must not occur."""
REMARKS = tuple(_REMARKS)
"""Kinds of findings that may occur and are reported."""
MEANINGS = {**_VIOLATIONS, **_REMARKS}


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
    """Counts of all findings, and the texts of the first violations of each kind."""

    counts: Counter[str] = field(default_factory=Counter)
    texts: list[str] = field(default_factory=list)
    most_texts: int = 10
    """Texts of one kind: a frequent kind must not hide a rare one."""
    allow_rewound: bool = False
    """Moves that were undone are no violation: the store was expected to lose its last writes."""
    _texts_of: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, text: str, times: int = 1) -> None:
        self.counts[kind] += times
        if self._is_violation(kind) and self._texts_of[kind] < self.most_texts:
            self._texts_of[kind] += 1
            self.texts.append(f"{kind}: {text}")

    def _is_violation(self, kind: str) -> bool:
        return kind in VIOLATIONS and not (self.allow_rewound and kind == "rewound")

    @property
    def clean(self) -> bool:
        return not any(count for kind, count in self.counts.items() if self._is_violation(kind))

    def verdict(self) -> str:
        counted = ", ".join(f"{self.counts[kind]} {kind}" for kind in VIOLATIONS)
        return f"{'all good' if self.clean else 'NOT GOOD'}: {counted}"


class Track:
    """The steps and acknowledgements that one seat has received. Keeps digests only: runs have millions of steps."""

    def __init__(self, room: int, seat: int, findings: Findings) -> None:
        self.room = room
        self.seat = seat
        self.epoch = 0
        self.offset = 0
        self.broken = False
        """A step was missing or out of order. The next whole view ends that."""
        self.undone = False
        """The store has lost the room itself: there is no record to compare with."""
        self._findings = findings
        self._missing: set[int] = set()
        self._first = 0
        self._digests = array("I")
        self._acked_ids = array("q")
        self._acked_offsets = array("q")
        self._rewinds: list[int] = []
        """For each rewind, the number of acknowledgements before it."""

    def view(self, epoch: int, offset: int, reason: str = "") -> None:
        """A whole view was received: the next step is the one after it."""
        if reason == "rewound":
            self._rewinds.append(len(self._acked_ids))
            self._findings.add("rewinds", f"{self} went back from step {self.offset} to {offset}")
        elif reason:
            self._findings.add("resyncs", f"{self} got a view at step {offset}: {reason}")
        self.broken = False
        self.epoch, self.offset = epoch, offset
        self._first = offset + 1
        self._missing.clear()
        self._digests = array("I")

    def update(self, epoch: int, offset: int, events: msgspec.Raw) -> bool:
        """A step was received. True if it is the next one; the client must ignore any other."""
        if offset == self.offset + 1 and not self.broken:
            self.epoch, self.offset = epoch, offset
            self._digests.append(digest(epoch, events))
            return True
        self.broken = True
        self._out_of_order(epoch, offset)
        return False

    def _out_of_order(self, epoch: int, offset: int) -> None:
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
            if self._rewinds and self._rewinds[-1] == len(self._acked_ids):
                # The client has sent an undone move again, with its id.
                self._acked_offsets[-1] = offset
                before = len(self._acked_ids) - 1
                self._rewinds = [min(count, before) for count in self._rewinds]
            elif self._acked_offsets[-1] != offset:
                text = f"{self}: move {command} was acknowledged for steps {self._acked_offsets[-1]} and {offset}"
                self._findings.add("doubled", text)
            return
        self._acked_ids.append(command)
        self._acked_offsets.append(offset)

    @property
    def acknowledged(self) -> int:
        return len(self._acked_ids)

    @property
    def last(self) -> int:
        """The last step that the record must contain."""
        since = self._acked_offsets[self._rewinds[-1] :] if self._rewinds else self._acked_offsets
        return max(self.offset, max(since, default=0))

    def count_undone(self) -> None:
        """Count everything that was acknowledged in a room which the store has lost."""
        text = f"{self}: the room is gone, with {self.acknowledged} acknowledged moves"
        self._findings.add("rewound", text, max(1, self.acknowledged))

    def compare(self, record: RoomRecord) -> None:
        """Compare the received steps and acknowledgements with the record as this seat may read it."""
        steps = {step.offset: step for step in record.updates}
        for offset, mine in enumerate(self._digests, self._first):
            step = steps.get(offset)
            if step is not None and digest(step.epoch, step.events) != mine:
                self._findings.add("differing", f"{self} received another step {offset} than the record has")
        begin = min(steps, default=0) if record.trimmed else 0
        offsets = _offsets(record.updates)
        bounds = (0, *self._rewinds, len(self._acked_ids))
        for first, end in pairwise(bounds):
            moves = list(zip(self._acked_ids[first:end], self._acked_offsets[first:end], strict=True))
            kept = {(command, offset) for command, offset in moves if offsets.get((self.seat, command)) == [offset]}
            undone_after = _last_kept(moves, kept) if end in self._rewinds else None
            for command, offset in moves:
                if offset < begin:
                    self._findings.add("unchecked", "")
                elif undone_after is not None and offset > undone_after and (command, offset) not in kept:
                    self._findings.add("rewound", f"{self}: move {command}, acknowledged as step {offset}, was undone")
                else:
                    self._check_move(command, offset, offsets.get((self.seat, command), []))

    def _check_move(self, command: int, offset: int, offsets: list[int]) -> None:
        if not offsets:
            self._findings.add("lost", f"{self}: move {command}, acknowledged as step {offset}, is not in the record")
        elif len(offsets) == 1 and offsets != [offset]:
            text = f"{self}: move {command}, acknowledged as step {offset}, is step {offsets[0]} in the record"
            self._findings.add("misplaced", text)

    def __str__(self) -> str:
        return f"room {self.room} seat {self.seat}"


def _last_kept(moves: Sequence[tuple[int, int]], kept: Collection[tuple[int, int]]) -> int:
    """The last step of the moves before a rewind that was not undone: a rewind undoes the last steps, so that no move
    before one that was kept can be among them. A move that was under way may be carried out after the rewind and
    acknowledged before the client hears of the rewind: its step is lower than one that was acknowledged before."""
    highest = last = 0
    for move in moves:
        if move[1] > highest:
            highest = move[1]
            last = highest if move in kept else last
    return last


def _offsets(steps: Iterable[Recorded]) -> dict[tuple[int, int], list[int]]:
    """The offsets of each command of each seat in the record."""
    offsets: dict[tuple[int, int], list[int]] = {}
    for step in steps:
        if step.by is not None and step.id is not None:
            offsets.setdefault((step.by, step.id), []).append(step.offset)
    return offsets


def check_record(room: int, record: RoomRecord, seats: Collection[int], findings: Findings) -> None:
    """Check a record by itself: consecutive steps, and no command of these seats twice.

    Other seats are left out: a player who took a seat back by name has a new session, which may use the same ids."""
    for before, after in zip(record.updates, record.updates[1:], strict=False):
        if after.offset != before.offset + 1:
            findings.add("holes", f"the record of room {room} has step {after.offset} after {before.offset}")
    for (seat, command), offsets in _offsets(record.updates).items():
        if len(offsets) > 1 and seat in seats:
            findings.add("doubled", f"room {room} seat {seat}: command {command} became steps {offsets}")


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The differences of two JSON-like values, each with its path."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{path}.{key}" if path else str(key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{path}[{number}]")
    elif one != other:
        yield f"{path or 'value'}: one has {one}, the other {other}"
