"""The game versions that workers can play, as they announce them with their status in the registry."""

from collections.abc import Collection

import msgspec

from shared.bus.registry import WORKERS
from shared.bus.store import Store
from shared.ids import GameVersion, WorkerId


class _Status(msgspec.Struct, frozen=True):
    """The part of a worker's status that names its game versions."""

    plays: frozenset[GameVersion] | None = None


_decode = msgspec.json.Decoder(_Status).decode


async def of_workers(store: Store, workers: Collection[str]) -> dict[WorkerId, frozenset[GameVersion]]:
    """The game versions that each of these workers can play. A worker that does not announce it is left out."""
    statuses = await WORKERS.status(store)
    decoded = {WorkerId(worker): _decode(body).plays for worker, body in statuses.items() if worker in workers}
    return {worker: plays for worker, plays in decoded.items() if plays is not None}
