"""The contract of the bus holds on every kind of store. `make test` runs the contract on fakeredis, a Valkey and a
Cluster of one node; `make verify` (TAVOLATA_TOPOLOGIES=all) also with Sentinels, on a Cluster of six nodes, and on the
Redis of the machine if it has one."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from deploy.launcher import store as launcher_store
from deploy.launcher.die_with_parent import bound_to_parent
from shared.bus import store_address
from shared.bus.store import Store
from shared.bus.topology import topology_of
from tests.support.bus import own_prefix
from tests.support.fake_store import FakeStore
from tests.support.free_ports import free_port
from tests.support.sentinels import SentinelServers
from tests.support.valkey import ValkeyServer
from tests.support.valkey_cluster import ClusterServers
from tests.support.waiting import eventually

ONE_SERVER = ("fakeredis", "valkey")
KINDS: tuple[str, ...] = (*ONE_SERVER, "cluster")
if os.environ.get("TAVOLATA_TOPOLOGIES") == "all":
    KINDS += ("sentinel", "six_nodes", "redis")


@pytest.fixture(scope="session")
def sentinel_servers() -> Iterator[SentinelServers]:
    with SentinelServers() as servers:
        yield servers


@pytest.fixture(scope="session")
def cluster_servers() -> Iterator[ClusterServers]:
    with ClusterServers() as servers:
        yield servers


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis, which is not the Valkey that the other servers are."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("this machine has no redis-server")
    folder: Path = tmp_path_factory.mktemp("redis")
    port = free_port()
    options = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--appendonly", "yes", "--save", "")
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(bound_to_parent([program, *options]), stdout=log, stderr=log)
    url = f"redis://127.0.0.1:{port}/0"
    eventually(lambda: launcher_store.answers(url), "Redis answers")
    yield url
    process.kill()
    process.wait()


def _url(kind: str, request: pytest.FixtureRequest) -> str:
    match kind:
        case "valkey":
            server: ValkeyServer = request.getfixturevalue("valkey_server")
            return server.url
        case "cluster":
            node: ValkeyServer = request.getfixturevalue("valkey_cluster_server")
            return f"redis+cluster://127.0.0.1:{node.port}"
        case "sentinel":
            sentinels: SentinelServers = request.getfixturevalue("sentinel_servers")
            return sentinels.url
        case "six_nodes":
            nodes: ClusterServers = request.getfixturevalue("cluster_servers")
            return nodes.url
    url: str = request.getfixturevalue("redis_url")
    return url


async def _opened(kind: str, request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    if kind == "fakeredis":
        yield FakeStore()
        return
    topology = topology_of(store_address.parse(_url(kind, request)))
    with own_prefix():
        await topology.start()
        link = topology.store()
        await link.start()
        yield link
        await link.stop()
        await topology.stop()


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    async for opened in _opened(request.param, request):
        yield opened


@pytest.fixture(params=ONE_SERVER)
async def one_server(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """Not a Cluster, where every partition is committed by itself."""
    async for opened in _opened(request.param, request):
        yield opened
