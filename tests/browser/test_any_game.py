"""A game without a module of its own can be played: by cells of a grid, by buttons, and by forms."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Newcomer
from tests.browser.person import Person

MOUNT = """async ([view, options]) => {
  const { Board } = await import("/web/js/board.js");
  const { load } = await import("/web/js/games/index.js");
  const module = await load("unheard of");
  const board = new Board();
  const { host } = board;
  document.querySelector("main").replaceChildren(host);
  window.sent = [];
  const name = (seat) => ["ada", "bob"][seat];
  const send = (command) => window.sent.push(command);
  const game = module.open({ send, paint: () => paint(), who: name, name, table: 1, host });
  const paint = () => board.paint(game.render({ game: view }, options));
  paint();
}"""


def shown(newcomer: Newcomer, view: object, options: list[dict[str, Any]]) -> Person:
    person = newcomer().visit()
    person.page.locator(".gamecard").first.wait_for()
    person.page.evaluate(MOUNT, [view, options])
    return person


def sent(person: Person) -> list[Any]:
    commands: list[Any] = person.page.evaluate("() => window.sent")
    return commands


def test_a_cell_of_a_grid_stands_for_the_option_that_names_it(newcomer: Newcomer) -> None:
    options: list[dict[str, Any]] = [
        {"type": "place", "row": 0, "column": 1},
        {"type": "place", "row": 1, "column": 0},
        {"type": "pass"},
    ]
    person = shown(newcomer, {"board": [["X", ""], ["", "O"]], "turn": 1}, options)
    expect(person.page.locator(".grid td")).to_have_text(["X", "", "", "O"])
    expect(person.page.locator(".tree")).to_contain_text("bob")
    expect(person.page.locator(".choices .lit")).to_have_text(["pass"])
    person.page.locator(".grid .lit").nth(1).click()
    person.page.locator(".choices .lit").click()
    assert sent(person) == [options[1], options[2]]


def test_many_options_are_chosen_field_by_field(newcomer: Newcomer) -> None:
    options = [
        {"type": "move", "piece": piece, "to": field}
        for piece in ("king", "rook")
        for field in range(20)
        if piece == "rook" or field % 2
    ]
    person = shown(newcomer, {"pieces": [{"kind": "king", "at": 3}, {"kind": "rook", "at": 5}]}, options)
    expect(person.page.locator(".records tbody tr")).to_have_count(2)
    person.page.locator("select[name=piece]").select_option(label="rook")
    person.page.locator("select[name=to]").select_option(label="4")
    person.page.locator("[data-command=move] .lit").click()
    assert sent(person) == [{"type": "move", "piece": "rook", "to": 4}]


CARD = """async (outcome) => {
  const { resultCard } = await import("/web/js/result.js");
  const seats = [{ seat: 0, name: "ada" }, { seat: 1, name: "bob" }];
  const room = { you: 0, seats, spec: {}, outcome };
  document.querySelector("main").replaceChildren(resultCard({ identity: { name: "ada" } }, room, 1, () => undefined));
}"""


def test_the_result_shows_the_scores_of_a_game_without_an_account(newcomer: Newcomer) -> None:
    person = newcomer().visit()
    person.page.locator(".gamecard").first.wait_for()
    person.page.evaluate(CARD, {"winners": [1], "names": ["bob"], "scores": {"0": 0, "1": 7}})
    expect(person.page.locator(".finals td")).to_have_text(["7", "0"])
