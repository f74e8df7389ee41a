"""A seat belongs to the session that took it: no stranger gets it by name, and its token always brings it back."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.attacks.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.control import Control
from tests.support.hostile import HostileClient, frame
from tests.support.player import Player

ATTEMPTS = 5
LEAST_KEY = 11
"""Characters that 64 bits need in base 64."""


@dataclass(frozen=True, slots=True)
class Thief:
    """A way in which a dialect without tokens gives a lost seat back."""

    dialect: str
    game: str
    claim: Callable[[str, int], Any]
    """The claim of a name, at a room."""
    refused: Callable[[Any], bool]
    """Whether a message refuses the claim."""


THIEVES = [
    Thief(
        "codex",
        "codex",
        lambda name, _room: {"type": "RejoinGameMessage", "nickname": name},
        lambda message: message["type"] == "ConfirmRejoinGameMessage" and not message["confirmRejoinGame"],
    ),
    Thief(
        "codex",
        "codex",
        lambda name, room: {"type": "RejoinGameMessage", "nickname": name, "gameId": room},
        lambda message: message["type"] == "ConfirmRejoinGameMessage" and not message["confirmRejoinGame"],
    ),
    Thief("snarl", "snarl", lambda name, _room: name, lambda message: message == "name"),
    Thief(
        "eriantys/events",
        "eriantys",
        lambda name, _room: {"type": "Login", "username": name},
        lambda message: message["type"] == "Nack",
    ),
    Thief(
        "eriantys/prompts",
        "eriantys",
        lambda name, room: {"type": "Join", "nickname": name, "mage": "MAGE1", "index": room},
        lambda message: message["type"] == "Error",
    ),
    Thief("eriantys/status", "eriantys", lambda name, _room: name, lambda message: message.get("status", 0) != 0),
]


def _steal(port: int, thief: Thief, name: str, room: int) -> list[Any]:
    """Claim the seat a few times; returns the messages that answered."""
    with HostileClient(port).upgrade(f"/ws/{thief.dialect}") as hostile:
        answers = []
        for _ in range(ATTEMPTS - 1):
            hostile.send(frame(json.dumps(thief.claim(name, room)).encode()))
            answers.append(_answer(hostile))
        return answers


def _answer(hostile: HostileClient) -> Any:
    """The next message that is no greeting, list, ping or heartbeat."""
    while (message := hostile.next_message()) is not None:
        kind = message.get("type", "") if isinstance(message, dict) else message
        if kind not in ("welcome", "Welcome", "Ping", "HeartbeatMessage"):
            return message
    raise AssertionError("the connection was closed")


async def _private_table(victim: Player, partner: Player, game: str) -> int:
    opened = await victim.ask("create", game=game, seats=2, private=True)
    key = {"key": opened["key"]} if "key" in opened else {}
    assert (await partner.ask("join", room=opened["room"], **key))["type"] == "entered"
    await partner.wait_for_event(opened["room"], "room.started")
    return int(opened["room"])


@pytest.mark.parametrize("thief", THIEVES, ids=lambda thief: thief.dialect)
async def test_no_stranger_gets_a_seat_of_a_token_by_its_name(
    attacked: Cluster, new_player: NewPlayer, thief: Thief
) -> None:
    gateway = attacked.gateways[0]
    victim, partner = await new_player(), await new_player()
    async with Control(attacked):
        room = await _private_table(victim, partner, thief.game)
        victim.drop()
        await partner.wait_for_event(room, "room.away")
        answers = await asyncio.to_thread(_steal, gateway.port, thief, victim.name, room)
        assert all(thief.refused(answer) for answer in answers), answers
        assert await victim.reconnect(gateway.url)
        assert (await victim.ask("view", room=room))["seat"] == 0
        await partner.wait_for_event(room, "room.back")


async def test_the_owner_of_a_seat_returns_while_strangers_claim_it(attacked: Cluster, new_player: NewPlayer) -> None:
    gateway, thief = attacked.gateways[0], THIEVES[0]
    victim, partner = await new_player(), await new_player()
    room = await _private_table(victim, partner, thief.game)
    victim.drop()
    async with asyncio.TaskGroup() as group:
        stealing = [
            group.create_task(asyncio.to_thread(_steal, gateway.port, thief, victim.name, room)) for _ in range(3)
        ]
        await victim.connect(gateway.url)
        assert (await victim.hello(token=victim.token))["type"] == "welcome"
        assert (await victim.resume(room))["seat"] == 0
    assert all(thief.refused(answer) for task in stealing for answer in task.result())
    assert victim.closed is None


async def test_a_private_room_is_unknown_without_its_key(attacked: Cluster, new_player: NewPlayer) -> None:
    owner, guest, stranger = await new_player(), await new_player(), await new_player()
    opened = await owner.ask("create", game="stones", seats=2, private=True)
    room, key = opened["room"], opened["key"]
    assert len(key) >= LEAST_KEY
    for wrong in ({}, {"key": ""}, {"key": key[:-1]}, {"key": key[:-1] + ("A" if key[-1] != "A" else "B")}):
        for kind in ("join", "spectate", "view"):
            assert (await stranger.ask(kind, room=room, **wrong))["code"] == "room/unknown"
    assert (await stranger.ask("resume", room=room, epoch=1, offset=1))["code"] == "room/unknown"
    assert (await guest.ask("join", room=room, key=key))["type"] == "entered"


def _points(value: Any) -> list[tuple[int, int]]:
    """The positions of all items and actors anywhere in a message."""
    if isinstance(value, dict):
        here = [value[name] for name in ("position", "key", "exit") if isinstance(value.get(name), list)]
        points = [(point[0], point[1]) for point in here if len(point) == 2]
        return points + [point for inner in value.values() for point in _points(inner)]
    return [point for inner in value for point in _points(inner)] if isinstance(value, list) else []


async def test_a_spectator_of_snarl_sees_no_more_than_the_players_have_seen(
    attacked: Cluster, new_player: NewPlayer
) -> None:
    first, second, watcher = await new_player(), await new_player(), await new_player()
    room = (await first.ask("create", game="snarl", seats=2))["room"]
    await second.ask("join", room=room)
    await first.wait_for_event(room, "room.started")
    centers = []
    for player in (first, second):
        centers.append((await player.ask("view", room=room))["view"]["game"]["window"]["position"])
    watched = (await watcher.ask("spectate", room=room, wants=["view"]))["view"]["game"]

    def seen(point: tuple[int, int]) -> bool:
        return any(max(abs(point[0] - center[0]), abs(point[1] - center[1])) <= 2 for center in centers)

    rows = (watched.get("board") or {}).get("rows", [])
    shown = [(row, column) for row, cells in enumerate(rows) for column, cell in enumerate(cells) if cell != " "]
    assert [point for point in shown if not seen(point)] == []
    assert [point for point in _points(watched) if not seen(point)] == []
    assert "seed" not in json.dumps(watched)
