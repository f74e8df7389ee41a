"""Chat that is made to be stored: control characters, long lines, and one-letter lines at a table with much chat."""

import asyncio

import pytest

from tests.support.cluster import Cluster
from tests.support.control import Control, Limits
from tests.support.hostile_table import HostileTable

LINES = 500
LONG_LINES = 60
"""Lines of each of three seats: a room that keeps them has space for more chat."""
MOST_STORED_PER_LINE = 12_000
"""Bytes that the store may keep of a line of chat: in the journal, and in the update of each of four seats."""
MOST_RESUMED = 4_000_000
"""Bytes that a resume from the beginning may send."""
MOST_WRITTEN_PER_LINE = 12_000
"""Bytes that may go to the store for a one-letter line in a finished room: there is no snapshot with every line."""


@pytest.mark.parametrize("text", ["\x01" * 500, "a\x1b[2Jb", "a\x7f", "a\x00"], ids=["many", "escape", "delete", "nul"])
async def test_chat_with_control_characters_is_refused(attacked: Cluster, text: str) -> None:
    def attack() -> list[str]:
        with HostileTable(attacked.gateways[0].port) as table:
            return table.say(text, LINES if len(text) == LINES else 3, 0)

    async with Control(attacked) as control:
        codes = await asyncio.to_thread(attack)
        await control.rounds(3)
    assert codes
    assert "ack" not in codes


@pytest.mark.parametrize("letter", ["x", '"', "\U0001f3b2"])
async def test_a_line_is_stored_at_the_size_of_a_line_whatever_was_said_before(attacked: Cluster, letter: str) -> None:
    def attack() -> tuple[int, int, int]:
        with HostileTable(attacked.gateways[0].port) as table:
            before = table.stored(attacked)
            codes = table.say(letter * _longest(table, letter), LINES, 0, 1)
            codes += table.say("x", 40, 2)
            return codes.count("ack"), table.stored(attacked) - before, table.resume(0)

    async with Control(attacked, Limits(store=2 * LINES * MOST_STORED_PER_LINE / 1e6)) as control:
        accepted, stored, resumed = await asyncio.to_thread(attack)
        await control.rounds(3)
    assert accepted
    assert stored <= (accepted + 10) * MOST_STORED_PER_LINE
    assert resumed <= MOST_RESUMED


def _longest(table: HostileTable, letter: str) -> int:
    """The number of letters in the longest line that is accepted."""
    for length in (500, 250, 160, 120, 80):
        if table.say(letter * length, 1, 3) == ["ack"]:
            return length
    raise AssertionError("no line is accepted")


async def test_chat_in_a_finished_room_writes_no_snapshot_with_every_line(attacked: Cluster) -> None:
    def attack() -> tuple[int, int]:
        with HostileTable(attacked.gateways[0].port, stones=1) as table:
            table.say("x" * 500, LONG_LINES, 0, 1, 2)
            assert table.take(0, 1)["type"] == "ack"
            before = _written(attacked)
            codes = table.say("x", 60, 3)
            return codes.count("ack"), _written(attacked) - before

    async with Control(attacked) as control:
        moves = len(control.costs.gateway)
        accepted, written = await asyncio.to_thread(attack)
        moves = len(control.costs.gateway) - moves
    assert accepted
    assert written <= (accepted + moves + 10) * MOST_WRITTEN_PER_LINE


def _written(cluster: Cluster) -> int:
    """Bytes that were sent to the store so far, by all processes."""
    with cluster.redis() as store:
        return int(store.info("stats")["total_net_input_bytes"])
