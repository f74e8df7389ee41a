"""The time at which a dead server of the store is started again."""

import pytest

from deploy.launcher import failovers
from deploy.launcher.cluster_store import outlook
from deploy.launcher.failovers import Outlook, wait_for_failover
from shared.bus import cluster_nodes

BEFORE = """\
a1 127.0.0.1:8200@1 master,fail - 0 0 1 disconnected 0-5460
b1 127.0.0.1:8203@1 {flags} a1 0 0 1 connected
c1 127.0.0.1:8201@1 myself,master - 0 0 2 connected 5461-16383
"""
AFTER = """\
a1 127.0.0.1:8200@1 master,fail - 0 0 1 disconnected
b1 127.0.0.1:8203@1 master - 0 0 3 connected 0-5460
c1 127.0.0.1:8201@1 myself,master - 0 0 2 connected 5461-16383
"""


def views(*texts: str) -> list[list[cluster_nodes.ClusterNode]]:
    return [cluster_nodes.parse(text) for text in texts]


def test_a_primary_with_a_live_replica_waits_until_all_others_know_its_successor() -> None:
    waiting = BEFORE.format(flags="slave")
    assert outlook(8200, views(waiting, waiting)) is Outlook.EXPECTED
    assert outlook(8200, views(AFTER, waiting)) is Outlook.EXPECTED
    assert outlook(8200, views(AFTER, AFTER)) is Outlook.OVER


def test_a_primary_whose_replica_is_dead_too_returns_at_once() -> None:
    assert outlook(8200, views(BEFORE.format(flags="slave,fail"))) is Outlook.IMPOSSIBLE


def test_a_replica_returns_at_once() -> None:
    assert outlook(8203, views(BEFORE.format(flags="slave,fail"))) is Outlook.OVER


def test_a_server_without_others_returns_at_once() -> None:
    assert outlook(8200, []) is Outlook.OVER


@pytest.fixture
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failovers, "POLL_S", 0.0)


@pytest.mark.parametrize("last", [Outlook.OVER, Outlook.IMPOSSIBLE])
@pytest.mark.usefixtures("_no_pauses")
async def test_the_wait_ends_when_no_failover_is_expected_any_more(last: Outlook) -> None:
    seen = iter([Outlook.EXPECTED, Outlook.EXPECTED, last])

    async def look() -> Outlook:
        return next(seen)

    await wait_for_failover(look)
    assert next(seen, None) is None


async def test_a_failover_that_does_not_come_is_not_awaited_forever() -> None:
    looks = 0

    async def look() -> Outlook:
        nonlocal looks
        looks += 1
        return Outlook.EXPECTED

    await wait_for_failover(look, limit_s=0)
    assert looks == 1
