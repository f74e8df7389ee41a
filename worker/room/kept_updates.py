"""The size of a room's updates in the store, and how far they have to be trimmed."""

from functools import cache

import msgspec

from shared.ids import Offset

_SLICES = 16
_MOST_SLICE_BYTES = 64 * 1024


@cache  # one object for all rooms
def slice_bytes(limit: int) -> int:
    """The size of a slice, if a room may keep this many bytes of updates. When a slice is full, the room's history is
    written, so that no portion of it is much larger."""
    return min(limit // _SLICES, _MOST_SLICE_BYTES)


class KeptUpdates(msgspec.Struct, omit_defaults=True):
    """Counts the bytes of the updates, in slices of a sixteenth of the limit or less: a size for each step would cost
    more memory than it saves. Part of the room's state, so that a new owner goes on counting."""

    full: list[tuple[Offset, int]] = []
    """The first step and the size of each full slice, oldest first."""
    begin: Offset = Offset(1)
    """The first step of the present slice."""
    size: int = 0
    """The bytes of the present slice. The room adds the size of each step to it."""

    def end_slice(self, last: Offset, limit: int) -> Offset:
        """The present slice is full with this step. Returns the first step to keep if earlier ones have to go, else
        0."""
        self.full.append((self.begin, self.size))
        self.begin, self.size = Offset(last + 1), 0
        total = sum(size for _, size in self.full)
        trim = Offset(0)
        while total > limit and len(self.full) > 1:
            total -= self.full.pop(0)[1]
            trim = self.full[0][0]
        return trim
