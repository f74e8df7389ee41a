"""Replays of finished games, step by step."""

import re

from playwright.sync_api import Route, expect

from tests.browser.conftest import Newcomer
from tests.browser.test_games import play_to_the_end


def test_a_replay_steps_plays_and_links_to_a_move(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.play_bots("codex")
    play_to_the_end(person, 12)
    final = person.frames_view()["table"]
    person.page.locator("#replay").click()
    watcher = newcomer().visit(f"/replay/{table}")
    page = watcher.page
    expect(page.locator("#count")).to_contain_text("Move 0 of")
    last = int(page.locator("#slider").get_attribute("max") or 0)
    page.locator("#forward").click()
    expect(page).to_have_url(re.compile(rf"/replay/{table}#1$"))
    page.locator("#end").click()
    expect(page.locator(".status")).to_contain_text("won")
    for seat, player in final["players"].items():
        expect(page.locator(f".seat[data-seat='{seat}'] .score b")).to_have_text(str(player["points"]))
    page.locator("#slider").fill("4")
    expect(page.locator("#count")).to_have_text(f"Move 4 of {last}")
    page.get_by_label("Speed").select_option("fast")
    page.locator("#play").click()
    expect(page.locator("#count")).not_to_have_text(f"Move 4 of {last}")
    page.locator("#play").click()
    expect(page.locator("#play")).to_have_text("Play")
    linked = newcomer().visit(f"/replay/{table}#9")
    expect(linked.page.locator("#count")).to_have_text(f"Move 9 of {last}")
    linked.page.locator("main").press("ArrowRight")
    expect(linked.page.locator("#count")).to_have_text(f"Move 10 of {last}")


def test_a_long_game_is_fetched_in_pages(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.play_bots("stones")
    play_to_the_end(person, 2)
    watcher = newcomer()
    whole = watcher.context.request.get(f"{watcher.url}/api/replays/{table}").json()
    asked: list[str] = []

    def short(route: Route) -> None:
        """Answers like the server, but with only three steps per page."""
        asked.append(route.request.url.partition("after=")[2])
        page = route.fetch().json()
        route.fulfill(json={**page, "steps": page["steps"][:3], "more": len(page["steps"]) > 3})

    watcher.page.route("**/api/replays/*", short)
    watcher.visit(f"/replay/{table}")
    expect(watcher.page.locator("#count")).to_contain_text("Move 0 of")
    assert asked == [str(offset) for offset in (0, *(step["offset"] for step in whole["steps"][2:-1:3]))]
    watcher.page.locator("#end").click()
    expect(watcher.page.locator(".status")).to_contain_text("won")


def test_a_game_that_goes_on_has_no_replay_yet(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.play_bots("stones")
    other = newcomer()
    other.forgiven = ("409",)
    other.visit(f"/replay/{table}")
    expect(other.page.locator(".lonely")).to_contain_text("The game is not finished.")


def test_the_replay_of_a_private_table_is_for_its_players_only(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.open_table("stones", bots="1", private=True)
    play_to_the_end(person, 2)
    person.page.locator("#replay").click()
    expect(person.page.locator("#count")).to_be_visible()
    person.page.get_by_role("link", name="Table", exact=True).click()
    expect(person.page.locator("#rematch")).to_be_visible()
    other = newcomer()
    other.forgiven = ("404",)
    other.visit(f"/replay/{table}")
    expect(other.page.locator(".lonely")).to_contain_text("There is no such table.")
