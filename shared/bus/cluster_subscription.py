"""Channels of a Cluster: sharded ones at the nodes of their slots, the others at any node.

A sharded channel has a hash tag. When its slot moves, the node ends the subscription with a message, and the channel is
subscribed at the new node; messages in between are lost, so that every confirmation counts as a gap.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from shared.bus.cluster_map import Place, slot_of
from shared.bus.cluster_view import ClusterView
from shared.bus.connection import StoreConnection, connect
from shared.bus.refusals import RefusalKind, redirection, refusal
from shared.bus.store import OnMessage, StoreError
from shared.bus.store_counters import StoreCounters
from shared.runtime.events import set_within

log = logging.getLogger("tavolata.cluster")

_PING_S = 1.5
_SILENCE_S = 5.0
_RETRY_S = 0.1


class _Line:
    """The subscriptions at one node."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.connection: StoreConnection | None = None
        self.unconfirmed: set[str] = set()
        self.channels: set[str] = set()
        """Channels that were subscribed here, confirmed or not."""

    def close(self) -> None:
        if self.connection is not None:
            self.connection.abort()


class ClusterSubscription:
    """Channels, subscribed wherever they are served."""

    def __init__(self, view: ClusterView, counters: StoreCounters | None = None) -> None:
        self._view = view
        self._counters = counters or StoreCounters()
        self._lines: dict[Place, _Line] = {}
        self._home: Place | None = None
        self._changed = asyncio.Event()
        self._on_message: OnMessage = lambda _channel, _message: None
        self._on_gap: Callable[[], None] = lambda: None
        self._task: asyncio.Task[None] | None = None

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        self._on_message, self._on_gap = on_message, on_gap
        self._view.map.on_change.append(self._changed.set)
        self._task = asyncio.create_task(self._run(tuple(channels)))

    async def stop(self) -> None:
        if self._changed.set in self._view.map.on_change:
            self._view.map.on_change.remove(self._changed.set)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for line in self._lines.values():
            line.close()
        self._lines.clear()

    async def _run(self, channels: tuple[str, ...]) -> None:
        while True:
            self._changed.clear()
            complete = await self._subscribe(self._wanted(channels))
            if not await set_within(self._changed, _PING_S if complete else _RETRY_S):
                self._check_silence()

    def _wanted(self, channels: Iterable[str]) -> dict[Place, set[str]]:
        """The channels of each node."""
        primaries = self._view.map.primaries()
        if self._home not in primaries or self._home not in self._lines:
            self._home = next((place for place in primaries if place in self._lines), None)
            self._home = self._home or next(iter(primaries), None)
        wanted: dict[Place, set[str]] = {}
        for channel in channels:
            place = self._view.map.place_of(slot_of(channel)) if "{" in channel else self._home
            if place is not None:
                wanted.setdefault(place, set()).add(channel)
        return wanted

    async def _subscribe(self, wanted: dict[Place, set[str]]) -> bool:
        """Subscribe what is not subscribed yet; False if a node cannot be reached."""
        for place in self._lines.keys() - wanted.keys():
            self._lines.pop(place).close()
        complete = True
        for place, channels in wanted.items():
            try:
                line = await self._line(place)
            except StoreError as error:
                log.debug("cannot subscribe: %s", error)
                self._view.suspect()
                complete = False
                continue
            line.channels &= channels
            line.unconfirmed &= channels
            missing = channels - line.channels
            if missing and line.connection is not None:
                line.channels |= missing
                line.unconfirmed |= missing
                # One slot per command: a node refuses channels of several slots in one.
                line.connection.push([("SSUBSCRIBE" if "{" in one else "SUBSCRIBE", one) for one in sorted(missing)])
        return complete

    async def _line(self, place: Place) -> _Line:
        known = self._lines.get(place)
        if known is not None and known.connection is not None and known.connection.open:
            return known
        line = _Line(place)
        line.connection = await connect(
            self._view.address_of(place), self._changed.set, on_push=lambda reply: self._receive(line, reply)
        )
        self._counters.reconnects += known is not None
        self._lines[place] = line
        return line

    def _receive(self, line: _Line, reply: Any) -> None:
        if isinstance(reply, Exception):
            self._refused(line, str(reply))
        elif not isinstance(reply, list):
            return
        elif reply[0] in (b"smessage", b"message"):
            self._on_message(reply[1].decode(), reply[2])
        elif reply[0] in (b"ssubscribe", b"subscribe"):
            self._confirmed(line, reply[1].decode())
        elif reply[0] == b"sunsubscribe" and reply[1] is not None:
            line.channels.discard(reply[1].decode())
            self._again()

    def _confirmed(self, line: _Line, channel: str) -> None:
        line.unconfirmed.discard(channel)
        if not any(other.unconfirmed for other in self._lines.values()):
            self._on_gap()

    def _refused(self, line: _Line, error: str) -> None:
        """A node refuses a channel whose slot it does not serve."""
        if refusal(error) is RefusalKind.MOVED:
            slot, host, port = redirection(error)
            self._view.moved(slot, host, port, self._view.address_of(line.place))
        line.channels -= line.unconfirmed
        line.unconfirmed.clear()
        self._again()

    def _again(self) -> None:
        self._view.suspect()
        asyncio.get_running_loop().call_later(_RETRY_S, self._changed.set)

    def _check_silence(self) -> None:
        """On quiet channels only the replies to pings show that a connection is alive."""
        now = asyncio.get_running_loop().time()
        for line in self._lines.values():
            if line.connection is None or not line.connection.open:
                continue
            if now - line.connection.last_received > _SILENCE_S:
                line.close()
                self._changed.set()
            else:
                line.connection.push((("PING",),))
