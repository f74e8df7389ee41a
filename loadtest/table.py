"""One table: seats its players, game after game, and says how each ended."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

from loadtest.checks.checker import Findings, differences
from loadtest.checks.records import Witness
from loadtest.clients.connection import PlayerConnection, Route, WriteCoalescer
from loadtest.clients.contract import Player, SeatAssignment
from loadtest.clients.play.client import Play
from loadtest.clients.registry import ROOMLESS, dialect_at, player_for
from loadtest.measure.measurements import Measurements
from loadtest.plan import LoadPlan

UNDER_WAY_S = 5.0
"""An update that some seats have and others lack after so long will never come."""
MOST_DIFFERENCES = 5
DIAGNOSIS_S = 10.0
"""So long the seats of a table that was given up may look at where they are."""


@dataclass(slots=True)
class RunContext:
    """What all tables of a run share."""

    plan: LoadPlan
    tag: str
    """Begins every player's name: runs must not take each other's names."""
    findings: Findings
    figures: Measurements
    seating: asyncio.Semaphore
    """So many tables may be taking their first seats at once."""
    alone: asyncio.Lock = field(default_factory=asyncio.Lock)
    """For tables that must be the only one that waits for players."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """The time is over: no new games."""
    links: dict[int, PlayerConnection] = field(default_factory=dict)
    post: WriteCoalescer = field(default_factory=WriteCoalescer)
    rooms: dict[int, list[Witness]] = field(default_factory=dict)
    """Every room that a `play` seat can read the record of."""
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """All tables have begun their first game, or have failed to."""
    _begun: int = 0

    def table_begun(self) -> None:
        self._begun += 1
        if self._begun == self.plan.rooms:
            self.begun.set()


class Table:
    """Runs until its games are played or the hall closes."""

    def __init__(self, number: int, hall: RunContext) -> None:
        self._number = number
        self._hall = hall
        self._plan = hall.plan
        self._links: list[PlayerConnection] = []
        self._room: int | None = None
        self._opened = asyncio.Event()
        self._changed = asyncio.Event()

    async def run(self) -> None:
        game = 0
        while not self._hall.closing.is_set() and (self._plan.games is None or game < self._plan.games):
            good = await self._play(game)
            game += 1
            if not good:
                break

    async def _play(self, game: int) -> bool:
        """One game. False if the table is of no use any more."""
        figures = self._hall.figures
        self._room = None
        self._opened.clear()
        try:
            if game == 0:
                try:
                    async with self._hall.seating:
                        await self._seat_all(game)
                finally:
                    self._hall.table_begun()
            else:
                await self._seat_all(game)
            figures.playing += 1
            try:
                finished = await self._to_the_end()
            finally:
                figures.playing -= 1
        except TimeoutError:
            finished = False
            await self._given_up()
        self._conclude(finished)
        return finished and all(not player.told.faults for player in self._players)

    # --- seats ---------------------------------------------------------------------------------------------------

    async def _seat_all(self, game: int) -> None:
        async with asyncio.timeout(self._plan.patience_s):
            if self._dialect(0) not in ROOMLESS:
                await self._seat_where_told(game)
                return
        async with self._hall.alone, asyncio.timeout(self._plan.patience_s):
            await self._seat_one_by_one(game)

    async def _seat_where_told(self, game: int) -> None:
        """The first opens the table, and the others are told its number."""
        first = self._take_seat(game, 0).player
        await self._until(lambda: self._opened.is_set() or first.over)
        if self._opened.is_set():
            for seat in range(1, self._plan.players):
                self._take_seat(game, seat)
            await self._until(lambda: all(link.ready for link in self._links) or self._is_over())

    async def _seat_one_by_one(self, game: int) -> None:
        """Nobody knows the table's number: only one table may wait for players, until its first move."""
        for seat in range(self._plan.players):
            self._take_seat(game, seat)
            await self._until(lambda: all(link.ready for link in self._links) or self._is_over())
        await self._until(lambda: any(link.moved for link in self._links) or self._is_over())

    def _take_seat(self, game: int, seat: int) -> PlayerConnection:
        plan = self._plan
        seating = SeatAssignment(
            name=f"{self._hall.tag}{self._number}{'abcdefgh'[seat % 8]}{game or ''}",
            game=plan.game,
            seats=plan.players,
            options=plan.options,
            seed=Random(f"{plan.seed}/{self._number}/{seat}/{game}").getrandbits(63),
            table=lambda: self._room,
            opened=self._note_opened,
            first=seat == 0,
        )
        if seat < len(self._links):
            link = self._links[seat]
            if isinstance(link.player, Play):
                link.say(link.player.again(seating))
                return link
            self._part(link)
        link = self._new_link(seat, seating)
        self._links[seat : seat + 1] = [link]
        self._hall.links[id(link)] = link
        link.dial()
        return link

    def _new_link(self, seat: int, seating: SeatAssignment) -> PlayerConnection:
        plan = self._plan
        dialect = self._dialect(seat)
        player = player_for(dialect, seating, self._hall.findings)
        route = Route(plan.urls, plan.tcp.get(dialect))
        start = self._number + seat
        return PlayerConnection(
            player, route, start, self._hall.post, self._hall.figures, plan.think_s, self._changed.set
        )

    def _dialect(self, seat: int) -> str:
        return dialect_at(self._plan.dialects, self._number, seat)

    def _note_opened(self, room: int) -> None:
        self._room = room
        self._opened.set()
        self._changed.set()

    def _part(self, link: PlayerConnection) -> None:
        self._hall.links.pop(id(link), None)
        link.end()

    @property
    def _players(self) -> list[Player]:
        return [link.player for link in self._links]

    # --- the game ------------------------------------------------------------------------------------------------

    async def _until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            self._changed.clear()
            await self._changed.wait()

    async def _to_the_end(self) -> bool:
        """Wait until the game is over for all. With `play` alone a game is left as it is when the time is over."""
        over = asyncio.create_task(self._until(self._is_over))
        closing = asyncio.create_task(self._hall.closing.wait())
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
        """For all, or for one who is without hope, so that the others would wait for ever."""
        players = self._players
        return all(player.over for player in players) or any(player.over and player.told.faults for player in players)

    async def _stop(self) -> None:
        """Let the moves that are under way be answered, then have every seat look at the position."""
        players = [(link, link.player) for link in self._links if isinstance(link.player, Play)]
        async with asyncio.timeout(self._plan.patience_s):
            for link, player in players:
                link.watched = player.stopped = True
            await self._until(lambda: not any(player.waiting for _, player in players))
            await self._settle()

    async def _settle(self) -> None:
        """A view may overtake updates that are under way, so it is asked for when all seats are at the same step."""
        players = [(link, link.player) for link in self._links if isinstance(link.player, Play)]
        for link, _ in players:
            link.watched = True
        try:
            async with asyncio.timeout(min(UNDER_WAY_S, self._plan.patience_s / 2)):
                await self._until(lambda: len({player.step for _, player in players}) == 1)
        except TimeoutError:
            pass
        for link, player in players:
            link.say(player.settle())
        await self._until(lambda: all(player.settled for _, player in players))

    # --- the end -------------------------------------------------------------------------------------------------

    async def _given_up(self) -> None:
        states = ", ".join(f"{player.told.room or '-'}:{player.moves} moves" for player in self._players)
        text = f"table {self._number} (room {self._room}) did not get on for {self._plan.patience_s:g} s ({states})"
        self._hall.findings.add("unfinished", text)
        try:
            async with asyncio.timeout(min(DIAGNOSIS_S, self._plan.patience_s)):
                await self._settle()
        except TimeoutError:
            pass

    def _conclude(self, finished: bool) -> None:
        hall = self._hall
        for player in self._players:
            if isinstance(player, Play):
                self._conclude_play(player)
            hall.figures.counted.update(player.told.counts)
            for fault in player.told.faults:
                hall.findings.add("faults", fault)
        if finished:
            self._compare()
            hall.figures.games += all(player.over for player in self._players)

    def _conclude_play(self, player: Play) -> None:
        player.unsettled()
        self._hall.figures.errors.update(player.errors)
        player.errors.clear()
        if player.track is not None and player.token:
            self._hall.rooms.setdefault(player.track.room, []).append(Witness(player.track, player.token))

    def _compare(self) -> None:
        """All seats must have been told the same end, and the same position where they can tell."""
        told = [(seat, player.told) for seat, player in enumerate(self._players) if not player.told.late]
        for (seat, one), (other_seat, other) in combinations(told, 2):
            found = list(differences(one.result, other.result, "result"))
            if _comparable(one.board, other.board):
                found += differences(one.board, other.board, "board")
            if found:
                who = f"{self._dialect(seat)} and {self._dialect(other_seat)}"
                text = f"room {self._room}, {who}: {'; '.join(found[:MOST_DIFFERENCES])}"
                self._hall.findings.add("differing", text)


def _comparable(one: Any, other: Any) -> bool:
    """Dialects that show different things of a game give their boards different keys."""
    return isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys()
