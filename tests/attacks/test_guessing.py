"""Guessing: numbers of private rooms, and the admin token. Misses are limited, and noticed by operators."""

import asyncio
import http.client
from collections import Counter
from collections.abc import Callable

import pytest

from shared.bus import keys, meta
from tests.attacks.conftest import NewPlayer
from tests.support.cluster import HOST, Cluster
from tests.support.control import Control
from tests.support.hostile import HostileClient, message
from tests.support.player import new_name

GUESSES = 400
MOST_MISSES = 100
"""Wrong guesses that one connection may make in a moment."""
TOKENS = 600
FIRST_GUESS = 100_000_000


def _play(kind: str) -> Callable[[HostileClient], list[str]]:
    def attack(hostile: HostileClient) -> list[str]:
        hostile.login(new_name())
        requests = (message(type=kind, id=number, room=FIRST_GUESS + number) for number in range(1, GUESSES + 1))
        hostile.send(b"".join(requests))
        return [answer["code"] for answer in hostile.answers(1, GUESSES)]

    return attack


def _codex(hostile: HostileClient) -> list[str]:
    """JoinGame with a guessed number; the answers that are no refusal as busy count as misses."""
    hostile.upgrade("/ws/codex")
    codes: list[str] = []
    name = new_name()
    for number in range(GUESSES):
        hostile.send(message(type="JoinGameMessage", nickname=name, gameId=FIRST_GUESS + number))
        while (said := hostile.next_message()) is not None and said["type"] == "HeartbeatMessage":
            pass
        if said is None:
            break
        codes.append("busy/" if "BUSY" in said["details"] else "room/unknown")
    return codes


ATTACKS: dict[str, Callable[[HostileClient], list[str]]] = {
    **{kind: _play(kind) for kind in ("join", "spectate", "view")},
    "codex": _codex,
}


@pytest.mark.parametrize("way", ATTACKS)
async def test_guesses_of_room_numbers_are_limited(attacked: Cluster, way: str) -> None:
    def attack() -> list[str]:
        with HostileClient(attacked.gateways[0].port, address=f"127.0.1.{1 + list(ATTACKS).index(way)}") as hostile:
            return ATTACKS[way](hostile)

    async with Control(attacked):
        codes = await asyncio.to_thread(attack)
    found = Counter(code.partition("/")[0] for code in codes)
    assert set(found) <= {"room", "busy"}
    assert found["room"] <= MOST_MISSES


async def test_an_attacker_who_guesses_does_not_shut_others_out(attacked: Cluster, new_player: NewPlayer) -> None:
    def attack() -> list[str]:
        with HostileClient(attacked.gateways[0].port, address="127.0.1.20") as hostile:
            return _play("join")(hostile)

    await asyncio.to_thread(attack)
    first, second = await new_player(), await new_player()
    opened = await first.ask("create", game="stones", seats=2)
    assert (await second.ask("join", room=opened["room"] + 1))["code"] == "room/unknown"
    assert (await second.ask("join", room=opened["room"]))["type"] == "entered"


def _try_tokens(port: int) -> Counter[int]:
    """Statuses of requests with wrong admin tokens, all on one connection as long as it stays open."""
    statuses: Counter[int] = Counter()
    connection = http.client.HTTPConnection(HOST, port, timeout=20, source_address=("127.0.1.30", 0))
    try:
        for number in range(TOKENS):
            connection.request("GET", "/api/ops/cluster", headers={"Authorization": f"Bearer wrong{number}"})
            response = connection.getresponse()
            response.read()
            statuses[response.status] += 1
    finally:
        connection.close()
    return statuses


async def test_wrong_admin_tokens_are_throttled_logged_and_counted(attacked: Cluster) -> None:
    gateway = attacked.gateways[0]
    port = gateway.ops_port
    logged = len(gateway.log())
    async with Control(attacked):
        statuses = await asyncio.to_thread(_try_tokens, port)
    assert statuses[401] <= 20
    assert statuses[429] >= TOKENS - 20
    assert "wrong token of an operator" in gateway.log()[logged:]
    assert "127.0.1.30" in gateway.log()[logged:]
    refused = {name: count for name, count in gateway.metrics().items() if "admin_refusals_total" in name}
    assert sum(refused.values()) >= TOKENS
    with attacked.redis() as store:
        token = store.hget(keys.SECRETS, meta.ADMIN_TOKEN)
    status, _ = await asyncio.to_thread(_authorized, port, token)
    assert status == 200, "operators at another address are shut out"


def _authorized(port: int, token: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(HOST, port, timeout=20)
    try:
        connection.request("GET", "/api/ops/cluster", headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
