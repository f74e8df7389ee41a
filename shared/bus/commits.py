"""Committing batches: journal, updates, offset and messages of each partition in one fenced script."""

import logging
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from shared.bus.keys import JOURNAL, UPDATES, Keys
from shared.bus.leases import Lease
from shared.bus.scripts import script
from shared.bus.store import Argument, RedisCommand, Store, StoreRefused

log = logging.getLogger("tavolata.commits")

Publication: TypeAlias = tuple[str, bytes]
"""A channel, and items of the JSON array that is published there; those of all partitions travel together."""

_MOST_WRITES = 1_000
"""In one call of the script: nobody else is served meanwhile."""


class Commit(msgspec.Struct, frozen=True):
    """What one partition wants to have written, and where its stream stands before and after."""

    partition: Keys
    tenure: Lease
    before: str
    after: str
    writes: Sequence[RedisCommand]
    messages: Sequence[Publication] = ()
    entries: Sequence[bytes] = ()
    """What is appended to streams, before the other writes, except for those that `NEXT` stands for among them."""


def committing(commits: Sequence[Commit], *, publish: bool = True) -> RedisCommand:
    """The command that commits them all, each for itself."""
    words: list[Argument] = [JOURNAL, UPDATES]
    for one in commits:
        writes: list[Argument] = []
        for write in one.writes:
            writes += (len(write), *write)
        messages = [word for message in one.messages for word in message] if publish else []
        words += (one.tenure.token, one.before, one.after, one.partition.rooms, b"".join(one.entries))
        words += (len(writes), len(messages))
        words += writes
        words += messages
    return script("commit", [one.partition.owner for one in commits], words)


async def commit(store: Store, commits: Sequence[Commit], replicas: int = 0) -> list[str]:
    """Commit partitions, each for itself: OK, DONE, FENCED, or what the store said against it.

    With `replicas`, messages are published only once so many replicas have the writes."""
    calls = list(_calls(commits))
    replies = await store.pipe([committing(some, publish=not replicas) for some in calls], errors=True)
    outcomes: list[str] = []
    for some, reply in zip(calls, replies, strict=True):
        refused = isinstance(reply, StoreRefused)
        outcomes += [str(reply)] * len(some) if refused else [outcome.decode() for outcome in reply]
    if replicas:
        await _publish_once_safe(
            store, replicas, [one for one, was in zip(commits, outcomes, strict=True) if was == "OK"]
        )
    return outcomes


def _calls(commits: Sequence[Commit]) -> Iterator[Sequence[Commit]]:
    """In portions that do not keep the store busy for long."""
    begin = writes = 0
    for at, one in enumerate(commits):
        count = len(one.entries) * 2 + len(one.writes)
        if writes and writes + count > _MOST_WRITES:
            yield commits[begin:at]
            begin, writes = at, 0
        writes += count
    if commits:
        yield commits[begin:]


async def _publish_once_safe(store: Store, replicas: int, commits: Sequence[Commit]) -> None:
    said: dict[str, list[bytes]] = {}
    for channel, items in (message for one in commits for message in one.messages):
        said.setdefault(channel, []).append(items)
    if not said:
        return
    while (known := await store.call("WAIT", replicas, 1_000)) < replicas:
        log.warning("moves wait for replicas: %d of %d have them", known, replicas)
    await store.pipe([("PUBLISH", channel, b"[" + b",".join(items) + b"]") for channel, items in said.items()])
