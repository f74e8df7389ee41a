"""Turns the final view of a `play` client into the form of the game's other dialects, so that they can be compared."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from loadtest.clients.eriantys.board import Board, Card, Island, Person
from shared.games.eriantys import views as eriantys

Names: TypeAlias = dict[int, str]
Comparable: TypeAlias = tuple[Any, Any]
"""Result and board, as in `Received`."""


def _eriantys(game: Any, names: Names, winners: list[str]) -> Comparable:
    view = msgspec.convert(game, eriantys.View)
    people = [
        Person(names[seat], player.tower, player.towers, list(player.entrance), list(player.hall), player.coins)
        for seat, player in enumerate(view.players)
    ]
    islands = []
    for group in view.groups:
        owner, towers = eriantys.owner_of(view, group), eriantys.towers_of(view, group)
        students = list(eriantys.students_of(view, group))
        islands.append(Island(students, len(towers), owner or "", group.no_entry))
    cards = [Card(card.number, list(card.students), card.no_entry, card.used) for card in view.characters]
    mother = eriantys.position_of(view, view.mother)
    clouds = [list(cloud) for cloud in view.clouds]
    board = Board(people, islands, mother, clouds, cards, list(view.professors))
    return board.result(winners), board.comparable()


def _codex(game: Any, _names: Names, winners: list[str]) -> Comparable:
    return {"winners": sorted(winners)}, {"table": game["table"]}


def _snarl(game: Any, _names: Names, winners: list[str]) -> Comparable:
    return sorted(winners), {key: value for key, value in game.items() if key not in ("you", "window")}


_BY_GAME: dict[str, Callable[[Any, Names, list[str]], Comparable]] = {
    "eriantys": _eriantys,
    "codex": _codex,
    "snarl": _snarl,
}


def comparable(game: str, view: Any, names: Names, ending: Any) -> Comparable:
    """Result and board of a `play` client. For a game that is not known here only the result is public for certain."""
    translate = _BY_GAME.get(game)
    if translate is None or view is None or ending is None:
        return ending, None
    return translate(view, names, list(ending["names"]))
