"""Strategies of `play` clients: following a game and choosing moves."""

from typing import Any

import msgspec

from loadtest.clients.play.strategies import GenericStrategy, StonesStrategy, strategy_for
from tavolata.client.messages import TableUpdate, TableView

ENDED = {"type": "room.ended", "winners": [1], "names": ["bob"], "scores": {"1": 4}}


def raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def update(*events: Any, options: Any = None) -> TableUpdate:
    return TableUpdate(1000, 1, 1, raw(events), options_json=raw(options))


def position(game: Any = None, **more: Any) -> TableView:
    return TableView(1000, 1, 1, "playing", game_json=raw(game), **more)


def test_stones_are_followed_by_their_events() -> None:
    strategy = StonesStrategy(1, 7)
    assert strategy.choose() is None
    strategy.follow(update({"type": "started", "stones": 2, "seats": [0, 1]}))
    assert strategy.choose() is None
    strategy.follow(update({"type": "taken", "seat": 0, "count": 1}, {"type": "room.clock", "due_ms": 0}))
    assert strategy.choose() == b'{"type":"take","count":1}'
    strategy.follow(update({"type": "taken", "seat": 1, "count": 1}, ENDED))
    assert strategy.choose() is None
    assert strategy.ending == ENDED
    assert strategy.outcome() == (ENDED, {"stones": 0, "seats": [0, 1], "turn": 0, "winner": 1})


def test_a_view_is_compared_with_the_events() -> None:
    strategy = StonesStrategy(0, 7)
    assert strategy.agrees(position())
    strategy.follow(update({"type": "started", "stones": 2, "seats": [0, 1]}))
    assert strategy.agrees(position({"stones": 2, "seats": [0, 1], "turn": 0, "winner": None}))
    assert not strategy.agrees(position({"stones": 3, "seats": [0, 1], "turn": 0, "winner": None}))


def test_any_game_is_played_by_its_options() -> None:
    strategy = GenericStrategy("chess", 7)
    strategy.follow(update({"type": "moved"}))
    assert strategy.choose() is None
    strategy.follow(update({"type": "moved"}, options=[{"type": "a"}]))
    assert strategy.choose() == b'{"type":"a"}'
    strategy.reset(position({"x": 1}, options_json=raw([])))
    assert strategy.choose() is None


def test_the_end_is_found_among_the_events_of_any_game() -> None:
    strategy = GenericStrategy("chess", 7)
    strategy.follow(update({"type": "mate"}, ENDED))
    assert strategy.ending == ENDED
    other = GenericStrategy("chess", 7)
    other.follow(update({"type": "room.closed", "reason": "abandoned"}))
    assert other.closed == "abandoned"


def test_only_the_public_part_of_a_view_is_compared() -> None:
    strategy = GenericStrategy("codex", 7)
    strategy.reset(position({"table": {"round": 3}, "you": 1, "own": {"hand": [5]}}, outcome=ENDED))
    assert strategy.outcome() == ({"winners": ["bob"]}, {"table": {"round": 3}})
    unknown = GenericStrategy("chess", 7)
    unknown.reset(position({"table": 1}, outcome=ENDED))
    assert unknown.outcome() == (ENDED, None)


def test_stones_has_its_own_strategy() -> None:
    assert isinstance(strategy_for("stones", 0, 1), StonesStrategy)
    assert isinstance(strategy_for("eriantys", 0, 1), GenericStrategy)
