"""Gateways are replaced while clients that cannot resume are in the middle of their games: no connection is reset."""

import asyncio

import pytest

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.snarl.client import SnarlPlayer
from tests.support.cluster import HOST, QUICK, Cluster, Node
from tests.support.free_ports import free_port

PLAYERS = 3
"""Players of a game. Their table is full when the last of them has come."""
THINKING_S = 0.02


class TcpSnarlPlayer:
    """A headless Snarl client over TCP that never comes back after a lost connection."""

    def __init__(self, name: str, seed: int) -> None:
        assignment = SeatAssignment(name, "snarl", PLAYERS, {}, seed, lambda: None, lambda _room: None, first=False)
        self.player = SnarlPlayer(assignment)
        self.moved = asyncio.Event()
        """Set after the first move."""

    async def play(self, port: int) -> None:
        """Play until the server closes the connection; raises `OSError` if it is reset."""
        reader, writer = await asyncio.open_connection(HOST, port)
        try:
            while line := await reader.readline():
                for answer in self.player.receive(line.strip()):
                    await asyncio.sleep(THINKING_S)
                    writer.write(answer + b"\n")
                if self.player.moves:
                    self.moved.set()
                if self.player.over:
                    return
        finally:
            writer.close()


async def _restart(cluster: Cluster, old: Node, port: int) -> int:
    """Start a new gateway on the same TCP port, then stop the old one; its exit code."""
    new = cluster.node("gateway", tcp=f"snarl={port}")
    await asyncio.to_thread(new.start)
    return await asyncio.to_thread(old.terminate, 100)


@pytest.mark.verify
@pytest.mark.timeout(300)
async def test_six_snarl_clients_play_to_the_end_through_two_restarts_of_gateways() -> None:
    ports = (free_port(), free_port())
    with Cluster(env={"TAVOLATA_SNARL_CLIENTS": str(PLAYERS)}, **QUICK) as cluster:
        cluster.start(0, 1)
        for port in ports:
            cluster.node("gateway", tcp=f"snarl={port}").start()
        clients = [TcpSnarlPlayer(f"player{number}", number) for number in range(2 * PLAYERS)]
        playing = [asyncio.create_task(client.play(ports[number // PLAYERS])) for number, client in enumerate(clients)]
        await asyncio.gather(*(client.moved.wait() for client in clients))
        codes = await asyncio.gather(
            *(_restart(cluster, *old) for old in zip(list(cluster.gateways), ports, strict=True))
        )
        await asyncio.gather(*playing)
        assert codes == [0, 0]
        assert [client.player.over for client in clients] == [True] * len(clients)
        assert [fault for client in clients for fault in client.player.received.faults] == []
