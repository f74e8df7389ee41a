"""A player of `/ws/play`, without IO: takes a seat, plays, and records what it received for the checker.

The protocol itself (retries, resuming) is the core of `tavolata.client`. The checker does not rely on that core: it
sees every message before the core does.
"""

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from loadtest.checks.checker import Findings, Track
from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.play.strategies import Strategy, strategy_for
from tavolata.client.core import ClientCore
from tavolata.client.errors import ClientError, RequestRefused
from tavolata.client.events import Event, RoomLost, SessionOver, Stage
from tavolata.client.messages import (
    Ack,
    AttachedMessage,
    Entered,
    ErrorAnswer,
    Resumed,
    TableUpdate,
    TableView,
    ViewSent,
    Welcome,
    decode,
)
from tavolata.client.requests import PendingRequest, given

_UNDONE = frozenset(("room/unknown", "room/not_seated"))
"""Refusals by which a player learns that the store has lost the room, or the taking of the seat."""
TICK_S = 0.1
"""Time between two calls of `retry`."""
MOST_LEFT = 4
PAUSE_S = 0.3
"""Time after a refused move before another one is made."""


class Play:
    """One session. It can play several games: `next_game` begins another on the same connection."""

    path = "/ws/play"

    def __init__(self, seating: SeatAssignment, first_id: int, findings: Findings | None = None) -> None:
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self.moves = 0
        self.errors: Counter[str] = Counter()
        self.stopped = False
        """No more moves are to be made."""
        self._findings = findings or Findings()
        self._core = ClientCore(first_id, name=seating.name)
        self._outbox = self._core.outbox
        self._now = 0.0
        self._resends = 0
        self._left: dict[int, Track] = {}
        """The rooms of the last games: the server still reports if the end of such a game is undone."""
        self._take(seating)

    def _take(self, seating: SeatAssignment) -> None:
        self.received = Received()
        self.over = False
        self.track: Track | None = None
        self._seating = seating
        self._strategy: Strategy = strategy_for(seating.game, -1, seating.seed)
        self._entering: PendingRequest | None = None
        self._act: PendingRequest | None = None
        self._viewing: PendingRequest | None = None
        self._acked_offset = 0
        self._view_offset: int | None = None
        """The offset of the view that answered `check_position`."""
        self._pause_until = 0.0

    # --- the driver's side ---------------------------------------------------------------------------------------

    @property
    def token(self) -> str:
        return self._core.token

    def open(self) -> Iterable[bytes]:
        self._core.open(self._now)
        return self._core.take_frames()

    def next_game(self, seating: SeatAssignment) -> Iterable[bytes]:
        """Begin the next game in the same session."""
        if self.track is not None:  # after a lost connection the finished game is not resumed
            self._core.rooms.pop(self.track.room, None)
            self._left[self.track.room] = self.track
            if len(self._left) > MOST_LEFT:
                del self._left[next(iter(self._left))]
        self._take(seating)
        if self._core.stage is Stage.ONLINE:
            self._take_seat()
        return self._core.take_frames()

    def check_position(self) -> Iterable[bytes]:
        """Request a view and compare it with the events. Call it when no seat moves and all are at the same step."""
        if not self.received.undone:
            self._request_view()
        return self._core.take_frames()

    @property
    def step(self) -> int:
        """The offset of the last step received."""
        return 0 if self.track is None else self.track.offset

    @property
    def position_checked(self) -> bool:
        """The answer to `check_position` has been received, and every step up to it."""
        if self.track is None or self.received.undone:
            return True
        return self._view_offset is not None and self.track.offset >= self._view_offset

    def count_missing_steps(self) -> None:
        """To be called at the end: steps up to the view of `check_position` that were not received are holes."""
        if self.track is not None and self._view_offset is not None and self.track.offset < self._view_offset:
            missing = self._view_offset - self.track.offset
            self._findings.add("holes", f"{self.track}: the steps after {self.track.offset} were not received", missing)

    def leave(self) -> Iterable[bytes]:
        """Leave an unfinished game and end the session."""
        if self.track is not None and not self.over:
            self._core.request("leave", {"room": self.track.room}, self._now)
        self._core.close()
        return self._core.take_frames()

    @property
    def waiting(self) -> bool:
        """A request or a move has not been answered yet."""
        return self._act is not None or bool(self._outbox.unanswered())

    def tick(self) -> Iterable[bytes]:
        return ()

    def retry(self) -> Iterable[bytes]:
        """The frames to send every tenth of a second: requests that are due again, and a move after a pause."""
        self._now += TICK_S
        if self._pause_until and self._now >= self._pause_until:
            self._pause_until = 0.0
            self._move()
        elif self._now < self._outbox.due:
            return ()
        self._core.tick(self._now)
        return self._take_frames()

    def _take_frames(self) -> list[bytes]:
        outbox = self._outbox
        if outbox.resends != self._resends:
            self._findings.add("resends", "", outbox.resends - self._resends)
            self._resends = outbox.resends
        frames, outbox.frames = outbox.frames, []
        return frames

    # --- messages ------------------------------------------------------------------------------------------------

    def receive(self, frame: bytes) -> Iterable[bytes]:
        try:
            message = decode(frame)
            if type(message) is TableUpdate:  # nearly all messages are updates and acknowledgements
                self._on_update(message)
            elif type(message) is Ack:
                if message.id in self._outbox.under_way:  # otherwise the update has answered it
                    self._core.on_ack(message, self._now)
                self._on_ack(message)
            else:
                if type(message) is ErrorAnswer:
                    self._note_error(message)
                elif isinstance(message, AttachedMessage) and message.reason == "rewound":
                    self._on_earlier_room(message)
                for event in self._core.handle(message, self._now):
                    self._on_event(event)
        except msgspec.DecodeError as error:
            self._fault(f"a malformed message ({error}): {frame[:200]!r}")
        return self._take_frames() if self._outbox.frames else ()

    def _on_event(self, event: Event) -> None:
        match event:
            case Welcome():
                if self.track is None and self._entering is None:
                    self._take_seat()
            case Entered():
                self._on_entered(event)
            case ViewSent():
                self._on_view(event)
            case Resumed() if self.track is not None and self.track.room == event.room:
                self._on_resumed(event, self.track)
            case PendingRequest(error=RequestRefused() as error):
                self._on_refused(event, error)
            case RoomLost(room=room, error=error) if self.track is not None and self.track.room == room:
                self._room_undone(str(error))
            case SessionOver(error=error):
                self._on_session_over(error)
            case _:
                pass

    # --- taking a seat -------------------------------------------------------------------------------------------

    def _take_seat(self) -> None:
        seating = self._seating
        new = {"game": seating.game, "seats": seating.seats, "options": seating.options}
        where = new if seating.first else {"room": seating.table() or 0}
        fields = {**where, **given(wants=self._strategy.wants)}
        self._entering = self._core.request("create" if seating.first else "join", fields, self._now)

    def _on_entered(self, entered: Entered) -> None:
        if self.track is not None or entered.seat is None:
            return
        self.received.room = entered.room
        self.track = Track(entered.room, entered.seat, self._findings)
        self._strategy = strategy_for(self._seating.game, entered.seat, self._seating.seed)
        if self._seating.first:
            self._seating.opened(entered.room)
        self._continue_from(entered.view, "")

    # --- following the game --------------------------------------------------------------------------------------

    def _on_resumed(self, resumed: Resumed, track: Track) -> None:
        if track.broken:  # the core has asked for the missing steps
            track.view(resumed.epoch, resumed.offset, "out of order")
        if self._act is not None and isinstance(self._act.answer, TableUpdate):
            self._moved(self._act.answer.offset)  # the connection was lost between the update and its ack
        self._move()

    def _on_update(self, update: TableUpdate) -> None:
        track = self.track
        if track is None or update.room != track.room:
            return
        in_order = track.update(update.epoch, update.offset, update.events_json)
        self._core.on_update(update, self._now)
        if not in_order:
            return
        try:
            self._strategy.follow(update)
        except msgspec.DecodeError as error:
            self._fault(f"malformed events ({error}): {bytes(update.events_json)[:200]!r}")
        self._move()

    def _on_view(self, message: ViewSent) -> None:
        track = self.track
        if track is None or message.room != track.room:
            return
        view = message.view
        if message.reason == "rewound" and message.seat != track.seat:
            self._room_undone("its number belongs to another room")
            return
        asked = self._viewing is not None and self._viewing.id == message.id
        if asked:
            self._viewing = None
        if asked and not message.reason and not track.broken:
            self._compare(track, view)
        else:
            if asked and self.stopped:
                self._view_offset = view.offset  # the answer to `check_position`, with nothing left to compare
            self._continue_from(view, message.reason or "out of order")

    def _on_earlier_room(self, message: AttachedMessage) -> None:
        """The end of an earlier game, or all of it, was undone."""
        track = self._left.get(message.room)
        if track is None:
            return
        if isinstance(message, ViewSent) and message.seat == track.seat:
            track.view(message.epoch, message.offset, message.reason)
        else:  # the number of the room was given out anew, perhaps for this player's next game
            del self._left[message.room]
            track.undone = True

    def _request_view(self) -> None:
        if self.track is not None:
            fields = {"room": self.track.room, **given(wants=self._strategy.wants)}
            self._viewing = self._core.request("view", fields, self._now)

    def _compare(self, track: Track, view: TableView) -> None:
        """A view that was requested while no seat moved must equal the position that the events led to."""
        self._view_offset = view.offset
        if view.offset < track.offset:
            self._findings.add(
                "disorder", f"{track} received step {track.offset}, and then a view of step {view.offset}"
            )
        if view.offset == track.offset:
            if not self._strategy.agrees(view):
                followed, seen = self._strategy.outcome()[1], bytes(view.game_json).decode()
                self._findings.add("differing", f"{track}: the events led to {followed}, the view has {seen}")
            self._strategy.reset(view)
            self.received.result, self.received.board = self._strategy.outcome()
        self._move()

    def _continue_from(self, view: TableView, reason: str) -> None:
        track = self.track
        assert track is not None
        if self._act is not None and isinstance(self._act.answer, TableUpdate):
            self._moved(self._act.answer.offset)  # the step was received, and its ack is lost
        track.view(view.epoch, view.offset, reason)
        if reason == "rewound":
            self._acked_offset = min(self._acked_offset, view.offset)
            self.over = False  # the end of the game may be undone, too
            self.received.result = self.received.board = None
            # The core sends an acknowledged move again if its step is void: it is under way once more.
            again = (one for one in self._outbox.unanswered() if one.room == track.room and one.kind == "act")
            self._act = next(again, self._act)
        self._strategy.reset(view)
        self._move()

    def _move(self) -> None:
        """The next move, or the end of the game, if it is this seat's turn and no other move is unanswered."""
        track, strategy = self.track, self._strategy
        if track is None or self._act is not None or self._pause_until or track.offset < self._acked_offset:
            return
        if self.received.undone:
            return
        if strategy.ending is not None or strategy.closed:
            self._finish()
            return
        command = None if self.stopped else strategy.choose()
        if command is None:
            return
        self._act = self._core.request("act", {"room": track.room, "command": msgspec.Raw(command)}, self._now)
        if self.sent_at is not None:
            self.sent_at()

    def _finish(self) -> None:
        if self._strategy.asks_view and not self.position_checked:
            if self._view_offset is None and self._viewing is None:
                self._request_view()
            return
        if not self.over:
            self.over = True
            if not self._strategy.asks_view:
                self.received.result, self.received.board = self._strategy.outcome()
            if self._strategy.closed:
                self._fault(f"the room was closed: {self._strategy.closed}")

    # --- answers -------------------------------------------------------------------------------------------------

    def _on_ack(self, ack: Ack) -> None:
        track = self.track
        if track is None or ack.room != track.room:
            return
        track.acked(ack.id, ack.offset)
        if self._act is None or ack.id != self._act.id:
            return
        self._moved(ack.offset)
        self._move()

    def _moved(self, offset: int) -> None:
        self._act = None
        self._acked_offset = offset
        self.moves += 1
        if self.acked_at is not None:
            self.acked_at()

    def _note_error(self, error: ErrorAnswer) -> None:
        self.errors[error.code] += 1
        if error.code in _UNDONE and error.room in self._left:
            self._left[error.room].undone = True
        if error.code == "internal":
            self._fault(f"internal error of the server: {error.text}")

    def _on_refused(self, request: PendingRequest, error: RequestRefused) -> None:
        if error.code in _UNDONE and (self.track is None or request.room == self.track.room):
            self._room_undone(str(error))
        elif request is self._act:
            self._act = None
            self._pause_until = self._now + PAUSE_S
        elif request.kind != "act":  # an earlier move, sent again after a rewind, may fit the game no more
            self._give_up(f"{request.kind} was refused: {error}")

    def _room_undone(self, text: str) -> None:
        """The store has come back without the room, or without this player in it."""
        if self.track is not None:
            self.track.undone = True
        else:
            self._findings.add("rewound", f"{self._core.name}: {text}")
        self.received.undone = True
        self._act = None
        self.over = True

    def _on_session_over(self, error: ClientError) -> None:
        if error.code == "name/taken" and len(self._core.name) < 32:
            self._core.name += "x"
            self._core.open(self._now)
        else:
            self._give_up(f"login refused: {error}")

    def _give_up(self, text: str) -> None:
        self._fault(text)
        self.over = True

    def _fault(self, text: str) -> None:
        self.received.faults.append(f"{self._core.name}: {text}")
