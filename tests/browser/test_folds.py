"""The views that the page folds from events equal the games' own views, for whole games, step by step."""

from typing import Any

import msgspec
import pytest

from shared.dice import Dice
from shared.game import AnyGame, Table, default_bot
from shared.games import stones
from shared.games.codex import game as codex
from shared.games.codex.cards import CARDS, OBJECTIVES
from shared.games.codex.pieces import Face
from shared.games.eriantys import game as eriantys
from shared.games.eriantys.cards import CARDS as CHARACTERS
from shared.games.eriantys.islands import strongest
from shared.games.eriantys.views import View, owner_of
from shared.games.snarl import game as snarl
from shared.ids import Seat
from tests.browser.conftest import Newcomer

MOST_STEPS = 400
FOLD = """async ([game, steps]) => {
  const { load } = await import("/web/js/games/index.js");
  const module = await load(game);
  let view = module.start;
  return steps.map((events) => (view = events.reduce((now, event) => module.fold(now, event), view)));
}"""

BUILDERS = """async (views) => {
  const { builder } = await import("/web/js/games/eriantys-influence.js");
  return views.map((view) => view.groups.map((group) => builder(view, group)));
}"""


def random_game(game: AnyGame, seats: int, seed: int, wild: bool, **options: object) -> tuple[list[Any], list[Any]]:
    """The public events of a random game, step by step, and the spectators' view after each."""
    order = tuple(Seat(seat) for seat in range(seats))
    events = game.setup(Table(msgspec.convert(options, game.options_type), order, order, seed))
    state, dice = game.empty, Dice(seed, "choices")
    steps, views = [], []
    for number in range(MOST_STEPS):
        for event in events:
            state = game.evolve(state, event)
        shown = [game.redact(event, None) for event in events]
        steps.append([_plain(event) for event in shown if event is not None])
        views.append(_plain(game.view(state, None)))
        turn = game.turn(state)
        if not turn:
            break
        choices = game.options(state, turn[0])
        own = Dice(seed, "bot", number)
        command = dice.choice(choices) if wild else default_bot(game, state, turn[0], own)
        decided = game.decide(state, turn[0], command)
        assert isinstance(decided, tuple)
        events = decided
    return steps, views


def _plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.mark.parametrize(
    ("game", "seats", "seed", "wild", "options"),
    [
        (stones.GAME, 3, 1, True, {}),
        (codex.GAME, 3, 2, False, {}),
        (codex.GAME, 2, 3, True, {}),
        (snarl.GAME, 2, 4, False, {}),
        (snarl.GAME, 3, 5, True, {"levels": "shipped"}),
        (snarl.GAME, 2, 6, False, {"whole_level": True}),
        *((eriantys.GAME, 2 + seed % 3, seed, seed % 4 != 0, {"expert": True}) for seed in range(8)),
        (eriantys.GAME, 4, 9, False, {}),
    ],
)
def test_the_page_folds_a_whole_game_as_the_game_does(
    newcomer: Newcomer, game: AnyGame, seats: int, seed: int, wild: bool, options: dict[str, object]
) -> None:
    steps, views = random_game(game, seats, seed, wild, **options)
    assert len(steps) > 5
    person = newcomer().visit()
    folded = person.page.evaluate(FOLD, [game.name, steps])
    for step, (mine, theirs) in enumerate(zip(folded, views, strict=True)):
        assert mine == theirs, f"step {step}: {steps[step]}"


def test_the_page_has_the_cards_of_codex_as_they_are(newcomer: Newcomer) -> None:
    person = newcomer().visit()
    cards = person.page.evaluate("async () => Object.fromEntries((await import('/web/js/games/codex-cards.js')).CARDS)")
    assert len(cards) == len(CARDS) + len(OBJECTIVES)
    for number, card in CARDS.items():
        shown = cards[str(number)]
        assert (shown["kind"], shown["kingdom"], shown["points"]) == (card.kind, card.kingdom, card.points)
        for face in Face:
            side = card.side(face)
            assert shown[face]["corners"] == list(side.corners)
            assert shown[face]["centre"] == list(side.centre)
        assert shown.get("per") == ("corner" if card.per_corner else card.per_object)
        assert {symbol: shown["cost"].count(symbol) for symbol in shown["cost"]} == dict(card.cost)
    for number, objective in OBJECTIVES.items():
        shown = cards[str(number)]
        assert shown["points"] == objective.points
        assert shown.get("symbols", []) == list(objective.symbols)
        cells = shown.get("pattern", [])
        relative = [(cell["kingdom"], cell["y"] - cells[0]["y"], cell["x"] - cells[0]["x"]) for cell in cells]
        assert relative == [(cell.kingdom, cell.row, cell.column) for cell in objective.pattern]


def test_the_page_knows_what_characters_cost(newcomer: Newcomer) -> None:
    person = newcomer().visit()
    shown = person.page.evaluate("async () => (await import('/web/js/games/eriantys-words.js')).CHARACTERS")
    assert {int(number): card["cost"] for number, card in shown.items()} == {
        number: card.cost for number, card in CHARACTERS.items()
    }


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_page_foresees_who_builds_where_mother_nature_stops(newcomer: Newcomer, seats: int) -> None:
    _, views = random_game(eriantys.GAME, seats, 1, True, expert=True)
    foreseen = newcomer().visit().page.evaluate(BUILDERS, views)
    for view, colors in zip(msgspec.convert(views, list[View]), foreseen, strict=True):
        for group, color in zip(view.groups, colors, strict=True):
            winner = None if group.no_entry else strongest(view, group)
            assert color == (None if winner is owner_of(view, group) else winner)
    assert any(any(colors) for colors in foreseen)
