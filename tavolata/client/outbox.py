"""The requests of a session that are not answered, over any number of connections. No IO.

A request is carried out at most once, whatever is lost: it is sent again with the same id where a copy may have
arrived, and with a new id only where none can have.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tavolata.client.errors import NO_ANSWER, ClientError, NoAnswer
from tavolata.client.reconnecting import busy_delay
from tavolata.client.requests import SEATS, STEPS, PendingRequest

ANSWER_S = 15.0
"""Time without an answer after which a request is sent again on the same connection."""
MOST_NEWER = 48
"""Requests that may be sent to a room after one that is not answered. A room keeps the results of the last 64 requests
of a seat: beyond that, it could not say any more whether it has carried out the oldest one."""
MOST_RENEWALS = 3
"""New ids for a request that is refused as too old, before the refusal is final."""


@dataclass(slots=True, eq=False)
class AttachedRoom:
    """A room that this session follows, and the last step that it has received."""

    room: int
    seat: int | None
    epoch: int
    offset: int
    wants: tuple[str, ...] = ()
    key: str = ""
    sent: int = 0
    """Requests sent to the room."""
    resuming: PendingRequest | None = None


class RequestOutbox:
    """Requests under way on the present connection, and those that wait to be sent."""

    def __init__(self, first_id: int, rooms: Mapping[int, AttachedRoom], jitter: Callable[[], float]) -> None:
        """`rooms` are those that the session follows; `jitter` returns random numbers from 0 to 1."""
        self.frames: list[bytes] = []
        """The frames to send now."""
        self.online = False
        """The session is accepted on the present connection: requests may be sent."""
        self.due = math.inf
        """The time of the next `tick`."""
        self.resends = 0
        """Requests that were sent again with the same id."""
        self.last_id = first_id - 1
        self._rooms = rooms
        self._jitter = jitter
        self.under_way: dict[int, PendingRequest] = {}
        """The requests that were sent on the present connection, by id, in the order of sending."""
        self.waiting: list[PendingRequest] = []
        """To be sent as soon as that is possible, in order."""
        self._abandoned: set[int] = set()
        """Ids of withdrawn requests for a seat that are under way."""

    # --- sending ------------------------------------------------------------------------------------------------------

    def submit(self, request: PendingRequest, now: float) -> None:
        """Send a request, now or as soon as that is possible. Raises what `PendingRequest.frame` raises."""
        if self.online and not self.waiting and (not self.under_way or self._may_send(request)):
            self.send(request, now)
        else:
            request.frame()  # raises now, not when it is sent
            self.waiting.append(request)
            self.wake_at(request.deadline)
            self.flush(now)

    def send(self, request: PendingRequest, now: float) -> None:
        """Send a request at once. It gets a new id unless a copy with the present one may have arrived."""
        if request.uncertain:
            self.resends += 1
        else:
            self.last_id += 1
            request.id = self.last_id
            room = self._rooms.get(request.room)
            if room is not None:
                request.number = room.sent
                room.sent += 1
        self.frames.append(request.frame())
        request.sent_at = now
        self.under_way[request.id] = request
        if self.due > now + ANSWER_S:
            self.due = now + ANSWER_S
        if self.due > request.deadline:
            self.due = request.deadline

    def wake_at(self, when: float) -> None:
        """Have `tick` called at this time or before it."""
        if when < self.due:
            self.due = when

    def _may_send(self, request: PendingRequest) -> bool:
        room = self._rooms.get(request.room)
        if room is None:
            return True
        if room.resuming is not None and not request.own:
            return False  # a game may refuse commands of a player who is away
        for other in self.under_way.values():
            if other.room == room.room and room.sent - other.number >= MOST_NEWER:
                return False
        return True

    def flush(self, now: float) -> None:
        """Send the waiting requests that may be sent, in order.

        A request must not overtake one of the same kind in its room, nor one that keeps its id: the room would refuse
        the lower id as too old."""
        if not self.online or not self.waiting:
            return
        waiting, self.waiting = self.waiting, []
        held: set[tuple[int, str]] = set()
        for request in waiting:
            behind = not request.own and ((request.room, request.kind) in held or (request.room, "") in held)
            if not behind and request.not_before <= now and self._may_send(request):
                self.send(request, now)
                continue
            if request.room:
                held.add((request.room, "" if request.uncertain else request.kind))
            self.waiting.append(request)
            if request.not_before > now:
                self.wake_at(request.not_before)

    def tick(self, now: float) -> Iterator[PendingRequest]:
        """Send again what is due. Returns the requests that have waited for too long."""
        self.due = math.inf
        for request in self.unanswered():
            under_way = self.under_way.get(request.id) is request
            if now >= request.deadline:
                self.withdraw(request)
                text = f"no answer to {request.kind} in time"
                request.error = NoAnswer(NO_ANSWER, text, request.uncertain or under_way)
                yield request
                continue
            if under_way and now >= request.sent_at + ANSWER_S:
                self.repeat(request, now)
            self.wake_at(min(request.deadline, request.sent_at + ANSWER_S if under_way else math.inf))
        self.flush(now)

    def repeat(self, request: PendingRequest, now: float) -> None:
        """Send another copy of a request that is under way."""
        self.resends += 1
        request.uncertain = True
        request.acked = None
        request.sent_at = now
        self.frames.append(request.frame())

    # --- answers ------------------------------------------------------------------------------------------------------

    def unanswered(self) -> list[PendingRequest]:
        """All requests, in order."""
        return [*self.under_way.values(), *self.waiting]

    def steps_of(self, room: int) -> list[PendingRequest]:
        """The requests under way that will cause a step of the room."""
        return [request for request in self.under_way.values() if request.room == room and request.kind in STEPS]

    def wait(self, request: PendingRequest, now: float) -> None:
        """The request was refused as busy: it was not tried. Send it again after a pause."""
        request.tries += 1
        request.not_before = now + busy_delay(request.tries, self._jitter())
        self.waiting.append(request)
        # Stable: requests that were never sent have no id and stay behind. The client's own ones come first.
        self.waiting.sort(key=lambda one: -1 if one.own else one.id or math.inf)
        self.wake_at(request.not_before)

    def wait_all(self, now: float) -> None:
        """One of the requests under way was refused as busy, and the server could not say which."""
        for request in self._lose_all():
            self.wait(request, now)

    def renew(self, request: PendingRequest, now: float) -> bool:
        """Send a request that was refused as too old with a new id; False if the refusal is final.

        The room has handled a later id, so it will never carry out this one; and it keeps the results of the last 64,
        so it has not done so either. A request for a seat involves several rooms, of which only one has answered: its
        refusal is final if a copy may have arrived."""
        request.tries += 1
        if request.tries > MOST_RENEWALS or (request.uncertain and request.kind not in STEPS):
            return False
        request.uncertain = False
        self.submit(request, now)
        return True

    # --- the end of connections and requests --------------------------------------------------------------------------

    def disconnect(self) -> None:
        """The connection is lost: everything that was under way may have arrived. The client's own requests belong to
        the connection."""
        self.online = False
        self.frames = []
        self._abandoned.clear()
        self.waiting = [request for request in (*self._lose_all(), *self.waiting) if not request.own]

    def _lose_all(self) -> list[PendingRequest]:
        lost, self.under_way = list(self.under_way.values()), {}
        for request in lost:
            request.uncertain = True
        return lost

    def withdraw(self, request: PendingRequest) -> None:
        """Forget a request. If it takes a seat, `is_abandoned` will recognize the answer."""
        if request in self.waiting:
            self.waiting.remove(request)
        elif self.under_way.get(request.id) is request:
            del self.under_way[request.id]
            if request.kind in SEATS:
                self._abandoned.add(request.id)

    def is_abandoned(self, number: int) -> bool:
        """Whether this is the id of a withdrawn request for a seat; true once."""
        if number not in self._abandoned:
            return False
        self._abandoned.discard(number)
        return True

    def fail_all(self, error: ClientError) -> list[PendingRequest]:
        """Fail every request, each with a copy of the error that says whether it may have been carried out."""
        failed = self.unanswered()
        for request in failed:
            uncertain = request.uncertain or request.id in self.under_way
            request.error = type(error)(error.code, error.text, uncertain)
        self.under_way.clear()
        self.waiting.clear()
        self.due = math.inf
        return failed
