"""The primary of a store that Sentinels watch: asks them for its address and notices when they name another one.

`ROLE` alone proves nothing: a primary that comes back after a failover answers `master` until a Sentinel makes it a
replica. So the address is the one that a majority of the Sentinels names, and `ROLE` is asked besides, of the server
itself, because the Sentinels may not have noticed yet that it was restarted as a replica.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shared.bus.address import Address
from shared.bus.client import StoreClient
from shared.bus.connection import FIRST_PAUSE_S, Check
from shared.bus.store import StoreDown, StoreError
from shared.bus.store_address import SentinelAddress
from shared.bus.store_counters import StoreCounters
from shared.bus.subscription import Subscription
from shared.runtime.events import set_within

log = logging.getLogger("tavolata.sentinel")

_POLL_S = 1.0
"""Pause between two questions to the Sentinels. Their message about a failover comes sooner, unless it is lost."""
_ANSWER_S = 1.0
_CONNECT_S = 3.0
_SWITCHED = "+switch-master"
_UNUSABLE = {"s_down", "o_down", "disconnected"}
"""Flags of a primary that a Sentinel cannot reach. A primary that returns in the middle of a vote still is the one that
the Sentinels name, and is about to be replaced."""
_REPLACED = "failover_in_progress"
"""Flag of a primary whose replacement has begun. Only the Sentinel that makes the failover sets it, before it promotes
a replica; the others still name the old primary, which may still answer."""


def _not_primary(reply: Any) -> str:
    role = reply[0].decode()
    return "" if role == "master" else f"its role is {role}"


PRIMARY: Check = (("ROLE",), _not_primary)


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer of a Sentinel."""

    address: Address | None
    """The primary that it names; None if it cannot reach that one."""
    replaced: bool


def named_by_majority(answers: Sequence[Address | None]) -> Address | None:
    """The primary that more than half of all Sentinels name. Those that did not answer (None) count, too: a minority
    may be cut off together with the old primary."""
    votes = Counter(answer for answer in answers if answer is not None)
    for address, count in votes.most_common(1):
        if 2 * count > len(answers):
            return address
    return None


class SentinelPrimary:
    """An `Endpoint` whose server changes with every failover."""

    def __init__(self, address: SentinelAddress, counters: StoreCounters | None = None) -> None:
        self._address = address
        self._counters = counters or StoreCounters()
        self._sentinels = [StoreClient(one, silence_s=2 * _ANSWER_S) for one in address.sentinels]
        self._news = [Subscription(one) for one in address.sentinels]
        self._followers: list[Callable[[Address], None]] = []
        self._look = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._known: Address | None = None

    async def start(self) -> None:
        """Connect to as many Sentinels as answer, and begin to follow them."""
        for sentinel in self._sentinels:
            sentinel.start_soon()
        await asyncio.gather(*(sentinel.wait_until_up(_CONNECT_S) for sentinel in self._sentinels))
        await self._wait_for_majority()
        for news in self._news:
            news.start((_SWITCHED,), lambda _channel, _message: self._look.set(), self._look.set)
        self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await asyncio.gather(*(news.stop() for news in self._news), *(one.stop() for one in self._sentinels))

    async def _wait_for_majority(self) -> None:
        """Give Sentinels that have just been started, or that are in the middle of a failover, time to agree."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _CONNECT_S
        while loop.time() < end:
            try:
                await self.find()
                return
            except StoreDown as error:
                log.debug("%s", error)
                await asyncio.sleep(FIRST_PAUSE_S)

    def follow(self, moved: Callable[[Address], None]) -> None:
        """Call `moved` with the address of each new primary."""
        self._followers.append(moved)

    async def find(self) -> Address:
        """The address that a majority of the Sentinels names; raises `StoreDown`."""
        answers = await asyncio.gather(*(self._ask(sentinel) for sentinel in self._sentinels))
        found = named_by_majority([None if one is None else one.address for one in answers])
        if found is None:
            raise StoreDown(f"no majority of the Sentinels names a reachable primary of {self._address}")
        if any(one is not None and one.replaced and one.address == found for one in answers):
            raise StoreDown(f"the primary of {self._address} at {found} is being replaced")
        return found

    async def is_primary(self, address: Address) -> bool:
        try:
            return await self.find() == address
        except StoreDown as error:
            log.info("%s", error)
            return False

    async def _ask(self, sentinel: StoreClient) -> "_Answer | None":
        """The answer of a Sentinel; None if it gives none."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                reply = await sentinel.call("SENTINEL", "MASTER", self._address.service)
        except (StoreError, TimeoutError) as error:
            log.debug("a Sentinel did not answer: %s", error)
            return None
        fields = {reply[at].decode(): reply[at + 1].decode() for at in range(0, len(reply), 2)}
        flags = set(fields["flags"].split(","))
        usable = not flags & _UNUSABLE
        return _Answer(self._address.at(fields["ip"], int(fields["port"])) if usable else None, _REPLACED in flags)

    async def _watch(self) -> None:
        while True:
            await set_within(self._look, _POLL_S)
            self._look.clear()
            try:
                address = await self.find()
            except StoreDown as error:
                log.debug("%s", error)
                continue
            self._note(address)

    def _note(self, address: Address) -> None:
        if self._known is not None and address != self._known:
            log.warning("the primary of %s is now %s", self._address.service, address)
            self._counters.failovers += 1
        self._known = address
        # Also without a change: a connection to another server may have been made while the Sentinels disagreed.
        for moved in self._followers:
            moved(address)
