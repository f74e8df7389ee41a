"""The page recovers from faults of the page and the cluster: no click is lost, none counts twice."""

import json
import os
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Newcomer
from tests.browser.person import Person
from tests.browser.test_games import play_on, play_to_the_end
from tests.browser.wire import Frame, Wire
from tests.support.launched import Launched
from tests.support.waiting import eventually

NO_SERVER = ("WebSocket connection to", "ERR_CONNECTION")


def moves_sent(person: Person) -> list[int]:
    return [frame["id"] for frame in person.sent if frame["type"] == "act"]


def test_a_reload_in_mid_game_keeps_seat_log_and_board(newcomer: Newcomer) -> None:
    person = newcomer()
    person.play_bots("eriantys")
    person.wait_for_turn()
    person.press(person.offered()[0])
    person.wait_for_turn()
    name = person.page.locator("#name").inner_text()
    person.page.reload()
    person.wait_for_turn()
    expect(person.page.locator("#name")).to_have_text(name)
    expect(person.page.locator(".log")).to_contain_text("You played assistant")
    assert play_on(person, 3, 10) == 10


def test_killed_gateways_cost_a_moment_and_no_move(newcomer: Newcomer, cluster: Launched) -> None:
    person = newcomer()
    person.forgiven = NO_SERVER
    person.play_bots("codex")
    person.wait_for_turn()
    for pid in cluster.processes("gateway"):
        os.kill(pid, signal.SIGKILL)
    expect(person.page.locator("#banner")).to_be_visible()
    expect(person.page.locator("#banner")).to_be_hidden(timeout=60_000)
    eventually(lambda: len(cluster.processes("gateway")) == 2, "both gateways are back", 60)
    assert play_on(person, 5, 10) == 10


def test_a_click_while_the_gateways_are_gone_is_carried_out_once(newcomer: Newcomer, cluster: Launched) -> None:
    person = newcomer()
    person.forgiven = NO_SERVER
    person.play_bots("stones")
    person.wait_for_turn()
    gateways = list(cluster.processes("gateway"))
    for pid in gateways:
        os.kill(pid, signal.SIGSTOP)
    person.press("take-2")
    for pid in gateways:
        os.kill(pid, signal.SIGKILL)
    expect(person.page.locator(".log")).to_contain_text("You took 2 stones.", timeout=60_000)
    assert len(set(moves_sent(person))) == 1
    play_to_the_end(person, 6)
    assert person.page.locator(".log").inner_text().count("You took 2 stones.") >= 1
    taken = [
        event["count"]
        for frame in person.frames
        if frame["type"] == "update"
        for event in frame["events"]
        if event["type"] == "taken"
    ]
    assert sum(taken) == 21


def test_killed_workers_cost_a_moment_and_no_move(newcomer: Newcomer, cluster: Launched) -> None:
    person = newcomer()
    person.play_bots("eriantys")
    person.wait_for_turn()
    for pid in cluster.processes("worker"):
        os.kill(pid, signal.SIGKILL)
    person.press(person.offered()[0])
    assert play_on(person, 8, 10) == 10


def test_a_session_that_is_opened_elsewhere_can_be_taken_back(newcomer: Newcomer) -> None:
    person = newcomer()
    person.play_bots("stones")
    person.wait_for_turn()
    kept = person.page.evaluate("() => sessionStorage.getItem('tavolata.session')")
    thief = newcomer()
    # Before the page runs: it would store a session of its own as soon as it is welcomed.
    thief.page.add_init_script(f"sessionStorage.setItem('tavolata.session', {json.dumps(kept)})")
    thief.visit()
    expect(person.page.locator("#banner")).to_contain_text("open in another window")
    person.page.get_by_text("Use it here").click()
    expect(person.page.locator("#banner")).to_be_hidden()
    person.wait_for_turn()
    person.press("take-1")


def test_a_move_whose_answer_was_lost_is_not_made_again_when_the_cluster_is_busy(newcomer: Newcomer) -> None:
    person = newcomer()
    wire = Wire(person.page)
    person.play_bots("stones")
    person.wait_for_turn()
    faults = ["lost", "busy"]

    def lose(frame: Frame) -> bool:
        if frame["type"] != "update" or "id" not in frame or "lost" not in faults:
            return False
        faults.remove("lost")
        wire.cut()
        return True

    def refuse(frame: Frame) -> bool:
        if frame["type"] != "act" or "lost" in faults or "busy" not in faults:
            return False
        faults.remove("busy")
        wire.answer(type="error", id=frame["id"], room=frame["room"], code="busy/store", text="")
        return True

    wire.on_received, wire.on_sent = lose, refuse
    person.press("take-1")
    expect(person.page.locator(".board.acting")).to_have_count(0)
    assert not faults
    ids = [frame["id"] for frame in wire.sent if frame["type"] == "act"]
    assert len(ids) > 1
    assert len(set(ids)) == 1
    expect(person.page.locator(".log li", has_text="You took 1 stone.")).to_have_count(1)


