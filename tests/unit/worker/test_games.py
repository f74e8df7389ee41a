"""The games that a worker can play."""

import dataclasses
import sys
from types import ModuleType

import msgspec
import pytest

from shared.game import AnyGame
from shared.ids import GameVersion
from shared.runtime.settings import SettingError
from tests.support.toys import TOY, Guess
from worker.games import GAMES, GameCatalog, NoSuchGame, load_catalog

NEWER = dataclasses.replace(TOY, version=2, title="Toy, again")


def test_a_new_room_is_played_by_the_newest_rules() -> None:
    assert GameCatalog((NEWER, TOY)).get("toy") is NEWER


def test_an_old_room_is_played_by_the_rules_it_began_with() -> None:
    assert GameCatalog((NEWER, TOY)).get("toy", 1) is TOY


def test_an_unknown_game_is_not_there() -> None:
    with pytest.raises(NoSuchGame, match="toy@3"):
        GameCatalog((TOY,)).get("toy", 3)


def test_commands_are_read_strictly() -> None:
    with pytest.raises(msgspec.ValidationError):
        GameCatalog((TOY,)).commands(TOY)(msgspec.Raw(b'{"type":"guess","number":"1"}'))


def test_commands_are_read_in_the_games_words() -> None:
    assert GameCatalog((TOY,)).commands(TOY)(msgspec.Raw(b'{"type":"guess","number":1}')) == Guess(1)


def test_only_the_newest_version_is_announced() -> None:
    assert [(card.name, card.version) for card in GameCatalog((TOY, NEWER)).cards()] == [("toy", 2)]


def test_an_announced_game_tells_the_form_of_its_commands() -> None:
    (card,) = GameCatalog((TOY,)).cards()
    assert "guess" in bytes(card.commands).decode().lower()


def test_our_own_games_are_there() -> None:
    assert {card.name for card in load_catalog("").cards()} >= {"stones", "eriantys", "codex", "snarl"}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.name))
def test_our_own_games_refuse_an_option_that_they_do_not_have(game: AnyGame) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({"misspelt": 1}, game.options_type)


def test_a_module_outside_the_project_adds_its_game(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("somebodys_game")
    module.GAME = TOY  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "somebodys_game", module)
    assert load_catalog("somebodys_game").get("toy") is TOY


def test_a_module_that_is_not_there_is_a_wrong_setting() -> None:
    with pytest.raises(SettingError, match="no_such_module"):
        load_catalog("no_such_module")


def test_a_module_without_a_game_is_a_wrong_setting() -> None:
    with pytest.raises(SettingError, match="GAME"):
        load_catalog("json")


OLD, NEW = GameVersion("toy@1"), GameVersion("toy@2")


def test_new_rooms_take_the_newest_version_that_all_workers_of_the_game_know() -> None:
    catalog = GameCatalog((TOY, NEWER))
    assert catalog.follow([{OLD}, {GameVersion("other@5")}])
    assert catalog.get("toy") is TOY
    assert [card.version for card in catalog.cards()] == [1]


def test_new_rooms_take_the_newest_version_again_when_the_older_workers_have_gone() -> None:
    catalog = GameCatalog((TOY, NEWER))
    catalog.follow([{OLD}])
    assert catalog.follow([{OLD, NEW}])
    assert catalog.get("toy") is NEWER


def test_workers_without_a_common_version_use_their_own_newest() -> None:
    catalog = GameCatalog((TOY, NEWER))
    catalog.follow([{GameVersion("toy@3")}])
    assert catalog.get("toy") is NEWER


def test_a_game_that_only_others_know_has_the_version_that_they_agree_on() -> None:
    catalog = GameCatalog((TOY,))
    catalog.follow([{GameVersion("chess@1"), GameVersion("chess@2")}, {GameVersion("chess@1")}])
    assert catalog.elsewhere("chess") == "chess@1"
    assert catalog.elsewhere("toy") is None
