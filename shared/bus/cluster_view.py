"""The view of a Cluster that a process shares: asks its nodes regularly which of them serves which slot."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

from shared.bus.address import Address
from shared.bus.cluster_map import ClusterMap, Place, parse_slots
from shared.bus.connection import FIRST_PAUSE_S, StoreConnection, connect
from shared.bus.store import StoreDown, StoreError, StoreRefused
from shared.bus.store_address import ClusterAddress
from shared.bus.store_counters import StoreCounters
from shared.runtime.events import set_within

log = logging.getLogger("tavolata.cluster")

_POLL_S = 1.0
_SHORTEST_POLL_S = 0.1
_ANSWER_S = 1.0
_START_S = 5.0


class ClusterView:
    """The nodes and slots of one Cluster."""

    def __init__(self, address: ClusterAddress, counters: StoreCounters | None = None) -> None:
        self.map = ClusterMap(counters=counters or StoreCounters())
        self._address = address
        self._connection: StoreConnection | None = None
        self._asked: Place = (address.nodes[0].host, address.nodes[0].port)
        self._epoch = 0
        self._look = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def address_of(self, place: Place) -> Address:
        return self._address.at(*place)

    async def start(self) -> None:
        """Read the slots for the first time; raises `StoreError`."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _START_S
        while True:
            try:
                await self.refresh()
                break
            except StoreError:
                if loop.time() > end:
                    raise
                await asyncio.sleep(FIRST_PAUSE_S)
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._leave()

    def suspect(self) -> None:
        """Something has shown that the map may be out of date: look soon."""
        self._look.set()

    def moved(self, slot: int, host: str, port: int, by: Address) -> Place:
        """A node has named the node of a slot; without a host, it is on the machine of the node that answered."""
        place = (host or by.host, port)
        self.map.moved(slot, place)
        self.suspect()
        return place

    async def refresh(self) -> None:
        """Ask one node for the slots; raises `StoreError` if none gives a usable answer."""
        refused: StoreError = StoreDown(f"no node of the Cluster at {self._address} answers")
        for place in self._places():
            try:
                info, slots = await self._ask(place)
            except StoreRefused as error:
                refused = error
                continue
            except StoreError:
                continue
            fields = dict(line.split(":", 1) for line in info.decode().splitlines() if ":" in line)
            epoch = int(fields.get("cluster_current_epoch", "0"))
            # A node that is cut off from the majority has missed a failover: its epoch stays behind. While no majority
            # serves all slots, its report is of no use either.
            if fields.get("cluster_state") != "ok" or epoch < self._epoch:
                refused = StoreDown("the Cluster is down: not every slot has a primary that most nodes can reach")
                self._leave()
                continue
            self._epoch = epoch
            self.map.learn(parse_slots(slots, place[0]))
            return
        raise refused

    def _places(self) -> Iterator[Place]:
        """The nodes to ask: the one that answered last, the other primaries, those of the URL."""
        seeds = [(one.host, one.port) for one in self._address.nodes]
        yield from dict.fromkeys((self._asked, *self.map.primaries(), *seeds))

    async def _ask(self, place: Place) -> list[Any]:
        if self._connection is None or not self._connection.open or self._asked != place:
            self._leave()
            self._asked = place
            self._connection = await connect(self.address_of(place), lambda: None, timeout_s=_ANSWER_S)
        try:
            async with asyncio.timeout(_ANSWER_S):
                replies = await self._connection.request((("CLUSTER", "INFO"), ("CLUSTER", "SLOTS")))
        except TimeoutError:
            self._leave()
            raise StoreDown(f"the node at {place[0]}:{place[1]} does not answer") from None
        for reply in replies:
            if isinstance(reply, Exception):
                raise StoreRefused(f"the store at {place[0]}:{place[1]} is not a Cluster: {reply}")
        return replies

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.abort()
            self._connection = None

    async def _follow(self) -> None:
        while True:
            await set_within(self._look, _POLL_S)
            self._look.clear()
            try:
                await self.refresh()
            except StoreError as error:
                log.debug("%s", error)
                self._look.set()
            await asyncio.sleep(_SHORTEST_POLL_S)
