"""One table of a run: seats its players for game after game, and compares what they received at the end."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

from loadtest.checks.checker import Findings, differences
from loadtest.checks.records import CheckedSeat
from loadtest.clients.connection import PlayerConnection, Route, WriteCoalescer
from loadtest.clients.contract import Player, Received, SeatAssignment
from loadtest.clients.play.client import Play
from loadtest.clients.registry import ROOMLESS, dialect_at, framing_of, player_for
from loadtest.measure.measurements import Measurements
from loadtest.plan import LoadPlan

UPDATE_S = 5.0
"""Time after which an update that other seats have counts as lost."""
MOST_DIFFERENCES = 5
DIAGNOSIS_S = 10.0
"""Time for the seats of a table that was given up to read its position."""


@dataclass(slots=True)
class RunContext:
    """Objects that all tables of a run share."""

    plan: LoadPlan
    tag: str
    """The beginning of every player's name: two runs must not use the same names."""
    findings: Findings
    measurements: Measurements
    opening: asyncio.Semaphore
    """Limits the tables that are seating their first game."""
    seating_alone: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by a table that must be the only one that waits for players."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the time is over: no new games."""
    connections: dict[int, PlayerConnection] = field(default_factory=dict)
    writer: WriteCoalescer = field(default_factory=WriteCoalescer)
    rooms: dict[int, list[CheckedSeat]] = field(default_factory=dict)
    """The rooms whose records can be read, with their `play` seats."""
    all_begun: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when all tables have begun their first game, or failed to."""
    _tables_begun: int = 0

    def table_begun(self) -> None:
        self._tables_begun += 1
        if self._tables_begun == self.plan.rooms:
            self.all_begun.set()


class LoadTable:
    """Plays until its number of games is reached or the run is closing."""

    def __init__(self, number: int, context: RunContext) -> None:
        self._number = number
        self._context = context
        self._plan = context.plan
        self._kind, self._number_in_kind = context.plan.kind_of(number)
        self._connections: list[PlayerConnection] = []
        self._room: int | None = None
        self._names: set[str] = set()
        """The players of the present game."""
        self._opened = asyncio.Event()
        self._changed = asyncio.Event()

    async def run(self) -> None:
        game = 0
        while not self._context.closing.is_set() and (self._plan.games is None or game < self._plan.games):
            good = await self._play(game)
            game += 1
            if not good:
                break

    async def _play(self, game: int) -> bool:
        """Play one game. False if the table cannot play another."""
        measurements = self._context.measurements
        self._room = None
        self._names.clear()
        self._opened.clear()
        try:
            if game == 0:
                try:
                    async with self._context.opening:
                        await self._seat_all(game)
                finally:
                    self._context.table_begun()
            else:
                await self._seat_all(game)
            measurements.playing += 1
            try:
                finished = await self._until_the_end()
            finally:
                measurements.playing -= 1
        except TimeoutError:
            finished = False
            await self._report_unfinished()
        self._conclude(finished)
        return finished and all(not player.received.faults for player in self._players)

    # --- seats ---------------------------------------------------------------------------------------------------

    async def _seat_all(self, game: int) -> None:
        if not self._must_seat_alone():
            async with asyncio.timeout(self._plan.patience_s):
                await self._seat_by_number(game)
            return
        async with self._context.seating_alone, asyncio.timeout(self._plan.patience_s):
            await self._seat_one_by_one(game)

    def _must_seat_alone(self) -> bool:
        """Whether a player of any table cannot name its table, and might be seated at this one. Over WebSocket, only
        the first player of such a dialect cannot: the URL names the table of the others."""
        if self._dialect(0) in ROOMLESS:
            return True
        same_game = (kind for kind in self._plan.kinds if kind.game == self._kind.game)
        return any(name in ROOMLESS and name in kind.tcp for kind in same_game for name in kind.dialects)

    async def _seat_by_number(self, game: int) -> None:
        """The first player opens the table, and the others join by its number."""
        first = self._take_seat(game, 0).player
        await self._until(lambda: self._opened.is_set() or first.over)
        if self._opened.is_set():
            for seat in range(1, self._kind.players):
                self._take_seat(game, seat)
            await self._until(lambda: all(connection.ready for connection in self._connections) or self._is_over())

    async def _seat_one_by_one(self, game: int) -> None:
        """Seat players of dialects that name no table. New players are seated wherever a table waits, so no other table
        of this run may wait until this one has made its first move."""
        for seat in range(self._kind.players):
            self._take_seat(game, seat)
            await self._until(lambda: all(connection.ready for connection in self._connections) or self._is_over())
            if self._dialect(0) not in ROOMLESS:
                await self._until(lambda: self._opened.is_set() or self._is_over())
        await self._until(lambda: any(connection.moved for connection in self._connections) or self._is_over())

    def _take_seat(self, game: int, seat: int) -> PlayerConnection:
        kind = self._kind
        seating = SeatAssignment(
            name=f"{self._context.tag}{self._number}{'abcdefgh'[seat % 8]}{game or ''}",
            game=kind.game,
            seats=kind.players,
            options=kind.options,
            seed=Random(f"{self._plan.seed}/{self._number}/{seat}/{game}").getrandbits(63),
            table=lambda: self._room,
            opened=self._note_opened,
            first=seat == 0,
        )
        self._names.add(seating.name)
        if seat < len(self._connections):
            connection = self._connections[seat]
            if isinstance(connection.player, Play):
                connection.send(connection.player.next_game(seating))
                return connection
            self._disconnect(connection)
        connection = self._new_connection(seat, seating)
        self._connections[seat : seat + 1] = [connection]
        self._context.connections[id(connection)] = connection
        connection.dial()
        return connection

    def _new_connection(self, seat: int, seating: SeatAssignment) -> PlayerConnection:
        plan = self._plan
        dialect = self._dialect(seat)
        player = player_for(dialect, seating, self._context.findings, self._kind.texts)
        route = Route(plan.urls, self._kind.tcp.get(dialect), framing_of(dialect))
        start = self._number + seat
        return PlayerConnection(
            player, route, start, self._context.writer, self._context.measurements, plan.think_s, self._changed.set
        )

    def _dialect(self, seat: int) -> str:
        return dialect_at(self._kind.dialects, self._number_in_kind, seat)

    def _note_opened(self, room: int) -> None:
        self._room = room
        self._opened.set()
        self._changed.set()

    def _disconnect(self, connection: PlayerConnection) -> None:
        self._context.connections.pop(id(connection), None)
        connection.end()

    @property
    def _players(self) -> list[Player]:
        return [connection.player for connection in self._connections]

    @property
    def _play_seats(self) -> list[tuple[PlayerConnection, Play]]:
        return [
            (connection, connection.player) for connection in self._connections if isinstance(connection.player, Play)
        ]

    # --- the game ------------------------------------------------------------------------------------------------

    async def _until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            self._changed.clear()
            await self._changed.wait()

    async def _until_the_end(self) -> bool:
        """Wait until the game is over for all seats. When the time is over, a table of `play` clients stops in mid
        game; other dialects cannot read the position then, so their games are finished."""
        over = asyncio.create_task(self._until(self._is_over))
        closing = asyncio.create_task(self._context.closing.wait())
        stoppable = all(isinstance(player, Play) for player in self._players)
        try:
            while not over.done():
                moves = sum(player.moves for player in self._players)
                waiting = {over, closing} if stoppable else {over}
                await asyncio.wait(waiting, timeout=self._plan.patience_s, return_when=asyncio.FIRST_COMPLETED)
                if closing.done() and stoppable and not over.done():
                    await self._stop()
                    return True
                if not over.done() and moves == sum(player.moves for player in self._players):
                    raise TimeoutError
        finally:
            over.cancel()
            closing.cancel()
        return True

    def _is_over(self) -> bool:
        """Over for all seats, or for one that has failed or lost its seat: the others would wait for it forever."""
        players = self._players
        return all(player.over for player in players) or any(
            player.over and (player.received.faults or player.received.undone) for player in players
        )

    async def _stop(self) -> None:
        """Wait for the answers to moves that were sent, then have every seat read the position."""
        players = self._play_seats
        async with asyncio.timeout(self._plan.patience_s):
            for connection, player in players:
                connection.watched = player.stopped = True
            await self._until(lambda: not any(player.waiting for _, player in players))
            await self._check_positions()

    async def _check_positions(self) -> None:
        """Have every seat read the position and compare it. A view may overtake updates that were sent before it, so it
        is requested once all seats are at the same step."""
        players = self._play_seats
        for connection, _ in players:
            connection.watched = True
        try:
            async with asyncio.timeout(min(UPDATE_S, self._plan.patience_s / 2)):
                await self._until(lambda: len({player.step for _, player in players}) == 1)
        except TimeoutError:
            pass
        for connection, player in players:
            connection.send(player.check_position())
        await self._until(lambda: all(player.position_checked for _, player in players))

    # --- the end -------------------------------------------------------------------------------------------------

    async def _report_unfinished(self) -> None:
        states = "; ".join(_state(connection) for connection in self._connections)
        text = f"table {self._number} (room {self._room}) made no move for {self._plan.patience_s:g} s ({states})"
        self._context.findings.add("unfinished", text)
        try:
            async with asyncio.timeout(min(DIAGNOSIS_S, self._plan.patience_s)):
                await self._check_positions()
        except TimeoutError:
            pass

    def _conclude(self, finished: bool) -> None:
        context = self._context
        for player in self._players:
            if isinstance(player, Play):
                self._conclude_play(player)
            context.measurements.counted.update(player.received.counts)
            for fault in player.received.faults:
                context.findings.add("faults", fault)
        if finished:
            self._compare()
            context.measurements.games += all(player.over for player in self._players)

    def _conclude_play(self, player: Play) -> None:
        player.count_missing_steps()
        self._context.measurements.errors.update(player.errors)
        player.errors.clear()
        if player.track is not None and player.token:
            self._context.rooms.setdefault(player.track.room, []).append(CheckedSeat(player.track, player.token))

    def _compare(self) -> None:
        """All seats must have received the same result, and the same position where their dialects show it."""
        all_received = [(seat, player.received) for seat, player in enumerate(self._players)]
        received = [
            (seat, one) for seat, one in all_received if not (one.late or one.undone or self._is_elsewhere(one))
        ]
        for (seat, one), (other_seat, other) in combinations(received, 2):
            found = list(differences(one.result, other.result, "result"))
            if _comparable(one.board, other.board):
                found += differences(one.board, other.board, "board")
            if found:
                dialects = f"{self._dialect(seat)} and {self._dialect(other_seat)}"
                text = f"room {self._room}, {dialects}: {'; '.join(found[:MOST_DIFFERENCES])}"
                self._context.findings.add("differing", text)

    def _is_elsewhere(self, received: Received) -> bool:
        """Whether the player has played with others than those of this table."""
        elsewhere = bool(received.names) and set(received.names) != self._names
        if elsewhere:
            self._context.measurements.counted["games at another table"] += 1
        return elsewhere


def _state(connection: PlayerConnection) -> str:
    """The state of a seat at a table that does not go on."""
    player = connection.player
    counts = "".join(f", {count} {what}" for what, count in player.received.counts.items())
    online = "" if connection.online else ", not connected"
    return f"{type(player).__name__} in room {player.received.room or '-'}, {player.moves} moves{counts}{online}"


def _comparable(one: Any, other: Any) -> bool:
    """Dialects that show different parts of a game give their boards different keys."""
    return isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys()
