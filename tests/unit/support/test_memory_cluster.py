"""The in-memory cluster: a whole game through the nodes that ship, in virtual time."""

import dataclasses
from typing import Any

from tests.support.memory_cluster import WORKER, MemoryClient, MemoryCluster


def hello(cluster: MemoryCluster, name: str) -> MemoryClient:
    client = cluster.connect("play")
    client.send_json({"type": "hello", "name": name})
    assert client.received_json()[0]["type"] == "welcome"
    return client


def table() -> tuple[MemoryCluster, MemoryClient, MemoryClient]:
    cluster = MemoryCluster()
    ada, bob = hello(cluster, "ada"), hello(cluster, "bob")
    ada.send_json({"type": "create", "id": 1, "game": "stones", "seats": 2, "options": {"stones": 4}})
    bob.send_json({"type": "join", "id": 1, "room": 1000})
    ada.received()
    bob.received()
    return cluster, ada, bob


def take(client: MemoryClient, number: int, count: int) -> None:
    client.send_json({"type": "act", "id": number, "room": 1000, "command": {"type": "take", "count": count}})


def events(client: MemoryClient) -> list[Any]:
    return [event for frame in client.received_json() if frame["type"] == "update" for event in frame["events"]]


def test_a_game_is_played_to_its_end() -> None:
    _, ada, bob = table()
    take(ada, 2, 3)
    take(bob, 2, 1)
    ended = events(ada)[-1]
    assert ended["type"] == "room.ended"
    assert ended["names"] == ["bob"]
    assert events(bob)[-1] == ended


def test_a_lost_connection_is_seen_by_the_others_at_once() -> None:
    _, ada, bob = table()
    bob.drop()
    assert events(ada) == [{"type": "room.away", "seat": 1}]


def test_time_passes_only_when_it_is_advanced() -> None:
    cluster, ada, _ = table()
    before = cluster.time.now_s
    take(ada, 2, 1)
    assert cluster.time.now_s == before
    cluster.advance(1_500)
    assert cluster.time.now_s == before + 1.5


def test_a_waiting_room_closes_when_its_only_player_stays_away() -> None:
    cluster = MemoryCluster(worker=dataclasses.replace(WORKER, grace_ms=2_000))
    ada, eve = hello(cluster, "ada"), hello(cluster, "eve")
    ada.send_json({"type": "create", "id": 1, "game": "stones", "seats": 2})
    ada.drop()
    cluster.advance(3_000)
    eve.send_json({"type": "view", "id": 1, "room": 1000})
    assert eve.received_json()[0]["view"]["status"] == "closed"


def test_the_state_of_a_room_can_be_read() -> None:
    cluster, *_ = table()
    assert [seat.name for seat in cluster.room(1000).state.seats.values()] == ["ada", "bob"]
