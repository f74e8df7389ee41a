"""Whole runs against a fake gateway: correct behavior passes, and each kind of violation is found."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from loadtest.measure.processes import CpuMeter
from loadtest.measure.report import as_json, good
from loadtest.plan import LoadPlan, TableKind
from loadtest.run import RunState, Unreachable, run
from tests.unit.loadtest.fake_gateway import FakeGateway, Json

pytestmark = pytest.mark.slow


async def play(fake: FakeGateway, **changes: Any) -> RunState:
    async with fake.listening():
        asked: dict[str, Any] = {"rooms": 3, "games": 2, "patience_s": 5.0} | changes
        kind = TableKind(options=asked.pop("options", {"stones": 12}), players=asked.pop("players", 2))
        return await run(LoadPlan(urls=(fake.url,), kinds=(kind,), **asked), CpuMeter(Path("/nowhere"), {}))


def once(kind: str, seat: int = 1, offset: int = 6) -> Any:
    """A twist that changes one update of one seat."""
    kept: list[Json] = []

    def twist(to: int, update: Json) -> list[Json]:
        if to != seat or update["room"] != 1000 or update["offset"] not in (offset, offset + 1):
            return [update]
        match kind, update["offset"] - offset:
            case "drop", 0:
                return []
            case "repeat", 0:
                return [update, update]
            case "swap", 0:
                kept.append(update)
                return []
            case "swap", 1:
                return [update, *kept]
            case "lie", 0:
                return [update | {"events": [{"type": "room.away", "seat": 0}, *update["events"]]}]
        return [update]

    return twist


async def test_games_are_played_and_every_acknowledged_move_is_found() -> None:
    state = await play(FakeGateway())
    assert state.findings.clean, state.findings.texts
    assert state.measurements.games == 6
    assert state.rooms_checked == 6
    found = as_json(state)
    assert found["moves"] == state.measurements.moves > 6 * 4
    assert set(found["latency_ms"]) == {"p50", "p99", "p99.9", "max"}
    assert good(state)


async def test_a_run_with_a_duration_stops_in_mid_game_and_is_checked() -> None:
    state = await play(FakeGateway(), games=None, duration_s=0.2, options={"stones": 100_000}, players=3)
    assert state.findings.clean, state.findings.texts
    assert state.measurements.games == 0
    assert state.rooms_checked == 3
    assert good(state)


async def test_ctrl_c_ends_a_run_early_and_it_is_checked() -> None:
    asyncio.get_running_loop().call_later(0.3, os.kill, os.getpid(), signal.SIGINT)
    state = await play(FakeGateway(), games=None, duration_s=30, options={"stones": 100_000})
    assert as_json(state)["seconds"] < 10
    assert state.rooms_checked == 3
    assert good(state)


async def test_requests_that_are_refused_as_busy_are_repeated() -> None:
    state = await play(FakeGateway(busy=5), rooms=1, games=1)
    assert state.findings.clean, state.findings.texts
    assert state.measurements.errors["busy/rate"] == 5


async def test_a_cut_connection_is_resumed_without_loss() -> None:
    state = await play(FakeGateway(cut_after=4))
    assert state.findings.clean, state.findings.texts
    assert state.measurements.reconnects == 1
    assert state.findings.counts["resends"] == 1
    assert state.measurements.games == 6


async def test_a_client_reconnects_after_the_pause_that_the_gateway_names() -> None:
    state = await play(FakeGateway(cut_after=4, cut_with=(1012, "come back in 20 ms")))
    assert state.findings.clean, state.findings.texts
    assert state.measurements.reconnects == 1
    assert state.measurements.games == 6


async def test_a_session_that_was_opened_elsewhere_is_a_fault() -> None:
    state = await play(FakeGateway(cut_after=4, cut_with=(4001, "")), rooms=1, games=1)
    assert state.findings.counts["faults"] == 1
    assert not good(state)


async def test_a_url_that_does_not_answer_is_skipped() -> None:
    fake = FakeGateway()
    async with fake.listening():
        kinds = (TableKind(options={"stones": 6}),)
        plan = LoadPlan(urls=("ws://127.0.0.1:1", fake.url), kinds=kinds, rooms=2, games=1, patience_s=5.0)
        state = await run(plan, CpuMeter(Path("/nowhere"), {}))
    assert state.findings.clean, state.findings.texts
    assert state.measurements.games == 2


async def test_a_run_without_any_server_is_refused() -> None:
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1 "):
        await run(LoadPlan(urls=("ws://127.0.0.1:1",)), CpuMeter(Path("/nowhere"), {}))


async def test_a_refused_table_is_a_fault() -> None:
    state = await play(FakeGateway(refuse="room/bad_seats"), rooms=2)
    assert state.findings.counts["faults"] == 2
    assert "room/bad_seats" in state.findings.texts[0]
    assert not good(state)


async def test_players_with_a_thinking_time_finish_their_games() -> None:
    state = await play(FakeGateway(), rooms=1, games=1, think_s=0.001)
    assert state.findings.clean, state.findings.texts


async def test_a_hole_is_found() -> None:
    state = await play(FakeGateway(twist=once("drop", seat=0, offset=6)), players=3)
    assert state.findings.counts["holes"] == 1
    assert state.findings.counts["unfinished"] == 0
    assert not good(state)


async def test_a_missing_last_step_is_found() -> None:
    state = await play(FakeGateway(twist=once("drop")), patience_s=0.5)
    assert state.findings.counts["holes"] == 1
    assert state.findings.counts["unfinished"] == 1
    assert not good(state)


async def test_a_repeat_is_found() -> None:
    state = await play(FakeGateway(twist=once("repeat")))
    assert state.findings.counts["repeats"] == 1
    assert not good(state)


async def test_a_wrong_order_is_found() -> None:
    state = await play(FakeGateway(twist=once("swap", seat=0)), players=3)
    assert state.findings.counts["disorder"] == 1
    assert not good(state)


async def test_an_update_that_differs_from_the_record_is_found() -> None:
    state = await play(FakeGateway(twist=once("lie")))
    assert state.findings.counts["differing"] == 1
    assert not good(state)


async def test_a_lost_move_is_found() -> None:
    state = await play(FakeGateway(record=lambda updates: [step for step in updates if step["offset"] != 5]))
    assert state.findings.counts["lost"] == 6
    assert not good(state)


async def test_a_doubled_move_is_found() -> None:
    def doubled(updates: list[Json]) -> list[Json]:
        return [*updates, updates[4] | {"offset": len(updates) + 1}]

    state = await play(FakeGateway(record=doubled))
    assert state.findings.counts["doubled"] == 6
    assert not good(state)


async def test_a_game_without_moves_is_given_up() -> None:
    def silent(_seat: int, update: Json) -> list[Json]:
        return [] if update["offset"] > 5 else [update]

    state = await play(FakeGateway(twist=silent), rooms=1, patience_s=0.3)
    assert state.findings.counts["unfinished"] == 1
    assert not good(state)
