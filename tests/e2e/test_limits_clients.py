"""Limits of one client: requests beyond them are refused, and never count as moves."""

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster, Node
from tests.support.player import Player
from tests.support.stones import StonesTable


@pytest.fixture(scope="module")
def strict() -> Iterator[Cluster]:
    """Gateways that are strict, each about something else."""
    with Cluster(lease_ms=900) as cluster:
        cluster.node("gateway", rate=1, burst=10)
        cluster.node("gateway", connections_per_address=3)
        cluster.node("gateway", connections=2, connections_per_address=1, trusted_proxies="127.0.0.1")
        cluster.node("gateway", rooms_per_player=2, origins="https://play.example")
        yield cluster.start(0, 1)


async def test_a_flood_is_told_busy_and_counts_as_no_move(strict: Cluster, new_player: NewPlayer) -> None:
    flooder, other = await new_player(strict.gateways[0]), await new_player(strict.gateways[-1])
    table = await StonesTable.open(flooder, other)
    sent = [await flooder.request("act", room=table.room, command={"type": "take", "count": 1}) for _ in range(100)]
    first = await flooder.answer(sent[0])
    assert first["type"] == "ack"
    await flooder.until(lambda: len(_errors(flooder)) == 99, "an answer to everything")
    await other.wait_for_step(table.room, first["offset"])
    assert set(_errors(flooder)) == {"busy/rate", "game/not_your_turn"}
    assert _errors(flooder).count("busy/rate") >= 80
    assert other.rooms[table.room].kinds().count("taken") == 1
    assert flooder.closed is None
    await other.take(table.room)
    await table.check()


def _errors(player: Player) -> list[str]:
    return [message["code"] for message in player.messages if message["type"] == "error"]


async def test_one_connection_too_many_from_an_address_is_told_so_and_closed(
    strict: Cluster, new_player: NewPlayer
) -> None:
    gateway = strict.gateways[1]
    guests = [await new_player(gateway) for _ in range(3)]
    async with Player() as late:
        await late.connect(gateway.url)
        assert (await late.wait_closed())[0] == 1013
        assert _errors(late) == ["busy/connections"]
        guests[0].drop()
        await guests[0].wait_closed()
        await _until_let_in(late, gateway)
    assert all(guest.closed is None for guest in guests[1:])


async def _until_let_in(player: Player, gateway: Node) -> None:
    """The gateway notices by and by that somebody has gone."""
    while True:
        await player.connect(gateway.url)
        before = len(player.messages)
        await player.send(type="hello", name=player.name)
        message = await player.wait_for_message(lambda message: message["type"] in ("welcome", "error"), after=before)
        if message["type"] == "welcome":
            return
        assert message["code"] == "busy/connections"
        await player.wait_closed()


async def test_a_trusted_proxy_tells_addresses_apart_and_the_whole_gateway_has_a_limit(strict: Cluster) -> None:
    gateway = strict.gateways[2]
    async with Player() as first, Player() as same, Player() as second, Player() as third:
        await first.connect(gateway.url, additional_headers={"X-Forwarded-For": "10.0.0.1"})
        await first.hello(name=first.name)
        await same.connect(gateway.url, additional_headers={"X-Forwarded-For": "10.0.0.9, 10.0.0.1"})
        assert (await same.wait_closed())[0] == 1013
        await _until_welcome_from(second, gateway, "10.0.0.2")
        await third.connect(gateway.url, additional_headers={"X-Forwarded-For": "10.0.0.3"})
        assert (await third.wait_closed())[0] == 1013
        assert first.closed is None


async def _until_welcome_from(player: Player, gateway: Node, address: str) -> None:
    """The place of the one that was turned away is free as soon as the gateway has seen it go."""
    while True:
        await player.connect(gateway.url, additional_headers={"X-Forwarded-For": address})
        before = len(player.messages)
        await player.send(type="hello", name=player.name)
        message = await player.wait_for_message(lambda message: message["type"] in ("welcome", "error"), after=before)
        if message["type"] == "welcome":
            return
        await player.wait_closed()


async def test_a_player_sits_in_so_many_running_rooms_and_no_more(strict: Cluster, new_player: NewPlayer) -> None:
    player, other = await new_player(strict.gateways[3]), await new_player(strict.gateways[3])
    first = (await player.ask("create", game="stones", seats=2, options={"stones": 1}))["room"]
    await player.ask("create", game="stones", seats=2)
    refused = await player.ask("create", game="stones", seats=2)
    assert refused["code"] == "session/too_many_rooms"
    elsewhere = (await other.ask("create", game="stones", seats=2))["room"]
    assert (await player.ask("join", room=elsewhere))["code"] == "session/too_many_rooms"
    assert (await player.ask("spectate", room=elsewhere))["type"] == "watching"
    await other.ask("join", room=first)
    await player.wait_for_event(first, "room.started")
    await player.take(first)
    await player.wait_for_event(first, "room.ended")
    assert (await player.ask("join", room=elsewhere))["type"] == "entered"


async def test_a_page_of_another_origin_may_not_connect(strict: Cluster) -> None:
    gateway = strict.gateways[3]
    async with Player() as player:
        with pytest.raises(Exception, match="403"):
            await player.connect(gateway.url, origin="https://elsewhere.example")
        await player.connect(gateway.url, origin="https://play.example")
        assert (await player.hello(name=player.name))["type"] == "welcome"
