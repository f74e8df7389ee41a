"""The registries of live workers and gateways."""

import pytest

from shared.bus.registry import GATEWAYS, WORKERS, Registry
from shared.bus.store import Store
from tests.support.bus import LONG_MS

REGISTRIES = (WORKERS, GATEWAYS)
registries = pytest.mark.parametrize("registry", REGISTRIES, ids=("workers", "gateways"))


@registries
async def test_a_beating_process_is_alive(store: Store, registry: Registry) -> None:
    members = await registry.heartbeat(store, "x", LONG_MS, b"{}", first=True)
    assert members.live == ["x"]


@registries
async def test_everybody_on_the_roll_is_told(store: Store, registry: Registry) -> None:
    await registry.heartbeat(store, "x", LONG_MS, b"{}", first=True)
    members = await registry.heartbeat(store, "y", LONG_MS, b"{}", first=True)
    assert members.live == ["x", "y"]


async def test_a_process_without_a_sign_of_life_expires(store: Store) -> None:
    await WORKERS.heartbeat(store, "x", 1, b"{}", first=True)
    expired: list[str] = []
    while not expired:
        expired = (await WORKERS.members(store)).expired
    assert expired == ["x"]


async def test_a_live_process_cannot_be_unregistered_as_expired(store: Store) -> None:
    await GATEWAYS.heartbeat(store, "x", LONG_MS, b"{}", first=True)
    assert not await GATEWAYS.unregister(store, "x", expired=True)


async def test_an_expired_process_can_be_unregistered(store: Store) -> None:
    await GATEWAYS.heartbeat(store, "x", 1, b"{}", first=True)
    while not await GATEWAYS.unregister(store, "x", expired=True):
        pass
    assert (await GATEWAYS.members(store)).ends == {}


async def test_a_process_that_stops_is_unregistered_at_once(store: Store) -> None:
    await WORKERS.heartbeat(store, "x", LONG_MS, b"{}", first=True)
    assert await WORKERS.unregister(store, "x")


async def test_striking_a_stranger_does_nothing(store: Store) -> None:
    assert await WORKERS.unregister(store, "nobody")


async def test_an_unregistered_process_learns_it_with_its_next_heartbeat(store: Store) -> None:
    await WORKERS.heartbeat(store, "x", LONG_MS, b"{}", first=True)
    await WORKERS.unregister(store, "x")
    assert (await WORKERS.heartbeat(store, "x", LONG_MS, b"{}", first=False)).lease_lost


async def test_a_heartbeat_does_not_register_an_unregistered_process(store: Store) -> None:
    await WORKERS.heartbeat(store, "x", LONG_MS, b"{}", first=False)
    assert (await WORKERS.members(store)).ends == {}


async def test_an_unregistered_process_may_register_anew(store: Store) -> None:
    await WORKERS.heartbeat(store, "x", LONG_MS, b"{}", first=True)
    await WORKERS.unregister(store, "x")
    assert not (await WORKERS.heartbeat(store, "x", LONG_MS, b"{}", first=True)).lease_lost


async def test_the_last_status_of_a_process_is_kept(store: Store) -> None:
    await WORKERS.heartbeat(store, "x", LONG_MS, b"one", first=True)
    await WORKERS.heartbeat(store, "x", LONG_MS, b"two", first=False)
    assert await WORKERS.status(store) == {"x": b"two"}


async def test_the_status_goes_with_the_process(store: Store) -> None:
    await WORKERS.heartbeat(store, "x", LONG_MS, b"one", first=True)
    await WORKERS.unregister(store, "x")
    assert await WORKERS.status(store) == {}


async def test_the_roll_tells_the_time_of_the_store(store: Store) -> None:
    beat = await WORKERS.heartbeat(store, "x", LONG_MS, b"{}", first=True)
    assert (await WORKERS.members(store)).now_ms >= beat.now_ms > 1_600_000_000_000
