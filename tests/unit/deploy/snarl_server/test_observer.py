"""The observer of Snarl games: it draws a table until the table is over."""

import asyncio
import json
from io import StringIO
from typing import Any

import msgspec
import pytest
from rich.console import Console

from deploy.errors import CommandError
from deploy.snarl_server import observer
from deploy.snarl_server.observer import Observer
from tavolata.client.messages import Ack, BaseMessage, TableUpdate, ViewSent, Watching
from tavolata.client.table import RemoteTable
from tests.support.free_ports import free_port
from tests.support.snarl_stage import HALL, stage

ENDED = {"type": "room.ended", "winners": [0], "names": ["alice"], "reason": "won"}


def raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def room_view(offset: int, name: str) -> msgspec.Raw:
    scene = msgspec.to_builtins(stage(HALL, {0: (1, 2), 1: (4, 7)}).scene)
    seats = [{"seat": 0, "name": name, "here": True}]
    return raw({"room": 7, "epoch": 1, "offset": offset, "status": "playing", "seats": seats, "game": scene})


class WatchedTable:
    """A table that a client without a connection watches."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.table = RemoteTable(self._ask, self._rematch)
        self.table.attached(Watching(7, 1, 2, view_json=room_view(2, "alice")), ("view",))

    async def _ask(self, kind: str, fields: dict[str, object]) -> BaseMessage:
        self.asked.append(kind)
        return Ack(1)

    async def _rematch(self, table: RemoteTable) -> RemoteTable:
        return table

    def step(self, offset: int, *events: Any) -> None:
        self.table.stepped(TableUpdate(7, 1, offset, raw(list(events)), view_json=room_view(offset, "alice")))

    async def drawn(self) -> str:
        output = StringIO()
        await Observer(Console(file=output, width=120, color_system=None), None).follow(self.table)
        return output.getvalue()


async def test_the_level_is_drawn_with_the_names_of_the_players() -> None:
    watched = WatchedTable()
    watched.step(3, ENDED)
    drawn = await watched.drawn()
    assert "Level 1 of 1" in drawn
    assert "alice" in drawn
    assert "seat 1" in drawn


async def test_the_level_is_drawn_after_every_event_of_the_game() -> None:
    watched = WatchedTable()
    turn = {"type": "turn_came", "seat": 1}
    watched.step(3, turn, turn)
    watched.step(4, ENDED)
    assert (await watched.drawn()).count("Level 1 of 1") == 3


async def test_a_view_that_replaces_everything_is_drawn() -> None:
    watched = WatchedTable()
    watched.table.attached(ViewSent(7, 1, 5, view_json=room_view(5, "zoe"), reason="slow"), ("view",))
    watched.step(6, ENDED)
    assert (await watched.drawn()).count("Level 1 of 1") == 2


async def test_a_table_that_is_over_is_left() -> None:
    watched = WatchedTable()
    watched.step(3, ENDED)
    await watched.drawn()
    assert watched.asked == ["leave"]


async def test_the_observer_says_once_that_it_waits_for_the_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(observer, "WAIT_S", 0.01)
    url, output = f"ws://127.0.0.1:{free_port()}", StringIO()
    watching = asyncio.create_task(Observer(Console(file=output), None).watch(url, "eve"))
    await asyncio.sleep(0.5)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert capsys.readouterr().err == f"waiting for a cluster at {url}; Ctrl-C ends the command\n"
    assert output.getvalue() == ""


async def test_an_address_that_is_not_a_gateways_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match="not the address of a gateway"):
        await Observer(Console(file=StringIO()), None).watch("ftp://nowhere", "eve")
    assert capsys.readouterr().err == ""
