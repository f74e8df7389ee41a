"""A client of /ws/play for tests: records all messages, checks the order of steps, can disconnect and resume."""

import asyncio
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

T = TypeVar("T")
Message = dict[str, Any]

LIMIT_S = 30.0
_ids = itertools.count(1_000)
_names = itertools.count(1)
_VIEWS = ("entered", "watching", "view")


def new_name() -> str:
    return f"player{next(_names)}"


@dataclass
class ReceivedRoom:
    """A room as a player has received it: its position, and every step since the player entered."""

    epoch: int
    offset: int
    view: Message
    steps: dict[int, Message] = field(default_factory=dict)

    @property
    def events(self) -> list[Message]:
        """All events, in order."""
        return [event for offset in sorted(self.steps) for event in self.steps[offset]["events"]]

    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]


class Player:
    """One session; `connect` may be called several times, with any gateway."""

    def __init__(self, name: str = "") -> None:
        self.name = name or new_name()
        self.token = ""
        self.messages: list[Message] = []
        self.rooms: dict[int, ReceivedRoom] = {}
        self.acks: dict[int, Message] = {}
        self.faults: list[str] = []
        self._answers: dict[int, Message] = {}
        self.connections = 0
        self.closed: tuple[int, str] | None = None
        """Close code and reason, once the connection is closed."""
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self.reading = asyncio.Event()
        """Cleared: the player does not read from its socket."""
        self.reading.set()

    # --- connecting -------------------------------------------------------------------------------------------------

    async def connect(self, url: str, **options: Any) -> Self:
        """Open a connection; an earlier one is not closed."""
        self._socket = await connect(f"{url}/ws/play", compression=None, max_size=None, proxy=None, **options)
        self.connections += 1
        self.closed = None
        self._reader = asyncio.create_task(self._read(self._socket))
        return self

    async def log_in(self, url: str) -> Self:
        """Connect and log in by name."""
        await self.connect(url)
        await self.hello(name=self.name)
        return self

    async def reconnect(self, url: str) -> Self:
        """Connect, resume the session by its token, and resume every room."""
        await self.connect(url)
        await self.hello(token=self.token)
        for room in list(self.rooms):
            await self.resume(room)
        return self

    async def hello(self, **fields: Any) -> Message:
        """Send `hello`; returns the welcome or the error."""
        before = len(self.messages)
        await self.send(type="hello", **fields)
        answer = await self.wait_for_message(lambda message: message["type"] in ("welcome", "error"), after=before)
        if answer["type"] == "welcome":
            self.token = answer["token"]
        return answer

    async def resume(self, room: int) -> Message:
        seen = self.rooms[room]
        return await self.ask("resume", room=room, epoch=seen.epoch, offset=seen.offset)

    def drop(self) -> None:
        """Abort the connection without a close frame."""
        assert self._socket is not None
        self._socket.transport.abort()

    async def close(self) -> None:
        if self._socket is not None:
            self.reading.set()
            self._socket.transport.abort()
        if self._reader is not None:
            await self._reader

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
        if error is None:
            assert not self.faults, self.faults

    # --- sending ----------------------------------------------------------------------------------------------------

    async def send(self, **message: Any) -> None:
        await self.send_raw(json.dumps(message))

    async def send_raw(self, frame: str | bytes) -> None:
        assert self._socket is not None
        await self._socket.send(frame)

    async def send_parts(self, parts: list[str]) -> None:
        """Send one message in several frames."""
        assert self._socket is not None
        await self._socket.send(parts)

    def send_bytes(self, data: bytes) -> None:
        """Write bytes to the socket, without the WebSocket library."""
        assert self._socket is not None
        self._socket.transport.write(data)

    async def ask(self, kind: str, **fields: Any) -> Message:
        """Send a request; returns its answer, which may be an error."""
        return await self.answer(await self.request(kind, **fields))

    async def request(self, kind: str, **fields: Any) -> int:
        """Send a request without waiting for the answer; its id."""
        number = next(_ids)
        await self.send(type=kind, id=number, **fields)
        return number

    async def answer(self, number: int) -> Message:
        def answered() -> Message | None:
            answer = self._answers.get(number)
            assert answer or self.closed is None, f"{self.name} was disconnected before the answer: {self.closed}"
            return answer

        return await self.until(answered, f"the answer to {number}")

    async def act(self, room: int, command: Message) -> Message:
        return await self.ask("act", room=room, command=command)

    async def take(self, room: int, count: int = 1) -> Message:
        return await self.act(room, {"type": "take", "count": count})

    async def ping(self) -> None:
        """Return when the gateway has read all earlier messages."""
        number = next(_ids)
        await self.send(type="ping", t=number)
        await self.wait_for_message(lambda message: message == {"type": "pong", "t": number})

    # --- waiting ----------------------------------------------------------------------------------------------------

    @staticmethod
    async def pause() -> None:
        """Pause before a request that was refused as busy is repeated."""
        await asyncio.sleep(0.1)

    async def until(self, holds: Callable[[], T | None], what: str = "") -> T:
        """The first true result of `holds`, which is called again after every message."""
        try:
            async with asyncio.timeout(LIMIT_S):
                while not (found := holds()):
                    self._changed.clear()
                    await self._changed.wait()
                return found
        except TimeoutError:
            state = "is connected" if self.closed is None else f"was disconnected ({self.closed})"
            raise AssertionError(
                f"{self.name} waited too long for {what or 'a condition'} and {state}; "
                f"last messages: {self.messages[-5:]}"
            ) from None

    async def wait_for_message(self, wanted: Callable[[Message], bool], *, after: int = 0) -> Message:
        """The first message that is wanted, not counting the first `after` messages."""
        return await self.until(
            lambda: next((message for message in self.messages[after:] if wanted(message)), None), "a message"
        )

    async def wait_for_event(self, room: int, kind: str, after: int = 0) -> Message:
        """The first event of a kind in the steps after an offset."""

        def found() -> Message | None:
            steps = self.rooms[room].steps
            events = [event for at in sorted(steps) if at > after for event in steps[at]["events"]]
            return next((event for event in events if event["type"] == kind), None)

        return await self.until(found, kind)

    async def wait_for_step(self, room: int, offset: int) -> None:
        """Wait until the step was received."""
        await self.until(lambda: self.rooms[room].offset >= offset, f"step {offset} of room {room}")

    async def wait_closed(self) -> tuple[int, str]:
        """Wait until the connection is closed; code and reason."""
        return await self.until(lambda: self.closed, "the end of the connection")

    # --- receiving --------------------------------------------------------------------------------------------------

    async def _read(self, socket: ClientConnection) -> None:
        try:
            while True:
                await self.reading.wait()
                self._receive(json.loads(await socket.recv()))
                self._changed.set()
        except ConnectionClosed as closed:
            if socket is self._socket:
                frame = closed.rcvd
                self.closed = (1006, "") if frame is None else (frame.code, frame.reason)
                self._changed.set()

    def _receive(self, message: Message) -> None:
        self.messages.append(message)
        if "id" in message and message["type"] != "update":
            self._answers.setdefault(message["id"], message)
        match message["type"]:
            case "update":
                self._follow(message)
            case "ack" if "offset" in message:
                self.acks[message["id"]] = message
            case kind if kind in _VIEWS:
                known = self.rooms.get(message["room"])
                steps = {} if known is None else known.steps
                kept = {offset: step for offset, step in steps.items() if offset <= message["offset"]}
                self.rooms[message["room"]] = ReceivedRoom(message["epoch"], message["offset"], message["view"], kept)

    def _follow(self, update: Message) -> None:
        seen = self.rooms.get(update["room"])
        if seen is None:
            self.faults.append(f"an update of a room that the player has not entered: {update}")
            return
        if update["offset"] != seen.offset + 1 or update["epoch"] < seen.epoch:
            self.faults.append(f"step {update['offset']} came after {seen.offset}: {update}")
        seen.epoch, seen.offset = update["epoch"], update["offset"]
        seen.steps[update["offset"]] = update
