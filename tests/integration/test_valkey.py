"""The embedded server, and the functions by which tests kill, pause and rewind it."""

import subprocess
from pathlib import Path

from deploy.launcher import store, valkey
from deploy.launcher.die_with_parent import bound_to_parent
from deploy.launcher.store_users import OPERATOR, ROLES, StoreUsers
from tests.support.free_ports import free_port
from tests.support.launched import ROOT
from tests.support.valkey import ValkeyServer, ask_at
from tests.support.waiting import eventually


def test_a_killed_server_restarts_on_its_port_and_data(own_valkey: ValkeyServer) -> None:
    url = own_valkey.url
    own_valkey.ask("SET", "move", "7")
    own_valkey.kill()
    own_valkey.restart()
    assert own_valkey.url == url
    assert own_valkey.ask("GET", "move") == b"7"


def test_a_rewound_server_has_lost_writes_after_the_copy(own_valkey: ValkeyServer) -> None:
    own_valkey.ask("SET", "early", "1")
    copy = own_valkey.copy_data()
    own_valkey.ask("SET", "late", "1")
    own_valkey.rewind(copy)
    assert own_valkey.ask("EXISTS", "early", "late") == 1


def test_a_paused_server_continues_as_the_same_process(own_valkey: ValkeyServer) -> None:
    run = own_valkey.ask("INFO", "server")
    own_valkey.pause()
    own_valkey.go_on()
    assert run.partition(b"run_id:")[2][:40] in own_valkey.ask("INFO", "server")


def test_the_shared_server_syncs_every_write_and_is_empty(valkey_server: ValkeyServer, valkey_url: str) -> None:
    assert valkey_url == valkey_server.url
    assert valkey_server.ask("DBSIZE") == 0
    assert valkey_server.ask("CONFIG", "GET", "appendfsync") == {b"appendfsync": b"always"}
    valkey_server.ask("SET", "left", "behind")


def test_the_shared_server_is_emptied_between_tests(valkey_server: ValkeyServer, valkey_url: str) -> None:
    assert valkey_server.ask("DBSIZE") == 0


def test_the_cluster_of_one_server_accepts_keys_of_every_slot(
    valkey_cluster_server: ValkeyServer, valkey_cluster_url: str
) -> None:
    for number in range(5):
        assert valkey_cluster_server.ask("SET", f"{{p{number}}}:x", "1") == b"OK"


def test_valkey_accepts_the_configuration_of_the_compose_file(tmp_path: Path) -> None:
    port = free_port()
    config = tmp_path / "valkey.conf"
    shipped = (ROOT / "deploy" / "docker" / "valkey.conf").read_text()
    users = StoreUsers(dict.fromkeys(ROLES, "x" * 32))
    lines = [line for line in users.config().splitlines() if not line.startswith("#")]
    (tmp_path / "users.acl").write_text("\n".join(lines))
    config.write_text(shipped.replace("/data", str(tmp_path)).replace("/run/secrets", str(tmp_path)))
    command = [str(valkey.binary()), str(config), "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(bound_to_parent(command), stdout=subprocess.DEVNULL) as process:
        try:
            url = users.url(OPERATOR, "127.0.0.1", port)
            eventually(lambda: store.answers(url), "Valkey answers")
            assert b"nopass" not in ask_at(url, "ACL", "GETUSER", "default")[b"flags"]
            for name, value in (("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction")):
                assert ask_at(url, "CONFIG", "GET", name) == {name.encode(): value.encode()}
        finally:
            process.kill()
