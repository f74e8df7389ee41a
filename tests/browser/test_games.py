"""A person against bots plays each game to its end, by pressing what is lit."""

import random
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Newcomer
from tests.browser.explorer import Explorer
from tests.browser.person import Person

MOST_PRESSES = 600
LEAST_TOUCH = 44
"""The size in pixels that a finger hits."""
TWO_LINES = 40
"""Pixels that two lines of the overview need at most, and three never."""
_SIZES = """(all) => all.map((one) => {
  const { width, height } = one.getBoundingClientRect();
  return [width, height];
})"""


def play_on(person: Person, seed: int, presses: int) -> int:
    """Presses random lit elements, until the game is over at most. Returns the number of presses."""
    dice = random.Random(seed)
    for pressed in range(presses):
        if not person.wait_for_turn():
            return pressed
        if keys := person.offered():
            person.press(dice.choice(sorted(keys)))
    return presses


def play_to_the_end(person: Person, seed: int) -> int:
    """Presses random lit elements until the game is over. Returns the number of presses."""
    pressed = play_on(person, seed, MOST_PRESSES)
    assert pressed < MOST_PRESSES, "the game does not end"
    return pressed


class Finger:
    """Plays on a phone: touches what is in sight, and scrolls once in a turn at most."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._scrolled_in = -1

    def look(self) -> list[str]:
        """The lit elements in sight, after scrolling if there are none."""
        if keys := sorted(self._person.in_sight()):
            return keys
        turn = self._person.moves_of_others()
        assert self._scrolled_in != turn, "scrolled twice in one turn"
        self._scrolled_in = turn
        self._person.page.locator(".lit").first.scroll_into_view_if_needed()
        return sorted(self._person.in_sight())


def on_a_phone(newcomer: Newcomer) -> Person:
    return newcomer(width=390, height=844, touch=True)


@pytest.mark.parametrize("game", ["stones", "eriantys", "codex"])
def test_a_whole_game_is_played_on_a_phone_by_touching_what_is_in_sight(newcomer: Newcomer, game: str) -> None:
    person = on_a_phone(newcomer)
    person.play_bots(game)
    finger, dice, touches = Finger(person), random.Random(4), 0
    while person.wait_for_turn():
        person.tap(dice.choice(finger.look()))
        touches += 1
        assert touches < MOST_PRESSES, "the game does not end"
    assert touches > 3
    expect(person.page.locator(".result")).to_contain_text("won")
    expect(person.page.locator("#rematch")).to_be_in_viewport()
    assert person.page.locator(".log li").count() > 5


def test_a_dungeon_is_left_on_a_phone_by_touching_what_is_in_sight(newcomer: Newcomer) -> None:
    person = on_a_phone(newcomer)
    table = person.open_table("snarl", bots="1", count="1")
    explorer, finger = Explorer(person, table), Finger(person)
    for _ in range(MOST_PRESSES):
        if not person.wait_for_turn():
            break
        wanted = explorer.choose()
        assert wanted in finger.look()
        person.tap(wanted)
    expect(person.page.locator(".status.over")).to_be_visible()


@pytest.mark.parametrize(
    ("game", "progress"),
    [
        ("eriantys", r"Towers to build: .*your team 8\b"),
        ("codex", r"Points: .*\byou 0\b"),
        ("snarl", r"Level 1 of \d\. Exits \(keys found\): .*\byou 0 \(0\)"),
    ],
)
def test_a_phone_shows_the_goal_and_the_progress_of_four_players_in_sight(
    newcomer: Newcomer, game: str, progress: str
) -> None:
    person = on_a_phone(newcomer)
    person.open_table(game, seats="4", bots="3")
    person.wait_for_turn()
    assert person.status().startswith("Your turn")
    overview = person.page.locator(".overview")
    expect(overview.locator(".goal")).to_contain_text("Goal: ")
    expect(overview.locator(".progress")).to_contain_text(re.compile(progress))
    lines = overview.locator(".goal, .hint, .progress")
    # All at once: the overview may be painted again meanwhile.
    sizes: list[list[float]] = lines.evaluate_all(_SIZES)
    assert max(height for _, height in sizes) < TWO_LINES, sizes
    for number in range(len(sizes)):
        expect(lines.nth(number)).to_be_in_viewport(ratio=1)


def test_a_phone_shows_in_sight_what_another_player_did_last(newcomer: Newcomer) -> None:
    person = on_a_phone(newcomer)
    person.play_bots("codex")
    person.wait_for_turn()
    log = person.page.locator(".log li")
    while "choose a card" not in person.status() or not log.filter(has_text="Bot1 drew").count():
        play_on(person, 1, 1)
        person.wait_for_turn()
    news = person.page.locator(".overview p").last
    expect(news).to_have_text(re.compile(r"^Bot1 \w+ .*\.$"))
    expect(news).to_be_in_viewport(ratio=1)
    placed, drew = [line for line in log.all_inner_texts() if line.startswith("Bot1 ")][-2:]
    assert news.inner_text() == f"{placed.removesuffix('.')}; {drew.removeprefix('Bot1 ')}"


def test_the_buttons_for_fingers_are_large_enough(newcomer: Newcomer) -> None:
    person = on_a_phone(newcomer)
    person.play_bots("eriantys")
    for kind in (".actionbar .assistant", ".actionbar .barbutton"):
        buttons = person.page.locator(kind)
        buttons.first.wait_for()
        # All at once: the bar may be painted again meanwhile.
        sizes: list[list[float]] = buttons.evaluate_all(_SIZES)
        assert min(map(min, sizes)) >= LEAST_TOUCH, sizes
        if "assistant" in kind:
            person.tap(next(key for key in person.in_sight() if key.startswith("assistant")))


def test_a_person_plays_expert_eriantys_and_uses_characters(newcomer: Newcomer) -> None:
    person = newcomer()
    person.open_table("eriantys", bots="1", expert=True)
    dice = random.Random(11)
    for _ in range(MOST_PRESSES):
        if not person.wait_for_turn():
            break
        keys = sorted(person.offered())
        playing = person.page.locator(".character.picked").count() > 0
        if playing:  # what ends it; else anything that it asks for, on both sides of a swap
            cards = [key for key in keys if key.startswith(("island-", "swap"))]
            cards = cards or [key for key in keys if not key.startswith("character-")]
        else:
            cards = [key for key in keys if key.startswith("character-")]
        coins = [key for key in keys if key.startswith("hall-")] or [key for key in keys if "-GREEN-" in key]
        if keys:
            person.press(dice.choice(cards or coins[:1] or keys))
    assert "won" in person.status()
    acts = [frame["command"] for frame in person.sent if frame["type"] == "act"]
    assert any(command["type"] == "play_character" for command in acts)
