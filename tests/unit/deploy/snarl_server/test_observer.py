"""The observer of Snarl games: the room that it follows, and the names that it draws."""

from io import StringIO
from typing import Any

import msgspec
import pytest
from rich.console import Console

from deploy.snarl_server.observer import Observer
from shared.ids import RoomId
from tests.support.snarl_stage import HALL, stage

SEATS = [{"seat": 0, "name": "alice", "here": True}]


class Observed:
    """An observer whose messages are given as fields."""

    def __init__(self) -> None:
        self._output = StringIO()
        self._observer = Observer(Console(file=self._output, width=120, color_system=None), None)

    def receive(self, kind: str, **fields: Any) -> RoomId | None:
        return self._observer.receive(msgspec.json.encode({"type": kind, **fields}))

    def rooms(self, *rooms: int) -> RoomId | None:
        listings = [{"room": room, "game": "snarl", "seats": 2, "status": "waiting"} for room in rooms]
        return self.receive("rooms_changed", changed=listings)

    def enter(self, room: int) -> None:
        view = {"room": room, "epoch": 1, "offset": 2, "status": "playing", "version": 1, "seats": SEATS}
        scene = msgspec.to_builtins(stage(HALL, {0: (1, 2), 1: (4, 7)}).scene)
        spec = {"game": "snarl", "seats": 2}
        self.receive("watching", room=room, view={**view, "spec": spec, "game": scene})

    def update(self, room: int, *events: dict[str, Any]) -> None:
        self.receive("update", room=room, epoch=1, offset=3, at=0, events=list(events))

    def drawn(self) -> str:
        return self._output.getvalue()


@pytest.fixture
def observed() -> Observed:
    return Observed()


def test_the_oldest_room_is_observed_until_it_ends_and_never_again(observed: Observed) -> None:
    assert observed.rooms(1002, 1001) == 1001
    observed.enter(1001)
    assert observed.rooms(1003) is None
    observed.update(1001, {"type": "room.ended", "winners": [0], "names": ["alice"], "reason": "won"})
    assert observed.rooms(1001, 1003) == 1003


def test_a_room_that_cannot_be_observed_is_replaced_by_the_next(observed: Observed) -> None:
    assert observed.rooms(1001) == 1001
    observed.receive("error", text="the room is closed")
    assert observed.rooms(1002) == 1002


def test_the_level_is_drawn_with_the_names_of_the_players(observed: Observed) -> None:
    observed.rooms(1001)
    observed.enter(1001)
    assert "Level 1 of 1" in observed.drawn()
    assert "alice" in observed.drawn()
    assert "seat 1" in observed.drawn()


def test_updates_of_another_room_are_ignored(observed: Observed) -> None:
    observed.rooms(1001)
    observed.enter(1001)
    observed.update(1002, {"type": "room.closed", "reason": "abandoned"})
    assert observed.rooms(1003) is None
