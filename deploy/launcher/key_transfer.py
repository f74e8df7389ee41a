"""Copies all keys of one server to another store, with the times at which they expire."""

from collections.abc import Iterator
from typing import Any

from redis import RedisError

from deploy.errors import CommandError
from deploy.launcher.primaries import StoreAccess

_KEYS_AT_ONCE = 200


def require_empty(store: StoreAccess) -> None:
    """Raise `CommandError` if the store has any key."""
    for server in store.primaries():
        try:
            with store.client_of(server) as client:
                found = client.dbsize()
        except (RedisError, OSError) as error:
            raise CommandError(f"the store at {server} does not answer: {error}") from None
        if found:
            raise CommandError(
                f"the store at {server} has {found} keys: stop all gateways and workers, and use an empty store"
            )


def copy_all(source: Any, target: StoreAccess) -> int:
    """Copy all keys; returns their number. Raises `CommandError`."""
    try:
        with target.writer() as client:
            return copy_to(client, source)
    except (RedisError, OSError) as error:
        raise CommandError(f"the store at {target.address} does not take the data: {error}") from None


def copy_to(target: Any, source: Any) -> int:
    """Copy all keys from one client's server to another's; returns their number."""
    return sum(_copy(source, target, keys) for keys in _portions(source))


def _portions(source: Any) -> Iterator[list[bytes]]:
    cursor = 0
    while True:
        cursor, keys = source.scan(cursor, count=_KEYS_AT_ONCE)
        yield list(dict.fromkeys(keys))
        if not cursor:
            return


def _copy(source: Any, target: Any, keys: list[bytes]) -> int:
    """Copy some keys. A key that has expired meanwhile is left out."""
    reads = source.pipeline(transaction=False)
    for key in keys:
        reads.dump(key)
        reads.pexpiretime(key)
    found = reads.execute()
    writes = target.pipeline(transaction=False)
    for key, value, expires_ms in zip(keys, found[::2], found[1::2], strict=True):
        if value is not None:
            writes.restore(key, max(0, expires_ms), value, absttl=True)
    return len(writes.execute())
