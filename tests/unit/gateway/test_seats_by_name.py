"""Seats and names of players who are lost, in all dialects: strangers try to get them, and the owners come back."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from gateway.dialects.snarl.close_codes import NO_TABLE
from shared.ids import Seat
from tests.support.memory_cluster import GATEWAY, MemoryClient, MemoryCluster

Message = dict[str, Any]


class PlayClient:
    """A client of `play`."""

    def __init__(self, cluster: MemoryCluster, **hello: str) -> None:
        self.memory: MemoryClient = cluster.connect("play")
        self._ids = 0
        self.memory.send_json({"type": "hello", **hello})
        self.hello: Message = self.memory.received_json()[0]

    def ask(self, kind: str, **fields: Any) -> Message:
        """A request, and the message that answers it."""
        self._ids += 1
        self.memory.received()
        self.memory.send_json({"type": kind, "id": self._ids, **fields})
        received = [message for message in self.memory.received_json() if message["type"] != "update"]
        return next(message for message in received if message.get("id") == self._ids)


def seated(cluster: MemoryCluster, game: str, *, private: bool = True) -> tuple[PlayClient, int]:
    """A player called Victim who plays with a bot, and the room."""
    victim = PlayClient(cluster, name="Victim")
    return victim, victim.ask("create", game=game, seats=2, bots=1, private=private)["room"]


CODEX = {"type": "RejoinGameMessage", "nickname": "Victim"}


def codex(cluster: MemoryCluster, room: int) -> list[Any]:
    thief = cluster.connect("codex")
    thief.send_json(CODEX)
    thief.send_json({**CODEX, "gameId": room})
    return thief.received_json()


def events(cluster: MemoryCluster, _room: int) -> list[Any]:
    thief = cluster.connect("eriantys.events")
    thief.send_json({"type": "Login", "username": "Victim"})
    return thief.received_json()


def prompts(cluster: MemoryCluster, room: int) -> list[Any]:
    thief = cluster.connect("eriantys.prompts")
    thief.received()
    thief.send_json({"type": "Join", "index": room, "nickname": "Victim", "mage": "MAGE1"})
    return thief.received_json()


def status(cluster: MemoryCluster, room: int) -> list[Any]:
    received = []
    for query in ({}, {"table": str(room)}):
        thief = cluster.connect("eriantys.status", query)
        thief.send(b"Victim")
        received += thief.received_json()
    return received


def snarl(cluster: MemoryCluster, room: int) -> list[Any]:
    thief, other = cluster.connect("snarl"), cluster.connect("snarl", {"table": str(room)})
    assert other.closed is NO_TABLE
    thief.send_json("Victim")
    received = thief.received_json()
    assert received[-2:] == ["name", "name"]
    return received


THIEVES = [("codex", codex), ("eriantys", events), ("eriantys", prompts), ("eriantys", status), ("snarl", snarl)]


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize(("game", "thief"), THIEVES)
def test_a_seat_of_a_token_is_not_given_to_a_stranger_in_any_dialect(game: str, thief: Any, private: bool) -> None:
    cluster = MemoryCluster()
    victim, room = seated(cluster, game, private=private)
    place = cluster.room(room).state.seats[Seat(0)]
    victim.memory.drop()
    received = msgspec.json.encode(thief(cluster, room)).decode()
    assert not place.here
    assert place.sid == victim.hello["session"]
    for part in ("UpdateCrashedPlayer", "AddPlayer", "start-level", "welcome back", '"userID":'):
        assert part not in received
    back = PlayClient(cluster, token=victim.hello["token"])
    assert (back.hello["type"], back.hello["rooms"]) == ("welcome", [room])
    assert back.ask("view", room=room)["seat"] == 0


@pytest.mark.parametrize(
    ("private", "details"), [(True, "there is no such room"), (False, "the player of that name is connected")]
)
def test_the_stranger_gets_the_usual_refusal_of_the_dialect(private: bool, details: str) -> None:
    cluster = MemoryCluster()
    victim, room = seated(cluster, "codex", private=private)
    victim.memory.drop()
    refused = {"type": "ConfirmRejoinGameMessage", "confirmRejoinGame": False, "details": details}
    assert codex(cluster, room) == [refused, refused]


def test_a_seat_taken_without_a_token_comes_back_by_name() -> None:
    cluster = MemoryCluster()
    assert codex_returns(cluster, "10.0.0.1", "10.0.0.2")


@pytest.mark.parametrize(
    ("policy", "address", "granted"),
    [
        ("any", "10.0.0.2", True),
        ("address", "10.0.0.1", True),
        ("address", "10.0.0.2", False),
        ("off", "10.0.0.1", False),
    ],
)
def test_the_setting_says_which_clients_come_back_by_name(policy: str, address: str, granted: bool) -> None:
    cluster = MemoryCluster(gateway=replace(GATEWAY, return_by_name=policy))
    assert codex_returns(cluster, "10.0.0.1", address) is granted


def codex_returns(cluster: MemoryCluster, lost_from: str, back_from: str) -> bool:
    """Whether a Codex player who was lost from one address comes back from the other."""
    ann = cluster.connect("codex", address=lost_from)
    ann.send_json({"type": "CreateGameMessage", "numPlayers": 2, "nickname": "Ann"})
    bob = cluster.connect("codex", address="10.9.9.9")
    bob.send_json({"type": "JoinGameMessage", "nickname": "Bob"})
    ann.drop()
    back = cluster.connect("codex", address=back_from)
    back.send_json({"type": "RejoinGameMessage", "nickname": "Ann"})
    (answer,) = [message for message in back.received_json() if message["type"] == "ConfirmRejoinGameMessage"]
    return bool(answer["confirmRejoinGame"])


# --- names ------------------------------------------------------------------------------------------------------------


def test_a_token_wins_over_a_name_claimed_without_one() -> None:
    cluster = MemoryCluster()
    victim = PlayClient(cluster, name="Victim")
    victim.memory.drop()
    cluster.advance(GATEWAY.name_ms + 1_000)
    thief = cluster.connect("eriantys.events")
    thief.send_json({"type": "Login", "username": "Victim"})
    assert thief.received_json()[0]["type"] == "Ack"
    back = PlayClient(cluster, token=victim.hello["token"])
    assert (back.hello["type"], back.hello["name"]) == ("welcome", "Victim")
    thief.drop()
    assert PlayClient(cluster, name="Victim").hello["code"] == "name/taken"


def test_a_player_whose_name_went_to_a_token_keeps_the_seat_and_comes_back_to_it() -> None:
    cluster = MemoryCluster()
    first = PlayClient(cluster, name="Ann")
    first.memory.drop()
    cluster.advance(GATEWAY.name_ms + 1_000)
    ann = cluster.connect("codex")
    ann.send_json({"type": "CreateGameMessage", "numPlayers": 2, "nickname": "Ann"})
    bob = cluster.connect("codex")
    bob.send_json({"type": "JoinGameMessage", "nickname": "Bob"})
    owner = PlayClient(cluster, token=first.hello["token"])
    assert owner.hello["type"] == "welcome"
    assert ann.closed is None
    ann.drop()
    back = cluster.connect("codex")
    back.send_json({"type": "RejoinGameMessage", "nickname": "Ann"})
    assert back.received_json()[0]["confirmRejoinGame"]
    holder = cluster.server.run(("HGET", "tavolata:name:ann", "session"))
    assert holder.decode() == first.hello["session"]


def test_a_token_does_not_win_over_a_later_session_that_has_a_token_too() -> None:
    cluster = MemoryCluster()
    first = PlayClient(cluster, name="Ann")
    first.memory.drop()
    cluster.advance(GATEWAY.name_ms + 1_000)
    second = PlayClient(cluster, name="ann")
    assert PlayClient(cluster, token=first.hello["token"]).hello["code"] == "name/taken"
    assert second.memory.closed is None


def test_names_that_differ_in_case_or_width_are_the_same() -> None:
    cluster = MemoryCluster()
    ann = PlayClient(cluster, name="Ann")
    assert ann.hello["name"] == "Ann"
    for name in ("ANN", "\uff21nn", " ann"):
        assert PlayClient(cluster, name=name).hello["code"] == "name/taken"
    assert PlayClient(cluster, name="Jose\u0301").hello["name"] == "Jos\u00e9"


def test_a_room_keeps_a_name_in_any_case_for_its_absent_player() -> None:
    cluster = MemoryCluster()
    victim, _ = seated(cluster, "stones")
    victim.memory.drop()
    cluster.advance(GATEWAY.name_ms + 1_000)
    assert PlayClient(cluster, name="VICTIM").hello["code"] == "name/taken"


# --- lists ------------------------------------------------------------------------------------------------------------


def test_strangers_are_not_shown_which_players_are_away() -> None:
    cluster = MemoryCluster()
    watcher = PlayClient(cluster, name="watcher")
    watcher.ask("rooms", live=True)
    codex_client = cluster.connect("codex")
    codex_client.send_json({"type": "CreateGameMessage", "numPlayers": 2, "nickname": "Ann"})
    PlayClient(cluster, name="Bob").ask("join", room=1000)
    codex_client.drop()
    assert cluster.gateway.node.rooms.get(1000).gone == (0,)  # type: ignore[arg-type, union-attr]
    changes = [message for message in watcher.memory.received_json() if message["type"] == "rooms_changed"]
    listed = [
        room for message in (*changes, watcher.ask("rooms")) for room in message.get("changed", message.get("rooms"))
    ]
    assert [room["room"] for room in listed] == [1000] * len(listed)
    assert not [room for room in listed if "gone" in room]
