"""A connection to the store of a cluster, for commands that read it once."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from deploy.errors import CommandError
from deploy.launcher import cluster_file
from shared.bus import keys
from shared.bus.address import Address, BadUrl
from shared.bus.connection import StoreClient
from shared.bus.meta import IncompatibleStore
from shared.bus.scripts import LOADING
from shared.bus.store import Store, StoreError
from shared.runtime.settings import PREFIX, StoreSettings, from_env

T = TypeVar("T")


def with_store(redis: str | None, data: Path, work: Callable[[Store, StoreSettings], Awaitable[T]]) -> T:
    """Run work with a connection to the store: the one at `redis`, the configured one (TAVOLATA_REDIS_URL), or that of
    the cluster that runs in the data folder. Raises `CommandError`."""
    url = redis or os.environ.get(f"{PREFIX}REDIS_URL") or cluster_file.running_cluster(data).redis_url
    settings = from_env(StoreSettings, os.environ, redis_url=url)
    keys.use_prefix(settings.key_prefix)
    return asyncio.run(_run(settings, work))


async def _run(settings: StoreSettings, work: Callable[[Store, StoreSettings], Awaitable[T]]) -> T:
    try:
        store = StoreClient(Address.named_in(settings), greeting=LOADING)
        await store.start()
        try:
            return await work(store, settings)
        finally:
            await store.stop()
    except (BadUrl, IncompatibleStore, StoreError) as error:
        raise CommandError(str(error)) from None
