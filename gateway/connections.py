"""The open connections of a gateway: their number is limited, their frames are flushed once per tick of the loop, and
they are looked after by timers."""

import asyncio
from collections.abc import Iterator

from gateway.cluster.identity import IdSource
from gateway.cluster.room_directory import RoomDirectory
from gateway.connection import Connection, ConnectionServices
from gateway.dialects.contract import Dialect, Opening
from gateway.metrics import Metrics
from gateway.session.rates import AddressMeters, RequestRates
from gateway.session.session import Session
from gateway.session.state import ReturnByName
from gateway.transports import close_codes
from gateway.transports.contract import Transport
from gateway.transports.limits import ConnectionLimiter

TICK_S = 0.25
"""Seconds between two calls of `Connections.tick`."""
_MOST_DELAY_MS = 1_000
"""Clients that are asked to come back do so within this time, so that they do not come all at once."""


class Connections:
    """All connections of one gateway."""

    def __init__(self, services: ConnectionServices, rooms: RoomDirectory, ids: IdSource, metrics: Metrics) -> None:
        settings = self.settings = services.settings
        self.rooms = rooms
        self.accepting = True
        """False while the gateway drains: transports refuse new connections."""
        self._services = services
        self._ids = ids
        self._metrics = metrics
        self._call_soon = asyncio.get_running_loop().call_soon
        self.limiter = ConnectionLimiter(settings.connections, settings.connections_per_address)
        """Counts HTTP connections, too."""
        self.addresses = AddressMeters(services.clock)
        self._by_number: dict[int, Connection] = {}
        self._ticking: dict[int, Connection] = {}
        """Connections whose conversations have a timer."""
        self._next_tick_ms: dict[int, int] = {}
        self._slow: set[Connection] = set()
        self._unflushed: list[Connection] = []
        self._numbers = 0

    def __len__(self) -> int:
        return len(self._by_number)

    def __iter__(self) -> Iterator[Connection]:
        return iter(list(self._by_number.values()))

    def get(self, number: int) -> Connection | None:
        return self._by_number.get(number)

    def new(self, transport: Transport, dialect: Dialect, opening: Opening, address: str) -> Connection:
        """A connection that is not open yet; raises `ProtocolError` for an opening that the dialect refuses."""
        settings, sid = self.settings, self._ids.new_session()
        policy = ReturnByName(settings.return_by_name)
        rates = RequestRates(self._services.clock, self.addresses, address)
        session = Session(dialect, opening, sid, settings.rooms_per_player, rates, policy, address)
        self._numbers += 1
        return Connection(self._numbers, address, transport, session, self._services, self)

    # --- called by connections ----------------------------------------------------------------------------------------

    def add(self, connection: Connection) -> bool:
        self._by_number[connection.number] = connection
        if connection.session.tick_ms:
            self._ticking[connection.number] = connection
        self._metrics.connected(connection.session.dialect.name, +1)
        return self.limiter.enter(connection.address)

    def remove(self, connection: Connection) -> bool:
        if self._by_number.pop(connection.number, None) is None:
            return False
        self._metrics.connected(connection.session.dialect.name, -1)
        self.limiter.leave(connection.address)
        self._ticking.pop(connection.number, None)
        self._slow.discard(connection)
        return True

    def slowed_down(self, connection: Connection) -> None:
        self._slow.add(connection)

    def caught_up(self, connection: Connection) -> None:
        self._slow.discard(connection)

    def flush_soon(self, connection: Connection) -> None:
        if not self._unflushed:
            self._call_soon(self._flush)
        self._unflushed.append(connection)

    def _flush(self) -> None:
        unflushed, self._unflushed = self._unflushed, []
        for connection in unflushed:
            connection.flush()

    # --- called by the node -------------------------------------------------------------------------------------------

    def tick(self, now_ms: int) -> None:
        """Call the conversations whose time has come. The first call comes one interval after the opening."""
        due = self._next_tick_ms
        for number, connection in list(self._ticking.items()):
            if connection.closed or now_ms < due.get(number, 0):
                continue
            if number in due:
                connection.tick(now_ms)
            due[number] = now_ms + connection.session.tick_ms - int(TICK_S * 500)
        if len(due) > 2 * len(self._ticking) + 1_000:
            self._next_tick_ms = {number: at for number, at in due.items() if number in self._ticking}

    def check_liveness(self, now: float, *, slow_only: bool) -> None:
        for connection in list(self._slow if slow_only else self._by_number.values()):
            connection.check_liveness(now)

    def shed(self, number: int) -> int:
        """Ask that many clients to come back, if there are so many that can resume: those that are connected for the
        longest time, so that no client is asked again before all others were. Returns their number."""
        can_resume = (connection for connection in self if connection.session.dialect.resumable)
        some = [connection for connection in can_resume if not connection.closed][:number]
        self.close_for_restart(some)
        self._metrics.shed(len(some))
        return len(some)

    def in_games(self) -> list[Connection]:
        """The connections in rooms that wait or play, if their clients could not resume there: they have no token."""
        others = [one for one in self._by_number.values() if not one.session.dialect.resumable]
        return [one for one in others if any(self.rooms.get(room) for room in one.session.state.attachments.by_room)]

    def close_for_restart(self, some: list[Connection] | None = None) -> None:
        """Close connections and ask their clients to come back, each after a different delay."""
        for connection in list(self) if some is None else some:
            connection.close(close_codes.restart(self._ids.draw(_MOST_DELAY_MS)))
