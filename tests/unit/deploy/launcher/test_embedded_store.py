"""The topology that a data folder has, and the files of replicated stores."""

from pathlib import Path

import pytest

from deploy.errors import USAGE, CommandError
from deploy.launcher import embedded_store
from deploy.launcher.cluster_store import ClusterStore
from deploy.launcher.embedded_store import EmbeddedStore, StandaloneStore, StoreRequest, Topology, topology_in
from deploy.launcher.sentinel_store import SentinelStore
from tests.support.free_ports import free_port


def request(folder: Path) -> StoreRequest:
    return StoreRequest(folder=folder, port=free_port(), appendfsync="always", maxmemory=0, down_after_ms=1_000, env={})


def test_a_new_folder_gets_the_wanted_topology_or_one_server(tmp_path: Path) -> None:
    assert topology_in(tmp_path, "auto") is Topology.STANDALONE
    assert topology_in(tmp_path, "cluster") is Topology.CLUSTER


def test_a_folder_keeps_its_topology(tmp_path: Path) -> None:
    embedded_store.keep_topology(tmp_path, Topology.SENTINEL)
    assert topology_in(tmp_path, "auto") is Topology.SENTINEL
    assert topology_in(tmp_path, "sentinel") is Topology.SENTINEL
    with pytest.raises(CommandError, match="was started with --store sentinel") as caught:
        topology_in(tmp_path, "cluster")
    assert caught.value.code == USAGE


def test_a_folder_of_an_earlier_release_has_one_server(tmp_path: Path) -> None:
    StandaloneStore.planned(request(tmp_path), 8200).write_files()
    with pytest.raises(CommandError, match="was started with --store standalone"):
        topology_in(tmp_path, "sentinel")


@pytest.mark.parametrize("kind", [SentinelStore, ClusterStore])
def test_all_files_are_private_and_the_users_are_kept(kind: type[SentinelStore | ClusterStore], tmp_path: Path) -> None:
    store: EmbeddedStore = kind.planned(request(tmp_path))
    store.write_files()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    again = kind.planned(request(tmp_path))
    assert again.config.users == kind.planned(request(tmp_path)).config.users


def test_servers_with_data_but_without_sentinels_are_refused(tmp_path: Path) -> None:
    (tmp_path / "valkey-2" / "appendonlydir").mkdir(parents=True)
    with pytest.raises(CommandError, match="the primary of the store is not known"):
        SentinelStore.planned(request(tmp_path))
