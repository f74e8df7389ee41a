"""A player of `/ws/play`, without IO: logs in, opens or joins a table, plays, resumes, and records what it received."""

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
    decode,
    encode,
)
from loadtest.clients.play.strategies import Strategy, strategy_for

Request: TypeAlias = Create | Join | Resume | AskView
R = TypeVar("R", Create | Join | Resume | AskView, Act)

PAUSE = 3
"""Calls of `retry` to wait after a refusal, busy or other."""
PATIENCE = 15
"""Ticks to wait for an answer before a request is sent again."""


class Play:
    """One session. It can play several games: `next_game` begins another on the same connection."""

    path = "/ws/play"

    def __init__(self, seating: SeatAssignment, ids: Iterator[int], findings: Findings | None = None) -> None:
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self.moves = 0
        self.token = ""
        self.errors: Counter[str] = Counter()
        self.stopped = False
        """No more moves are to be made."""
        self._findings = findings or Findings()
        self._ids = ids
        self._name = seating.name
        self._logged_in = False
        self._take(seating)

    def _take(self, seating: SeatAssignment) -> None:
        self.received = Received()
        self.over = False
        self.track: Track | None = None
        self._seating = seating
        self._strategy: Strategy = strategy_for(seating.game, -1, seating.seed)
        self._requests: dict[int, Request] = {}
        self._act: Act | None = None
        self._uncertain: set[int] = set()
        self._acked_offset = 0
        self._view_offset: int | None = None
        """The offset of the view that answered `check_position`."""
        self._pause = 0
        self._waited = 0

    # --- the driver's side ---------------------------------------------------------------------------------------

    def open(self) -> Iterable[bytes]:
        self._logged_in = False
        self._pause = 0
        self._uncertain = {request.id for request in self._pending()}
        return (self._hello(),)

    def next_game(self, seating: SeatAssignment) -> Iterable[bytes]:
        """Begin the next game in the same session."""
        self._take(seating)
        return self._take_seat() if self._logged_in else ()

    def check_position(self) -> Iterable[bytes]:
        """Request a view and compare it with the events. Call it when no seat moves and all are at the same step."""
        return () if self.track is None else self._request_view(self.track)

    @property
    def step(self) -> int:
        """The offset of the last step received."""
        return 0 if self.track is None else self.track.offset

    @property
    def position_checked(self) -> bool:
        """The answer to `check_position` has been received, and every step up to it."""
        return self.track is None or (self._view_offset is not None and self.track.offset >= self._view_offset)

    def count_missing_steps(self) -> None:
        """To be called at the end: steps up to the view of `check_position` that were not received are holes."""
        if self.track is not None and self._view_offset is not None and self.track.offset < self._view_offset:
            missing = self._view_offset - self.track.offset
            self._findings.add("holes", f"{self.track}: the steps after {self.track.offset} were not received", missing)

    def leave(self) -> Iterable[bytes]:
        """Leave an unfinished game and end the session."""
        leaving = self.track is not None and not self.over
        room = self.track.room if self.track is not None else 0
        return (*((encode(Leave(next(self._ids), room)),) if leaving else ()), encode(Bye()))

    @property
    def waiting(self) -> bool:
        """A request or a move has not been answered yet."""
        return self._act is not None or bool(self._requests)

    def tick(self) -> Iterable[bytes]:
        self._waited += 1
        if self._waited < PATIENCE:
            return ()
        self._waited = 0
        return self._resend()

    def retry(self) -> Iterable[bytes]:
        """The frames to send every tenth of a second: requests that were refused as busy, after a pause."""
        if not self._pause:
            return ()
        self._pause -= 1
        if self._pause:
            return ()
        if not self._logged_in:
            return (self._hello(),)
        return (*(encode(request) for request in self._pending()), *self._move())

    def receive(self, frame: bytes) -> Iterable[bytes]:
        try:
            message = decode(frame)
        except msgspec.DecodeError as error:
            self._fault(f"a malformed message ({error}): {frame[:200]!r}")
            return ()
        match message:
            case Update():
                return self._on_update(message)
            case Ack():
                return self._on_ack(message)
            case Welcome(name=name, token=token):
                self._name, self.token = name, token
                self._logged_in = True
                return self._on_welcome()
            case Entered():
                return self._on_entered(message)
            case View():
                return self._on_view(message)
            case Resumed(id=id):
                self._requests.pop(id, None)
                return (*self._resend(), *self._move())
            case Error():
                return self._on_error(message)
            case _:
                return ()

    # --- taking a seat, and resuming it --------------------------------------------------------------------

    def _hello(self) -> bytes:
        return encode(Hello(token=self.token) if self.token else Hello(name=self._name))

    def _on_welcome(self) -> Iterable[bytes]:
        track = self.track
        if track is None:
            return self._resend() if self._requests else self._take_seat()
        if self.over:
            return ()
        for request in [request for request in self._requests.values() if isinstance(request, Resume)]:
            del self._requests[request.id]
        return self._request(Resume(next(self._ids), track.room, track.epoch, track.offset, self._strategy.wants))

    def _take_seat(self) -> Iterable[bytes]:
        seating, wants = self._seating, self._strategy.wants
        if seating.first:
            return self._request(Create(next(self._ids), seating.game, seating.seats, seating.options, wants))
        return self._request(Join(next(self._ids), seating.table() or 0, wants))

    def _on_entered(self, entered: Entered) -> Iterable[bytes]:
        if self._requests.pop(entered.id, None) is None:
            return ()
        self.received.room = entered.room
        self.track = Track(entered.room, entered.seat, self._findings)
        self._strategy = strategy_for(self._seating.game, entered.seat, self._seating.seed)
        if self._seating.first:
            self._seating.opened(entered.room)
        return self._continue_from(entered.view, "")

    # --- requests ------------------------------------------------------------------------------------------------

    def _request(self, request: Request) -> Iterable[bytes]:
        self._requests[request.id] = request
        self._waited = 0
        return (encode(request),)

    def _request_view(self, track: Track) -> Iterable[bytes]:
        return self._request(AskView(next(self._ids), track.room, self._strategy.wants))

    def _pending(self) -> Iterable[Request | Act]:
        return (*self._requests.values(), *(() if self._act is None else (self._act,)))

    def _resend(self) -> Iterable[bytes]:
        """All unanswered requests, with the same ids: a room carries out each id at most once."""
        frames = tuple(encode(request) for request in self._pending())
        if frames:
            self._findings.add("resends", "", len(frames))
        return frames

    # --- following the game --------------------------------------------------------------------------------------

    def _on_update(self, update: Update) -> Iterable[bytes]:
        track = self.track
        if track is None or update.room != track.room:
            return ()
        if not track.update(update.epoch, update.offset, update.events):
            return () if self._requests else self._request_view(track)
        try:
            self._strategy.follow(update)
        except msgspec.DecodeError as error:
            self._fault(f"malformed events ({error}): {bytes(update.events)[:200]!r}")
        return self._move()

    def _on_view(self, view: View) -> Iterable[bytes]:
        track = self.track
        if track is None or view.room != track.room:
            return ()
        asked = None if view.id is None else self._requests.pop(view.id, None)
        if isinstance(asked, AskView) and not view.reason and not track.broken:
            return self._compare(track, view.view)
        again = self._resend() if view.reason else ()
        return (*again, *self._continue_from(view.view, view.reason or "out of order"))

    def _compare(self, track: Track, view: Position) -> Iterable[bytes]:
        """A view that was requested while no seat moved must equal the position that the events led to."""
        self._view_offset = view.offset
        if view.offset < track.offset:
            self._findings.add(
                "disorder", f"{track} received step {track.offset}, and then a view of step {view.offset}"
            )
        if view.offset == track.offset:
            if not self._strategy.agrees(view):
                followed, seen = self._strategy.outcome()[1], bytes(view.game).decode()
                self._findings.add("differing", f"{track}: the events led to {followed}, the view has {seen}")
            self._strategy.reset(view)
            self.received.result, self.received.board = self._strategy.outcome()
        return self._move()

    def _continue_from(self, view: Position, reason: str) -> Iterable[bytes]:
        track = self.track
        assert track is not None
        track.view(view.epoch, view.offset, reason)
        if reason == "rewound":
            self._acked_offset = min(self._acked_offset, view.offset)
        self._strategy.reset(view)
        return self._move()

    def _move(self) -> Iterable[bytes]:
        """The next move, or the end of the game, if it is this seat's turn and no other move is unanswered."""
        track, strategy = self.track, self._strategy
        if track is None or self._act is not None or self._pause or track.offset < self._acked_offset:
            return ()
        if strategy.ending is not None or strategy.closed:
            return self._finish()
        command = None if self.stopped else strategy.choose()
        if command is None:
            return ()
        self._act = Act(next(self._ids), track.room, msgspec.Raw(command))
        self._waited = 0
        if self.sent_at is not None:
            self.sent_at()
        return (encode(self._act),)

    def _finish(self) -> Iterable[bytes]:
        if self._strategy.asks_view and not self.position_checked:
            return self.check_position() if self._view_offset is None and not self._requests else ()
        if not self.over:
            self.over = True
            if not self._strategy.asks_view:
                self.received.result, self.received.board = self._strategy.outcome()
            if self._strategy.closed:
                self._fault(f"the room was closed: {self._strategy.closed}")
        return ()

    # --- answers -------------------------------------------------------------------------------------------------

    def _on_ack(self, ack: Ack) -> Iterable[bytes]:
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

    def _on_error(self, error: Error) -> Iterable[bytes]:
        self.errors[error.code] += 1
        busy = error.code.startswith("busy/")
        if error.code == "internal":
            self._fault(f"internal error of the server: {error.text}")
        if not self._logged_in:
            self._on_login_refused(error, busy)
        elif busy and error.id is None:
            self._pause = PAUSE
        elif self._act is not None and error.id == self._act.id:
            self._act = self._renewed(self._act) if busy else None
            self._pause = PAUSE
        elif error.id is not None and error.id in self._requests:
            request = self._requests.pop(error.id)
            if busy:
                again = self._renewed(request)
                self._requests[again.id] = again
                self._pause = PAUSE
            else:
                self._give_up(f"{type(request).__name__.lower()} was refused: {error.code}: {error.text}")
        return ()

    def _renewed(self, request: R) -> R:
        """The request with a new id: busy means that it was not carried out. But if it was also sent on an earlier
        connection, it may have arrived there, so it keeps its id and cannot be carried out twice."""
        return request if request.id in self._uncertain else replace(request, id=next(self._ids))

    def _on_login_refused(self, error: Error, busy: bool) -> None:
        self._pause = PAUSE
        if error.code == "name/taken" and len(self._name) < 32:
            self._name += "x"
        elif not busy:
            self._give_up(f"login refused: {error.code}: {error.text}")

    def _give_up(self, text: str) -> None:
        self._fault(text)
        self.over = True

    def _fault(self, text: str) -> None:
        self.received.faults.append(f"{self._name}: {text}")
