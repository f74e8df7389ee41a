"""A table as the program sees it, without a connection."""

import asyncio
import json
from typing import Any

import msgspec
import pytest

from tavolata.client.errors import SessionEnded
from tavolata.client.messages import BaseMessage, Entered, Resumed, TableUpdate, ViewSent
from tavolata.client.table import MOST_UPDATES, RemoteTable


def raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def view(offset: int, **more: Any) -> msgspec.Raw:
    return raw({"room": 7, "epoch": 1, "offset": offset, "status": "playing"} | more)


def update(offset: int, *events: Any, **more: Any) -> TableUpdate:
    return TableUpdate(7, 1, offset, raw(list(events)), **{"view_json": view(offset)} | more)


def missed(offset: int, *events: Any) -> TableUpdate:
    """An update that was missed while there was no connection: it carries no view."""
    return TableUpdate(7, 1, offset, raw(list(events)))


class Fake:
    """A table whose requests are answered with a view of the present position, which shows `turn` and `status`."""

    def __init__(self, wants: tuple[str, ...] = ("view", "options"), entered: int = 3) -> None:
        self.asked: list[str] = []
        self.turn: list[int] = []
        self.status = "playing"
        self.table = RemoteTable(self._ask, self._rematch)
        self.wants = wants
        self.table.attached(Entered(7, 1, entered, seat=0, view_json=view(entered)), wants)

    async def _ask(self, kind: str, fields: dict[str, object]) -> BaseMessage:
        self.asked.append(kind)
        offset = self.table.position[1]
        answer = ViewSent(7, 1, offset, seat=0, view_json=view(offset, turn=self.turn, status=self.status))
        self.table.attached(answer, self.wants)
        return answer

    async def _rematch(self, table: RemoteTable) -> RemoteTable:
        return table


async def test_updates_begin_after_the_view_and_end_with_the_game() -> None:
    table = Fake().table
    table.stepped(update(4, {"type": "taken"}))
    table.stepped(update(5, {"type": "room.ended", "winners": [0]}))
    assert [one.offset async for one in table.updates()] == [4, 5]
    assert table.over
    assert table.entered.offset == 3


async def test_a_view_with_a_reason_is_an_update_that_replaces_the_others() -> None:
    table = Fake().table
    table.stepped(update(4))
    table.attached(ViewSent(7, 2, 2, seat=0, view_json=view(2), reason="rewound"), ())
    table.end()
    (only,) = [one async for one in table.updates()]
    assert (only.reason, only.offset) == ("rewound", 2)
    assert only.view is not None
    assert only.events == []


async def test_unread_updates_are_bounded_and_replaced_by_the_newest_view() -> None:
    fake = Fake(())
    for offset in range(4, MOST_UPDATES * 2 + 4):
        fake.table.stepped(update(offset))
    assert len(fake.table._updates) <= MOST_UPDATES
    updates = fake.table.updates()
    first = await anext(updates)
    assert (first.reason, first.offset) == ("unread", MOST_UPDATES * 2 + 3)
    assert fake.asked == ["view"]
    fake.table.stepped(update(first.offset + 1))
    assert (await anext(updates)).offset == first.offset + 1


async def test_my_turn_waits_for_options_and_is_false_at_the_end() -> None:
    table = Fake().table
    waiting = asyncio.create_task(table.my_turn())
    await asyncio.sleep(0)
    assert not waiting.done()
    table.stepped(update(4, options_json=raw([{"type": "take"}])))
    assert await waiting
    assert table.options == [{"type": "take"}]
    table.stepped(update(5, {"type": "room.closed", "reason": "empty"}))
    assert not await table.my_turn()


async def test_my_turn_does_not_go_by_a_view_that_is_older_than_the_last_step() -> None:
    fake = Fake()
    fake.table.stepped(update(4, view_json=view(4, turn=[0]), options_json=raw([{"type": "take"}])))
    assert await fake.table.my_turn()
    fake.table.stepped(missed(5, {"type": "taken"}))  # the own move
    waiting = asyncio.create_task(fake.table.my_turn())
    await asyncio.sleep(0)
    assert fake.asked == ["view"]
    assert not waiting.done()
    fake.turn = [0]
    fake.table.stepped(missed(6, {"type": "taken"}))
    assert await waiting
    assert fake.table.view.offset == 6


async def test_the_view_shows_the_end_of_a_game_that_ended_without_a_connection() -> None:
    fake = Fake()
    fake.status = "finished"
    fake.table.stepped(missed(4, {"type": "room.ended", "winners": [0]}))
    assert not await fake.table.my_turn()
    assert fake.table.view.over


async def test_the_view_includes_a_step_whose_update_was_missed() -> None:
    fake = Fake()
    fake.table.stepped(missed(4, {"type": "taken"}))
    asked: list[str] = []

    async def ask(kind: str, fields: dict[str, object]) -> BaseMessage:
        asked.append(kind)
        return missed(4) if kind == "act" else await fake._ask(kind, fields)

    fake.table._ask = ask
    await fake.table.act({"type": "take"})
    assert asked == ["act", "view"]
    assert fake.table.view.offset == 4


async def test_the_end_of_the_session_is_raised_to_readers() -> None:
    table = Fake().table
    table.end(SessionEnded("close/4001", "elsewhere"))
    with pytest.raises(SessionEnded):
        await anext(table.updates())
    with pytest.raises(SessionEnded):
        await table.my_turn()


async def test_one_loop_reads_the_updates_at_a_time() -> None:
    table = Fake().table
    table.stepped(update(4))
    first = table.updates()
    await anext(first)
    with pytest.raises(RuntimeError):
        await anext(table.updates())


def test_chat_is_kept_from_views_and_updates() -> None:
    table = RemoteTable(Fake()._ask, Fake()._rematch)
    said = {"type": "room.said", "seat": 0, "name": "ada", "text": "one"}
    table.attached(Entered(7, 1, 3, seat=0, view_json=view(3, chat=[said])), ())
    table.stepped(update(4, said | {"text": "two"}))
    assert [one["text"] for one in table.chat] == ["one", "two"]


async def test_a_table_that_is_resumed_begins_after_the_position() -> None:
    table = RemoteTable(Fake()._ask, Fake()._rematch)
    table.attached(Resumed(7, 1, 8, seat=1), ())
    table.stepped(update(9))
    table.attached(ViewSent(7, 1, 9, seat=1, view_json=view(9)), ())
    table.end()
    assert [one.offset async for one in table.updates()] == [9]
    assert table.seat == 1
