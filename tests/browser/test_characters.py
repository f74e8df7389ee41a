"""Every character of Eriantys can be played by pressing what is lit, and asks for what it needs."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from shared.dice import Dice
from shared.game import Table, default_bot
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.game import GAME
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.setup import Options
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Character
from shared.ids import Seat
from tests.browser.conftest import Newcomer
from tests.browser.person import Person

STUDENTS = {4: (1, 1, 1, 1, 0), 6: (2, 1, 1, 1, 1), 0: (0, 0, 0, 0, 0)}
MOUNT = """async ([view, options]) => {
  const { Board } = await import("/web/js/board.js");
  const { load } = await import("/web/js/games/index.js");
  const board = new Board();
  const { host } = board;
  document.querySelector("main").replaceChildren(host, board.aside, board.bar);
  const room = { you: view.turn, game: view, status: "playing", seats: [], spec: {} };
  window.sent = [];
  const name = (seat) => `Seat ${seat}`;
  const send = (command) => {
    window.sent.push(command);
    paint();
  };
  const game = (await load("eriantys")).open({ send, paint: () => paint(), who: name, name, table: 1, host });
  const paint = () => {
    host.dataset.offset = window.sent.length;
    board.paint(game.render(room, options));
  };
  paint();
}"""


def moving_students(number: int) -> State:
    """A turn in which the player can pay for one character, the only one on the table."""
    seats = (Seat(0), Seat(1))
    state = GAME.empty
    events = GAME.setup(Table(Options(expert=True), seats, seats, 5))
    while True:
        for event in events:
            state = GAME.evolve(state, event)
        if state.view.phase is Phase.STUDENTS:
            break
        decided = GAME.decide(state, state.view.turn, default_bot(GAME, state, state.view.turn, Dice(1, "bot")))
        assert isinstance(decided, tuple)
        events = decided
    card = CARDS[number]
    shown = Character(number, STUDENTS[card.students], card.no_entry)
    rich = [replace(player, coins=9, hall=(3, 2, 1, 1, 1)) for player in state.view.players]
    return replace(state, view=replace(state.view, characters=(shown,), players=tuple(rich)))


def plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def sent(person: Person) -> list[Any]:
    commands: list[Any] = person.page.evaluate("() => window.sent")
    return commands


def see(person: Person, number: int) -> list[Any]:
    """Shows a turn in which one character can be played; returns the options."""
    state = moving_students(number)
    options: list[Any] = plain(GAME.options(state, state.view.turn))
    person.visit().page.locator(".gamecard").first.wait_for()
    person.page.evaluate(MOUNT, [plain(state.view), options])
    return options


def play(person: Person, number: int, pick: Callable[[list[str]], list[str]]) -> Any:
    """Plays a character by pressing random elements of those that `pick` leaves; returns the command that was sent."""
    dice = random.Random(number)
    person.press(f"character-{number}")
    for _ in range(20):
        if sent(person):
            break
        person.press(dice.choice(pick(person.offered())))
    assert len(sent(person)) == 1
    assert sent(person)[0]["number"] == number
    return sent(person)[0]


@pytest.mark.parametrize("number", sorted(CARDS))
def test_a_character_is_played_by_pressing_what_is_lit(newcomer: Newcomer, number: int) -> None:
    person = newcomer()
    options = see(person, number)
    assert play(person, number, lambda keys: ["swap"] if "swap" in keys else keys) in options


@pytest.mark.parametrize("number", [1, 7, 9, 10, 11, 12])
def test_on_a_phone_a_character_asks_in_the_bar(newcomer: Newcomer, number: int) -> None:
    """Students and colors are chosen in the bar, which is always in sight; islands are on the board."""
    person = newcomer(width=390, height=844, touch=True)
    options = see(person, number)

    def pick(keys: list[str]) -> list[str]:
        ready = [key for key in keys if key == "bar-swap" or key.startswith("island")]
        return ready or [key for key in keys if key.startswith("bar-")]

    assert play(person, number, pick) in options


def test_a_choice_for_a_character_is_taken_back_by_pressing_it_again(newcomer: Newcomer) -> None:
    person = newcomer()
    see(person, 7)
    person.press("character-7")
    first = next(key for key in person.offered() if key.startswith("card-7"))
    person.press(first)
    assert first not in person.offered()
    person.press(first)
    assert first in person.offered()
    assert sent(person) == []


def test_two_students_of_one_color_are_given_in_the_bar(newcomer: Newcomer) -> None:
    person = newcomer(width=390, height=844, touch=True)
    see(person, 7)
    person.press("character-7")
    twice = next(button.get_attribute("data-key") for button in person.page.locator(".barbutton:has(b)").all())
    for _ in range(2):
        person.press(str(twice))
    button = person.page.locator(f"[data-key={twice}]")
    expect(button).to_contain_text("2 of")
    assert button.inner_text() in str(button.get_attribute("aria-label"))
