"""Strategies for property tests of games with hypothesis, which has to be installed."""

from typing import Any, get_args

import msgspec
from hypothesis import strategies

from shared.game import AnyGame
from tavolata.testing.tables import GameTable


@strategies.composite
def tables(draw: Any, game: AnyGame, *, seats: int | None = None, most_moves: int = 60) -> GameTable:
    """Tables in the middle of a game, or at its end: up to this many moves were drawn from the options."""
    number = seats or draw(strategies.sampled_from(game.seats))
    table = GameTable(game, number, seed=draw(strategies.integers(0, 2**32)))
    for _ in range(draw(strategies.integers(0, most_moves))):
        if not table.turn:
            break
        seat = draw(strategies.sampled_from(table.turn))
        table.act(seat, draw(strategies.sampled_from(table.options(seat))))
    return table


def commands(game: AnyGame) -> strategies.SearchStrategy[Any]:
    """Commands as a client may send them, most of them illegal. `decide` must answer each without an exception."""
    types = get_args(game.command_type) or (game.command_type,)
    decode = msgspec.json.Decoder(game.command_type).decode

    def is_decoded(command: Any) -> bool:
        try:
            decode(msgspec.json.encode(command))
        except msgspec.MsgspecError:
            return False
        return True

    return strategies.one_of(*map(_built, types)).filter(is_decoded)


def _built(struct: type[msgspec.Struct]) -> strategies.SearchStrategy[Any]:
    fields = {field.name: _of(field.type) for field in msgspec.structs.fields(struct)}
    return strategies.builds(struct, **fields)


def _of(stated: Any) -> strategies.SearchStrategy[Any]:
    if isinstance(stated, type) and issubclass(stated, msgspec.Struct):
        return _built(stated)
    return strategies.from_type(stated)
