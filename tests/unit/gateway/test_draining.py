"""A gateway that stops: clients that cannot resume finish their games while another gateway is ready."""

import asyncio
import dataclasses

import msgspec
import pytest

from gateway.connection import Connection
from gateway.dialects import play
from shared.bus.directory import ListingChange
from shared.bus.registry import GATEWAYS
from shared.commands import Envelope, Watch
from shared.ids import CommandId, SessionId
from shared.room_events import RoomStatus
from shared.room_views import Listing
from tests.support.gateway_bench import (
    PARROT,
    ROOM,
    SETTINGS,
    GatewayBench,
    RecordedTransport,
    attach,
    reply_to,
    settle,
)
from tests.support.waiting import eventually_async

PLAYING = ListingChange(ROOM, Listing(ROOM, "stones", 2, RoomStatus.PLAYING))
READY = {"draining": False, "unready": ""}


async def in_game(bench: GatewayBench) -> tuple[Connection, RecordedTransport]:
    """A client of a dialect without tokens, in a room that plays."""
    bench.node.rooms.change([PLAYING])
    connection, transport = bench.connect(PARROT)
    attach(connection, reply_to(Envelope(ROOM, SessionId("s"), CommandId(1), Watch(), conn=connection.number)))
    return connection, transport


async def gateway(*, other: dict[str, object] | None, games_ms: int = 60_000) -> GatewayBench:
    bench = GatewayBench(dataclasses.replace(SETTINGS, drain_ms=100, drain_games_ms=games_ms))
    await bench.node.start()
    await settle()
    if other is not None:
        await GATEWAYS.heartbeat(bench.store, "g-other", 60_000, msgspec.json.encode(other), first=True)
    return bench


async def closed(transport: RecordedTransport) -> None:
    await eventually_async(lambda: transport.closed is not None, "the client is closed")


async def test_a_client_that_cannot_resume_stays_until_its_game_is_over() -> None:
    bench = await gateway(other=READY)
    _, transport = await in_game(bench)
    _, resumed = bench.connect(play.DIALECT)
    bench.node.tasks.spawn(bench.node.drain())
    await closed(resumed)
    assert transport.closed is None
    bench.node.rooms.change([ListingChange(ROOM)])
    await closed(transport)


async def test_a_client_that_cannot_resume_and_is_in_no_game_is_closed_at_once() -> None:
    bench = await gateway(other=READY)
    _, transport = bench.connect(PARROT)
    bench.node.tasks.spawn(bench.node.drain())
    await closed(transport)


@pytest.mark.parametrize("other", [None, {"draining": True}, {"unready": "store"}])
async def test_games_are_not_waited_for_if_no_other_gateway_is_ready(other: dict[str, object] | None) -> None:
    bench = await gateway(other=other)
    _, transport = await in_game(bench)
    bench.node.tasks.spawn(bench.node.drain())
    await settle()
    assert transport.closed is None, "the other one may report that it is ready with its next heartbeat"
    bench.now += 4
    await closed(transport)


async def test_games_are_waited_for_no_longer_than_the_setting_says() -> None:
    bench = await gateway(other=READY, games_ms=0)
    _, transport = await in_game(bench)
    bench.node.tasks.spawn(bench.node.drain())
    await closed(transport)


@pytest.mark.parametrize("at_once", [True, False], ids=["an interrupt", "a second signal"])
async def test_a_signal_ends_the_wait_for_games(at_once: bool) -> None:
    bench = await gateway(other=READY)
    _, transport = await in_game(bench)
    bench.node.stop()
    bench.node.tasks.spawn(bench.node.drain())
    await asyncio.sleep(0)
    assert transport.closed is None
    bench.node.stop(at_once=at_once)
    await closed(transport)
