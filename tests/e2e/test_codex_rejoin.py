"""Codex players who are lost and come back by name alone, whatever happened meanwhile."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, TypeAlias

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster, Node
from tests.support.player import Message, new_name

pytestmark = pytest.mark.timeout(60)


class Client:
    """Speaks the dialect; heartbeats are passed over, tables of these tests do not live long."""

    def __init__(self, socket: ClientConnection, name: str) -> None:
        self.name = name
        self._socket = socket

    async def ask(self, kind: str, **arguments: Any) -> Message:
        """A request, and the Confirm that answers it."""
        await self._socket.send(json.dumps({"type": kind, "nickname": self.name, **arguments}))
        while not (message := await self.hear())["type"].startswith("Confirm"):
            pass
        return message

    async def hear(self, kind: str = "") -> Message:
        """The next message, or the next of a kind."""
        while True:
            message: Message = json.loads(await self._socket.recv())
            if message["type"] != "HeartbeatMessage" and kind in ("", message["type"]):
                return message

    def drop(self) -> None:
        self._socket.transport.abort()


Connect: TypeAlias = Callable[[Node, str], Awaitable[Client]]


@pytest.fixture
async def turn_up() -> AsyncIterator[Connect]:
    """Connects a client of that name to a gateway."""
    async with AsyncExitStack() as guests:

        async def bring(gateway: Node, name: str) -> Client:
            socket = connect(f"{gateway.url}/ws/codex", compression=None, proxy=None)
            return Client(await guests.enter_async_context(socket), name)

        yield bring


async def test_a_player_who_is_lost_again_while_returning_can_return(calm: Cluster, turn_up: Connect) -> None:
    here, there = calm.gateways
    ann, bob = await turn_up(here, new_name()), await turn_up(there, new_name())
    game = (await ann.ask("CreateGameMessage", numPlayers=2))["gameId"]
    await bob.ask("JoinGameMessage", gameId=game)
    for _ in range(6):
        ann.drop()
        assert (await bob.hear("CrashedPlayerMessage"))["player"] == ann.name
        ann = await turn_up(there, ann.name)
        assert (await ann.ask("RejoinGameMessage"))["confirmRejoinGame"]
    ann.drop()
    await bob.hear("CrashedPlayerMessage")
    thief = await turn_up(here, ann.name)
    assert not (await thief.ask("CreateGameMessage", numPlayers=2))["confirmGameCreation"]


async def test_a_player_who_returns_after_the_end_learns_the_winner(
    calm: Cluster, new_player: NewPlayer, turn_up: Connect
) -> None:
    host = await new_player(calm.gateways[0])
    game = (await host.ask("create", game="codex", seats=2, options={"alone_ms": 50}))["room"]
    bob = await turn_up(calm.gateways[1], new_name())
    await bob.ask("JoinGameMessage", gameId=game)
    bob.drop()
    await host.wait_for_message(lambda message: "room.ended" in [event["type"] for event in message.get("events", ())])
    bob = await turn_up(calm.gateways[0], bob.name)
    answer = await bob.ask("RejoinGameMessage")
    assert not answer["confirmRejoinGame"]
    assert host.name in answer["details"]
