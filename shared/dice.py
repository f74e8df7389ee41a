"""Seeded random numbers: the same seed and labels always give the same draws, on every machine and version."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

_BITS = 64


class Dice:
    """A stream of draws, named by a seed and labels.

    A game keeps the seed in its state and makes `Dice(state.seed, "bag", state.round)` in `decide`: what it drew goes
    into the event, so that a replay needs no dice.
    """

    __slots__ = ("_count", "_key")

    def __init__(self, seed: int, *labels: int | str) -> None:
        text = "/".join([str(seed), *map(str, labels)])
        self._key = blake2b(text.encode(), digest_size=32).digest()
        self._count = 0

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1, each equally likely."""
        if limit <= 0:
            raise ValueError(f"no number is below {limit}")
        ceiling = (1 << _BITS) - (1 << _BITS) % limit
        while (number := self._next()) >= ceiling:
            pass
        return number % limit

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return tuple(mixed)

    def _next(self) -> int:
        self._count += 1
        digest = blake2b(self._count.to_bytes(8, "big"), key=self._key, digest_size=_BITS // 8).digest()
        return int.from_bytes(digest, "big")
