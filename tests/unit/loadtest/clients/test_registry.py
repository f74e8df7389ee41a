"""The dialect of each seat, and its client."""

import pytest

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.eriantys.board import Board, Card, Person
from loadtest.clients.eriantys.prompts import PromptsPlayer
from loadtest.clients.play.client import Play
from loadtest.clients.registry import ROOMLESS, dialect_at, player_for

MIXED = ("play", "eriantys.events", "eriantys.prompts", "eriantys.status")


@pytest.mark.parametrize("table", range(8))
def test_the_seats_of_a_mixed_table_have_different_dialects(table: int) -> None:
    assert sorted(dialect_at(MIXED, table, seat) for seat in range(4)) == sorted(MIXED)


def test_a_mixed_table_is_opened_in_a_dialect_that_names_rooms() -> None:
    openers = {dialect_at(MIXED, table, 0) for table in range(8)}
    assert openers == set(MIXED) - set(ROOMLESS)


def test_every_pair_of_dialects_plays_together_at_some_table() -> None:
    pairs = {frozenset((dialect_at(MIXED, table, 0), dialect_at(MIXED, table, 1))) for table in range(9)}
    assert len(pairs) == 6


@pytest.mark.parametrize("dialect", ["play", "snarl"])
def test_a_single_dialect_is_used_by_all_seats(dialect: str) -> None:
    assert {dialect_at((dialect,), table, seat) for table in range(3) for seat in range(4)} == {dialect}


def test_a_program_that_cannot_name_rooms_opens_only_tables_of_its_own() -> None:
    dialects = ("eriantys.am28", "eriantys.am24", "eriantys.group3")
    assert {dialect_at(dialects, table, 0) for table in range(4)} == {"eriantys.am24", "eriantys.group3"}
    assert dialect_at(dialects[:1], 0, 0) == "eriantys.am28"


REFUSALS = {
    "eriantys.events": '{"type":"Nack","errorMessage":"ROOM_STARTED: %s"}',
    "eriantys.prompts": '{"type":"Error","string":"%s","code":"ROOM_STARTED"}',
    "eriantys.status": '{"status":103,"errorMessage":"%s"}',
}


@pytest.mark.parametrize("dialect", REFUSALS)
def test_a_player_that_reconnects_after_the_end_has_finished(dialect: str) -> None:
    player = player_for(dialect, SeatAssignment("ada", "eriantys", 2, {}, 1, lambda: 1000, lambda _room: None, False))
    list(player.open())
    list(player.receive((REFUSALS[dialect] % "the game has begun").encode()))
    over_before_the_end = player.over
    assert not over_before_the_end
    list(player.receive((REFUSALS[dialect] % "the game is over; it was won by ada").encode()))
    assert player.over
    assert player.received.late


def test_a_choice_that_was_refused_as_busy_is_repeated() -> None:
    player = PromptsPlayer(SeatAssignment("ada", "eriantys", 2, {}, 1, lambda: 1000, lambda _room: None, False))
    player.board = Board([Person("ada", coins=9), Person("bob")], cards=[Card(9)])
    player.seat = 0
    while b"PlayCharacter" not in next(iter(player.receive(b'{"type":"MoveMNRequest","maxSteps":1}'))):
        pass
    asked = b'{"type":"InformationGame","string":"","player":"ada","phase":"CHARACTER_ACTION"}'
    assert b"ChooseColor" in next(iter(player.receive(asked)))
    assert list(player.receive(b'{"type":"Error","string":"later","code":"BUSY"}')) == []
    assert b"ChooseColor" in next(iter(player.retry()))


def test_play_has_its_own_client() -> None:
    seating = SeatAssignment("ada", "stones", 2, {}, 1, lambda: None, lambda _room: None, True)
    assert isinstance(player_for("play", seating), Play)
