"""Seeded random numbers. The same seed and labels give the same draws on every machine and Python version."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

_BITS = 64


class Dice:
    """A stream of draws, identified by a seed and labels.

    A game keeps the seed in its state and creates `Dice(state.seed, "bag", state.round)` in `decide`. The event records
    the result, so that a replay needs no dice. Two streams with the same labels repeat each other: give each draw of a
    game labels of its own.
    """

    __slots__ = ("_count", "_key")

    def __init__(self, seed: int, *labels: int | str) -> None:
        text = "/".join([str(seed), *map(str, labels)])
        self._key = blake2b(text.encode(), digest_size=32).digest()
        self._count = 0

    def below(self, limit: int) -> int:
        """Draw a number from 0 to limit - 1, all equally likely."""
        if limit <= 0:
            raise ValueError(f"no number is below {limit}")
        # Numbers above the last multiple of `limit` are drawn again: they would make small results likelier.
        ceiling = (1 << _BITS) - (1 << _BITS) % limit
        while (number := self._next()) >= ceiling:
            pass
        return number % limit

    def choice(self, items: Sequence[T]) -> T:
        """Draw one of the items, all equally likely."""
        return items[self.below(len(items))]

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        """Return the items in a random order, all orders equally likely."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return tuple(mixed)

    def _next(self) -> int:
        self._count += 1
        digest = blake2b(self._count.to_bytes(8, "big"), key=self._key, digest_size=_BITS // 8).digest()
        return int.from_bytes(digest, "big")
