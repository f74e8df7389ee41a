"""What the rest of the bus needs of a connection to Redis, and how that can fail.

A write is never tried again behind the caller's back: it either was not sent (`StoreDown`), or may have happened
(`OutcomeUnknown`), and only the caller knows what a repetition would mean.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

Argument: TypeAlias = str | bytes | int
RedisCommand: TypeAlias = tuple[Argument, ...]
Publication: TypeAlias = tuple[str, bytes]
"""A channel, and items of the JSON array that is published there; the items of all partitions travel together."""
OnMessage: TypeAlias = Callable[[str, bytes], None]
"""Takes a channel and what was said on it."""


class StoreError(Exception):
    """The store did not do what it was asked for."""


class StoreDown(StoreError):
    """There is no connection; nothing was sent."""


class OutcomeUnknown(StoreError):
    """The connection was lost before the answer came; the command may have been carried out."""


class StoreRefused(StoreError):
    """The store answered with an error."""


class Store(Protocol):
    """A connection that several callers share: what they ask in one tick of the loop travels together."""

    async def call(self, *command: Argument) -> Any:
        """One command; raises `StoreError`."""

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        """Several commands in one go, in order; their answers. An error answer raises after all have come, or with
        `errors` stands among them as a `StoreRefused`."""

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        """Several commands whose answers nobody waits for, because the caller will notice if they had no effect."""
