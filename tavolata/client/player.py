"""A session as the program sees it: connecting, taking seats, watching, the list of tables, the end."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tavolata.client.core import ClientCore
from tavolata.client.driver import SocketDriver
from tavolata.client.errors import NO_ANSWER, ClientError, NoAnswer, SessionEnded
from tavolata.client.events import Complaint, Event, RoomLost, SessionOver, Stage
from tavolata.client.messages import (
    AttachedMessage,
    BaseMessage,
    ListedTable,
    TableList,
    TableListChange,
    TableUpdate,
    Welcome,
)
from tavolata.client.requests import PendingRequest, given
from tavolata.client.table import RemoteTable

log = logging.getLogger("tavolata.client")

WANTS = ("view", "options")
PATIENCE_S = 60.0
CONNECT_S = 10.0
MOST_REQUESTS = 256
"""Requests of one session that are made at the same time; more wait for their turn."""


@asynccontextmanager
async def connect(
    url: str | Sequence[str],
    *,
    name: str = "",
    token: str = "",
    patience_s: float = PATIENCE_S,
    connect_s: float = CONNECT_S,
    **options: Any,
) -> AsyncIterator["Player"]:
    """Begin a session at a gateway, or at the first of several that answers: `connect("ws://127.0.0.1:8000",
    name="ada")`.

    With a `name` the session is a new one; with the `token` of an earlier one (`Player.token`) it goes on, in any
    process. The client reconnects by itself. `patience_s` limits how long a request, or a session without a connection,
    may wait for a gateway; `connect_s` limits the wait for the first one. Other arguments go to `websockets.connect`,
    for example `ssl`, or `proxy=True` for the proxy of the environment.

    Leaving the block ends the session and frees its name; after `Player.close` the session can go on elsewhere.

    Raises `RequestRefused` if the name or the token is refused, `NoAnswer` if no gateway answers.
    """
    if bool(name) == bool(token):
        raise ValueError("give a name for a new session, or the token of an earlier one")
    player = Player([url] if isinstance(url, str) else list(url), name, token, patience_s, options)
    try:
        await player.begin(connect_s)
        yield player
    finally:
        await player.bye()


class Player:
    """One session. `connect` makes it."""

    def __init__(
        self, urls: Sequence[str], name: str, token: str, patience_s: float, options: Mapping[str, Any]
    ) -> None:
        """Use `connect`."""
        self._core = ClientCore(time.time_ns() // 1000, name=name, token=token, patience_s=patience_s)
        self._driver = SocketDriver(self._core, urls, self._on_event, options)
        self._answers: dict[PendingRequest, asyncio.Future[BaseMessage]] = {}
        self._slots = asyncio.Semaphore(MOST_REQUESTS)
        self._tables: dict[int, RemoteTable] = {}
        self._list: dict[int, ListedTable] | None = None
        """The list of tables that is watched."""
        self._list_changed = asyncio.Event()
        self._begun = asyncio.Event()
        self._error: ClientError | None = None

    async def begin(self, connect_s: float) -> None:
        """Wait until the session is accepted. Called by `connect`."""
        self._driver.start()
        try:
            async with asyncio.timeout(connect_s):
                await self._begun.wait()
        except TimeoutError:
            last = f"; last: {self._driver.last_fault}" if self._driver.last_fault else ""
            text = f"no gateway has accepted the session within {connect_s:g} s{last}"
            raise NoAnswer(NO_ANSWER, text) from None
        if self._error is not None:
            raise self._error

    # --- the session ------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name that other players see."""
        return self._core.name

    @property
    def token(self) -> str:
        """The right to take up this session again, also in another process. Keep it secret."""
        return self._core.token

    @property
    def session(self) -> str:
        """The identity that the seats belong to."""
        return self._welcome.session

    @property
    def seated(self) -> tuple[int, ...]:
        """The rooms where the session had a seat when it was last accepted. `resume` enters them again."""
        return self._welcome.rooms

    @property
    def games(self) -> tuple[str, ...]:
        """The games that the cluster offers."""
        return self._welcome.games

    @property
    def connected(self) -> bool:
        """A gateway serves the session at this moment. Requests need not wait for it."""
        return self._core.stage is Stage.ONLINE

    @property
    def _welcome(self) -> Welcome:
        assert self._core.welcome is not None
        return self._core.welcome

    async def bye(self, *, forget: bool = False) -> None:
        """End the session. The name is free at once, unless a running game holds it; until another player takes it,
        the token can take the session up again. With `forget` the token becomes invalid."""
        self._driver.say_bye(forget)
        await self.close()

    async def close(self) -> None:
        """Close the connection and keep the session: the token takes it up again, in this or another process. The name
        stays reserved for a minute, and as long as a running game holds it."""
        await self._driver.stop()
        self._driver.perform(self._core.end(SessionEnded("client/closed", "the client was closed")))

    # --- tables -----------------------------------------------------------------------------------------------------

    async def create(
        self,
        game: str,
        seats: int,
        *,
        options: Mapping[str, Any] | None = None,
        private: bool = False,
        turn_ms: int = 0,
        bots: int = 0,
        wait_ms: int = 0,
        spectators: str = "",
        choice: Mapping[str, Any] | None = None,
        wants: Sequence[str] = WANTS,
    ) -> RemoteTable:
        """Open a table and take its first seat. The parameters are those of `create` in docs/protocols/play.md.

        `wants` says what updates carry besides the events: `view` and `options` (both by default). A program that
        follows the events itself spares the cluster work with `wants=()`.
        """
        optional = given(
            options=options,
            private=private,
            turn_ms=turn_ms,
            bots=bots,
            wait_ms=wait_ms,
            spectators=spectators,
            choice=choice,
        )
        return await self._enter("create", wants, {"game": game, "seats": seats, **optional})

    async def join(
        self, room: int, *, key: str = "", choice: Mapping[str, Any] | None = None, wants: Sequence[str] = WANTS
    ) -> RemoteTable:
        """Take a seat at a table. A private one needs its `key` (`RemoteTable.key` of a player there)."""
        return await self._enter("join", wants, {"room": room, **given(key=key, choice=choice)})

    async def match(
        self,
        game: str,
        seats: int | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        choice: Mapping[str, Any] | None = None,
        wants: Sequence[str] = WANTS,
    ) -> RemoteTable:
        """Take a seat at the oldest public table that waits and fits, or at a new one."""
        return await self._enter("match", wants, {"game": game, **given(seats=seats, options=options, choice=choice)})

    async def spectate(self, room: int, *, key: str = "", wants: Sequence[str] = WANTS) -> RemoteTable:
        """Watch a table."""
        return await self._enter("spectate", wants, {"room": room, **given(key=key)})

    async def resume(
        self, room: int, position: tuple[int, int] | None = None, *, key: str = "", wants: Sequence[str] = WANTS
    ) -> RemoteTable:
        """Enter a table again where an earlier run of this session has a seat (`seated`).

        With the `position` that the earlier run had reached (`RemoteTable.position`), the updates begin after it,
        without a hole; without one they begin with the present view."""
        fields = {"room": room, **given(key=key)}
        if position is None:
            return await self._enter("view", wants, fields)
        table = await self._enter("resume", wants, {**fields, "epoch": position[0], "offset": position[1]})
        await table.refresh()
        return table

    async def _rematch(self, table: RemoteTable) -> RemoteTable:
        return await self._enter("rematch", table.wants, {"room": table.room})

    async def _enter(self, kind: str, wants: Sequence[str], fields: dict[str, object]) -> RemoteTable:
        answer = await self._ask(kind, {**fields, **given(wants=tuple(wants))})
        assert isinstance(answer, AttachedMessage)
        return self._tables[answer.room]

    # --- the list of tables -----------------------------------------------------------------------------------------

    async def rooms(
        self,
        *,
        game: str = "",
        status: str = "",
        seats: int | None = None,
        limit: int | None = None,
        after: int | None = None,
    ) -> TableList:
        """The public tables that wait or play, oldest first. If the list has `more`, ask again with `after` set to the
        number of its last table. Ends a `watch_rooms` of this session."""
        self._list = None
        self._list_changed.set()
        filters = given(game=game, status=status, seats=seats, limit=limit, after=after)
        answer = await self._ask("rooms", filters)
        assert isinstance(answer, TableList)
        return answer

    async def watch_rooms(
        self, *, game: str = "", status: str = "", seats: int | None = None, limit: int | None = None
    ) -> AsyncGenerator[dict[int, ListedTable], None]:
        """The first `limit` (100) tables of a list, by number, and every other one as soon as it changes.

        It yields now and after every change. A session watches one list at a time; a slow reader gets the latest state,
        not every state."""
        self._list = {}
        filters = given(game=game, status=status, seats=seats, limit=limit)
        await self._ask("rooms", {**filters, "live": True})
        try:
            while self._list is not None:
                self._list_changed.clear()
                yield dict(self._list)
                await self._list_changed.wait()
                if self._error is not None:
                    raise self._error
        finally:
            if self._list is not None and not self._core.over:
                self._list = None
                self._core.request("rooms", {"limit": 1}, time.monotonic())
                self._driver.perform()

    # --- requests and events ----------------------------------------------------------------------------------------

    async def _ask(self, kind: str, fields: dict[str, object]) -> BaseMessage:
        """Make a request and wait for its answer. A cancelled request is not sent again."""
        async with self._slots:
            if self._error is not None:
                raise self._error
            request = self._core.request(kind, fields, time.monotonic())
            answer: asyncio.Future[BaseMessage] = asyncio.get_running_loop().create_future()
            self._answers[request] = answer
            self._driver.perform()
            try:
                return await answer
            finally:
                del self._answers[request]
                if not request.done:
                    self._core.withdraw(request)

    def _on_event(self, event: Event) -> None:
        match event:
            case TableUpdate():
                if event.room in self._tables:
                    self._tables[event.room].stepped(event)
            case PendingRequest():
                self._on_done(event)
            case AttachedMessage():
                room = self._core.rooms[event.room]
                self._table(event.room).attached(event, room.wants, room.key)
            case Welcome():
                self._begun.set()
            case RoomLost(room=room, error=error):
                self._forget(room, error)
            case TableList() | TableListChange():
                self._on_list(event)
            case SessionOver(error=error):
                self._on_over(error)
            case Complaint(text=text):
                log.warning("%s: %s", self.name, text)

    def _on_done(self, request: PendingRequest) -> None:
        if request.kind == "leave" and request.answer is not None:
            self._forget(request.room, None)
        answer = self._answers.get(request)
        if answer is None or answer.done():
            return
        if request.error is not None:
            answer.set_exception(request.error)
        elif request.answer is not None:
            answer.set_result(request.answer)

    def _table(self, room: int) -> RemoteTable:
        if room not in self._tables:
            self._tables[room] = RemoteTable(self._ask, self._rematch)
        return self._tables[room]

    def _forget(self, room: int, error: ClientError | None) -> None:
        table = self._tables.pop(room, None)
        if table is not None:
            table.end(error)

    def _on_list(self, event: TableList | TableListChange) -> None:
        if self._list is None:
            return
        if isinstance(event, TableList):
            self._list = {entry.room: entry for entry in event.rooms}
        else:
            self._list.update((entry.room, entry) for entry in event.changed)
            for room in event.gone:
                self._list.pop(room, None)
        self._list_changed.set()

    def _on_over(self, error: ClientError) -> None:
        self._error = self._error or error
        for table in self._tables.values():
            table.end(error)
        self._tables.clear()
        self._begun.set()
        self._list_changed.set()
