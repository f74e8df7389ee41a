"""The limits of HTTP per address."""

import dataclasses

import pytest

from gateway.http.limits import HttpConnections
from gateway.session.rates import ADDRESS_RATES, Meter
from tests.support.gateway_bench import SETTINGS, GatewayBench
from tests.support.http_site import HttpSite

PROXIED = dataclasses.replace(SETTINGS, trusted_proxies="10.0.0.1")


class Site(HttpSite):
    async def get(self, path: str, address: str = "10.0.0.1", forwarded: str = "") -> int:
        """The status of the answer."""
        headers = {"X-Forwarded-For": forwarded} if forwarded else {}
        return (await self.ask(path, headers, address=address)).status


async def test_requests_of_an_address_have_a_rate() -> None:
    site = Site()
    for _ in range(ADDRESS_RATES[Meter.HTTP].burst):
        site.bench.node.connections.addresses.take("10.0.0.1", Meter.HTTP)
    assert await site.get("/api/rooms") == 429
    assert await site.get("/api/rooms", "10.0.0.2") == 200
    site.bench.now += 1.0
    assert await site.get("/api/rooms") == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_checks_of_health_have_no_rate(path: str) -> None:
    site = Site()
    for _ in range(ADDRESS_RATES[Meter.HTTP].burst):
        site.bench.node.connections.addresses.take("10.0.0.1", Meter.HTTP)
    assert await site.get(path) in (200, 503)


async def test_replays_of_an_address_have_a_rate() -> None:
    site = Site()
    statuses = [await site.get("/api/replays/1000") for _ in range(ADDRESS_RATES[Meter.REPLAY].burst + 2)]
    assert statuses == [404] * ADDRESS_RATES[Meter.REPLAY].burst + [429, 429]
    assert await site.get("/api/replays/1000", "10.0.0.2") == 404


async def test_an_address_that_asks_for_rooms_that_do_not_exist_is_refused() -> None:
    site = Site()
    addresses = site.bench.node.connections.addresses
    assert await site.get("/api/replays/1000") == 404
    for _ in range(ADDRESS_RATES[Meter.MISS].burst - 1):
        addresses.take("10.0.0.1", Meter.MISS)
    assert await site.get("/api/replays/1000") == 429
    assert await site.get("/api/replays/1000", "10.0.0.2") == 404


async def test_the_clients_of_a_trusted_proxy_are_told_apart() -> None:
    site = Site(PROXIED)
    for _ in range(ADDRESS_RATES[Meter.HTTP].burst):
        site.bench.node.connections.addresses.take("1.1.1.1", Meter.HTTP)
    assert await site.get("/api/rooms", forwarded="1.1.1.1") == 429
    assert await site.get("/api/rooms", forwarded="2.2.2.2") == 200
    assert await site.get("/api/rooms", "10.0.0.9", forwarded="1.1.1.1") == 200


async def test_connections_of_http_count_under_the_limits_of_all_connections() -> None:
    bench = GatewayBench(dataclasses.replace(SETTINGS, connections=3, connections_per_address=2))
    counted = HttpConnections(bench.node.connections)
    assert all(counted.enter("10.0.0.1") for _ in range(2))
    _, refused = bench.connect(address="10.0.0.1")
    assert refused.closed is not None
    assert refused.closed.code == 1013
    counted.leave("10.0.0.1")
    counted.leave("10.0.0.1")
    _, served = bench.connect(address="10.0.0.1")
    assert served.closed is None


async def test_a_full_gateway_accepts_a_few_more_connections_of_http() -> None:
    bench = GatewayBench(dataclasses.replace(SETTINGS, connections=3, connections_per_address=2))
    counted = HttpConnections(bench.node.connections)
    entered = [counted.enter("10.0.0.1") for _ in range(1_000)]
    assert entered.index(False) == 2 + 200
    assert not any(entered[202:])


async def test_connections_of_a_trusted_proxy_are_not_counted_by_address() -> None:
    bench = GatewayBench(dataclasses.replace(PROXIED, connections=400, connections_per_address=1))
    counted = HttpConnections(bench.node.connections)
    assert [counted.enter("10.0.0.1") for _ in range(1_000)].index(False) == 600
