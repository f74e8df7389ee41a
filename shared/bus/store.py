"""The contract of a connection to the store, and the ways in which a call can fail.

A connection never repeats a write by itself: the write either was not sent (`StoreDown`), or may have happened
(`OutcomeUnknown`), and whether repeating it is safe depends on the caller.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

Argument: TypeAlias = str | bytes | int
RedisCommand: TypeAlias = tuple[Argument, ...]
Publication: TypeAlias = tuple[str, bytes]
"""A channel, and items of the JSON array that is published there; the items of all partitions travel together."""
OnMessage: TypeAlias = Callable[[str, bytes], None]
"""Takes a channel and a message that was published there."""


class StoreError(Exception):
    """Base of all failures of a call to the store."""


class StoreDown(StoreError):
    """There is no connection; nothing was sent."""


class OutcomeUnknown(StoreError):
    """The connection was lost before the reply arrived; the command may have been carried out."""


class StoreRefused(StoreError):
    """The store replied with an error; `shared.bus.refusals` lists those that mean that nothing was done."""


class NotReplicated(StoreError):
    """The command was carried out, but too few replicas have confirmed it: a failover may undo it."""


class Store(Protocol):
    """A connection that several callers share: their commands of one tick of the loop travel together."""

    sharded: bool
    """Whether partitions may be at different servers, so that no command may have keys of two of them."""

    async def call(self, *command: Argument) -> Any:
        """Run one command; raises `StoreError`."""

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        """Run several commands in one round trip, in order; their replies. An error reply raises after all have
        arrived, or with `errors` stands among the replies as a `StoreRefused`. Commands for different servers of a
        Cluster are run independently of each other: with `errors`, a server that is unreachable fails its own commands
        alone."""

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        """Send several commands without waiting for replies; the caller notices by other means if they fail."""

    async def pipe_replicated(self, commands: Sequence[RedisCommand], replicas: int, wait_ms: int) -> list[Any]:
        """Run commands like `pipe` with `errors`, and wait for replicas. A command whose writes are not known to be on
        that many replicas in time has a `NotReplicated` in place of its reply.

        WAIT counts the replicas that have the writes of its own connection: on another one it would count them all. So
        commands and waiting are sent together, on one connection. It serves nothing else meanwhile; use it for
        commits and for taking partitions, and another one for the renewal of leases."""

    async def each(self, *command: Argument) -> dict[str, Any]:
        """Run one command on every server that takes writes; the replies by address. Raises `StoreError`."""

    def server_of(self, key: str) -> str:
        """The server that serves a key now: another text means that it may lack writes which were confirmed before.
        The first word is its address. Empty if no server is connected."""
