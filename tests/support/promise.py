"""The check of the simulation against the store: no acknowledged command is lost, and none is applied twice."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import msgspec

from shared.bus.keys import Keys
from shared.ids import RoomId, partition_of
from tests.support.fake_store import FakeServer
from tests.support.simulated_player import StepPlace, Visit


class Broken(AssertionError):
    """A guarantee does not hold; the text says which, and in which room."""


def check(server: FakeServer, partitions: int, visits: list[Visit], undone: Collection[StepPlace] = ()) -> int:
    """Compare what players saw with the store; the number of acknowledged commands that were checked. `undone` are the
    steps that the store itself has lost."""
    by_room: dict[int, list[Visit]] = {}
    for visit in visits:
        kept = _without(visit, undone)
        if kept is not None:
            by_room.setdefault(visit.room, []).append(kept)
    return sum(_check_room(server, partitions, room, there) for room, there in by_room.items())


def _without(visit: Visit, undone: Collection[StepPlace]) -> Visit | None:
    """The visit without undone steps; None if the seat itself was taken by one."""
    if not undone:
        return visit
    if (visit.room, visit.entered[1], visit.entered[0]) in undone:
        return None
    acked = {
        number: (epoch, offset)
        for number, (epoch, offset) in visit.acked.items()
        if (visit.room, offset, epoch) not in undone
    }
    seen = [update for update in visit.seen if (visit.room, update["offset"], update["epoch"]) not in undone]
    # A command whose refusal is undone may be carried out afterwards.
    return replace(visit, acked=acked, seen=seen, refused={})


def steps_in(server: FakeServer) -> set[StepPlace]:
    """All steps in the store."""
    names = [key.decode() for key in server.run(("KEYS", "*:updates"))]
    return {
        (room, offset, update["epoch"])
        for name in names
        for part in _bodies(server, name)
        for room, _, offset, update, *_ in part
    }


def _check_room(server: FakeServer, partitions: int, room: int, visits: list[Visit]) -> int:
    keys = Keys(partition_of(RoomId(room), partitions), partitions)
    journal, steps = _journal(server, keys, room)
    updates = updates_of(server, keys, room)
    _require(list(steps) == list(range(1, len(steps) + 1)), f"the steps of room {room} are {list(steps)}")
    _require(list(updates) == list(steps), f"room {room} has steps {list(steps)} and updates {list(updates)}")
    applied = Counter((sid, number) for _, sid, number, seat, _ in journal if seat is not None and number)
    twice = [command for command, count in applied.items() if count > 1]
    _require(not twice, f"room {room} handled {twice} more than once")
    for offset, (epoch, _, _) in steps.items():
        _require(updates[offset]["epoch"] == epoch, f"room {room} has two epochs at {offset}")
    (opened,) = [event for _, _, _, _, events in journal for event in events if event["type"] == "room.opened"]
    for visit in visits:
        _require(visit.key == opened.get("key", ""), f"seat {visit.seat} of room {room} has the key {visit.key}")
        _check_visit(visit, steps, updates)
    return sum(len(visit.acked) for visit in visits)


def _check_visit(visit: Visit, steps: dict[int, tuple[int, str, int]], updates: dict[int, dict[str, Any]]) -> None:
    where = f"seat {visit.seat} of room {visit.room}"
    for number, (epoch, offset) in visit.acked.items():
        _require(offset in steps, f"{where}: command {number} was acknowledged at {offset}, which is not there")
        _require(
            steps[offset] == (epoch, visit.sid, number), f"{where}: {number} is acked at {offset}: {steps[offset]}"
        )
        update = updates.get(offset, {})
        _require(
            (update.get("by"), update.get("id")) == (visit.seat, number), f"{where}: step {offset} was sent as {update}"
        )
    applied = {number for _, sid, number in steps.values() if sid == visit.sid}
    _require(not applied & visit.refused.keys(), f"{where}: refused and applied: {applied & visit.refused.keys()}")
    for update in visit.seen:
        _require(update["offset"] in updates, f"{where} received step {update['offset']}, which is not there")
        kept = updates[update["offset"]]
        same = (kept["epoch"], kept["events"]) == (update["epoch"], update["events"])
        _require(same, f"{where} received {update}, the store has {kept}")


_Filed = tuple[int, str, int, int | None, list[Any]]


def _journal(server: FakeServer, keys: Keys, room: int) -> tuple[list[_Filed], dict[int, tuple[int, str, int]]]:
    """All records, and the steps among them: offset -> (epoch, session, command)."""
    written = _bodies(server, keys.journal(RoomId(room)))
    logged = [record for commit in _bodies(server, keys.journal_log) for record in commit[0] if record[0] == room]
    by_place: dict[tuple[int, int], list[Any]] = {}
    for _, offset, number, record in (*(record for portion in written for record in portion), *logged):
        same = by_place.setdefault((offset, number), record) == record
        _require(same, f"room {room} has two records at {offset}-{number}")
    records: list[_Filed] = []
    steps: dict[int, tuple[int, str, int]] = {}
    for (offset, number), record in sorted(by_place.items()):
        _, epoch, sid, command, seat, _, events, *_ = record
        records.append((epoch, sid, command, seat, events))
        if number == 0:
            steps[offset] = (epoch, sid, command)
    return records, steps


def updates_of(server: FakeServer, keys: Keys, room: int) -> dict[int, dict[str, Any]]:
    return {update["offset"]: update for update in recorded(server, keys, room)}


def recorded(server: FakeServer, keys: Keys, room: int) -> list[dict[str, Any]]:
    """The updates in the store, by offset. A step that is in the room's own stream and still in the log of its
    partition is one step; two epochs at one offset are two."""
    written, logged = _bodies(server, keys.updates(RoomId(room))), _bodies(server, keys.updates_log)
    steps = [step for part in (*written, *logged) for step in part if step[0] == room]
    by_place = {(offset, update["epoch"]): update | {"offset": offset} for _, _, offset, update, *_ in steps}
    return [by_place[place] for place in sorted(by_place)]


def _bodies(server: FakeServer, key: str) -> list[Any]:
    return [msgspec.json.decode(fields[1]) for _, fields in server.run(("XRANGE", key, "-", "+"))]


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise Broken(text)
