"""Behaviour that only a real server has: blocking reads, restarts, durability."""

import asyncio

import pytest

from shared.bus import command_streams, meta
from shared.bus.address import Address
from shared.bus.client import StoreClient
from shared.bus.command_streams import StreamReader
from shared.bus.meta import IncompatibleStore
from shared.ids import (
    Partition,
)
from tests.support.bus import P, envelope


@pytest.mark.parametrize("server", ["valkey_url", "valkey_cluster_url"])
async def test_a_waiting_read_returns_as_soon_as_a_command_comes(server: str, request: pytest.FixtureRequest) -> None:
    address = Address.parse(request.getfixturevalue(server))
    reader, writer = StoreClient(address), StoreClient(address)
    await reader.start()
    await writer.start()
    cursors = {Partition(1): (P, "0-0")}
    waiting = asyncio.create_task(command_streams.read(reader, cursors, 10, 20_000))
    while b"blocked_clients:1" not in await writer.call("INFO", "clients"):
        pass
    await writer.call(*command_streams.adding(P, [envelope(1)]))
    entries = await waiting
    await reader.stop()
    await writer.stop()
    assert entries[Partition(1)][0][1] == (envelope(1),)


@pytest.mark.parametrize("server", ["valkey_url", "valkey_cluster_url"])
async def test_a_waiting_read_can_be_woken_from_another_connection(server: str, request: pytest.FixtureRequest) -> None:
    address = Address.parse(request.getfixturevalue(server))
    reader, store = StoreClient(address, name="w-1"), StoreClient(address)
    await reader.start()
    await store.start()
    streams = StreamReader(reader, store)
    waiting = asyncio.create_task(streams.read({Partition(1): (P, "$")}, 10, 20_000))
    while b"blocked_clients:1" not in await store.call("INFO", "clients"):
        pass
    await streams.wake()
    entries = await waiting
    await reader.stop()
    await store.stop()
    assert entries == {}


async def test_a_read_that_waited_in_vain_finds_nothing(valkey_url: str) -> None:
    reader = StoreClient(Address.parse(valkey_url))
    await reader.start()
    found = await command_streams.read(reader, {Partition(1): (P, "0-0")}, 10, 1)
    await reader.stop()
    assert found == {}


async def test_two_connections_to_a_server_name_the_same_one(valkey_url: str) -> None:
    first, second = StoreClient(Address.parse(valkey_url)), StoreClient(Address.parse(valkey_url))
    await first.start()
    await second.start()
    servers = {link.server_of(P.owner) for link in (first, second)}
    await first.stop()
    await second.stop()
    assert len(servers) == 1
    assert "" not in servers


async def test_a_server_that_writes_every_move_to_disk_is_fit_for_fsync(valkey_url: str) -> None:
    link = StoreClient(Address.parse(valkey_url))
    await link.start()
    await meta.check_durability(link, "fsync")
    await link.stop()


async def test_a_server_that_writes_every_second_is_unfit_for_fsync(valkey_url: str) -> None:
    link = StoreClient(Address.parse(valkey_url))
    await link.start()
    await link.call("CONFIG", "SET", "appendfsync", "everysec")
    try:
        with pytest.raises(IncompatibleStore, match="fsync"):
            await meta.check_durability(link, "fsync")
    finally:
        await link.call("CONFIG", "SET", "appendfsync", "always")
        await link.stop()


async def test_any_server_is_fit_for_applied(valkey_url: str) -> None:
    link = StoreClient(Address.parse(valkey_url))
    await link.start()
    await link.call("CONFIG", "SET", "appendfsync", "everysec")
    await meta.check_durability(link, "applied")
    await link.call("CONFIG", "SET", "appendfsync", "always")
    await link.stop()
