"""A connection to the store of a cluster, for commands that use it for a moment."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from deploy.errors import CommandError
from shared.bus.address import BadUrl
from shared.bus.store import Store, StoreError
from shared.bus.store_address import StoreAddress
from shared.bus.topology import topology_of

T = TypeVar("T")


def with_store(address: StoreAddress, work: Callable[[Store], Awaitable[T]]) -> T:
    """The result of the work. Raises `CommandError`."""
    try:
        return asyncio.run(_run(address, work))
    except (StoreError, BadUrl) as error:
        raise CommandError(str(error)) from None


async def _run(address: StoreAddress, work: Callable[[Store], Awaitable[T]]) -> T:
    topology = topology_of(address)
    store = topology.store()
    await topology.start()
    try:
        await store.start()
        return await work(store)
    finally:
        await store.stop()
        await topology.stop()
