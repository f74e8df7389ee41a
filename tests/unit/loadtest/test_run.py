"""Whole runs against the fake server: good ones pass, and each kind of misbehaviour is found."""

from pathlib import Path
from typing import Any

import pytest

from loadtest.measure.processes import Meter
from loadtest.measure.report import figures, good
from loadtest.plan import LoadPlan
from loadtest.run import State, Unreachable, run
from tests.unit.loadtest.fake import Fake, Json


async def play(fake: Fake, **changes: Any) -> State:
    async with fake.listening():
        asked: dict[str, Any] = {"rooms": 3, "games": 2, "options": {"stones": 12}, "patience_s": 5.0} | changes
        return await run(LoadPlan(urls=(fake.url,), **asked), Meter(Path("/nowhere"), {}))


def once(kind: str, seat: int = 1, offset: int = 6) -> Any:
    """A twist that does something wrong with one update of one seat."""
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
    state = await play(Fake())
    assert state.findings.clean, state.findings.words
    assert state.figures.games == 6
    assert state.audited == 6
    found = figures(state)
    assert found["moves"] == state.figures.moves > 6 * 4
    assert set(found["latency_ms"]) == {"p50", "p99", "p99.9", "max"}
    assert good(state)


async def test_a_run_over_time_stops_in_mid_game_and_is_checked() -> None:
    state = await play(Fake(), games=None, duration_s=0.2, options={"stones": 100_000}, players=3)
    assert state.findings.clean, state.findings.words
    assert state.figures.games == 0
    assert state.audited == 3
    assert good(state)


async def test_busy_answers_are_tried_again() -> None:
    state = await play(Fake(busy=5), rooms=1, games=1)
    assert state.findings.clean, state.findings.words
    assert state.figures.errors["busy/rate"] == 5


async def test_a_cut_connection_is_resumed_without_loss() -> None:
    state = await play(Fake(cut_after=4))
    assert state.findings.clean, state.findings.words
    assert state.figures.reconnects == 1
    assert state.findings.counts["resends"] == 1
    assert state.figures.games == 6


async def test_a_gateway_that_stops_is_come_back_to() -> None:
    state = await play(Fake(cut_after=4, cut_with=(1012, "come back in 20 ms")))
    assert state.findings.clean, state.findings.words
    assert state.figures.reconnects == 1
    assert state.figures.games == 6


async def test_a_session_that_was_opened_elsewhere_is_a_fault() -> None:
    state = await play(Fake(cut_after=4, cut_with=(4001, "")), rooms=1, games=1)
    assert state.findings.counts["faults"] == 1
    assert not good(state)


async def test_a_url_that_does_not_answer_is_passed_over() -> None:
    fake = Fake()
    async with fake.listening():
        plan = LoadPlan(urls=("ws://127.0.0.1:1", fake.url), rooms=2, games=1, options={"stones": 6}, patience_s=5.0)
        state = await run(plan, Meter(Path("/nowhere"), {}))
    assert state.findings.clean, state.findings.words
    assert state.figures.games == 2


async def test_without_any_server_there_is_no_run() -> None:
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1 "):
        await run(LoadPlan(urls=("ws://127.0.0.1:1",)), Meter(Path("/nowhere"), {}))


async def test_a_refused_table_is_told() -> None:
    state = await play(Fake(refuse="room/bad_seats"), rooms=2)
    assert state.findings.counts["faults"] == 2
    assert "room/bad_seats" in state.findings.words[0]
    assert not good(state)


async def test_players_who_think_play_too() -> None:
    state = await play(Fake(), rooms=1, games=1, think_s=0.001)
    assert state.findings.clean, state.findings.words


async def test_a_hole_is_found() -> None:
    state = await play(Fake(twist=once("drop", seat=0, offset=6)), players=3)
    assert state.findings.counts["holes"] == 1
    assert state.findings.counts["unfinished"] == 0
    assert not good(state)


async def test_a_last_step_that_never_came_is_found() -> None:
    state = await play(Fake(twist=once("drop")), patience_s=0.5)
    assert state.findings.counts["holes"] == 1
    assert state.findings.counts["unfinished"] == 1
    assert not good(state)


async def test_a_repeat_is_found() -> None:
    state = await play(Fake(twist=once("repeat")))
    assert state.findings.counts["repeats"] == 1
    assert not good(state)


async def test_a_wrong_order_is_found() -> None:
    state = await play(Fake(twist=once("swap", seat=0)), players=3)
    assert state.findings.counts["disorder"] == 1
    assert not good(state)


async def test_an_update_that_differs_from_the_record_is_found() -> None:
    state = await play(Fake(twist=once("lie")))
    assert state.findings.counts["differing"] == 1
    assert not good(state)


async def test_a_lost_move_is_found() -> None:
    state = await play(Fake(record=lambda updates: [step for step in updates if step["offset"] != 5]))
    assert state.findings.counts["lost"] == 6
    assert not good(state)


async def test_a_doubled_move_is_found() -> None:
    def doubled(updates: list[Json]) -> list[Json]:
        return [*updates, updates[4] | {"offset": len(updates) + 1}]

    state = await play(Fake(record=doubled))
    assert state.findings.counts["doubled"] == 6
    assert not good(state)


async def test_a_game_that_does_not_go_on_is_given_up() -> None:
    def silent(_seat: int, update: Json) -> list[Json]:
        return [] if update["offset"] > 5 else [update]

    state = await play(Fake(twist=silent), rooms=1, patience_s=0.3)
    assert state.findings.counts["unfinished"] == 1
    assert not good(state)
