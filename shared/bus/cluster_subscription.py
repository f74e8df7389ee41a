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


class _NodeSubscription:
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
        self._nodes: dict[Place, _NodeSubscription] = {}
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
        for node in self._nodes.values():
            node.close()
        self._nodes.clear()

    async def _run(self, channels: tuple[str, ...]) -> None:
        while True:
            self._changed.clear()
            complete = await self._subscribe(self._wanted(channels))
            if not await set_within(self._changed, _PING_S if complete else _RETRY_S):
                self._check_silence()

    def _wanted(self, channels: Iterable[str]) -> dict[Place, set[str]]:
        """The channels of each node."""
        primaries = self._view.map.primaries()
        if self._home not in primaries or self._home not in self._nodes:
            self._home = next((place for place in primaries if place in self._nodes), None)
            self._home = self._home or next(iter(primaries), None)
        wanted: dict[Place, set[str]] = {}
        for channel in channels:
            place = self._view.map.place_of(slot_of(channel)) if "{" in channel else self._home
            if place is not None:
                wanted.setdefault(place, set()).add(channel)
        return wanted

    async def _subscribe(self, wanted: dict[Place, set[str]]) -> bool:
        """Subscribe what is not subscribed yet; False if a node cannot be reached."""
        for place in self._nodes.keys() - wanted.keys():
            self._nodes.pop(place).close()
        complete = True
        for place, channels in wanted.items():
            try:
                node = await self._node(place)
            except StoreError as error:
                log.debug("cannot subscribe: %s", error)
                self._view.suspect()
                complete = False
                continue
            node.channels &= channels
            node.unconfirmed &= channels
            missing = channels - node.channels
            if missing and node.connection is not None:
                node.channels |= missing
                node.unconfirmed |= missing
                # One slot per command: a node refuses channels of several slots in one.
                node.connection.push([("SSUBSCRIBE" if "{" in one else "SUBSCRIBE", one) for one in sorted(missing)])
        return complete

    async def _node(self, place: Place) -> _NodeSubscription:
        known = self._nodes.get(place)
        if known is not None and known.connection is not None and known.connection.open:
            return known
        node = _NodeSubscription(place)
        node.connection = await connect(
            self._view.address_of(place), self._changed.set, on_push=lambda reply: self._receive(node, reply)
        )
        self._counters.reconnects += known is not None
        self._nodes[place] = node
        return node

    def _receive(self, node: _NodeSubscription, reply: Any) -> None:
        if isinstance(reply, Exception):
            self._refused(node, str(reply))
        elif not isinstance(reply, list):
            return
        elif reply[0] in (b"smessage", b"message"):
            self._on_message(reply[1].decode(), reply[2])
        elif reply[0] in (b"ssubscribe", b"subscribe"):
            self._confirmed(node, reply[1].decode())
        elif reply[0] == b"sunsubscribe" and reply[1] is not None:
            node.channels.discard(reply[1].decode())
            self._retry_soon()

    def _confirmed(self, node: _NodeSubscription, channel: str) -> None:
        node.unconfirmed.discard(channel)
        if not any(other.unconfirmed for other in self._nodes.values()):
            self._on_gap()

    def _refused(self, node: _NodeSubscription, error: str) -> None:
        """A node refuses a channel whose slot it does not serve."""
        if refusal(error) is RefusalKind.MOVED:
            slot, host, port = redirection(error)
            self._view.moved(slot, host, port, self._view.address_of(node.place))
        node.channels -= node.unconfirmed
        node.unconfirmed.clear()
        self._retry_soon()

    def _retry_soon(self) -> None:
        self._view.suspect()
        asyncio.get_running_loop().call_later(_RETRY_S, self._changed.set)

    def _check_silence(self) -> None:
        """On quiet channels only the replies to pings show that a connection is alive."""
        now = asyncio.get_running_loop().time()
        for node in self._nodes.values():
            if node.connection is None or not node.connection.open:
                continue
            if now - node.connection.last_received > _SILENCE_S:
                node.close()
                self._changed.set()
            else:
                node.connection.push((("PING",),))
