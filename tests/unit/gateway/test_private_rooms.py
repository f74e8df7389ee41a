"""Private rooms through the gateway: the key in `play` and in URLs, and sessions that are ended."""

from typing import Any

import pytest

from gateway.cluster.tokens import LATE_MS
from gateway.transports.close_codes import BYE, REVOKED
from tests.support.memory_cluster import MemoryCluster
from tests.unit.gateway.test_seats_by_name import Message, PlayClient


def private_room(cluster: MemoryCluster, game: str = "stones") -> tuple[PlayClient, Message]:
    host = PlayClient(cluster, name="host")
    return host, host.ask("create", game=game, seats=2, private=True)


def without_ids(message: Message) -> Message:
    return {name: value for name, value in message.items() if name not in ("id", "room")}


@pytest.mark.parametrize("kind", ["join", "spectate", "view", "resume", "act", "say", "leave", "rematch"])
@pytest.mark.parametrize("key", [{}, {"key": ""}, {"key": "0" * 24}])
def test_without_the_key_a_private_room_looks_like_no_room(kind: str, key: Message) -> None:
    cluster = MemoryCluster()
    _, entered = private_room(cluster)
    assert len(entered["key"]) == 24
    needed: dict[str, Message] = {"resume": {"epoch": 1, "offset": 0}, "act": {"command": {}}, "say": {"text": "x"}}
    fields = needed.get(kind, {})
    if kind in ("join", "spectate", "view", "resume"):
        fields |= key
    eve = PlayClient(cluster, name="eve")
    refused = eve.ask(kind, room=entered["room"], **fields)
    assert refused["code"] == "room/unknown"
    assert without_ids(refused) == without_ids(eve.ask(kind, room=999_999_999, **fields))


@pytest.mark.parametrize(("kind", "answer"), [("join", "entered"), ("spectate", "watching"), ("view", "view")])
def test_the_key_opens_a_private_room(kind: str, answer: str) -> None:
    cluster = MemoryCluster()
    _, entered = private_room(cluster)
    guest = PlayClient(cluster, name="guest")
    assert guest.ask(kind, room=entered["room"], key=entered["key"])["type"] == answer


def test_a_spectator_resumes_with_the_key_and_gets_fresh_views() -> None:
    cluster = MemoryCluster()
    host, entered = private_room(cluster)
    room, key = entered["room"], entered["key"]
    eve = PlayClient(cluster, name="eve")
    seen = eve.ask("spectate", room=room, key=key)
    eve.memory.drop()
    again = PlayClient(cluster, token=eve.hello["token"])
    position = {"epoch": seen["epoch"], "offset": seen["offset"]}
    assert again.ask("resume", room=room, key=key, **position)["type"] == "resumed"
    again.memory.received()
    cluster.do(again.memory.connection.pause_writing)
    host.ask("say", room=room, text="one")
    cluster.do(again.memory.connection.resume_writing)
    assert [message["reason"] for message in again.memory.received_json()] == ["slow"]


def test_players_are_given_the_key_and_need_none() -> None:
    cluster = MemoryCluster()
    host, entered = private_room(cluster)
    room, key = entered["room"], entered["key"]
    guest = PlayClient(cluster, name="guest")
    assert guest.ask("join", room=room, key=key)["key"] == key
    assert guest.ask("join", room=room)["key"] == key
    assert host.ask("view", room=room)["key"] == key
    position = {"epoch": entered["epoch"], "offset": entered["offset"]}
    assert host.ask("resume", room=room, **position)["key"] == key


def test_a_repeated_create_gets_the_same_room_and_key() -> None:
    cluster = MemoryCluster()
    host, entered = private_room(cluster)
    host._ids -= 1
    again = host.ask("create", game="stones", seats=2, private=True)
    assert (again["room"], again["key"]) == (entered["room"], entered["key"])


def test_a_public_room_has_no_key() -> None:
    cluster = MemoryCluster()
    assert "key" not in PlayClient(cluster, name="host").ask("create", game="stones", seats=2)


def test_players_of_a_private_room_meet_in_its_rematch() -> None:
    cluster = MemoryCluster()
    first, second = PlayClient(cluster, name="ann"), PlayClient(cluster, name="bob")
    entered = first.ask("create", game="stones", seats=2, private=True, options={"stones": 1})
    second.ask("join", room=entered["room"], key=entered["key"])
    first.ask("act", room=entered["room"], command={"type": "take", "count": 1})
    again, other = first.ask("rematch", room=entered["room"]), second.ask("rematch", room=entered["room"])
    assert again["room"] == other["room"] != entered["room"]
    assert again["key"] == other["key"] != entered["key"]
    eve = PlayClient(cluster, name="eve")
    assert eve.ask("spectate", room=again["room"], key=entered["key"])["code"] == "room/unknown"


