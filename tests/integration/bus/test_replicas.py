"""Durability `replicated`: nothing is shown before replicas have it."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import msgspec
import pytest

from shared.bus import commits, leases, meta, updates, visibility
from shared.bus.address import Address
from shared.bus.client import StoreClient
from shared.bus.commits import Commit, CommitOutcome
from shared.bus.leases import Lease
from shared.bus.meta import IncompatibleStore
from shared.bus.subscription import Subscription
from shared.bus.updates import Wanted
from shared.ids import CommitNumber, Epoch, Offset
from shared.room_views import Position
from tests.support.bus import ANN, LONG_MS, ROOM, P, linked, step_at, taken
from tests.support.valkey import ValkeyServer


@pytest.fixture
async def link(own_valkey: ValkeyServer) -> AsyncIterator[StoreClient]:
    made = await linked(own_valkey.url)
    yield made
    await made.stop()


@pytest.fixture
def replica(own_valkey: ValkeyServer) -> Iterator[ValkeyServer]:
    """A replica that its test starts."""
    server = ValkeyServer(extra=("--replicaof", f"127.0.0.1 {own_valkey.port}", "--repl-ping-replica-period", "1"))
    own_valkey.ask("CONFIG", "SET", "repl-diskless-sync-delay", "0")
    yield server
    server.close()


def commit(lease: Lease, number: int, message: bytes = b"") -> Commit:
    step = msgspec.structs.replace(step_at(number, lease.epoch), commit=CommitNumber(number))
    before, after = f"{number - 1}-0" if number > 1 else "0-0", f"{number}-0"
    messages = (("news", message),) if message else ()
    steps = b"[%b]" % msgspec.json.encode(step)
    return Commit(P, lease, before, after, (), messages, CommitNumber(number), b"[[],[]]", steps)


async def test_a_commit_is_published_when_a_replica_has_it(
    link: StoreClient, replica: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "_WAIT_MS", 20_000)  # a busy machine must not fail the test
    replica.start()
    lease = await taken(link)
    received, subscribed = asyncio.Queue[bytes](), asyncio.Event()
    subscriber = Subscription(Address.parse(f"redis://127.0.0.1:{link.address.port if link.address else 0}"))
    subscriber.start(("news",), lambda _channel, data: received.put_nowait(data), subscribed.set)
    await subscribed.wait()
    await meta.check_replicas(link, 1)
    assert await commits.commit(link, [commit(lease, 1, b"1")], replicas=1) == [CommitOutcome.OK]
    assert await received.get() == b"[1]"
    await subscriber.stop()


async def test_a_commit_without_a_replica_is_written_and_stays_invisible(link: StoreClient) -> None:
    lease = await taken(link)
    (outcome,) = await commits.commit(link, [commit(lease, 1, b"1")], replicas=1)
    assert "too few replicas" in outcome
    assert await link.call("XLEN", P.updates_log) == 1
    assert await link.call("HGET", P.owner, "visible") is None


async def test_a_partition_is_not_taken_while_its_last_commits_are_on_no_replica(
    link: StoreClient, replica: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = await taken(link)
    await commits.commit(link, [commit(lease, 1)], replicas=1)
    assert await leases.take(link, [P], ANN, LONG_MS, replicas=1) == [None]
    replica.start()
    await meta.check_replicas(link, 1)
    monkeypatch.setattr(leases, "_WAIT_MS", 20_000)
    (again,) = await leases.take(link, [P], ANN, LONG_MS, replicas=1)
    assert again is not None
    assert again.commit == 1


async def test_missed_steps_end_at_the_last_visible_commit(link: StoreClient) -> None:
    lease = await taken(link)
    await commits.commit(link, [commit(lease, number) for number in (1,)])
    await commits.commit(link, [commit(lease, 2)])
    await commits.commit(link, [commit(lease, 3)])
    await link.call(*visibility.revealing(P, lease.token, 2))
    wanted = [Wanted(P, ROOM, Position(Epoch(lease.epoch), Offset(1)), CommitNumber(1))]
    (shown,) = await visibility.missed(link, wanted, 100)
    (written,) = await updates.missed(link, wanted, 100)
    assert [step.offset for step in shown.steps] == [2]
    assert [step.offset for step in written.steps] == [2, 3]
    assert not shown.lost


async def test_a_reader_goes_on_when_everything_it_has_read_is_visible(link: StoreClient) -> None:
    lease = await taken(link)
    await commits.commit(link, [commit(lease, 1)])

    async def read() -> None:
        async with visibility.visible_reads(link, [P]):
            pass

    reading = asyncio.create_task(read())
    while not reading.done():
        assert await link.call("HGET", P.owner, "visible") is None
        await link.call(*visibility.revealing(P, lease.token, 1))
        await reading
    assert reading.done()


async def test_only_the_owner_makes_a_commit_visible(link: StoreClient) -> None:
    lease = await taken(link)
    assert await link.call(*visibility.revealing(P, "another token", 7)) == [0]
    assert await link.call(*visibility.revealing(P, lease.token, 7)) == [1]
    assert await link.call(*visibility.revealing(P, lease.token, 6)) == [1]
    assert await link.call("HGET", P.owner, "visible") == b"7"


async def test_a_process_does_not_start_without_enough_replicas(
    link: StoreClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meta, "_REPLICAS_S", 0.01)
    with pytest.raises(IncompatibleStore, match="needs 1 replicas"):
        await meta.check_replicas(link, 1)
