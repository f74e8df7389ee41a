"""One table as the program sees it: the present view, its updates, and the requests that a seat can make."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeAlias

from tavolata.client.errors import ClientError
from tavolata.client.messages import Ack, AttachedMessage, BaseMessage, Resumed, TableUpdate, TableView
from tavolata.client.requests import given

MOST_UPDATES = 256
"""Updates that are kept for a program that does not read them."""
MOST_CHAT = 500

Ask: TypeAlias = Callable[[str, dict[str, object]], Awaitable[BaseMessage]]
"""Makes a request (kind, fields) and returns its answer."""


class RemoteTable:
    """A table where the player has a seat, or that it watches. `Player.create` and its like return it."""

    def __init__(self, ask: Ask, rematch: Callable[["RemoteTable"], Awaitable["RemoteTable"]]) -> None:
        """Made by `Player`."""
        self.room = 0
        """The number of the table. Other players join with it."""
        self.seat: int | None = None
        """The seat of this player; None for a spectator."""
        self.key = ""
        """The key of a private table, which other players need in addition to its number."""
        self.position = (0, 0)
        """Epoch and offset of the last step that was received: `Player.resume` continues after it."""
        self.options: list[Any] = []
        """The commands that this seat may give now, if options are wanted (they are by default)."""
        self.chat: deque[dict[str, Any]] = deque(maxlen=MOST_CHAT)
        """The last chat messages, as `room.said` events."""
        self.over = False
        """The game is finished, or the table is closed or left."""
        self.wants: tuple[str, ...] = ()
        self._ask = ask
        self._rematch = rematch
        self._view: TableView | None = None
        self._entered: TableView | None = None
        self._updates: deque[TableUpdate] = deque()
        self._overrun = False
        self._reading = False
        self._changed = asyncio.Event()
        self._left = False
        self._error: ClientError | None = None

    # --- requests ---------------------------------------------------------------------------------------------------

    async def act(self, command: Any) -> TableUpdate:
        """Give a command of the game (an object of JSON, or a message of the game) and return the applied step.

        When `act` returns, the command was carried out exactly once, and `view` and `options` include it. Raises
        `RequestRefused` if the game refuses it: then nothing has changed. If a view has replaced the step, because the
        connection was lost for long, the returned update has a `reason` and no events.
        """
        return await self._step("act", {"command": command})

    async def say(self, text: str, to: str | None = None) -> TableUpdate:
        """Send a chat message to all, or to the player with the name `to`."""
        return await self._step("say", {"text": text, **given(to=to)})

    async def fill(self) -> TableUpdate:
        """Let bots take the free seats, so that the game starts. Only the player with the lowest seat may."""
        return await self._step("fill", {})

    async def _step(self, kind: str, fields: dict[str, object]) -> TableUpdate:
        answer = await self._ask(kind, {"room": self.room, **fields})
        with suppress(ClientError):  # the request was carried out, whatever happens to the view
            await self._catch_up()
        if isinstance(answer, TableUpdate):
            return answer
        assert isinstance(answer, Ack)
        return TableUpdate(self.room, answer.epoch, answer.offset, by=self.seat, id=answer.id, reason="trimmed")

    async def _catch_up(self) -> None:
        """Ask for the view if updates were missed: these carry none, and the one that the server sends behind them may
        be lost with its connection."""
        if "view" in self.wants and not self._left and self.view.offset < self.position[1]:
            await self.refresh()

    async def refresh(self) -> TableView:
        """Ask for the present view and return it."""
        await self._ask("view", {"room": self.room, **given(wants=self.wants, key=self.key)})
        return self.view

    async def rematch(self) -> "RemoteTable":
        """Play again with the same players, at a new table: the first request opens it, later ones join it."""
        return await self._rematch(self)

    async def leave(self) -> None:
        """Give up the seat, or stop watching. No more updates are received."""
        await self._ask("leave", {"room": self.room})

    # --- reading ----------------------------------------------------------------------------------------------------

    @property
    def view(self) -> TableView:
        """The last view that was received. If views are wanted (they are by default), it includes every step that was
        received when `act`, `say`, `fill` or `my_turn` returns, and when `updates` ends; otherwise use `refresh`."""
        assert self._view is not None
        return self._view

    @property
    def entered(self) -> TableView:
        """The view that the table was entered with; `updates` begins with the step after it. For programs that follow
        the events themselves: `view` may be some steps ahead."""
        assert self._entered is not None
        return self._entered

    async def my_turn(self) -> bool:
        """Wait until this seat may act; False as soon as the game is over. Needs options or views to be wanted."""
        while True:
            await self._catch_up()
            if self.over:
                self._raise()
                return False
            if self.options or ("view" in self.wants and self.seat in self.view.turn):
                return True
            await self._change()

    async def updates(self, *, until_left: bool = False) -> AsyncGenerator[TableUpdate, None]:
        """Every step after the view that the table was entered with: in order, each once, without a hole.

        The iterator ends with the game; with `until_left` it goes on until the table is left, for chat and rematches.
        An update with a `reason` replaces everything that was known before: its `view` is the whole table. That happens
        when the cluster cannot send the missed steps, and when the program has not read more than 256 updates.
        """
        if self._reading:
            raise RuntimeError("the updates of a table can be read by one loop at a time")
        self._reading = True
        try:
            while True:
                if self._overrun:
                    await self.refresh()
                while self._updates:
                    yield self._updates.popleft()
                if self._overrun:
                    continue
                if self._left or (self.over and not until_left):
                    break
                await self._change()
            await self._catch_up()
            self._raise()
        finally:
            self._reading = False

    async def _change(self) -> None:
        self._raise()
        await self._changed.wait()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    # --- the client's side ------------------------------------------------------------------------------------------

    def attached(self, message: AttachedMessage, wants: tuple[str, ...], key: str = "") -> None:
        """A whole view was received, or the answer to `resume`, which has none. Called by `Player`."""
        self.room, self.seat, self.wants, self.key = message.room, message.seat, wants, key
        if isinstance(message, Resumed):
            if self._view is None:
                self.position = (message.epoch, message.offset)
        else:
            self._replace(message)
        self._notify()

    def _replace(self, message: AttachedMessage) -> None:
        again = self._view is not None and message.offset > self.position[1]
        reason = message.reason or ("unread" if self._overrun else "entered" if again else "")
        self._view = message.view
        self._entered = self._entered or self._view
        self.position = (message.epoch, message.offset)
        self.options = self._view.options
        self.over = self._view.over
        self.chat = deque(self._view.chat, MOST_CHAT)
        if reason in ("rewound", "unread"):
            self._updates.clear()
        self._overrun = False
        if reason:
            self._keep(TableUpdate(message.room, *self.position, view_json=message.view_json, reason=reason))

    def stepped(self, update: TableUpdate) -> None:
        """The next step was received. Called by `Player`."""
        self.position = (update.epoch, update.offset)
        if "view" in self.wants:
            self._view = update.view or self._view
        if "options" in self.wants:
            self.options = update.options
        if b'"room.' in bytes(update.events_json):
            self._follow(update.events)
        self._keep(update)
        self._notify()

    def _follow(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            match event.get("type"):
                case "room.said":
                    self.chat.append(event)
                case "room.ended" | "room.closed":
                    self.over = True

    def _keep(self, update: TableUpdate) -> None:
        if len(self._updates) >= MOST_UPDATES:
            self._updates.clear()
            self._overrun = True
        if not self._overrun:
            self._updates.append(update)

    def end(self, error: ClientError | None = None) -> None:
        """The table is not followed any more. Called by `Player`."""
        self.over = self._left = True
        self._error = self._error or error
        self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
