"""A player of `/ws/play`, without IO: greets, opens or joins a table, plays, comes back, and keeps score of it all."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from loadtest.checks.checker import Findings, Track
from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.play.messages import (
    Ack,
    Act,
    AskView,
    Bye,
    Create,
    Entered,
    Error,
    Hello,
    Join,
    Leave,
    Position,
    Resume,
    Resumed,
    Update,
    View,
    Welcome,
    hear,
    say,
)
from loadtest.clients.play.strategies import Strategy, mind_for

Asked: TypeAlias = Create | Join | Resume | AskView
R = TypeVar("R", Create | Join | Resume | AskView, Act)

NAP = 3
"""Nudges to wait after an answer that says busy, or a refusal."""
PATIENCE = 15
"""Ticks to wait for an answer before a request is sent again."""


class Play:
    """One session. It can play one game after the other: `again` begins the next on the same connection."""

    path = "/ws/play"

    def __init__(self, seating: SeatAssignment, ids: Iterator[int], findings: Findings | None = None) -> None:
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self.moves = 0
        self.token = ""
        self.errors: Counter[str] = Counter()
        self.stopped = False
        """No more moves shall be made."""
        self._findings = findings or Findings()
        self._ids = ids
        self._name = seating.name
        self._greeted = False
        self._sit(seating)

    def _sit(self, seating: SeatAssignment) -> None:
        self.told = Received()
        self.over = False
        self.track: Track | None = None
        self._seating = seating
        self._mind: Strategy = mind_for(seating.game, -1, seating.seed)
        self._asked: dict[int, Asked] = {}
        self._act: Act | None = None
        self._uncertain: set[int] = set()
        self._acked_offset = 0
        self._top: int | None = None
        self._naps = 0
        self._waited = 0

    # --- the driver's side ---------------------------------------------------------------------------------------

    def open(self) -> Iterable[bytes]:
        self._greeted = False
        self._naps = 0
        self._uncertain = {request.id for request in self._pending()}
        return (self._hello(),)

    def again(self, seating: SeatAssignment) -> Iterable[bytes]:
        """Begin the next game with the same session."""
        self._sit(seating)
        return self._take_seat() if self._greeted else ()

    def settle(self) -> Iterable[bytes]:
        """Ask for the position as the server knows it, when nobody moves and all seats are at the same step."""
        return () if self.track is None else self._ask_view(self.track)

    @property
    def step(self) -> int:
        """The last step that was told."""
        return 0 if self.track is None else self.track.offset

    @property
    def settled(self) -> bool:
        """The answer to `settle` has come, and every step that it counts."""
        return self.track is None or (self._top is not None and self.track.offset >= self._top)

    def unsettled(self) -> None:
        """No more will come: what the answer to `settle` counts and was never told is missing."""
        if self.track is not None and self._top is not None and self.track.offset < self._top:
            missing = self._top - self.track.offset
            self._findings.add("holes", f"{self.track}: the steps after {self.track.offset} never came", missing)

    def depart(self) -> Iterable[bytes]:
        """Leave an unfinished game and end the session."""
        leaving = self.track is not None and not self.over
        room = self.track.room if self.track is not None else 0
        return (*((say(Leave(next(self._ids), room)),) if leaving else ()), say(Bye()))

    @property
    def waiting(self) -> bool:
        """Something was asked or done, and the answer has not come yet."""
        return self._act is not None or bool(self._asked)

    def tick(self) -> Iterable[bytes]:
        self._waited += 1
        if self._waited < PATIENCE:
            return ()
        self._waited = 0
        return self._send_again()

    def nudge(self) -> Iterable[bytes]:
        """A tenth of a second has passed."""
        if not self._naps:
            return ()
        self._naps -= 1
        if self._naps:
            return ()
        if not self._greeted:
            return (self._hello(),)
        return (*(say(request) for request in self._pending()), *self._move())

    def receive(self, frame: bytes) -> Iterable[bytes]:
        try:
            heard = hear(frame)
        except msgspec.DecodeError as fault:
            self._fault(f"a message makes no sense ({fault}): {frame[:200]!r}")
            return ()
        match heard:
            case Update():
                return self._updated(heard)
            case Ack():
                return self._acked(heard)
            case Welcome(name=name, token=token):
                self._name, self.token = name, token
                self._greeted = True
                return self._welcomed()
            case Entered():
                return self._entered(heard)
            case View():
                return self._viewed(heard)
            case Resumed(id=id):
                self._asked.pop(id, None)
                return (*self._send_again(), *self._move())
            case Error():
                return self._refused(heard)
            case _:
                return ()

    # --- taking a seat, and coming back to it --------------------------------------------------------------------

    def _hello(self) -> bytes:
        return say(Hello(token=self.token) if self.token else Hello(name=self._name))

    def _welcomed(self) -> Iterable[bytes]:
        track = self.track
        if track is None:
            return self._send_again() if self._asked else self._take_seat()
        if self.over:
            return ()
        for request in [request for request in self._asked.values() if isinstance(request, Resume)]:
            del self._asked[request.id]
        return self._ask(Resume(next(self._ids), track.room, track.epoch, track.offset, self._mind.wants))

    def _take_seat(self) -> Iterable[bytes]:
        seating, wants = self._seating, self._mind.wants
        if seating.first:
            return self._ask(Create(next(self._ids), seating.game, seating.seats, seating.options, wants))
        return self._ask(Join(next(self._ids), seating.table() or 0, wants))

    def _entered(self, entered: Entered) -> Iterable[bytes]:
        if self._asked.pop(entered.id, None) is None:
            return ()
        self.told.room = entered.room
        self.track = Track(entered.room, entered.seat, self._findings)
        self._mind = mind_for(self._seating.game, entered.seat, self._seating.seed)
        if self._seating.first:
            self._seating.opened(entered.room)
        return self._look(entered.view, "")

    # --- requests ------------------------------------------------------------------------------------------------

    def _ask(self, request: Asked) -> Iterable[bytes]:
        self._asked[request.id] = request
        self._waited = 0
        return (say(request),)

    def _ask_view(self, track: Track) -> Iterable[bytes]:
        return self._ask(AskView(next(self._ids), track.room, self._mind.wants))

    def _pending(self) -> Iterable[Asked | Act]:
        return (*self._asked.values(), *(() if self._act is None else (self._act,)))

    def _send_again(self) -> Iterable[bytes]:
        """Everything that still waits for its answer, with the same ids."""
        frames = tuple(say(request) for request in self._pending())
        if frames:
            self._findings.add("resends", "", len(frames))
        return frames

    # --- following the game --------------------------------------------------------------------------------------

    def _updated(self, update: Update) -> Iterable[bytes]:
        track = self.track
        if track is None or update.room != track.room:
            return ()
        if not track.update(update.epoch, update.offset, update.events):
            return () if self._asked else self._ask_view(track)
        try:
            self._mind.follow(update)
        except msgspec.DecodeError as fault:
            self._fault(f"the events make no sense ({fault}): {bytes(update.events)[:200]!r}")
        return self._move()

    def _viewed(self, view: View) -> Iterable[bytes]:
        track = self.track
        if track is None or view.room != track.room:
            return ()
        asked = None if view.id is None else self._asked.pop(view.id, None)
        if isinstance(asked, AskView) and not view.reason and not track.broken:
            return self._compare(track, view.view)
        again = self._send_again() if view.reason else ()
        return (*again, *self._look(view.view, view.reason or "out of step"))

    def _compare(self, track: Track, view: Position) -> Iterable[bytes]:
        """A view that was asked for in a quiet moment must be what the events have told."""
        self._top = view.offset
        if view.offset < track.offset:
            self._findings.add("disorder", f"{track} was told step {track.offset}, the view is of step {view.offset}")
        if view.offset == track.offset:
            if not self._mind.agrees(view):
                told, seen = self._mind.told()[1], bytes(view.game).decode()
                self._findings.add("differing", f"{track}: the events told {told}, the view says {seen}")
            self._mind.look(view)
            self.told.result, self.told.board = self._mind.told()
        return self._move()

    def _look(self, view: Position, reason: str) -> Iterable[bytes]:
        track = self.track
        assert track is not None
        track.view(view.epoch, view.offset, reason)
        if reason == "rewound":
            self._acked_offset = min(self._acked_offset, view.offset)
        self._mind.look(view)
        return self._move()

    def _move(self) -> Iterable[bytes]:
        """Do what there is to do at this point of the game."""
        track, mind = self.track, self._mind
        if track is None or self._act is not None or self._naps or track.offset < self._acked_offset:
            return ()
        if mind.ending is not None or mind.closed:
            return self._finish()
        command = None if self.stopped else mind.choose()
        if command is None:
            return ()
        self._act = Act(next(self._ids), track.room, msgspec.Raw(command))
        self._waited = 0
        if self.sent_at is not None:
            self.sent_at()
        return (say(self._act),)

    def _finish(self) -> Iterable[bytes]:
        if self._mind.asks_view and not self.settled:
            return self.settle() if self._top is None and not self._asked else ()
        if not self.over:
            self.over = True
            if not self._mind.asks_view:
                self.told.result, self.told.board = self._mind.told()
            if self._mind.closed:
                self._fault(f"the room was closed: {self._mind.closed}")
        return ()

    # --- answers -------------------------------------------------------------------------------------------------

    def _acked(self, ack: Ack) -> Iterable[bytes]:
        track = self.track
        if track is None or ack.room != track.room:
            return ()
        track.acked(ack.id, ack.offset)
        if self._act is None or ack.id != self._act.id:
            return ()
        self._act = None
        self._acked_offset = ack.offset
        self.moves += 1
        if self.acked_at is not None:
            self.acked_at()
        return self._move()

    def _refused(self, error: Error) -> Iterable[bytes]:
        self.errors[error.code] += 1
        busy = error.code.startswith("busy/")
        if error.code == "internal":
            self._fault(f"the server broke: {error.text}")
        if not self._greeted:
            self._not_welcome(error, busy)
        elif busy and error.id is None:
            self._naps = NAP
        elif self._act is not None and error.id == self._act.id:
            self._act = self._renewed(self._act) if busy else None
            self._naps = NAP
        elif error.id is not None and error.id in self._asked:
            request = self._asked.pop(error.id)
            if busy:
                again = self._renewed(request)
                self._asked[again.id] = again
                self._naps = NAP
            else:
                self._hopeless(f"{type(request).__name__.lower()} was refused: {error.code}: {error.text}")
        return ()

    def _renewed(self, request: R) -> R:
        """Busy means not tried, so it gets a new id; unless an earlier sending of it may have arrived."""
        return request if request.id in self._uncertain else replace(request, id=next(self._ids))

    def _not_welcome(self, error: Error, busy: bool) -> None:
        self._naps = NAP
        if error.code == "name/taken" and len(self._name) < 32:
            self._name += "x"
        elif not busy:
            self._hopeless(f"not welcome: {error.code}: {error.text}")

    def _hopeless(self, text: str) -> None:
        self._fault(text)
        self.over = True

    def _fault(self, text: str) -> None:
        self.told.faults.append(f"{self._name}: {text}")