@pytest.mark.parametrize("dialect", ["codex", "eriantys.status", "snarl"])
def test_clients_of_other_dialects_give_the_key_in_the_url(dialect: str) -> None:
    cluster = MemoryCluster()
    _, entered = private_room(cluster, dialect.partition(".")[0])
    table = {"table": str(entered["room"])}
    names = {"codex": b'{"type":"JoinGameMessage","nickname":"guest"}', "snarl": b'"guest"'}

    def join(query: dict[str, str]) -> None:
        client = cluster.connect(dialect, query)
        if client.closed is None:
            client.send(names.get(dialect, b"guest"))

    join(table)
    join({**table, "key": "0" * 24})
    assert len(cluster.room(entered["room"]).state.seats) == 1
    join({**table, "key": entered["key"]})
    assert len(cluster.room(entered["room"]).state.seats) == 2


def test_a_table_without_spectators_refuses_them() -> None:
    cluster = MemoryCluster()
    host = PlayClient(cluster, name="host")
    room = host.ask("create", game="stones", seats=2, spectators="none")["room"]
    eve = PlayClient(cluster, name="eve")
    for kind, fields in (("spectate", {}), ("view", {}), ("resume", {"epoch": 1, "offset": 0})):
        assert eve.ask(kind, room=room, **fields)["code"] == "room/no_spectators"
    assert eve.ask("create", game="stones", seats=2, spectators="some")["code"] == "frame/malformed"
    assert host.ask("view", room=room)["view"]["spec"]["spectators"] == "none"


# --- the end of a session ---------------------------------------------------------------------------------------------


def bye(client: PlayClient, **fields: Any) -> None:
    client.memory.send_json({"type": "bye", **fields})


def test_bye_with_forget_makes_all_tokens_of_the_session_invalid() -> None:
    cluster = MemoryCluster()
    first = PlayClient(cluster, name="ann")
    second = PlayClient(cluster, token=first.hello["token"])
    bye(second, forget=True)
    assert second.memory.closed is BYE
    for token in (first.hello["token"], second.hello["token"]):
        assert PlayClient(cluster, token=token).hello["code"] == "token/revoked"
    assert PlayClient(cluster, name="ann").hello["type"] == "welcome"


def test_a_plain_bye_leaves_the_token_valid() -> None:
    cluster = MemoryCluster()
    first = PlayClient(cluster, name="ann")
    bye(first)
    assert first.memory.closed is BYE
    assert PlayClient(cluster, token=first.hello["token"]).hello["type"] == "welcome"


def test_a_session_that_cannot_be_forgotten_now_stays_open_and_is_told() -> None:
    cluster = MemoryCluster()
    first = PlayClient(cluster, name="ann")
    with cluster.store_lost():
        bye(first, forget=True)
        assert first.memory.received_json()[0]["code"] == "busy/store"
    assert first.memory.closed is None
    bye(first, forget=True)
    assert first.memory.closed is BYE


def test_forget_before_hello_just_closes() -> None:
    client = MemoryCluster().connect("play")
    client.send_json({"type": "bye", "forget": True})
    assert client.closed is BYE


def test_a_session_that_is_revoked_elsewhere_is_closed() -> None:
    cluster = MemoryCluster()
    ann, bob = PlayClient(cluster, name="ann"), PlayClient(cluster, name="bob")
    node = cluster.gateway.node
    cluster.do(lambda: node.tasks.spawn(node.revocations.revoke_and_close(ann.hello["session"])))
    assert ann.memory.closed is REVOKED
    assert bob.memory.closed is None
    assert PlayClient(cluster, token=ann.hello["token"]).hello["code"] == "token/revoked"


def test_a_revocation_is_kept_for_as_long_as_a_token_may_be_accepted() -> None:
    cluster = MemoryCluster()
    ann = PlayClient(cluster, name="ann")
    bye(ann, forget=True)
    left_ms = cluster.server.run(("PTTL", f"tavolata:revoked:{ann.hello['session']}"))
    longest_ms = cluster.gateway.node.settings.token_ms + LATE_MS
    assert longest_ms - 1_000 <= left_ms <= longest_ms
