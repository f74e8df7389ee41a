"""No page violates a rule of axe-core, on a wide and light screen, and on a narrow and dark one."""

import random

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.axe import pale_texts, require_axe, violations
from tests.browser.conftest import Newcomer
from tests.browser.person import Person
from tests.browser.test_games import play_on, play_to_the_end

WIDE, NARROW = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=844)
ADMIN_TOKEN = "let-me-in-please-now"


@pytest.fixture
def person(newcomer: Newcomer) -> Person:
    return newcomer()


class Inspection:
    """Collects the violations of the pages that a person visits, on both screens."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._script = require_axe()
        self.found: list[str] = []

    def look(self, place: str) -> None:
        page = self._person.page
        for size, scheme in ((NARROW, "dark"), (WIDE, "light")):
            page.set_viewport_size(size)
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            found = violations(page, self._script) + pale_texts(page)
            self.found += [f"{place}, {scheme}: {one}" for one in found]


def test_lobby_dialogs_and_tables_without_a_game_are_accessible(newcomer: Newcomer, person: Person) -> None:
    inspection = Inspection(person)
    table = newcomer().open_table("eriantys", seats="3", expert=True)
    person.visit()
    expect(person.page.locator("tr[data-room]").first).to_be_visible()
    inspection.look("lobby")
    person.page.locator("#settings-button").click()
    inspection.look("settings")
    person.page.keyboard.press("Escape")
    person.page.locator("[data-rules=codex]").click()
    person.page.locator("#rules summary").click()
    inspection.look("rules")
    person.visit(f"/t/{table}")
    expect(person.page.locator("#sit")).to_be_visible()
    inspection.look("invitation")
    person.open_table("codex")
    expect(person.page.locator("#fill")).to_be_visible()
    inspection.look("waiting")
    person.visit("/t/999999")
    expect(person.page.locator(".lonely")).to_be_visible()
    inspection.look("no such table")
    person.forgiven = ("404",)
    person.visit("/foo")
    expect(person.page.locator("h1")).to_have_text("There is no such page")
    inspection.look("no such page")
    assert inspection.found == []


@pytest.mark.parametrize("game", ["eriantys", "codex", "snarl"])
def test_a_board_in_mid_game_is_accessible(person: Person, game: str) -> None:
    inspection = Inspection(person)
    if game == "eriantys":
        person.open_table(game, seats="4", bots="3", expert=True)
    else:
        person.play_bots(game)
    assert person.wait_for_turn()
    inspection.look("first turn")
    play_on(person, 5, 10)
    person.wait_for_turn()
    inspection.look("later")
    assert inspection.found == []


def test_the_end_of_a_game_and_its_replay_are_accessible(person: Person) -> None:
    inspection = Inspection(person)
    person.play_bots("stones")
    play_to_the_end(person, random.Random(1).randrange(9))
    inspection.look("end")
    person.page.locator("#replay").click()
    expect(person.page.locator("#count")).to_be_visible()
    inspection.look("replay")
    assert inspection.found == []


def test_the_operators_page_is_accessible(person: Person) -> None:
    inspection = Inspection(person)
    person.visit_operations()
    inspection.look("login")
    person.page.locator("#token").fill(ADMIN_TOKEN)
    person.page.locator("#token").press("Enter")
    expect(person.page.locator("table").first).to_be_visible()
    inspection.look("cluster")
    assert inspection.found == []
