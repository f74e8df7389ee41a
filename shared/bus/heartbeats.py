"""Heartbeats from workers to gateways: the number of the last delivery, repeated so that a loss is noticed."""

from collections.abc import Mapping

import msgspec

from shared.bus import keys
from shared.bus.store import Store
from shared.deliveries import Heartbeat
from shared.ids import GatewayId

_encode = msgspec.json.Encoder().encode


async def send(store: Store, beats: Mapping[GatewayId, Heartbeat]) -> None:
    """Publish one heartbeat to each gateway."""
    if beats:
        await store.pipe([("PUBLISH", keys.control(gateway), _encode(beat)) for gateway, beat in sorted(beats.items())])
