"""A person against bots plays each game to its end, by pressing what is lit."""

import random

import pytest

from tests.browser.conftest import Newcomer
from tests.browser.explorer import Explorer
from tests.browser.person import Person

MOST_PRESSES = 600


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


@pytest.mark.parametrize("game", ["stones", "eriantys", "codex"])
def test_a_person_plays_a_whole_game_against_a_bot_by_clicking_what_is_lit(newcomer: Newcomer, game: str) -> None:
    person = newcomer()
    person.play_bots(game)
    assert play_to_the_end(person, 4) > 3
    assert "won" in person.status()
    assert person.page.locator(".log li").count() > 5


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


def test_a_person_and_a_bot_get_through_a_dungeon(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.open_table("snarl", bots="1", count="1")
    explorer = Explorer(person, table)
    for _ in range(MOST_PRESSES):
        if not person.wait_for_turn():
            break
        person.press(explorer.choose())
    assert "over" in person.status() or "won" in person.status()
