"""Entries of streams: one field each, whose value is JSON."""

import msgspec

from shared.ids import Offset, RoomId

FIELD = "b"
NEXT = b"\n"
"""Among entries: here comes the next of the commit's other writes."""
_LINES = 4


def entry(room: RoomId, offset: Offset, number: int, record: bytes, told: bytes = b"") -> bytes:
    """For `commits.commit` to append: a record to the room's journal and, if there is something to tell, that to its
    updates. Room, id, record and told, a line each: JSON has no line breaks in its words, and those between them mean
    nothing."""
    lines = b"%d\n%d-%d\n%b\n%b\n" % (room, offset, number, record, told)
    if lines.count(b"\n") == _LINES:
        return lines
    return entry(room, offset, number, _on_one_line(record), _on_one_line(told))


def _on_one_line(body: bytes) -> bytes:
    return msgspec.json.format(body, indent=-1) if body else body
