"""The number of unfinished rooms of each game version in a partition. An owner should be able to play all of them."""

from collections.abc import Mapping, Sequence

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.ids import GameVersion


def counting(partition: Keys, counts: Mapping[GameVersion, int], changed: set[GameVersion]) -> list[RedisCommand]:
    """The commands that store the changed numbers. They are stored as they are and not as differences, so that a write
    that the store refused is made up for by the next one."""
    return [
        ("HSET", partition.games, game, counts[game]) if game in counts else ("HDEL", partition.games, game)
        for game in changed
    ]


def reading(partition: Keys) -> RedisCommand:
    """The command that reads the numbers; `parse` takes its reply."""
    return ("HGETALL", partition.games)


def parse(reply: Sequence[bytes]) -> dict[GameVersion, int]:
    return {GameVersion(reply[at].decode()): int(reply[at + 1]) for at in range(0, len(reply), 2)}


async def counts(store: Store, partitions: Sequence[Keys]) -> list[dict[GameVersion, int]]:
    """The numbers of each partition."""
    return [parse(reply) for reply in await store.pipe([reading(partition) for partition in partitions])]


async def games(store: Store, partitions: Sequence[Keys]) -> list[frozenset[GameVersion]]:
    """The game versions of each partition's unfinished rooms."""
    return [frozenset(found) for found in await counts(store, partitions)]
