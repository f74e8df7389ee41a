"""Acts of operators on real processes: each holds although its worker and its gateway are killed right after the
acknowledgement, and the audit equals the journals."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from deploy.errors import CommandError
from deploy.ops.client import OperatorClient
from gateway.http.named_operators import NamedOperator, Role, hashed
from shared.bus import audit, journal, keys, partition_log
from shared.bus.address import Address
from shared.bus.client import StoreClient
from shared.bus.scripts import LOADING
from shared.ids import LOBBY, RoomId, partition_of
from shared.journal_records import Acted
from tests.e2e.conftest import NewPlayer
from tests.support.cluster import HOST, PARTITIONS, QUICK, Cluster, Node
from tests.support.stones import StonesTable
from tests.support.waiting import eventually_async

OLGA, VIC = "the-token-of-olga", "the-token-of-vic"
KEYS = keys.all_keys(PARTITIONS)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    file = tmp_path_factory.mktemp("operators") / "operators"
    known = (NamedOperator("olga", Role.OPERATE, hashed(OLGA)), NamedOperator("vic", Role.VIEW, hashed(VIC)))
    file.write_text("\n".join(one.line() for one in known))
    with Cluster(away_ms=600_000, operators=str(file), **QUICK) as running:
        yield running.start()


@pytest.fixture
def whole(cluster: Cluster) -> Cluster:
    cluster.mend()
    return cluster


def operator(gateway: Node, token: str = OLGA) -> OperatorClient:
    return OperatorClient(f"http://{HOST}:{gateway.ops_port}", token)


async def order_and_kill(cluster: Cluster, owner: Node, path: str, act: str, **subject: str) -> None:
    """Order an act, kill the gateway and the worker as soon as it is acknowledged, and start them again."""
    gateway = cluster.gateways[1]
    done = await asyncio.to_thread(operator(gateway).post, path, {"id": act, "reason": "a trial", **subject})
    owner.kill()
    gateway.kill()
    assert done["id"] == act
    cluster.mend()
    again = await asyncio.to_thread(
        operator(cluster.gateways[0]).post, path, {"id": act, "reason": "a trial", **subject}
    )
    assert again["id"] == act


async def compare(cluster: Cluster, *rooms: int) -> list[str]:
    """Compare the audit with the journals of these rooms and of the lobby; the ids of all acts, oldest first."""
    store = StoreClient(Address.parse(cluster.store.url), greeting=LOADING)
    await store.start()
    try:
        page = await audit.read(store, KEYS, 1_000)
        audited = [
            (one.entry.room, one.entry.offset, one.entry.number, one.entry.act, one.entry.players, one.entry.code)
            for one in reversed(page.acts)
        ]
        for room in (LOBBY, *map(RoomId, rooms)):
            assert [entry for entry in audited if entry[0] == room] == await _journaled(store, room)
    finally:
        await store.stop()
    return [entry[3].id for entry in audited]


async def _journaled(store: StoreClient, room: RoomId) -> list[Any]:
    partition = KEYS[partition_of(room, PARTITIONS)]
    (unwritten,) = await partition_log.unwritten(store, [partition])
    written = [entry async for some in journal.portions(store, partition, room) for entry in some]
    return [
        (room, offset, number, note.act, note.players, record.code)
        for offset, number, record in (*written, *unwritten.records(room))
        for note in record.notes
        if isinstance(note, Acted)
    ]


async def quarantine(cluster: Cluster, room: int) -> None:
    """Mark a room; its next owner finds the mark."""
    with cluster.redis() as store:
        store.hset(KEYS[partition_of(RoomId(room), PARTITIONS)].quarantine, str(room), "a trial")
    cluster.owner(room).kill()
    cluster.mend()


async def test_each_act_holds_after_its_processes_are_killed_and_the_audit_equals_the_journal(
    whole: Cluster, new_player: NewPlayer
) -> None:
    first = whole.gateways[0]
    tables = [await StonesTable.open(await new_player(first), await new_player(first)) for _ in range(3)]
    closed, reduced, freed = (table.room for table in tables)

    await order_and_kill(whole, whole.owner(closed), f"rooms/{closed}/close", "a-close")
    ada = tables[0].players[0]
    await eventually_async(lambda: "room.closed" in ada.rooms[closed].kinds(), "the players see the end")
    assert operator(first).get(f"rooms/{closed}")["status"] == "closed"

    bob = tables[1].players[1]
    await order_and_kill(whole, whole.owner(reduced), f"rooms/{reduced}/remove", "a-remove", player=bob.name)
    await eventually_async(lambda: bob.rooms[reduced].events[-1]["type"] == "room.left", "the player sees the removal")
    assert [seat["left"] for seat in operator(first).get(f"rooms/{reduced}")["seats"]] == [False, True]

    await quarantine(whole, freed)
    assert operator(first).get(f"rooms/{freed}")["quarantine"] == "a trial"
    await order_and_kill(whole, whole.owner(freed), f"rooms/{freed}/free", "a-free")
    assert operator(first).get(f"rooms/{freed}")["quarantine"] is None
    await tables[2].moves(2)

    cid = tables[2].players[0]
    await order_and_kill(whole, whole.owner(LOBBY), "revoke", "a-revoke", name=cid.name)
    await eventually_async(lambda: cid.closed is not None and cid.closed[0] == 4004, "the connection is closed")
    await cid.connect(first.url)
    assert (await cid.hello(token=cid.token))["code"] == "token/revoked"

    ids = await compare(whole, closed, reduced, freed)
    assert ids[-4:] == ["a-close", "a-remove", "a-free", "a-revoke"]


async def test_a_drain_holds_and_is_audited(whole: Cluster, new_player: NewPlayer) -> None:
    status = next(iter(whole.shares().values()))
    victim = next(worker for worker in whole.workers if worker.pid == status["pid"])
    known = operator(whole.gateways[0]).get("cluster")["workers"]
    process = next(one["id"] for one in known if one["live"] and one["pid"] == victim.pid)
    await asyncio.to_thread(operator(whole.gateways[1]).post, "drain", {"id": "a-drain", "process": process})
    whole.gateways[1].kill()
    await eventually_async(lambda: not victim.alive, "the worker stops")
    whole.mend()
    assert (await compare(whole))[-1] == "a-drain"


@pytest.mark.parametrize("path", ["rooms/1000/close", "rooms/1000/remove", "rooms/1000/free", "revoke", "drain"])
async def test_the_wrong_role_is_refused(whole: Cluster, path: str) -> None:
    body = {"reason": "x", "id": "a", "player": "p", "name": "p", "process": "p"}
    with pytest.raises(CommandError, match="ops/role"):
        await asyncio.to_thread(operator(whole.gateways[0], VIC).post, path, body)
