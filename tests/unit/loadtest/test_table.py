"""The comparison of the seats of a table at the end of a game."""

import asyncio
from types import SimpleNamespace
from typing import cast

from loadtest.checks.checker import Findings
from loadtest.clients.connection import PlayerConnection
from loadtest.clients.contract import Received
from loadtest.measure.measurements import Measurements
from loadtest.plan import LoadPlan
from loadtest.table import LoadTable, RunContext


def compared(*received: Received) -> RunContext:
    """The context of a run after its only table, of the players abcd0a and abcd0b, has compared its seats."""
    plan = LoadPlan(urls=("ws://127.0.0.1:1",))
    context = RunContext(plan, "abcd", Findings(), Measurements(0.0), asyncio.Semaphore())
    table = LoadTable(0, context)
    table._names = {"abcd0a", "abcd0b"}
    players = [SimpleNamespace(player=SimpleNamespace(received=one)) for one in received]
    table._connections = [cast(PlayerConnection, player) for player in players]
    table._compare()
    return context


def test_seats_with_different_results_are_found() -> None:
    context = compared(Received(result=["abcd0a"]), Received(result=["abcd0b"], names=("abcd0a", "abcd0b")))
    assert context.findings.counts["differing"] == 1


def test_a_seat_that_was_led_to_another_table_is_not_compared() -> None:
    context = compared(Received(result=["abcd0a"]), Received(result=[], names=("abcd0b", "abcd7c")))
    assert context.findings.clean
    assert context.measurements.counted["games at another table"] == 1
