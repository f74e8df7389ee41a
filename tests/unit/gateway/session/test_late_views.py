"""Clients that want views: missed updates come without, and one view follows behind the last of them."""

from typing import Any

from tests.support.memory_cluster import MemoryClient, MemoryCluster


def join(cluster: MemoryCluster, name: str, room: int | None = None) -> tuple[MemoryClient, dict[str, Any]]:
    client = cluster.connect("play")
    client.send_json({"type": "hello", "name": name})
    ask: dict[str, Any] = {"id": 1, "wants": ["view", "options"]}
    if room is None:
        ask |= {"type": "create", "game": "stones", "seats": 2, "options": {"stones": 20}}
    else:
        ask |= {"type": "join", "room": room}
    client.send_json(ask)
    *_, entered = (frame for frame in client.received_json() if frame["type"] in ("welcome", "entered"))
    return client, entered


def playing() -> tuple[MemoryCluster, MemoryClient, MemoryClient, int]:
    cluster = MemoryCluster()
    ada, entered = join(cluster, "ada")
    bob, _ = join(cluster, "bob", entered["room"])
    for client in (ada, bob):
        client.received()
    return cluster, ada, bob, entered["room"]


def move(client: MemoryClient, room: int, number: int) -> None:
    client.send_json({"type": "act", "id": number, "room": room, "command": {"type": "take", "count": 1}})


def test_live_updates_come_with_views_and_without_a_message_for_them() -> None:
    _, ada, bob, room = playing()
    move(ada, room, 2)
    (update,) = bob.received_json()
    assert update["type"] == "update"
    assert update["view"]["game"]["stones"] == 19


def test_updates_that_were_missed_are_followed_by_one_view() -> None:
    cluster, ada, bob, room = playing()
    cluster.gateway.lose_messages(1)
    move(ada, room, 2)
    assert bob.received_json() == []
    cluster.advance(2_000)
    update, view = bob.received_json()
    assert update["type"] == "update"
    assert "view" not in update
    assert update["options"]
    assert view["type"] == "view"
    assert "reason" not in view
    assert view["offset"] == update["offset"]
    assert view["view"]["game"]["stones"] == 19


def test_a_client_goes_on_from_the_view_with_live_updates() -> None:
    cluster, ada, bob, room = playing()
    cluster.gateway.lose_messages(1)
    move(ada, room, 2)
    cluster.advance(2_000)
    before = bob.received_json()[-1]["offset"]
    move(bob, room, 2)
    update = next(frame for frame in bob.received_json() if frame["type"] == "update")
    assert update["offset"] == before + 1
    assert update["view"]["game"]["stones"] == 18


def test_a_resumed_client_gets_its_missed_updates_and_one_view() -> None:
    cluster, ada, bob, room = playing()
    bob.send_json({"type": "view", "id": 2, "room": room})
    position = bob.received_json()[-1]
    ada.send_json({"type": "say", "id": 2, "room": room, "text": "hello"})
    move(ada, room, 3)
    bob.received()
    resume = {"type": "resume", "id": 3, "room": room, "epoch": position["epoch"], "offset": position["offset"]}
    bob.send_json(resume | {"wants": ["view"]})
    cluster.advance(100)
    kinds = [frame["type"] for frame in bob.received_json()]
    assert kinds == ["resumed", "update", "update", "view"]
