"""The Python client passes the scenarios, and leaves nothing behind when it is cancelled or closed."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tavolata.client import NoAnswer, Player, RemoteTable, RequestRefused, SessionEnded, TableUpdate, connect
from tests.clients.scenarios import SCENARIOS, Json, ScenarioRun
from tests.support.cluster import ROOT, Cluster

GUIDE = ROOT / "docs" / "clients" / "python.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


class PythonScenarioClient:
    """A `ScenarioClient` over `tavolata.client`. It reads the updates of every table in the background."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._player: Player | None = None
        self._tables: dict[int, RemoteTable] = {}
        self._seen: dict[int, list[Json]] = {}
        self._readers: set[asyncio.Task[None]] = set()
        self._token = ""

    async def call(self, action: str, **arguments: Any) -> Json:
        actions: dict[str, Callable[..., Awaitable[Json]]] = {
            "connect": self._connect,
            "connect_again": self._connect_again,
            "resume": self._resume,
            "act": self._act,
            "say": self._say,
            "fill": self._fill,
            "leave": self._leave,
            "state": self._state,
            "seen": self._list_updates,
            "close": self._close,
            "token": self._read_token,
            "end": self._end,
        }
        try:
            if action in actions:
                return await actions[action](**arguments)
            return await self._take_seat(action, **arguments)
        except RequestRefused as refused:
            return {"refused": refused.code, "text": refused.text}
        except SessionEnded as ended:
            return {"ended": ended.code, "text": ended.text}

    @property
    def _session(self) -> Player:
        assert self._player is not None
        return self._player

    async def _connect(self, urls: list[str], name: str) -> Json:
        self._player = await self._stack.enter_async_context(connect(urls, name=name))
        return {}

    async def _connect_again(self, urls: list[str]) -> Json:
        self._player = await self._stack.enter_async_context(connect(urls, token=self._token))
        return {}

    async def _take_seat(self, action: str, **arguments: Any) -> Json:
        if action == "rematch":
            table = await self._tables[arguments["room"]].rematch()
        else:
            table = await getattr(self._session, action)(**arguments)
        return self._entered(table)

    async def _resume(self, room: int) -> Json:
        return self._entered(await self._session.resume(room, self._tables[room].position))

    def _entered(self, table: RemoteTable) -> Json:
        if table is not self._tables.get(table.room):
            self._tables[table.room] = table
            reader = asyncio.create_task(self._read(table))
            self._readers.add(reader)
        return {"room": table.room, "seat": table.seat, "offset": table.entered.offset}

    async def _read(self, table: RemoteTable) -> None:
        async for update in table.updates(until_left=True):
            self._seen.setdefault(table.room, []).append(_plain(update))

    async def _act(self, room: int, command: Json) -> Json:
        return _plain(await self._tables[room].act(command))

    async def _say(self, room: int, text: str) -> Json:
        return _plain(await self._tables[room].say(text))

    async def _fill(self, room: int) -> Json:
        return _plain(await self._tables[room].fill())

    async def _leave(self, room: int) -> Json:
        await self._tables[room].leave()
        return {}

    async def _state(self, room: int) -> Json:
        table = self._tables[room]
        outcome = table.view.outcome or {}
        return {
            "offset": table.position[1],
            "over": table.over,
            "winners": outcome.get("winners"),
            "chat": [said["text"] for said in table.chat],
            "game": table.view.game,
        }

    async def _list_updates(self, room: int) -> Json:
        return {"updates": self._seen.get(room, [])}

    async def _close(self) -> Json:
        self._token = self._session.token
        await self._session.close()
        await asyncio.gather(*self._readers, return_exceptions=True)
        return {}

    async def _read_token(self) -> Json:
        return {"token": self._session.token}

    async def _end(self) -> Json:
        await self._stack.aclose()
        await asyncio.gather(*self._readers, return_exceptions=True)
        return {}


def _plain(update: TableUpdate) -> Json:
    events = [event["type"] for event in update.events]
    return {"offset": update.offset, "id": update.id, "events": events, "reason": update.reason}


