"""Commits while the slot of their partition moves to another server of a Cluster, key by key: all or nothing."""

import asyncio
from collections.abc import Iterator
from contextlib import closing

import pytest
from redis import Redis

from shared.bus import commits
from shared.bus.client import StoreClient
from shared.bus.commits import Commit
from shared.bus.leases import Lease
from shared.bus.store import RedisCommand
from shared.ids import CommitNumber, GatewayId, RoomId
from tests.support.bus import ROOM, P, linked, taken
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually

G1 = GatewayId("g-1")


@pytest.fixture
def two_servers() -> Iterator[tuple[ValkeyServer, ValkeyServer]]:
    """A Cluster whose first server owns all slots."""
    with closing(ValkeyServer(cluster=True).start()) as one, closing(ValkeyServer(cluster=True).start()) as other:
        assert other.ask("CLUSTER", "FLUSHSLOTS") == b"OK"
        assert one.ask("CLUSTER", "MEET", "127.0.0.1", str(other.port), str(other.config.cluster_port)) == b"OK"
        eventually(lambda: _ready(one) and _ready(other), "the servers have met")
        yield one, other


def _ready(server: ValkeyServer) -> bool:
    info = server.ask("CLUSTER", "INFO")
    return b"cluster_known_nodes:2" in info and b"cluster_state:ok" in info


class Writer:
    """Commits one batch after the other, and remembers which of them were written."""

    def __init__(self, store: StoreClient, lease: Lease) -> None:
        self._store = store
        self._lease = lease
        self.tried = 0
        self.written: list[int] = []
        self.refusals: set[str] = set()

    async def commit(self, new_room: RoomId = ROOM) -> None:
        self.tried += 1
        number = self.tried
        writes: list[RedisCommand] = [
            ("SADD", P.gateways, number),
            ("XADD", P.journal(new_room), f"{number}-0", "b", "[]"),
            ("SET", P.snapshot(new_room), number),
            ("HSET", P.directory, number, "x"),
            ("SADD", P.at(G1), number),
        ]
        before = f"{self.written[-1]}-0" if self.written else "0-0"
        commit = Commit(P, self._lease, before, f"{number}-0", writes, (), CommitNumber(number), b"[[],[]]", b"[]")
        (outcome,) = await commits.commit(self._store, [commit])
        if outcome == "OK":
            self.written.append(number)
        else:
            self.refusals.add(outcome.partition(" ")[0])


async def test_a_commit_is_never_torn_while_its_slot_migrates(two_servers: tuple[ValkeyServer, ValkeyServer]) -> None:
    one, other = two_servers
    store = await linked(one.url)
    writer = Writer(store, await taken(store))
    await writer.commit()
    await writer.commit()
    assert writer.written == [1, 2]
    slot = str(one.ask("CLUSTER", "KEYSLOT", P.owner))
    ids = {server: server.ask("CLUSTER", "MYID").decode() for server in (one, other)}
    assert other.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[one]) == b"OK"
    assert one.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[other]) == b"OK"
    keys = [key.decode() for key in one.ask("CLUSTER", "GETKEYSINSLOT", slot, "100")]
    assert len(keys) >= 8
    await writer.commit()
    await writer.commit(RoomId(ROOM + 4))  # a key that does not exist might exist at the other server
    for key in sorted(keys):
        assert one.ask("MIGRATE", "127.0.0.1", str(other.port), key, "0", "5000") == b"OK"
        await writer.commit()
        await writer.commit(RoomId(ROOM + 8))
    for server in (other, one):
        assert server.ask("CLUSTER", "SETSLOT", slot, "NODE", ids[other]) == b"OK"
    await writer.commit()
    await store.stop()
    await asyncio.to_thread(_check, other, writer)


def _check(server: ValkeyServer, writer: Writer) -> None:
    """Each place of the store has exactly the commits that were acknowledged."""
    assert writer.refusals == {"TRYAGAIN", "ASK", "MOVED"}
    assert writer.written == [1, 2, 3]
    with closing(Redis(port=server.port, decode_responses=True)) as found:
        numbers = [str(number) for number in writer.written]
        for stream in (P.journal_log, P.updates_log, P.journal(ROOM)):
            assert [str(name).partition("-")[0] for name, _ in found.xrange(stream) or ()] == numbers
        assert found.smembers(P.gateways) == found.smembers(P.at(G1)) == {*numbers}
        assert set(found.hkeys(P.directory)) == {*numbers}
        assert found.get(P.snapshot(ROOM)) == numbers[-1]
        assert found.hmget(P.owner, "cursor", "commit") == [f"{numbers[-1]}-0", numbers[-1]]
        assert not found.exists(P.journal(RoomId(ROOM + 4)))
        assert not found.exists(P.journal(RoomId(ROOM + 8)))
