"""Load sharing: the decision, clusters of numbers that follow it, and a gateway that carries it out."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

import msgspec
import pytest

from gateway.cluster.load_sharing import GatewayLoad, LoadSharing, excess
from shared.bus.registry import GATEWAYS
from tests.support.memory_cluster import MemoryClient, MemoryCluster

PERIOD_MS = 30_000
Place = Callable[[Mapping[str, int], Random], str]


def test_a_gateway_with_the_mean_has_no_excess() -> None:
    assert excess(1_000, (1_000, 1_000, 1_000)) == 0


def test_a_gateway_with_slightly_more_than_the_mean_has_no_excess() -> None:
    assert excess(1_150, (1_150, 925, 925)) == 0


def test_a_gateway_with_many_more_than_the_mean_has_the_difference_as_excess() -> None:
    assert excess(2_000, (2_000, 500, 500)) == 1_000


def test_a_gateway_above_the_mean_has_an_excess_if_another_one_has_many_fewer() -> None:
    assert excess(56, (61, 55, 28, 56)) == 6
    assert excess(28, (61, 55, 28, 56)) == 0


def test_differences_that_chance_makes_are_no_excess() -> None:
    assert excess(14, (14, 8, 8)) == 0


def test_a_gateway_without_others_has_no_excess() -> None:
    assert excess(5_000, (5_000,)) == 0


def loads(**connections: int) -> dict[str, GatewayLoad]:
    return {gateway: GatewayLoad(number) for gateway, number in connections.items()}


def calm(sharing: LoadSharing, statuses: Mapping[str, GatewayLoad]) -> float:
    """The decision after the statuses have been the same for a while."""
    return [sharing.clients_to_shed("a", statuses, float(second)) for second in range(15)][-1]


def test_the_excess_is_shed_over_the_period() -> None:
    assert calm(LoadSharing(PERIOD_MS), loads(a=400, b=100)) == pytest.approx(150 / 30)


def test_a_period_of_zero_sheds_nothing() -> None:
    assert calm(LoadSharing(0), loads(a=400, b=100)) == 0


@pytest.mark.parametrize(
    "own", [GatewayLoad(400, draining=True), GatewayLoad(400, unready="store"), None], ids=["draining", "store", "gone"]
)
def test_a_gateway_that_is_not_ready_sheds_nothing(own: GatewayLoad | None) -> None:
    statuses = loads(b=100, c=100)
    if own is not None:
        statuses["a"] = own
    assert calm(LoadSharing(PERIOD_MS), statuses) == 0


def test_gateways_that_drain_or_start_are_not_counted_as_free() -> None:
    statuses = {**loads(a=200, b=200), "c": GatewayLoad(0, draining=True), "d": GatewayLoad(0, unready="starting")}
    assert calm(LoadSharing(PERIOD_MS), statuses) == 0


@pytest.mark.parametrize(
    "now",
    [loads(a=400, b=100, c=0), loads(a=400), loads(a=400, b=250)],
    ids=["a gateway came", "a gateway went", "a crowd came"],
)
def test_nothing_is_shed_for_some_seconds_after_a_change(now: dict[str, GatewayLoad]) -> None:
    sharing = LoadSharing(PERIOD_MS)
    before = loads(a=400, b=100)
    assert calm(sharing, before) > 0
    assert {sharing.clients_to_shed("a", now, 15.0 + second) for second in range(10)} == {0.0}
    sharing.clients_to_shed("a", before, 25.0)
    assert sharing.clients_to_shed("a", before, 25.5) == 0


def test_a_gateway_that_has_just_started_sheds_nothing() -> None:
    sharing = LoadSharing(PERIOD_MS)
    assert [sharing.clients_to_shed("a", loads(a=400, b=100), float(second)) for second in range(10)] == [0.0] * 10


def test_a_gateway_that_could_not_read_the_loads_for_long_does_not_make_up_for_it() -> None:
    sharing = LoadSharing(PERIOD_MS)
    once = calm(sharing, loads(a=400, b=100))
    assert sharing.clients_to_shed("a", loads(a=400, b=100), 500.0) <= 2 * once


# --- clusters of numbers --------------------------------------------------------------------------------------------


def at_the_emptiest(connections: Mapping[str, int], _dice: Random) -> str:
    """The gateway that HAProxy's leastconn chooses for a new socket."""
    return min(connections, key=lambda gateway: connections[gateway])


