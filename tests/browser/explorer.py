"""Finds the way through a dungeon of Snarl, by the map that the page keeps."""

import json
from collections import deque

from tests.browser.person import Person

Point = tuple[int, int]


class Explorer:
    """Chooses moves: to the key, then to the exit, else to tiles next to unknown ones."""

    def __init__(self, person: Person, table: int) -> None:
        self._person = person
        self._table = table

    def choose(self) -> str:
        """The lit tile to press next."""
        lit = {_point(key.removeprefix("move-")): key for key in self._person.offered()}
        view = self._person.frames_view()
        here: Point = tuple(view["window"]["position"])
        cells, key, exit_ = self._map(view["level"])
        goals = {key} if key else {exit_} if exit_ and view["key"] is not None else set()
        path = _walk(here, cells, goals) or _walk(here, cells, _frontier(cells))
        for step in reversed(path[:2]):
            if step in lit:
                return lit[step]
        others = sorted(point for point in lit if point != here)
        return lit[others[view["turns"] % len(others)] if others else here]

    def arrow(self) -> str:
        """The key that goes one step, or two, in the direction of the tile; a dot stays, also where another
        player stands on the only way round a corner, because arrows do not go past players."""
        row, column = self._person.frames_view()["window"]["position"]
        there = _point(self.choose().removeprefix("move-"))
        down, right = there[0] - row, there[1] - column
        straight = not down or not right
        shift = "Shift+" if straight and abs(down + right) == 2 else ""
        if down and (straight or self._open(row + (1 if down > 0 else -1), column)):
            return shift + ("ArrowDown" if down > 0 else "ArrowUp")
        if right and (straight or self._open(row, column + (1 if right > 0 else -1))):
            return shift + ("ArrowRight" if right > 0 else "ArrowLeft")
        return "."

    def _open(self, row: int, column: int) -> bool:
        return f"move-{row},{column}" in self._person.offered()

    def _map(self, level: int) -> tuple[dict[Point, int], Point | None, Point | None]:
        text = self._person.page.evaluate("name => sessionStorage.getItem(name)", f"tavolata.map.{self._table}.{level}")
        kept = json.loads(text)
        cells = {_point(name): tile for name, tile in kept["cells"]}
        key, exit_ = kept["key"], kept["exit"]
        return cells, tuple(key) if key else None, tuple(exit_) if exit_ else None


def _point(text: str) -> Point:
    row, column = text.split(",")
    return int(row), int(column)


def _around(point: Point) -> list[Point]:
    row, column = point
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def _frontier(cells: dict[Point, int]) -> set[Point]:
    """Walkable tiles from which an unknown tile would become visible."""
    return {
        (row, column)
        for (row, column), tile in cells.items()
        if tile and any((row + down, column + right) not in cells for down in range(-2, 3) for right in range(-2, 3))
    }


def _walk(start: Point, cells: dict[Point, int], goals: set[Point]) -> list[Point]:
    """The shortest way to one of the goals, without the start; empty if there is none."""
    before: dict[Point, Point] = {start: start}
    waiting = deque([start])
    while waiting:
        point = waiting.popleft()
        if point in goals and point != start:
            path = [point]
            while before[path[-1]] != start:
                path.append(before[path[-1]])
            return path[::-1]
        for other in _around(point):
            if cells.get(other) and other not in before:
                before[other] = point
                waiting.append(other)
    return []
