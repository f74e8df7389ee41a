"""Times during which rooms of a partition were not played: because the partition had no owner, or because its owner
could not play a game version.

A hash of the partition keeps them. A room makes up for them when it is next loaded (docs/decisions/0019): waking every
room that rests after each outage would take longer, the more rooms there are.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand
from shared.ids import GameVersion

_KEPT_MS = 60 * 24 * 3_600_000
"""No deadline lies further ahead than 30 days: a room that was not loaded for longer has none to move."""
_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Outage:
    """A time during which a partition, or the rooms of one game version in it, were not played."""

    begin_ms: int
    end_ms: int
    """0: it goes on."""
    game: GameVersion = GameVersion("")
    """Empty: all rooms."""

    @property
    def field(self) -> str:
        """The beginning is part of the field. If an owner dies right after it has noted an outage, the next one notes
        the same outage with a later end."""
        return f"{self.begin_ms}:{self.game}" if self.game else str(self.begin_ms)


def noting(partition: Keys, outages: Iterable[Outage]) -> list[RedisCommand]:
    """The commands that note outages."""
    return [("HSET", partition.outages, outage.field, outage.end_ms) for outage in outages]


def forgetting(partition: Keys, outages: Collection[Outage], now_ms: int) -> list[RedisCommand]:
    """The command that removes outages that no room can need any more."""
    ended = sorted((outage.end_ms, outage.field) for outage in outages if outage.end_ms)
    old = [field for end_ms, field in ended if end_ms < now_ms - _KEPT_MS]
    excess = [field for _, field in ended[len(old) : max(len(old), len(ended) - _MOST)]]
    return [("HDEL", partition.outages, *old, *excess)] if old or excess else []


def reading(partition: Keys) -> RedisCommand:
    """The command that reads the outages; `parse` takes its reply."""
    return ("HGETALL", partition.outages)


def parse(reply: Sequence[bytes]) -> list[Outage]:
    return [_outage(reply[at].decode(), int(reply[at + 1])) for at in range(0, len(reply), 2)]


def _outage(field: str, end_ms: int) -> Outage:
    begin, _, game = field.partition(":")
    return Outage(int(begin), end_ms, GameVersion(game))


def lost_ms(outages: Iterable[Outage], game: GameVersion, since_ms: int) -> int:
    """The time after `since_ms` during which rooms of a game version were not played. Outages may overlap."""
    lost = 0
    for outage in sorted(outages, key=lambda one: one.begin_ms):
        if outage.game in ("", game) and outage.end_ms > since_ms:
            lost += outage.end_ms - max(outage.begin_ms, since_ms)
            since_ms = outage.end_ms
    return lost
