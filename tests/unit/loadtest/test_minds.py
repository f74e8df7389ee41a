"""How players follow a game and choose."""

from typing import Any

import msgspec

from loadtest.clients.play.messages import Position, Update
from loadtest.clients.play.strategies import GenericStrategy, StonesStrategy, mind_for

ENDED = {"type": "room.ended", "winners": [1], "names": ["bob"], "scores": {"1": 4}}


def raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def update(*events: Any, options: Any = None) -> Update:
    return Update(1000, 1, 1, raw(events), options=raw(options))


def position(game: Any = None, **more: Any) -> Position:
    return Position(1, 1, "playing", raw(game), **more)


def test_stones_are_counted_by_events() -> None:
    mind = StonesStrategy(1, 7)
    assert mind.choose() is None
    mind.follow(update({"type": "started", "stones": 2, "seats": [0, 1]}))
    assert mind.choose() is None
    mind.follow(update({"type": "taken", "seat": 0, "count": 1}, {"type": "room.clock", "due_ms": 0}))
    assert mind.choose() == b'{"type":"take","count":1}'
    mind.follow(update({"type": "taken", "seat": 1, "count": 1}, ENDED))
    assert mind.choose() is None
    assert mind.ending == ENDED
    assert mind.told() == (ENDED, {"stones": 0, "seats": [0, 1], "turn": 0, "winner": 1})


def test_a_view_agrees_with_the_events_or_not() -> None:
    mind = StonesStrategy(0, 7)
    assert mind.agrees(position())
    mind.follow(update({"type": "started", "stones": 2, "seats": [0, 1]}))
    assert mind.agrees(position({"stones": 2, "seats": [0, 1], "turn": 0, "winner": None}))
    assert not mind.agrees(position({"stones": 3, "seats": [0, 1], "turn": 0, "winner": None}))


def test_any_game_is_played_by_what_is_offered() -> None:
    mind = GenericStrategy("chess", 7)
    mind.follow(update({"type": "moved"}))
    assert mind.choose() is None
    mind.follow(update({"type": "moved"}, options=[{"type": "a"}]))
    assert mind.choose() == b'{"type":"a"}'
    mind.look(position({"x": 1}, options=raw([])))
    assert mind.choose() is None


def test_the_end_is_found_among_the_events_of_any_game() -> None:
    mind = GenericStrategy("chess", 7)
    mind.follow(update({"type": "mate"}, ENDED))
    assert mind.ending == ENDED
    other = GenericStrategy("chess", 7)
    other.follow(update({"type": "room.closed", "reason": "abandoned"}))
    assert other.closed == "abandoned"


def test_only_the_public_part_of_a_view_is_compared() -> None:
    mind = GenericStrategy("codex", 7)
    mind.look(position({"table": {"round": 3}, "you": 1, "own": {"hand": [5]}}, outcome=ENDED))
    assert mind.told() == ({"winners": ["bob"]}, {"table": {"round": 3}})
    unknown = GenericStrategy("chess", 7)
    unknown.look(position({"table": 1}, outcome=ENDED))
    assert unknown.told() == (ENDED, None)


def test_the_mind_fits_the_game() -> None:
    assert isinstance(mind_for("stones", 0, 1), StonesStrategy)
    assert isinstance(mind_for("eriantys", 0, 1), GenericStrategy)
