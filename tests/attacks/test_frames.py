"""Floods of cheap input on one connection: other clients of the gateway are served all the while."""

import asyncio
import json
from collections.abc import Callable

import pytest

from tests.attacks.conftest import Ports
from tests.support.cluster import Cluster
from tests.support.control import Control
from tests.support.hostile import CONTINUATION, PING, TEXT, HostileClient, frame, message
from tests.support.player import new_name

ATTACK_S = 1.0
"""An attack that the gateway slows down is broken off after this time."""
MEGABYTES_6 = 6 * 1024 * 1024

Attack = Callable[[HostileClient], None]


async def _attack(cluster: Cluster, port: int, attack: Attack) -> None:
    """Run the attack in a thread, with the control beside it and after it."""

    def run() -> None:
        with HostileClient(port) as hostile:
            attack(hostile)

    async with Control(cluster) as control:
        await asyncio.to_thread(run)
        await control.rounds(5)


def _flood(data: bytes) -> Attack:
    """Send all, then read what comes, as long as the attack may last."""

    def attack(hostile: HostileClient) -> None:
        hostile.send(data, ATTACK_S)
        hostile.pause(ATTACK_S / 2)

    return attack


def _play_flood(data: bytes) -> Attack:
    """The same, after the handshake and the login of `play`."""

    def attack(hostile: HostileClient) -> None:
        _flood(data)(hostile.login(new_name()))

    return attack


async def test_a_flood_of_empty_pings_does_not_slow_other_players(attacked: Cluster) -> None:
    await _attack(attacked, attacked.gateways[0].port, _play_flood(frame(opcode=PING) * 60_000))


async def test_a_flood_of_empty_continuation_frames_does_not_slow_other_players(attacked: Cluster) -> None:
    begun = frame(b'"', last=False) + frame(opcode=CONTINUATION, last=False) * 60_000
    await _attack(attacked, attacked.gateways[0].port, _play_flood(begun))


async def test_a_flood_of_short_text_messages_does_not_slow_other_players(attacked: Cluster) -> None:
    await _attack(attacked, attacked.gateways[0].port, _play_flood(message(type="ping") * 60_000))


async def test_moves_with_thousands_of_empty_lists_do_not_slow_other_players(attacked: Cluster) -> None:
    command = {"type": "take", "count": [[]] * 15_000}
    moves = [message(type="act", id=number, room=1000, command=command) for number in range(1, 151)]
    await _attack(attacked, attacked.gateways[0].port, _play_flood(b"".join(moves)))


async def test_large_messages_that_are_not_json_do_not_slow_other_players(attacked: Cluster) -> None:
    await _attack(attacked, attacked.gateways[0].port, _play_flood(frame(b"[" * 60_000) * 100))


@pytest.mark.parametrize("filler", [b" ", b"[1, [2], {}]\n"], ids=["blanks", "json"])
async def test_megabytes_over_tcp_to_snarl_do_not_slow_other_players(
    attacked: Cluster, ports: Ports, filler: bytes
) -> None:
    await _attack(attacked, ports.snarl, _flood(filler * (MEGABYTES_6 // len(filler))))


async def test_a_snarl_value_of_megabytes_without_an_end_does_not_slow_other_players(
    attacked: Cluster, ports: Ports
) -> None:
    await _attack(attacked, ports.snarl, _flood(b'"' + b"x" * MEGABYTES_6))


@pytest.mark.parametrize("filler", [b"\n", b"[]\n"], ids=["newlines", "lists"])
async def test_megabytes_over_tcp_to_play_do_not_slow_other_players(
    attacked: Cluster, ports: Ports, filler: bytes
) -> None:
    await _attack(attacked, ports.play, _flood(filler * (MEGABYTES_6 // len(filler))))


@pytest.mark.parametrize("path", ["/api/rooms?game=", "/ws/play?token="])
async def test_a_url_of_thirty_megabytes_is_not_read_whole(attacked: Cluster, path: str) -> None:
    def attack(hostile: HostileClient) -> None:
        sent = hostile.send(f"GET {path}".encode() + b"x" * 30_000_000, ATTACK_S)
        assert hostile.closed or sent < 30_000_000, "the gateway has read all of it"

    await _attack(attacked, attacked.gateways[0].port, attack)


async def test_http_headers_of_thirty_megabytes_close_the_connection(attacked: Cluster) -> None:
    def attack(hostile: HostileClient) -> None:
        hostile.send(b"GET /api/rooms HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        hostile.send(b"X-Filler: " + b"x" * 30_000_000, ATTACK_S)
        assert hostile.pause(ATTACK_S), "the gateway goes on reading"

    await _attack(attacked, attacked.gateways[0].port, attack)


async def test_one_message_in_bytes_and_fragments_is_still_understood(attacked: Cluster) -> None:
    """The limits leave room for a slow and fragmented but honest client."""
    text = json.dumps({"type": "ping", "t": "ü"}).encode()

    def attack(hostile: HostileClient) -> None:
        hostile.login(new_name())
        first, *middle, last = (text[at : at + 1] for at in range(len(text)))
        hostile.send(frame(first, TEXT, last=False))
        for part in middle:
            hostile.send(frame(part, CONTINUATION, last=False))
        hostile.send(frame(last, CONTINUATION))
        assert hostile.next_message() == {"type": "pong", "t": "ü"}

    await _attack(attacked, attacked.gateways[0].port, attack)
