"""A failover that an operator orders, with Sentinels that answer as the test says."""

import pytest

from shared.bus import store_changes
from shared.bus.address import Address
from shared.bus.store import StoreRefused
from shared.bus.store_address import SentinelAddress

URL = "redis+sentinel://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/tavolata"
OLD, NEW = Address(port=11), Address(port=12)


class FakeSentinels:
    """Sentinels that replace the primary with a given order; they refuse or give up those before it."""

    def __init__(self, patch: pytest.MonkeyPatch, replaces: int, *refusals: str) -> None:
        self.asked: list[int] = []
        """The port of the Sentinel that each order went to."""
        self._replaces = replaces
        self._refusals = list(refusals)
        patch.setattr(store_changes, "SentinelPrimary", self._watch)
        patch.setattr(store_changes, "ask", self._order)
        patch.setattr(store_changes, "_POLL_S", 0.001)
        patch.setattr(store_changes, "_GIVEN_UP_S", 0.02)

    def _watch(self, _address: SentinelAddress) -> "FakeSentinels":
        return self

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def find(self) -> Address:
        return NEW if len(self.asked) >= self._replaces else OLD

    async def _order(self, sentinel: Address, *_words: str) -> None:
        self.asked.append(sentinel.port)
        if self._refusals:
            raise StoreRefused(self._refusals.pop(0))


async def test_a_failover_is_ordered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sentinels = FakeSentinels(monkeypatch, 1)
    assert await store_changes.failover(URL) == str(NEW)
    assert sentinels.asked == [1]


async def test_a_failover_that_the_sentinel_has_given_up_is_ordered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sentinels = FakeSentinels(monkeypatch, 2)
    assert await store_changes.failover(URL) == str(NEW)
    assert sentinels.asked == [1, 1]


async def test_another_sentinel_is_asked_if_one_knows_no_usable_replica(monkeypatch: pytest.MonkeyPatch) -> None:
    sentinels = FakeSentinels(monkeypatch, 2, "NOGOODSLAVE No suitable replica to promote")
    await store_changes.failover(URL)
    assert sentinels.asked == [1, 2]


async def test_no_other_sentinel_is_asked_while_one_carries_a_failover_out(monkeypatch: pytest.MonkeyPatch) -> None:
    sentinels = FakeSentinels(monkeypatch, 2, "INPROG Failover already in progress")
    await store_changes.failover(URL)
    assert sentinels.asked == [1, 1]
