"""Levels as `.levels` files hold them, and the reader and writer of such text. level_checks.py checks them."""

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from shared.game import Value
from shared.games.snarl.pieces import ItemKind, Point

MAX_LEVELS: Final = 100


class LevelError(ValueError):
    """The text holds no playable levels; the message says what is wrong, and where."""


class Bounds(Value, frozen=True):
    rows: int
    columns: int


class Room(Value, frozen=True, tag_field="type", tag="room"):
    origin: Point
    bounds: Bounds
    layout: tuple[tuple[int, ...], ...]
    """0 wall, 1 floor, 2 door; the outer boundary is part of it."""


class Hallway(Value, frozen=True, tag_field="type", tag="hallway", rename={"start": "from", "end": "to"}):
    start: Point
    end: Point
    waypoints: tuple[Point, ...] = ()

    @property
    def corners(self) -> tuple[Point, ...]:
        return (self.start, *self.waypoints, self.end)


class Placed(Value, frozen=True, rename={"kind": "type"}):
    """The key or the exit."""

    kind: ItemKind
    position: Point


class Level(Value, frozen=True, tag_field="type", tag="level"):
    rooms: tuple[Room, ...]
    hallways: tuple[Hallway, ...]
    objects: tuple[Placed, ...]


def read_levels(text: str) -> tuple[Level, ...]:
    """The levels of a file: a natural number N, then N level objects. Their form is checked here, nothing else."""
    values = _values(text)
    try:
        count = next(values)
    except StopIteration:
        raise LevelError("the file is empty; it begins with the number of levels") from None
    if type(count) is not int or not 1 <= count <= MAX_LEVELS:
        raise LevelError(f"the file begins with the number of levels, 1 to {MAX_LEVELS}, not with {_short(count)}")
    found = list(values)
    if len(found) != count:
        raise LevelError(f"the file says it has {count} levels, but {len(found)} follow")
    return tuple(_level(number, value) for number, value in enumerate(found, start=1))


def write_levels(levels: tuple[Level, ...]) -> str:
    """The text that `read_levels` reads: the number, then the levels, one empty line before each."""
    written = (msgspec.json.format(msgspec.json.encode(level), indent=0).decode() for level in levels)
    return "\n\n".join([str(len(levels)), *written]) + "\n"


def _values(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    at = _skip_blanks(text, 0)
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise LevelError(f"line {error.lineno}, column {error.colno}: no JSON: {error.msg}") from None
        except (RecursionError, ValueError) as error:
            raise LevelError(f"the text cannot be read as JSON: {error}") from None
        yield value
        at = _skip_blanks(text, at)


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n\ufeff":
        at += 1
    return at


def _level(number: int, value: Any) -> Level:
    try:
        return msgspec.convert(value, Level)
    except msgspec.ValidationError as error:
        raise LevelError(f"level {number}: {error}") from None


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
