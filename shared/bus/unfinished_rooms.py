"""The number of unfinished rooms of each game version in a partition. An owner should be able to play all of them."""

from collections.abc import Mapping, Sequence

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand
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
