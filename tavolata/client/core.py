"""The client's side of `/ws/play` without IO: one session over any number of connections.

Frames and the time go in; frames and events come out. Sockets, timers and the program's side are in
tavolata/client/driver.py and tavolata/client/player.py.
"""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from tavolata.client.errors import NO_ANSWER, ClientError, NoAnswer, RequestRefused, SessionEnded
from tavolata.client.events import Complaint, Event, RoomLost, SessionOver, Stage
from tavolata.client.messages import (
    PROTOCOL,
    Ack,
    AttachedMessage,
    BaseMessage,
    Entered,
    ErrorAnswer,
    Resumed,
    ServerMessage,
    TableList,
    TableListChange,
    TableUpdate,
    ViewSent,
    Watching,
    Welcome,
    decode,
    encode,
    hello,
)
from tavolata.client.outbox import AttachedRoom, RequestOutbox
from tavolata.client.reconnecting import FINAL, UPDATE_CLIENT, busy_delay, reconnect_delay
from tavolata.client.requests import STEPS, PendingRequest, given

_OTHER_VERSION = f"this client speaks {PROTOCOL}; {UPDATE_CLIENT}"
_REMOVED = b'"removed"'
_REMOVED_TEXT = "an operator has removed you from this room"


class ClientCore:
    """One session. The driver calls `open`, `receive`, `tick` (when `due` has come) and `lost`, performs the events
    that they return, and sends the frames of `take_frames`."""

    def __init__(
        self,
        first_id: int,
        *,
        name: str = "",
        token: str = "",
        patience_s: float = math.inf,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`first_id` must be higher than every id of earlier runs of the session: take the microseconds since 1970."""
        self.name = name
        self.token = token
        self.welcome: Welcome | None = None
        """The last one."""
        self.stage = Stage.OFFLINE
        self.rooms: dict[int, AttachedRoom] = {}
        self.reconnect_s = 0.0
        """The delay before the next connection, after `lost`."""
        self._patience_s = patience_s
        self._jitter = jitter
        self.outbox = RequestOutbox(first_id, self.rooms, jitter)
        """The unanswered requests, and the frames to send."""
        self._live_list: dict[str, object] | None = None
        """The filter of the list of rooms that is watched."""
        self._hello_lost = False
        """A `hello` with the name was sent on a connection that was lost: this very client may hold the name."""
        self._hello_tries = 0
        self._hello_at = math.inf
        """The time at which `hello` is sent again."""
        self._losses = 0
        self._offline_since: float | None = None

    # --- connections ------------------------------------------------------------------------------------------------

    def open(self, now: float) -> None:
        """A connection is open."""
        self._disconnect()
        self.stage = Stage.GREETING
        self._begin_waiting(now)
        self._hello_tries = 0
        self.outbox.frames = [hello(self.name, self.token)]

    def lost(self, code: int, reason: str, now: float) -> Sequence[Event]:
        """The connection was closed, or could not be opened (1006). See `reconnect_s`."""
        self._disconnect()
        if self.stage is Stage.OVER:
            return ()
        self.stage = Stage.OFFLINE
        if code in FINAL:
            return self.end(SessionEnded(f"close/{code}", FINAL[code]))
        self._losses += 1
        since = self._begin_waiting(now)
        self.reconnect_s = reconnect_delay(code, reason, self._losses, self._jitter())
        if now + self.reconnect_s > since + self._patience_s:
            last = reason or f"close code {code}"
            text = f"no gateway has accepted the session for {self._patience_s:g} s; last: {last}"
            return self.end(NoAnswer(NO_ANSWER, text))
        return ()

    def _begin_waiting(self, now: float) -> float:
        """The time since when no gateway has accepted the session."""
        if self._offline_since is None:
            self._offline_since = now
        return self._offline_since

    def _disconnect(self) -> None:
        if self.stage is Stage.GREETING and not self.token:
            self._hello_lost = True
        for room in self.rooms.values():
            room.resuming = None
        self.outbox.disconnect()
        self._hello_at = math.inf

    def close(self, forget: bool = False) -> None:
        """End the session: the name is free, and with `forget` the token is invalid. The server will close the
        connection."""
        if self.stage is Stage.ONLINE:
            self.outbox.frames.append(encode({"type": "bye", "forget": True} if forget else {"type": "bye"}))
        self.stage = Stage.OVER

    def end(self, error: ClientError) -> Sequence[Event]:
        """Fail every request, for good."""
        self.stage = Stage.OVER
        return (*self.outbox.fail_all(error), SessionOver(error))

    # --- the driver's side ------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """The session has ended."""
        return self.stage is Stage.OVER

    @property
    def due(self) -> float:
        """The time of the next `tick`."""
        return self.outbox.due

    def take_frames(self) -> list[bytes]:
        """The frames to send now."""
        frames = self.outbox.frames
        if frames:
            self.outbox.frames = []
        return frames

    def request(self, kind: str, fields: dict[str, object], now: float) -> PendingRequest:
        """Make a request. It is sent at once if that is possible. Raises `RequestRefused` for one that is too long
        and `TypeError` for one that is not JSON."""
        room: Any = fields.get("room", 0)
        request = PendingRequest(kind, room, fields, now + self._patience_s)
        if kind == "rooms":
            self._live_list = fields if fields.get("live") else None
        self.outbox.submit(request, now)
        return request

    def withdraw(self, request: PendingRequest) -> None:
        """The program waits for the answer no more. A request that was sent may be carried out nevertheless; a
        seat that it takes is given up again."""
        self.outbox.withdraw(request)

    def tick(self, now: float) -> Sequence[Event]:
        """Send again what is due, and give up what has waited for too long."""
        if now < self.outbox.due:
            return ()
        events = tuple(self.outbox.tick(now))
        if now >= self._hello_at:
            self._hello_at = math.inf
            self.outbox.frames.append(hello(self.name, self.token))
        self.outbox.wake_at(self._hello_at)
        return events

    def receive(self, frame: bytes, now: float) -> Sequence[Event]:
        """A frame was received."""
        try:
            message = decode(frame)
            return self.handle(message, now)
        except msgspec.DecodeError as error:
            return (Complaint(f"unknown message ({error}): {frame[:200]!r}"),)

    def handle(self, message: ServerMessage, now: float) -> Sequence[Event]:
        """A message was received."""
        if type(message) is TableUpdate:  # nearly all messages are updates and acknowledgements
            return self.on_update(message, now)
        if type(message) is Ack:
            return self.on_ack(message, now)
        match message:
            case Resumed():
                return self._on_resumed(message, now)
            case Entered() | Watching() | ViewSent():
                return self._on_view(message, now)
            case ErrorAnswer():
                return self._on_error(message, now)
            case Welcome():
                return self._on_welcome(message, now)
            case TableList():
                request = self.outbox.under_way.pop(message.id, None)
                return () if request is None else (message, _answered(request, message))
            case TableListChange():
                return (message,)
            case _:
                return ()

    # --- the session ------------------------------------------------------------------------------------------------

    def _on_welcome(self, welcome: Welcome, now: float) -> Sequence[Event]:
        self.stage = Stage.ONLINE
        self.welcome = welcome
        self.name, self.token = welcome.name, welcome.token
        self._losses = 0
        self._offline_since = None
        self._hello_lost = False
        self.outbox.online = True
        for room in self.rooms.values():
            self._resume(room, now)
        if self._live_list is not None:
            self.outbox.send(PendingRequest("rooms", 0, self._live_list, math.inf, own=True), now)
        self.outbox.flush(now)
        return (welcome,)

    def _on_hello_refused(self, error: ErrorAnswer, now: float) -> Sequence[Event]:
        again = error.code.startswith("busy/") or (error.code == "name/taken" and self._hello_lost)
        if again and now < self._begin_waiting(now) + self._patience_s:
            self._hello_tries += 1
            self._hello_at = now + busy_delay(self._hello_tries, self._jitter())
            self.outbox.wake_at(self._hello_at)
            return ()
        text = f"{error.text}; {_OTHER_VERSION}" if error.code == "protocol/version" else error.text
        return self.end((RequestRefused if self.welcome is None else SessionEnded)(error.code, text))

    def _on_error(self, error: ErrorAnswer, now: float) -> Sequence[Event]:
        if self.stage is Stage.GREETING:
            return self._on_hello_refused(error, now)
        busy = error.code.startswith("busy/")
        if error.id is None:
            if busy:
                self.outbox.wait_all(now)
                return ()
            if error.code == "room/unknown" and error.room in self.rooms:
                del self.rooms[error.room]
                return (RoomLost(error.room, RequestRefused(error.code, error.text)),)
            return (Complaint(f"the server answered with {error.code}: {error.text}"),)
        request = self.outbox.under_way.pop(error.id, None)
        if request is None:
            self.outbox.is_abandoned(error.id)
            return ()
        if busy:
            self.outbox.wait(request, now)
            return ()
        if error.code == "command/too_old" and self.outbox.renew(request, now):
            return ()
        request.error = RequestRefused(error.code, error.text)
        self.outbox.flush(now)
        return self._on_own_refused(request, request.error, now) if request.own else (request,)

    def _on_own_refused(self, request: PendingRequest, error: RequestRefused, now: float) -> Sequence[Event]:
        room = self.rooms.get(request.room)
        if room is None or room.resuming is not request:
            return ()
        del self.rooms[room.room]
        self.outbox.flush(now)  # the requests that were held back can be sent: the server answers each
        return (RoomLost(room.room, error),)

    # --- rooms ------------------------------------------------------------------------------------------------------

    def _resume(self, room: AttachedRoom, now: float) -> None:
        """Ask for the updates after the last one that was received."""
        position = {"room": room.room, "epoch": room.epoch, "offset": room.offset}
        fields = {**position, **given(wants=room.wants, key=room.key)}
        room.resuming = PendingRequest("resume", room.room, fields, math.inf, own=True)
        self.outbox.send(room.resuming, now)

    def _on_resumed(self, message: Resumed, now: float) -> Sequence[Event]:
        request = None if message.id is None else self.outbox.under_way.pop(message.id, None)
        if request is None:
            return ()
        # The program may resume a room that an earlier run of the session was in.
        room = self.rooms.get(message.room) or self._attach(message, request)
        room.seat = message.seat
        room.key = message.key or room.key
        room.resuming = None
        self.outbox.flush(now)
        return (message,) if request.own else (message, _answered(request, message))

    def on_update(self, update: TableUpdate, now: float) -> Sequence[Event]:
        """`handle` for updates."""
        room = self.rooms.get(update.room)
        if room is None:
            return ()
        if update.offset != room.offset + 1:
            if update.offset > room.offset and room.resuming is None:  # a hole, which the server should not leave
                self._resume(room, now)
            return ()
        room.epoch, room.offset = update.epoch, update.offset
        if _REMOVED in bytes(update.events_json) and _removes(update, room.seat):
            del self.rooms[update.room]
            return (update, RoomLost(update.room, RequestRefused("room/removed", _REMOVED_TEXT)))
        if update.id is not None and update.by == room.seat:
            request = self.outbox.under_way.get(update.id)
            if request is not None and request.room == update.room and request.kind in STEPS:
                del self.outbox.under_way[update.id]
                request.answer = update
                if self.outbox.waiting:
                    self.outbox.flush(now)
                return (update, request)
        return (update,)

    def on_ack(self, ack: Ack, now: float) -> Sequence[Event]:
        """`handle` for acknowledgements."""
        request = self.outbox.under_way.get(ack.id)
        if request is None:
            return ()
        room = self.rooms.get(ack.room)
        if room is not None and request.kind in STEPS and ack.offset > room.offset:
            request.acked = ack  # the update of the step is on its way, or a view that includes it
            return ()
        if request.kind == "leave":
            self.rooms.pop(ack.room, None)
        del self.outbox.under_way[ack.id]
        self.outbox.flush(now)
        return (_answered(request, ack),)

    def _on_view(self, message: AttachedMessage, now: float) -> Sequence[Event]:
        request = None if message.id is None else self.outbox.under_way.pop(message.id, None)
        if request is None and message.id is not None:
            self._on_unwanted_view(message, message.id, now)
            return ()
        room = self.rooms.get(message.room)
        if room is None:
            if request is None:
                return ()
            room = self._attach(message, request)
        room.seat = message.seat
        room.key = message.key or room.key
        self.outbox.last_id = max(self.outbox.last_id, message.view.last_id or 0)
        if message.reason or message.offset >= room.offset:
            room.epoch, room.offset = message.epoch, message.offset
        events: list[Event] = [message]
        if request is not None:
            room.wants = request.wants
            events.append(_answered(request, message))
        events += self._follow_view(room, message.reason == "rewound", now)
        self.outbox.flush(now)
        return events

    def _attach(self, message: AttachedMessage, request: PendingRequest) -> AttachedRoom:
        key = str(request.fields.get("key", ""))
        room = AttachedRoom(message.room, message.seat, message.epoch, message.offset, request.wants, key)
        self.rooms[message.room] = room
        return room

    def _follow_view(self, room: AttachedRoom, rewound: bool, now: float) -> list[Event]:
        """The requests whose steps the view includes. If the store has lost its last writes, requests under way may be
        lost with them, also acknowledged ones: all are sent again, and the room carries out each id once."""
        included: list[Event] = []
        for request in self.outbox.steps_of(room.room):
            if rewound:
                self.outbox.repeat(request, now)
            elif request.acked is not None and request.acked.offset <= room.offset:
                del self.outbox.under_way[request.id]
                included.append(_answered(request, request.acked))
        return included

    def _on_unwanted_view(self, message: AttachedMessage, number: int, now: float) -> None:
        """The answer to a request that was withdrawn: a seat that it took is given up."""
        if self.outbox.is_abandoned(number) and message.room not in self.rooms:
            leave = PendingRequest("leave", message.room, {"room": message.room}, math.inf, own=True)
            self.outbox.submit(leave, now)


def _answered(request: PendingRequest, answer: BaseMessage) -> PendingRequest:
    request.answer = answer
    return request


def _removes(update: TableUpdate, seat: int | None) -> bool:
    """Whether an operator has taken the seat away. The server sends nothing of the room after that."""
    removals = [event for event in update.events if event["type"] == "room.left" and event["reason"] == "removed"]
    return any(event["seat"] == seat for event in removals)
