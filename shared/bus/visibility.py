"""Visible commits: with durability `replicated`, nothing is shown before enough replicas have it.

The owner of a partition waits for replicas after each commit and then notes the number of the commit as visible
(`lua/reveal.lua`). Other readers of the store see commits at once; they must not show what is behind the visible one.
The number is read after the data and from the same server: a server that has taken over meanwhile may have given the
same number to another commit.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import takewhile

from shared.bus import updates
from shared.bus.keys import Keys
from shared.bus.scripts import script
from shared.bus.store import Publication, RedisCommand, Store, StoreDown
from shared.bus.updates import Missed, Wanted

_PAUSE_S = 0.02


def revealing(partition: Keys, token: str, number: int, messages: Sequence[Publication] = ()) -> RedisCommand:
    """The command that makes one partition's commits visible up to a number, and publishes messages."""
    return revealing_all([(partition, token, number, messages)])


def revealing_all(commits: Sequence[tuple[Keys, str, int, Sequence[Publication]]]) -> RedisCommand:
    """The same for several partitions of one server."""
    words: list[str | bytes | int] = []
    for _, token, number, messages in commits:
        words += (token, number, 2 * len(messages), *(word for message in messages for word in message))
    return script("reveal", [partition.owner for partition, *_ in commits], words)


async def missed(store: Store, wanted: Sequence[Wanted], most: int) -> list[Missed]:
    """Like `updates.missed`, without the steps that are not visible yet: the owner publishes them when they are."""
    partitions = list({one.partition: None for one in wanted})
    while True:
        servers = [store.server_of(partition.owner) for partition in partitions]
        found = await updates.missed(store, wanted, most)
        numbers = await _numbers(store, partitions)
        if servers == [store.server_of(partition.owner) for partition in partitions]:
            break
    visible = {partition: number for partition, (_, number) in zip(partitions, numbers, strict=True)}
    return [_cut(one, visible[place.partition]) for place, one in zip(wanted, found, strict=True)]


def _cut(missed: Missed, visible: int) -> Missed:
    steps = tuple(takewhile(lambda step: step.commit <= visible, missed.steps))
    return missed if len(steps) == len(missed.steps) else replace(missed, steps=steps, more=False)


@asynccontextmanager
async def visible_reads(store: Store, partitions: Sequence[Keys]) -> AsyncIterator[None]:
    """Read inside, and go on when everything that was read is visible. Raises `StoreDown` if another server has taken
    over meanwhile: what was read may never have been visible."""
    servers = [store.server_of(partition.owner) for partition in partitions]
    yield
    committed = [last for last, _ in await _numbers(store, partitions)]
    while True:
        numbers = await _numbers(store, partitions)
        if servers != [store.server_of(partition.owner) for partition in partitions]:
            raise StoreDown("another server of the store has taken over during the reading")
        if all(visible >= last for last, (_, visible) in zip(committed, numbers, strict=True)):
            return
        await asyncio.sleep(_PAUSE_S)


async def _numbers(store: Store, partitions: Sequence[Keys]) -> list[tuple[int, int]]:
    """The numbers of the last commit and of the last visible one."""
    replies = await store.pipe([("HMGET", partition.owner, "commit", "visible") for partition in partitions])
    return [(int(commit or 0), int(visible or 0)) for commit, visible in replies]
