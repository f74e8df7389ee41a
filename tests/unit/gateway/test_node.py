"""The loops of a gateway, step by step."""

import asyncio
import dataclasses

import msgspec
import pytest

from gateway.dialects import play
from gateway.dialects.contract import Opening
from shared.bus import drains, keys, player_names
from shared.bus.directory import ListingChange, storing
from shared.bus.registry import GATEWAYS, WORKERS
from shared.commands import Gone
from shared.deliveries import Heartbeat, SessionReplaced
from shared.ids import Epoch, Partition, RoomId, SessionId
from shared.room_events import RoomStatus
from shared.room_views import Listing
from tests.support.gateway_bench import GATEWAY, KEYS, ROOM, SETTINGS, GatewayBench, RecordedTransport, settle
from tests.support.waiting import eventually_async

PUBLIC = Listing(RoomId(1000), "stones", 2, RoomStatus.WAITING)


async def started(bench: GatewayBench | None = None) -> GatewayBench:
    bench = bench or GatewayBench()
    await bench.node.start()
    await settle()
    return bench


async def with_workers(*statuses: bytes) -> GatewayBench:
    """A started node beside workers with these statuses."""
    bench = GatewayBench()
    for number, status in enumerate(statuses):
        await WORKERS.heartbeat(bench.store, f"w-{number}", 60_000, status, first=True)
    return await started(bench)


async def test_a_started_node_is_registered_and_ready() -> None:
    bench = await with_workers(b"{}")
    assert (await GATEWAYS.members(bench.store)).live == [GATEWAY]
    assert bench.node.unready == ""


async def test_a_node_is_not_ready_without_a_worker() -> None:
    bench = await started()
    assert bench.node.unready == "workers"


async def test_a_node_is_ready_if_one_worker_is() -> None:
    bench = await with_workers(b'{"unready": "draining"}', b'{"unready": ""}')
    assert bench.node.unready == ""


async def test_a_node_gives_the_reason_of_workers_that_can_make_no_move() -> None:
    bench = await with_workers(b'{"unready": "store_full"}')
    assert bench.node.unready == "store_full"


async def test_a_node_is_not_ready_when_the_store_is_full() -> None:
    bench = await with_workers(b"{}")
    bench.node.outbox.store_share = 1.0
    assert bench.node.unready == "store_full"


async def test_a_node_subscribes_to_its_deliveries_to_listings_and_to_control_messages() -> None:
    bench = await started()
    assert bench.subscriptions[0].channels == (keys.out(GATEWAY), keys.LISTINGS, keys.control(GATEWAY))


async def test_a_node_is_not_ready_while_the_store_is_unreachable() -> None:
    bench = await with_workers(b"{}")
    bench.store.up = False
    assert bench.node.unready == "store"


async def test_changes_published_while_the_directory_is_read_are_kept() -> None:
    bench = GatewayBench()
    await bench.store.pipe(storing(KEYS[0], [ListingChange(PUBLIC.room, PUBLIC)]))
    await started(bench)
    bench.store.hold()
    bench.subscriptions[0].on_gap()
    await settle()
    bench.subscriptions[0].on_message(keys.LISTINGS, msgspec.json.encode([ListingChange(PUBLIC.room)]))
    bench.store.go()
    await settle()
    assert bench.node.rooms.get(PUBLIC.room) is None


async def test_a_reading_of_the_directory_from_before_a_gap_does_not_replace_a_later_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = await started()
    loop = asyncio.get_running_loop()
    older, later = loop.create_future(), loop.create_future()
    replies = iter((older, later))
    monkeypatch.setattr(bench.node, "_listings", lambda: next(replies))
    for _ in range(2):
        bench.subscriptions[0].on_gap()
        await settle()
    later.set_result([PUBLIC])
    await settle()
    if not older.done():
        older.set_result([])
    await settle()
    assert bench.node.rooms.get(PUBLIC.room) == PUBLIC


async def test_a_replaced_session_is_closed() -> None:
    bench = await started()
    connection, transport = bench.connect()
    replaced = msgspec.json.encode(SessionReplaced(connection.sid, connection.number))
    bench.subscriptions[0].on_message(keys.control(GATEWAY), replaced)
    assert transport.closed is not None
    assert transport.closed.code == 4001


