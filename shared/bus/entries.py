"""Entries of streams: one field each, whose value is JSON."""

import msgspec

from shared.ids import Offset

FIELD = "b"
NEXT = b"\n"
"""Among entries: here comes the next of the commit's other writes."""
_BREAK = ord("\n")


def entry(stream: str, offset: Offset, number: int, body: bytes) -> bytes:
    """An entry for `commits.commit` to append: stream, id and body, a line each. JSON has no line breaks in its words,
    and those between them mean nothing."""
    if _BREAK in body:
        body = msgspec.json.format(body, indent=-1)
    return b"%b\n%d-%d\n%b\n" % (stream.encode(), offset, number, body)
