"""The operator's page, with and without the token."""

import urllib.request

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import QUICK, Newcomer
from tests.browser.person import Person
from tests.support.launched import Launched
from tests.support.waiting import eventually

TOKEN = QUICK["TAVOLATA_ADMIN_TOKEN"]


def answers(port: int | None) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz"):
            return True
    except OSError:
        return False


def enter(person: Person) -> None:
    person.visit_operations()
    person.page.locator("#token").fill(TOKEN)
    person.page.locator("#token").press("Enter")
    person.page.locator(".figures").wait_for()


def test_without_the_token_nothing_is_shown(newcomer: Newcomer) -> None:
    person = newcomer()
    person.forgiven = ("401",)
    person.visit_operations()
    person.page.locator("#token").fill("a guess")
    person.page.locator("#token").press("Enter")
    expect(person.page.locator(".wrong")).to_have_text("This is not the token of an operator.")
    assert person.page.locator(".figures").count() == 0
    asked = person.page.evaluate("async () => (await fetch('/api/ops/cluster')).status")
    assert asked == 401
    refused = person.page.evaluate(
        "async () => (await fetch('/api/ops/drain', {method: 'POST', body: '{\"process\": \"g-1\"}'})).status"
    )
    assert refused == 401


def test_with_the_token_the_cluster_and_a_room_are_explained(newcomer: Newcomer) -> None:
    player, person = newcomer(), newcomer()
    table = player.play_bots("eriantys")
    enter(person)
    expect(person.page.locator("#gateways tbody tr")).to_have_count(2)
    expect(person.page.locator("#workers tbody tr")).to_have_count(2)
    expect(person.page.locator("#store tbody tr").first).to_contain_text("primary")
    assert TOKEN not in person.page.url
    person.page.locator("#room").fill(str(table))
    person.page.locator("#room").press("Enter")
    name = player.page.locator("#name").inner_text()
    expect(person.page.locator("#explained")).to_contain_text(name)
    expect(person.page.locator("#explained")).to_contain_text("connection")
    expect(person.page.locator("#explained .events")).to_contain_text("room.started")
    person.page.reload()
    expect(person.page.locator(".figures")).to_be_visible()


@pytest.mark.parametrize("role", ["worker", "gateway"])
def test_a_process_is_drained_and_the_game_goes_on(newcomer: Newcomer, cluster: Launched, role: str) -> None:
    player, person = newcomer(), newcomer()
    player.forgiven = person.forgiven = ("WebSocket connection to", "503", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE")
    player.play_bots("stones")
    player.wait_for_turn()
    enter(person)
    before = set(cluster.processes(role))
    drain = person.page.locator(f"#{role}s [data-drain]").first
    process = drain.get_attribute("data-drain")
    drain.click()
    expect(person.page.locator("dialog")).to_contain_text("disconnected" if role == "worker" else "connection")
    person.page.locator("#confirm").click()
    eventually(lambda: set(cluster.processes(role)) != before, "another process is in its place", 60)
    expect(person.page.locator(f"[data-drain='{process}']")).to_have_count(0, timeout=60_000)
    player.page.locator("#banner").wait_for(state="hidden", timeout=60_000)
    player.wait_for_turn()
    player.press("take-1")
    eventually(lambda: len(cluster.processes(role)) == 2, "both are there again", 60)
    eventually(lambda: all(map(answers, cluster.processes(role).values())), "both answer", 60)


def test_a_player_is_removed_and_a_room_is_closed_with_the_keyboard_alone(newcomer: Newcomer) -> None:
    player, other, person = newcomer(), newcomer(), newcomer(width=390, dark=True)
    table = player.open_table("stones", seats="3")
    other.visit(f"/t/{table}")
    other.page.locator("#sit").click()
    name = other.page.locator("#name").inner_text()
    enter(person)
    page = person.page
    page.locator("#filter-player").fill(name)
    page.locator("#filter-player").press("Enter")
    page.locator(f"[data-key='room-{table}']").press("Enter")
    page.locator("[data-act=remove-1]").press("Enter")
    expect(page.locator("dialog")).to_contain_text("1 of 2 players")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator("[data-act=remove-1]")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("insults in the chat")
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)
    expect(other.page.locator("#main")).to_contain_text("An operator has removed you from this table.")
    page.locator("[data-act=close]").press("Enter")
    page.keyboard.type("nobody else comes")
    page.keyboard.press("Enter")
    expect(player.page.locator("#main")).to_contain_text("An operator closed the table.")
    acts = page.locator("#audit tbody tr")
    expect(acts.nth(0)).to_contain_text(f"close room {table}")
    expect(acts.nth(1)).to_contain_text("insults in the chat")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
