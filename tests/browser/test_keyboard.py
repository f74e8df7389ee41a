"""Games are played without a mouse."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Newcomer
from tests.browser.explorer import Explorer
from tests.browser.person import Person
from tests.browser.test_games import MOST_PRESSES

MOST_TABS = 80


def tab_to_lit(person: Person) -> None:
    """Presses Tab until a lit element has the focus."""
    for _ in range(MOST_TABS):
        if person.page.evaluate("() => document.activeElement.classList.contains('lit')"):
            return
        person.page.keyboard.press("Tab")
    raise AssertionError("nothing lit can be reached by Tab")


def test_a_game_against_bots_begins_and_ends_with_the_keyboard_alone(newcomer: Newcomer) -> None:
    person = newcomer().visit()
    person.page.locator("[data-bots=stones]").focus()
    person.page.keyboard.press("Enter")
    person.at_table()
    while person.wait_for_turn():
        before = person.picture()
        person.page.keyboard.press("3")
        if person.picture() == before:
            person.page.keyboard.press("1")
        person.wait_for_change(before)
    assert "won" in person.status()


@pytest.mark.parametrize("game", ["eriantys", "codex"])
def test_a_whole_game_is_played_with_tab_and_enter(newcomer: Newcomer, game: str) -> None:
    person = newcomer()
    person.play_bots(game)
    presses = 0
    while person.wait_for_turn():
        tab_to_lit(person)
        for _ in range(presses % 3):
            person.page.keyboard.press("ArrowRight")
        before = person.picture()
        person.page.keyboard.press("Enter")
        person.wait_for_change(before)
        presses += 1
        assert presses < MOST_PRESSES, "the game does not end"
    expect(person.page.locator(".result")).to_contain_text("won")


def test_a_dungeon_is_walked_with_the_arrows(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.open_table("snarl", bots="1", count="1")
    explorer = Explorer(person, table)
    for _ in range(MOST_PRESSES):
        if not person.wait_for_turn():
            break
        before = person.picture()
        person.page.keyboard.press(explorer.arrow())
        person.wait_for_change(before)
    expect(person.page.locator(".status.over")).to_be_visible()


def test_escape_takes_back_an_unfinished_choice(newcomer: Newcomer) -> None:
    person = newcomer()
    person.play_bots("eriantys")
    person.wait_for_turn()
    while "(student 1 of 3)" not in person.status():
        person.wait_for_turn()
        person.press(next(key for key in person.offered() if key.startswith("assistant")))
        expect(person.page.locator(".status")).to_contain_text("(student 1 of 3)")
    entrance = next(key for key in person.offered() if key.startswith("entrance"))
    person.press(entrance)
    assert any(key.startswith("island") for key in person.offered())
    person.page.keyboard.press("Escape")
    assert not any(key.startswith("island") for key in person.offered())


def test_a_student_is_dragged_to_an_island(newcomer: Newcomer) -> None:
    person = newcomer()
    person.play_bots("eriantys")
    person.wait_for_turn()
    person.press(next(key for key in person.offered() if key.startswith("assistant")))
    expect(person.page.locator(".status")).to_contain_text("(student 1 of 3)")
    entrance = next(key for key in person.offered() if key.startswith("entrance"))
    person.drag(f"[data-key='{entrance}'] .hit", "[data-at=tile-5] .meadow")
    expect(person.page.locator(".log")).to_contain_text("student to island 5.")
