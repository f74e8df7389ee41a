"""The replay check of one room, without IO: its journal is applied with the games at hand, and the result is compared
with its snapshot and its outcome.

A journal holds events. A change of a game's `evolve` or `outcome` therefore shows, and a change of `decide` does not:
it concerns new moves alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from shared.bus.journal import StoredRoom
from shared.game import AnyGame
from shared.ids import GameVersion, Offset, RoomId, game_version
from shared.journal_records import JournalEntry, RecordPlace
from shared.room_events import OVER, Ended, Opened, RoomStatus
from worker.games import GameCatalog, NoSuchGame
from worker.room.draft import RoomDraft
from worker.room.state import RoomState

_decode_state = msgspec.json.Decoder(RoomState).decode


@dataclass(frozen=True, slots=True)
class CheckedRoom:
    """The result of the check of one room."""

    room: RoomId
    game: GameVersion
    steps: int
    difference: str = ""
    """The first difference; empty: there is none."""
    step: Offset = Offset(0)
    """The step at which it shows."""
    unknown: bool = False
    """The game version is not among the games at hand."""
    over: bool = False


class _Difference(Exception):
    """The replayed room differs from the stored one."""


def check_room(catalog: GameCatalog, room: RoomId, stored: StoredRoom, place: RecordPlace) -> CheckedRoom:
    """Replay a room. `stored` has all records of the room; its snapshot was taken after the record at `place`."""
    replay = _Replay(catalog, room, stored.snapshot, place)
    try:
        if stored.damage:
            raise _Difference(stored.damage)
        for entry in stored.records:
            replay.follow(entry)
        replay.finish()
    except NoSuchGame as error:
        snapshot = None if stored.snapshot is None else _decode_state(stored.snapshot)
        over = snapshot is not None and snapshot.status in OVER
        return CheckedRoom(room, game_version(error.game, error.version), 0, unknown=True, over=over)
    except _Difference as difference:
        return replay.result(str(difference))
    except Exception as error:  # noqa: BLE001 - the code of a game may fail in any way
        return replay.result(f"the step cannot be replayed: {error!r}")
    return replay.result()


class _Replay:
    """A room on its way through its journal."""

    def __init__(self, catalog: GameCatalog, room: RoomId, snapshot: bytes | None, place: RecordPlace) -> None:
        self._draft = RoomDraft(room, catalog)
        self._snapshot = snapshot
        self._place = place
        self._step = Offset(0)

    def result(self, difference: str = "") -> CheckedRoom:
        state = self._draft.state
        game = game_version(state.spec.game, state.version)
        return CheckedRoom(state.room, game, self._step, difference, self._step, over=state.over)

    def follow(self, entry: JournalEntry) -> None:
        """Apply a record, and compare as far as the store has something to compare with."""
        offset, number, record = entry
        draft = self._draft
        if (offset, number) > self._place:
            self.finish()
        if offset > self._step + 1:
            raise _Difference(f"the journal has no step {self._step + 1}")
        self._step = offset
        events = draft.catalog.events(draft.game, record.events)
        for event in events:
            if isinstance(event, Opened):
                draft.open_game(draft.catalog.get(event.spec.game, event.version), record.at)
            draft.apply(event)
        if not number and draft.game is not None:
            self._compare_outcome(draft.game, events)

    def finish(self) -> None:
        """Compare with the snapshot, once: all records that it covers were applied. The last of them may be missing,
        because refusals that a snapshot covers are not kept."""
        snapshot, self._snapshot = self._snapshot, None
        if snapshot is not None:
            self._compare_snapshot(snapshot)

    def _compare_outcome(self, game: AnyGame, events: Sequence[Any]) -> None:
        """Compare the end of the game in the journal with the one that the rules at hand come to."""
        ended = next((event for event in events if isinstance(event, Ended)), None)
        if ended is None and self._draft.state.status != RoomStatus.PLAYING:
            return
        outcome = game.outcome(self._draft.play)
        if ended is None and outcome is not None:
            raise _Difference(f"the game ends here by these rules, and went on: {outcome}")
        if ended is not None and outcome is None:
            raise _Difference("the game ended here, and goes on by these rules")
        if ended is not None and outcome is not None:
            before = (ended.winners, ended.reason, ended.scores)
            now = (outcome.winners, outcome.reason, dict(outcome.scores))
            if before != now:
                raise _Difference(f"the outcome was {before}, and is {now} by these rules")

    def _compare_snapshot(self, snapshot: bytes) -> None:
        """Compare the game's state with the saved one, in the types of the game: a field that was added with a default
        makes no difference."""
        draft, saved = self._draft, _decode_state(snapshot)
        assert draft.game is not None
        before = msgspec.json.decode(saved.game, type=draft.game.state_type)
        if before != draft.play:
            where = _first_difference(msgspec.to_builtins(before), msgspec.to_builtins(draft.play))
            raise _Difference(f"the state differs from the snapshot: {where}")


def _first_difference(saved: Any, replayed: Any, path: str = "") -> str:
    """The first part in which two values differ."""
    if isinstance(saved, dict) and isinstance(replayed, dict):
        for key in {**saved, **replayed}:
            if saved.get(key) != replayed.get(key):
                return _first_difference(saved.get(key), replayed.get(key), f"{path}.{key}".lstrip("."))
    return f"{path or 'it'} is {saved!r:.80} in the snapshot, {replayed!r:.80} replayed"
