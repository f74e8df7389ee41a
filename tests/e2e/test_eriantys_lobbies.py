"""Eriantys players who leave a lobby that still waits."""

import json

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.support.cluster import Cluster, Node
from tests.support.player import Message, new_name

pytestmark = pytest.mark.timeout(60)


def prompts(gateway: Node) -> connect:
    return connect(f"{gateway.url}/ws/eriantys/prompts", compression=None, proxy=None)


async def hear(socket: ClientConnection, kind: str) -> Message:
    """The next message of a kind."""
    while True:
        message: Message = json.loads(await socket.recv())
        if message["type"] == kind:
            return message


async def say(socket: ClientConnection, kind: str, **fields: object) -> None:
    await socket.send(json.dumps({"type": kind, **fields}))


async def test_a_player_who_disconnects_from_a_waiting_lobby_is_closed(calm: Cluster) -> None:
    here, there = calm.gateways
    async with prompts(here) as ann, prompts(there) as bob:
        await say(ann, "GameParams", numPlayers=3, expert=False, nickname=new_name(), mage="MAGE1")
        lobby = (await hear(ann, "InformationConnection"))["lobbyIndex"]
        await say(bob, "Join", index=lobby, nickname=new_name(), mage="MAGE2")
        await hear(bob, "InformationConnection")
        await say(bob, "Disconnect")
        await hear(ann, "NotifyDisconnection")
        with pytest.raises(ConnectionClosed) as ended:
            await hear(bob, "Welcome")
    assert ended.value.rcvd is not None
    assert ended.value.rcvd.reason == "bye"
