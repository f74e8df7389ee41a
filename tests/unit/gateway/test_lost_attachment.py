"""A store that has lost its last writes may have lost that a client has come back, and nothing else of the room."""

from typing import Any

import pytest

from shared.ids import Seat
from tests.support.memory_cluster import MemoryClient, MemoryCluster


def connected(cluster: MemoryCluster, **hello: str) -> MemoryClient:
    client = cluster.connect("play")
    client.send_json({"type": "hello", **hello})
    return client


def received(client: MemoryClient, kind: str) -> Any:
    """The last message of a kind."""
    return [message for message in client.received_json() if message["type"] == kind][-1]


@pytest.fixture
def cluster() -> MemoryCluster:
    return MemoryCluster()


def test_a_room_that_has_lost_a_connection_is_told_of_it_again(cluster: MemoryCluster) -> None:
    first = connected(cluster, name="ada")
    token = received(first, "welcome")["token"]
    first.send_json({"type": "create", "id": 1, "game": "stones", "seats": 2, "bots": 0})
    entered = received(first, "entered")
    before = cluster.server.copy()
    second = connected(cluster, token=token)
    position = {"epoch": entered["epoch"], "offset": entered["offset"]}
    second.send_json({"type": "resume", "id": 2, "room": entered["room"], "wants": ["options"], **position})
    assert cluster.room(entered["room"]).state.seats[Seat(0)].conn == second.connection.number
    cluster.go_back(before)
    place = cluster.room(entered["room"]).state.seats[Seat(0)]
    assert (place.conn, place.here) == (second.connection.number, True)
    other = connected(cluster, name="bob")
    other.send_json({"type": "join", "id": 1, "room": entered["room"]})
    assert received(second, "update")["options"]


def test_a_player_who_has_left_is_not_attached_again(cluster: MemoryCluster) -> None:
    client = connected(cluster, name="ada")
    client.send_json({"type": "create", "id": 1, "game": "stones", "seats": 2, "bots": 1})
    room = received(client, "entered")["room"]
    attachment = next(iter(client.connection.session.state.attachments))
    client.send_json({"type": "leave", "id": 2, "room": room})
    cluster.do(lambda: client.connection.attach_again(attachment))
    assert not cluster.room(room).state.audience
