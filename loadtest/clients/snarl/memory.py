"""The part of a Snarl level that a client has seen."""

from dataclasses import replace
from typing import Any

from shared.games.snarl.pieces import SIGHT, Actor, Kind, Point
from shared.games.snarl.strategy import Known


class Memory:
    """The tiles and objects of one level, collected from player updates."""

    def __init__(self) -> None:
        self._tiles: dict[Point, int] = {}
        self._places: dict[str, Point] = {}
        self._actors: list[dict[str, Any]] = []
        self._position: Point = (0, 0)
        self.unlocked = False

    def see(self, update: dict[str, Any]) -> None:
        row, column = self._position = (update["position"][0], update["position"][1])
        for down, line in enumerate(update["layout"], start=row - SIGHT):
            for right, tile in enumerate(line, start=column - SIGHT):
                self._tiles[down, right] = tile
        # A key in sight that is not there any more was taken by another player.
        gone = [
            kind for kind, (down, right) in self._places.items() if max(abs(down - row), abs(right - column)) <= SIGHT
        ]
        for kind in gone:
            del self._places[kind]
        for thing in update["objects"]:
            self._places[thing["type"]] = (thing["position"][0], thing["position"][1])
        self._actors = update["actors"]

    def known(self) -> Known:
        actors = [Actor(Kind(actor["type"]), 0, (actor["position"][0], actor["position"][1])) for actor in self._actors]
        known = Known(
            position=self._position,
            tiles=self._tiles,
            key=self._places.get("key"),
            exit=self._places.get("exit"),
            unlocked=self.unlocked,
            adversaries=tuple(actor for actor in actors if actor.kind is not Kind.PLAYER),
            players={actor.position for actor in actors if actor.kind is Kind.PLAYER},
        )
        # Everything is explored and there is no key: it was found while this client was not connected.
        return known if known.unlocked or known.goals() else replace(known, unlocked=True)