def anywhere(connections: Mapping[str, int], dice: Random) -> str:
    """The gateway that the kernel chooses for a new socket of a shared port."""
    return dice.choice(list(connections))


def at_the_first(_connections: Mapping[str, int], _dice: Random) -> str:
    """The only gateway that clients can reach."""
    return "a"


def play(connections: Counter[str], seconds: int, place: Place, dice: Random) -> int:
    """Let the gateways decide once a second, and their clients come back a second later; the number of moves."""
    sharing = {gateway: LoadSharing(PERIOD_MS) for gateway in connections}
    moves = away = 0
    for second in range(seconds):
        for _ in range(away):
            connections[place(connections, dice)] += 1
        away = 0
        statuses = {gateway: GatewayLoad(number) for gateway, number in connections.items()}
        for gateway, decider in sharing.items():
            wanted = decider.clients_to_shed(gateway, statuses, float(second))
            shed = int(wanted) + (dice.random() < wanted % 1)
            connections[gateway] -= shed
            away += shed
        moves += away
    connections[at_the_emptiest(connections, dice)] += away
    return moves


@pytest.mark.parametrize(("clients", "place"), [(200, at_the_emptiest), (20_000, at_the_emptiest), (20_000, anywhere)])
def test_three_added_gateways_are_within_30_percent_of_the_mean_after_two_minutes(clients: int, place: Place) -> None:
    for seed in range(5):
        connections = Counter(a=clients, b=0, c=0, d=0)
        play(connections, 120, place, Random(seed))
        mean = clients / 4
        assert all(abs(number - mean) <= 0.3 * mean for number in connections.values()), (seed, connections)


def test_a_cluster_that_chance_has_filled_is_left_alone() -> None:
    dice = Random(7)
    connections = Counter(a=0, b=0, c=0, d=0)
    for _ in range(400):
        connections[anywhere(connections, dice)] += 1
    assert play(connections, 600, anywhere, dice) == 0


def test_clients_are_moved_about_once() -> None:
    connections = Counter(a=1_000, b=0)
    assert play(connections, 600, at_the_emptiest, Random(1)) < 600


def test_clients_that_cannot_reach_other_gateways_are_soon_left_alone() -> None:
    connections = Counter(a=1_000, b=0)
    assert play(connections, 600, at_the_first, Random(1)) < 300


def test_another_trial_is_made_when_a_gateway_is_added() -> None:
    sharing = LoadSharing(PERIOD_MS)
    unreachable = loads(a=400, b=0)
    assert [sharing.clients_to_shed("a", unreachable, float(second)) for second in range(40)][-1] == 0
    added = loads(a=400, b=0, c=0)
    assert [sharing.clients_to_shed("a", added, 40.0 + second) for second in range(15)][-1] > 0


# --- a gateway ------------------------------------------------------------------------------------------------------


def beside(cluster: MemoryCluster, connections: int) -> None:
    """Register another gateway that is ready and has that many connections."""
    status = msgspec.json.encode({"connections": connections, "draining": False, "unready": ""})
    registering = GATEWAYS.heartbeat(cluster.worker.store, "g-other", 3_600_000, status, first=True)
    cluster.do(lambda: asyncio.ensure_future(registering))


def closed(clients: list[MemoryClient]) -> list[MemoryClient]:
    return [client for client in clients if client.closed is not None]


def test_a_crowded_gateway_asks_its_oldest_clients_to_come_back_one_by_one() -> None:
    cluster = MemoryCluster()
    clients = [cluster.connect("play") for _ in range(60)]
    beside(cluster, 0)
    cluster.advance(8_000)
    assert closed(clients) == []
    cluster.advance(30_000)
    asked = closed(clients)
    assert 10 <= len(asked) <= 30
    assert asked == clients[: len(asked)]
    codes = [client.closed for client in asked if client.closed is not None]
    assert {code.code for code in codes} == {1012}
    assert len({code.reason for code in codes}) > 10


def test_a_gateway_that_is_not_crowded_asks_nobody() -> None:
    cluster = MemoryCluster()
    clients = [cluster.connect("play") for _ in range(20)]
    beside(cluster, 20)
    cluster.advance(20_000)
    assert closed(clients) == []


def test_clients_that_cannot_resume_stay() -> None:
    cluster = MemoryCluster()
    clients = [cluster.connect("eriantys.events") for _ in range(60)]
    beside(cluster, 0)
    cluster.advance(20_000)
    assert closed(clients) == []