async def test_a_session_that_was_just_claimed_and_is_replaced_at_once_is_closed() -> None:
    bench = await started()
    connection, transport = bench.connect()
    connection.session.state.sid = SessionId("s-claimed")
    replaced = msgspec.json.encode(SessionReplaced(SessionId("s-claimed"), connection.number))
    bench.subscriptions[0].on_message(keys.control(GATEWAY), replaced)
    assert transport.closed is not None


async def test_a_connection_with_the_number_but_not_the_session_stays_open() -> None:
    bench = await started()
    connection, transport = bench.connect()
    other = msgspec.json.encode(SessionReplaced(bench.connect()[0].sid, connection.number))
    bench.subscriptions[0].on_message(keys.control(GATEWAY), other)
    assert transport.closed is None


async def test_a_heartbeat_that_shows_a_lost_delivery_counts_a_gap() -> None:
    bench = await started()
    bench.connect()
    heartbeat = msgspec.json.encode(Heartbeat({Partition(0): (Epoch(7), 3)}))
    bench.subscriptions[0].on_message(keys.control(GATEWAY), heartbeat)
    assert bench.node.metrics.gaps == 1


async def test_a_gateway_that_has_lost_its_lease_closes_its_clients_and_begins_anew_under_a_new_id() -> None:
    bench = await started()
    _, transport = bench.connect()
    await GATEWAYS.unregister(bench.store, GATEWAY)
    await bench.node._heartbeat()
    assert transport.closed is not None
    assert transport.closed.code == 1012
    assert bench.node.id != GATEWAY
    assert (await GATEWAYS.members(bench.store)).live == [bench.node.id]
    assert bench.subscriptions[0].stopped
    assert bench.subscriptions[1].channels[0] == keys.out(bench.node.id)


async def test_a_gateway_that_begins_anew_ignores_deliveries_to_its_old_id() -> None:
    bench = await started()
    await GATEWAYS.unregister(bench.store, GATEWAY)
    await bench.node._heartbeat()
    assert keys.out(GATEWAY) not in bench.subscriptions[1].channels


async def test_a_client_that_shakes_hands_while_the_gateway_begins_anew_leaves_no_name_behind() -> None:
    bench = await started()
    connection = bench.node.connections.new(
        RecordedTransport(), play.DIALECT, Opening({}, bench.node.rooms), "10.0.0.1"
    )
    await GATEWAYS.unregister(bench.store, GATEWAY)
    await bench.node._heartbeat()
    connection.open()
    connection.receive(b'{"type": "hello", "name": "ada"}')
    await settle()
    held = await player_names.holder(bench.store, "ada")
    connection.lost()
    await settle()
    assert held == connection.sid
    assert await bench.store.call("HGET", keys.name("ada"), "gateway") == b""


async def test_an_operator_can_stop_a_gateway() -> None:
    bench = await started()
    await drains.ask(bench.store, GATEWAY)
    bench.node.tasks.spawn(bench.node.run())
    await bench.node.stopped()
    bench.node.tasks.cancel()


async def test_a_draining_gateway_closes_its_clients_and_unregisters() -> None:
    bench = await started(GatewayBench(dataclasses.replace(SETTINGS, drain_ms=100)))
    connection, transport = bench.connect()
    draining = bench.node.tasks.spawn(bench.node.drain())
    await eventually_async(lambda: transport.closed is not None, "the client is closed")
    connection.lost()
    await draining
    assert bench.node.unready == "draining"
    assert (await GATEWAYS.members(bench.store)).live == []


async def test_commands_are_sent_again_after_the_store_was_reconnected() -> None:
    bench = await started()
    connection, _ = bench.connect()
    bench.node.outbox.send_own(ROOM, connection.sid, connection.number, Gone())
    first = await bench.added()
    bench.node.store_reconnected()
    assert await bench.added() == first


async def test_a_node_learns_how_full_the_store_is() -> None:
    bench = await started()
    running = asyncio.create_task(bench.node.run())
    bench.store.server.memory = b"used_memory:900\r\nmem_not_counted_for_evict:100\r\nmaxmemory:1000\r\n"
    await eventually_async(lambda: bench.node.outbox.store_share == 0.8)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
