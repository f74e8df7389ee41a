"""The configuration files of a store with Sentinel, and what they say after a failover."""

from pathlib import Path

import pytest

from deploy.launcher.sentinel_set import SentinelSet
from deploy.launcher.store_users import CLIENTS, REPLICA, ROLES, SENTINEL, StoreUsers

USERS = StoreUsers({role: f"secret-{role}" for role in ROLES})


@pytest.fixture
def servers(tmp_path: Path) -> SentinelSet:
    return SentinelSet(folder=tmp_path, users=USERS, servers=(8200, 8201, 8202), sentinels=(8210, 8211, 8212))


def write_all(servers: SentinelSet, primary: int) -> None:
    for number in range(3):
        servers.server_folder(number).mkdir()
        servers.sentinel_folder(number).mkdir()
        (servers.server_folder(number) / "valkey.conf").write_text(servers.server_file(number, primary))
        (servers.sentinel_folder(number) / "sentinel.conf").write_text(servers.sentinel_file(number, primary))


def test_the_url_names_all_sentinels_and_the_login_of_the_role(servers: SentinelSet) -> None:
    assert servers.url("worker") == (
        "redis+sentinel://worker:secret-worker@127.0.0.1:8210,127.0.0.1:8211,127.0.0.1:8212/tavolata"
        "?sentinel_password=secret-worker"
    )


def test_all_servers_but_the_primary_are_replicas_that_log_in(servers: SentinelSet) -> None:
    texts = [servers.server_file(number, 1).splitlines() for number in range(3)]
    assert ["replicaof 127.0.0.1 8201" in text for text in texts] == [True, False, True]
    for text in texts:
        assert f'masteruser "{REPLICA}"' in text
        assert f'masterauth "secret-{REPLICA}"' in text
        assert 'appendfsync "always"' in text


def test_sentinels_know_the_servers_and_each_other_from_the_start(servers: SentinelSet) -> None:
    text = servers.sentinel_file(0, 2)
    assert "sentinel monitor tavolata 127.0.0.1 8202 2\n" in text
    assert "sentinel down-after-milliseconds tavolata 1000\n" in text
    assert "sentinel failover-timeout tavolata 5000\n" in text
    assert "known-replica tavolata 127.0.0.1 8200\n" in text
    assert "known-replica tavolata 127.0.0.1 8202\n" not in text
    assert "known-sentinel tavolata 127.0.0.1 8211 " in text
    assert "known-sentinel tavolata 127.0.0.1 8210 " not in text
    assert f"sentinel auth-pass tavolata secret-{SENTINEL}\n" in text


def test_clients_may_only_ask_sentinels(servers: SentinelSet) -> None:
    [line] = [line for line in servers.sentinel_file(0, 0).splitlines() if line.startswith("user default ")]
    words = line.split()
    assert {f">secret-{role}" for role in CLIENTS} <= set(words)
    assert "-@all" in words
    assert not {"+@all", "+sentinel", "+sentinel|failover", "+sentinel|set", "+shutdown"} & set(words)


def test_the_last_primary_is_the_one_of_the_sentinel_with_the_newest_configuration(servers: SentinelSet) -> None:
    assert servers.last_primary() is None
    write_all(servers, 0)
    assert servers.last_primary() == 0
    file = servers.sentinel_folder(1) / "sentinel.conf"
    file.write_text(
        file.read_text().replace(" 127.0.0.1 8200 2", " 127.0.0.1 8202 2") + "sentinel config-epoch tavolata 3\n"
    )
    assert servers.last_primary() == 2


def test_the_last_primary_is_found_if_the_ports_have_changed_since(servers: SentinelSet) -> None:
    write_all(servers, 1)
    moved = SentinelSet(folder=servers.folder, users=USERS, servers=(1, 2, 3), sentinels=(4, 5, 6))
    assert moved.last_primary() == 1
