"""The audit of a partition: a bounded stream of the acts of operators, written by the commits that journal them."""

from collections.abc import Sequence
from operator import attrgetter

import msgspec

from shared.acts import AuditEntry
from shared.bus.keys import FIELD, Keys
from shared.bus.store import RedisCommand, Store

MOST_KEPT = 1_000
"""Acts kept per partition. Journals keep the acts of a room for as long as the room is in the store."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(AuditEntry).decode


class AuditedAct(msgspec.Struct, frozen=True):
    """An entry with its id in the audit, which rises with the time of the store."""

    id: str
    entry: AuditEntry

    @property
    def order(self) -> tuple[int, int]:
        ms, _, number = self.id.partition("-")
        return int(ms), int(number)


class AuditPage(msgspec.Struct, frozen=True):
    """The latest acts before an id, latest first."""

    acts: tuple[AuditedAct, ...]
    more: bool
    """Whether there are earlier ones."""


def adding(partition: Keys, entry: AuditEntry) -> RedisCommand:
    """The command that adds an act and drops the oldest one beyond the limit."""
    return ("XADD", partition.audit, "MAXLEN", MOST_KEPT, "*", FIELD, _encode(entry))


async def read(store: Store, partitions: Sequence[Keys], most: int, before: str = "") -> AuditPage:
    """The latest acts of all partitions before an id. There may be more than `most`: acts of different partitions that
    share an id are never separated, so that the id of the last one leads to the next page."""
    end = f"({before}" if before else "+"
    replies = await store.pipe([("XREVRANGE", one.audit, end, "-", "COUNT", most + 1) for one in partitions])
    found = [AuditedAct(name.decode(), _decode(fields[1])) for reply in replies for name, fields in reply]
    found.sort(key=attrgetter("order"), reverse=True)
    last = found[most - 1].id if len(found) > most else ""
    shown = tuple(one for at, one in enumerate(found) if at < most or one.id == last)
    return AuditPage(shown, len(found) > len(shown))
