"""Partitions, workers and steps for the tests of the bus."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from shared.bus import keys, leases, updates
from shared.bus.address import Address
from shared.bus.client import StoreClient
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.scripts import LOADING
from shared.bus.store import Store
from shared.commands import Act, Envelope
from shared.deliveries import StepMessage
from shared.ids import (
    CommandId,
    Epoch,
    GatewayId,
    Offset,
    Partition,
    RoomId,
    Seat,
    SessionId,
    WorkerId,
)

P, Q = Keys(Partition(1), 4), Keys(Partition(2), 4)
ROOM = RoomId(1001)
ANN, BOB = WorkerId("w-ann"), WorkerId("w-bob")
LONG_MS = 60_000


@contextmanager
def own_prefix() -> Iterator[None]:
    """Within the context, all keys have a prefix that no other test has: servers are shared and never emptied."""
    _use_prefix(f"t-{secrets.token_hex(6)}:")
    yield
    _use_prefix("")


def _use_prefix(prefix: str) -> None:
    keys.use_prefix(prefix)
    for known in (P, Q):
        fresh = Keys(known.partition, 4)
        for name in Keys.__slots__:
            setattr(known, name, getattr(fresh, name))


async def linked(url: str) -> StoreClient:
    link = StoreClient(Address.parse(url), greeting=LOADING)
    await link.start()
    return link


async def take(store: Store, worker: WorkerId, lease_ms: int = LONG_MS, partition: Keys = P) -> Lease | None:
    (lease,) = await leases.take(store, [partition], worker, lease_ms)
    return lease


async def taken(store: Store, worker: WorkerId = ANN, lease_ms: int = LONG_MS) -> Lease:
    lease = await take(store, worker, lease_ms)
    assert lease is not None
    return lease


async def taken_in_time(store: Store, worker: WorkerId) -> Lease:
    """Take the partition as soon as the lease before it has ended."""
    while (lease := await take(store, worker)) is None:
        pass
    return lease


def envelope(number: int) -> Envelope:
    return Envelope(ROOM, SessionId("s-1"), CommandId(number), Act(msgspec.Raw(b'{"n":1}')), GatewayId("g-1"), 3)


def step_at(offset: int, epoch: int = 7, **parts: msgspec.Raw) -> StepMessage:
    public = msgspec.Raw(b'{"public":%d}' % offset)
    return StepMessage(ROOM, Epoch(epoch), Offset(offset), public, {Seat(1): parts["seat"]} if "seat" in parts else {})


async def write_steps(store: Store, *steps: StepMessage) -> None:
    """Write steps to the updates of the room, as one portion."""
    await store.pipe(updates.writing(P, ROOM, [msgspec.json.encode(step) for step in steps], 10_000))