def test_chat_sent_while_the_cluster_is_busy_keeps_its_order(newcomer: Newcomer) -> None:
    person = newcomer()
    wire = Wire(person.page)
    person.play_bots("stones")
    person.wait_for_turn()
    refused: list[int] = []

    def refuse(frame: Frame) -> bool:
        if frame["type"] != "say" or refused:
            return False
        refused.append(frame["id"])
        wire.answer(type="error", id=frame["id"], room=frame["room"], code="busy/rate", text="")
        return True

    wire.on_sent = refuse
    person.say("first")
    person.say("second")
    expect(person.page.locator(".talk li")).to_have_text(["You: first", "You: second"])
    assert refused[0] not in [frame["id"] for frame in wire.sent if frame["type"] == "say"][1:]


def test_a_move_that_waits_for_the_connection_is_made_after_coming_back(newcomer: Newcomer) -> None:
    person = newcomer()
    wire = Wire(person.page)
    person.play_bots("eriantys")
    person.wait_for_turn()

    def lose(frame: Frame) -> bool:
        if frame["type"] != "act" or len([one for one in wire.sent if one["type"] == "hello"]) > 1:
            return False
        wire.cut()
        return True

    wire.on_sent = lose
    person.press(person.offered()[0])
    expect(person.page.locator(".log")).to_contain_text("The game waits for somebody to come back.")
    expect(person.page.locator(".log")).to_contain_text("You played assistant")
    words = [frame["type"] for frame in wire.sent if frame["type"] in ("hello", "resume", "act")]
    assert words[-3:] == ["hello", "resume", "act"]


def test_the_page_says_hello_once_on_the_connection_after_a_refused_one(newcomer: Newcomer) -> None:
    person = newcomer()
    wire = Wire(person.page)

    def refuse_hello(frame: Frame) -> bool:
        if len(wire.sent) > 1:
            return False
        wire.answer(type="error", code="busy/connections", text="")
        wire.cut(1013)
        return True

    wire.on_sent = refuse_hello
    person.play_bots("stones")
    play_to_the_end(person, 2)
    assert [frame["type"] for frame in wire.sent].count("hello") == 2


def test_a_click_before_the_name_turns_out_to_be_taken_is_carried_out_under_another_name(newcomer: Newcomer) -> None:
    person = newcomer()
    wire = Wire(person.page)
    wire.on_sent = lambda _frame: True
    person.visit().page.locator("[data-bots=stones]").click()
    wire.on_sent = lambda _frame: False
    wire.answer(type="error", code="name/taken", text="somebody has this name")
    person.at_table()
    person.wait_for_turn()
    names = [frame["name"] for frame in wire.sent if frame["type"] == "hello"]
    assert len(set(names)) == 2


@pytest.mark.parametrize("code", [1000, 1002, 1008, 1009])
def test_after_a_final_close_code_the_page_waits_for_the_person_to_reconnect(newcomer: Newcomer, code: int) -> None:
    person = newcomer()
    wire = Wire(person.page)
    person.play_bots("stones")
    person.wait_for_turn()
    wire.cut(code)
    person.page.get_by_text("Connect again").click()
    expect(person.page.locator("#banner")).to_be_hidden()
    person.press("take-1")


def test_a_page_of_another_version_offers_a_reload_and_does_not_try_again(newcomer: Newcomer) -> None:
    person = newcomer()
    wire = Wire(person.page)

    def refuse_hello(_frame: Frame) -> bool:
        wire.answer(type="error", code="protocol/version", text="this gateway speaks 9.0")
        wire.cut(4006)
        return True

    wire.on_sent = refuse_hello
    person.visit()
    expect(person.page.locator("#banner")).to_contain_text("This page is older than the server.")
    person.page.wait_for_timeout(500)
    assert [frame["type"] for frame in wire.sent] == ["hello"]
    wire.on_sent = lambda _frame: False
    person.page.get_by_text("Reload the page").click()
    expect(person.page.locator(".gamecard").first).to_be_visible()
    expect(person.page.locator("#banner")).to_be_hidden()


def test_a_game_that_is_over_stays_so_after_coming_back(newcomer: Newcomer) -> None:
    person = newcomer()
    wire = Wire(person.page)
    person.play_bots("stones")
    play_to_the_end(person, 3)
    wire.cut()
    expect(person.page.locator("#banner")).to_be_visible()
    expect(person.page.locator("#banner")).to_be_hidden()
    person.page.locator("#name").click()
    person.page.get_by_label("Your name").fill("Grace Hopper 3")
    person.page.get_by_label("Your name").press("Enter")
    expect(person.page.locator("#name")).to_have_text("Grace Hopper 3")