@pytest.mark.parametrize("number", range(len(SCENARIOS)), ids=lambda number: SCENARIOS[number]["name"])
async def test_the_client_passes_the_scenario(cluster: Cluster, number: int) -> None:
    await ScenarioRun(cluster, PythonScenarioClient, f"p{number}-").run(SCENARIOS[number]["steps"])


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_of_the_guide_run(cluster: Cluster, number: int) -> None:
    example = EXAMPLES[number].replace("ws://127.0.0.1:8000", cluster.gateways[0].url)
    words = [sys.executable, "-c", example]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert re.fullmatch(_printed(EXAMPLES[number]), ended.stdout), ended.stdout


def _printed(example: str) -> str:
    """The output that the comments after `prints` describe; `...` stands for anything."""
    lines = re.findall(r"# prints: (.*)$", example, re.MULTILINE)
    assert lines
    return "".join(re.escape(line).replace(re.escape("..."), ".*") + "\n" for line in lines)


async def test_a_cancelled_move_is_not_sent_again_and_the_table_goes_on(cluster: Cluster) -> None:
    url = cluster.gateways[0].url
    async with connect(url, name="cancel-ada") as ada, connect(url, name="cancel-bob") as bob:
        table = await ada.create("stones", 2)
        await bob.join(table.room)
        move = asyncio.create_task(table.act({"type": "take", "count": 1}))
        await asyncio.sleep(0)
        move.cancel()
        with pytest.raises(asyncio.CancelledError):
            await move
        await table.say("still here")
        assert [said["text"] for said in table.chat] == ["still here"]


async def test_a_program_that_does_not_read_gets_the_newest_view(cluster: Cluster) -> None:
    url = cluster.gateways[0].url
    async with connect(url, name="unread") as player, connect(url, name="other") as other:
        table = await player.create("stones", 2, options={"stones": 1_000}, wants=())
        opposite = await other.join(table.room, wants=())
        for _ in range(150):
            await table.act({"type": "take", "count": 1})
            await opposite.act({"type": "take", "count": 1})
        updates = table.updates()
        first = await anext(updates)
        assert first.reason == "unread"
        assert first.view is not None
        assert first.offset == table.position[1]
        step = await table.say("and on")
        assert await anext(updates) == step


async def test_a_spectator_of_a_private_table_can_ask_for_its_view(cluster: Cluster) -> None:
    url = cluster.gateways[0].url
    async with connect(url, name="host") as host, connect(url, name="friend") as friend:
        table = await host.create("stones", 2, private=True)
        watched = await friend.spectate(table.room, key=table.key)
        assert (await watched.refresh()).room == table.room


async def test_no_task_is_left_when_the_session_ends(cluster: Cluster) -> None:
    before = asyncio.all_tasks()
    async with connect(cluster.gateways[0].url, name="tidy") as player:
        await player.create("stones", 2)
    assert asyncio.all_tasks() == before
    with pytest.raises(SessionEnded, match="closed"):
        await player.match("stones")


async def test_the_list_of_tables_is_followed(cluster: Cluster) -> None:
    url = cluster.gateways[0].url
    async with connect(url, name="lister") as lister, connect(url, name="opener") as opener:
        lists = lister.watch_rooms(game="stones", status="waiting", seats=4)
        assert await anext(lists) == {}
        table = await opener.create("stones", 4)
        listed = await anext(lists)
        assert listed[table.room].names == {0: "opener"}
        await table.leave()
        assert await anext(lists) == {}
        await lists.aclose()
        assert (await lister.rooms(status="waiting", seats=4)).rooms == ()


@pytest.mark.parametrize(
    ("url", "name", "text"),
    [("127.0.0.1:8000", "ada", "write it like"), ("ftp://x", "ada", "write it like"), ("ws://x", "", "give a name")],
)
async def test_wrong_arguments_are_named(url: str, name: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        await connect(url, name=name).__aenter__()


async def test_an_address_where_nothing_listens_is_named() -> None:
    with pytest.raises(NoAnswer, match=re.escape("ws://127.0.0.1:1/ws/play")):
        await connect("ws://127.0.0.1:1", name="ada", connect_s=0.5).__aenter__()


async def test_an_address_that_is_not_a_gateways_is_named(cluster: Cluster) -> None:
    with pytest.raises(SessionEnded, match="HTTP status 404"):
        await connect(f"{cluster.gateways[0].url}/nowhere", name="ada").__aenter__()
