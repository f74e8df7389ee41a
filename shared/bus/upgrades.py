"""Upgrades of the store's format: which format is written now, and which processes cannot read the next one."""

from dataclasses import dataclass

import msgspec

from shared.bus import meta
from shared.bus.registry import GATEWAYS, WORKERS
from shared.bus.store import Store


class _Status(msgspec.Struct, frozen=True):
    """The part of a process's status that names the newest format that it reads. The first release that can be upgraded
    while it runs does not name it."""

    format: int = meta.LAST_FORMAT


_decode = msgspec.json.Decoder(_Status).decode


@dataclass(frozen=True, slots=True)
class UpgradeState:
    stored: int
    """The format that is written now."""
    older: tuple[str, ...]
    """Live processes that cannot read the newest format."""

    @property
    def finished(self) -> bool:
        return self.stored == meta.FORMAT


async def read(store: Store) -> UpgradeState:
    statuses = await GATEWAYS.live_status(store) | await WORKERS.live_status(store)
    older = [process for process, body in statuses.items() if _decode(body).format < meta.FORMAT]
    return UpgradeState(await meta.stored_format(store), tuple(sorted(older)))
