"""The embedded server and the tools that tests use to hurt it."""

import subprocess
from pathlib import Path

from deploy.launcher import valkey
from deploy.launcher.die_with_parent import tethered
from deploy.launcher.ports import free_port
from tests.support.launched import ROOT
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually


def test_a_killed_server_comes_back_on_its_port_and_data(own_valkey: ValkeyServer) -> None:
    url = own_valkey.url
    own_valkey.ask("SET", "move", "7")
    own_valkey.kill()
    own_valkey.restart()
    assert own_valkey.url == url
    assert own_valkey.ask("GET", "move") == b"$1\r\n7\r\n"


def test_a_rewound_server_has_lost_what_came_after_the_copy(own_valkey: ValkeyServer) -> None:
    own_valkey.ask("SET", "early", "1")
    copy = own_valkey.copy_data()
    own_valkey.ask("SET", "late", "1")
    own_valkey.rewind(copy)
    assert own_valkey.ask("EXISTS", "early", "late") == b":1\r\n"


def test_a_paused_server_goes_on_where_it_was(own_valkey: ValkeyServer) -> None:
    run = own_valkey.ask("INFO", "server")
    own_valkey.pause()
    own_valkey.go_on()
    assert run.partition(b"run_id:")[2][:40] in own_valkey.ask("INFO", "server")


def test_the_shared_server_writes_through_and_is_empty(valkey_server: ValkeyServer, valkey_url: str) -> None:
    assert valkey_url == valkey_server.url
    assert valkey_server.ask("DBSIZE") == b":0\r\n"
    assert b"always" in valkey_server.ask("CONFIG", "GET", "appendfsync")
    valkey_server.ask("SET", "left", "behind")


def test_nothing_of_an_earlier_test_is_left(valkey_server: ValkeyServer, valkey_url: str) -> None:
    assert valkey_server.ask("DBSIZE") == b":0\r\n"


def test_the_cluster_of_one_serves_every_slot(valkey_cluster_server: ValkeyServer, valkey_cluster_url: str) -> None:
    for number in range(5):
        assert valkey_cluster_server.ask("SET", f"{{p{number}}}:x", "1") == b"+OK\r\n"


def test_a_reply_of_any_size_arrives_whole(valkey_server: ValkeyServer, valkey_url: str) -> None:
    text = "x\r\n" * 100_000
    valkey_server.ask("SET", "long", text)
    assert valkey_server.ask("GET", "long") == b"$300000\r\n" + text.encode() + b"\r\n"
    assert valkey_server.ask("GET", "missing") == b"$-1\r\n"


def test_the_configuration_of_the_composed_store_is_understood(tmp_path: Path) -> None:
    port = free_port()
    config = tmp_path / "valkey.conf"
    config.write_text((ROOT / "deploy" / "docker" / "valkey.conf").read_text().replace("dir /data", f"dir {tmp_path}"))
    words = [str(valkey.binary()), str(config), "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(tethered(words), stdout=subprocess.DEVNULL) as process:
        try:
            eventually(lambda: valkey.answers(port), "Valkey answers")
            for name, value in (("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction")):
                assert f"\r\n{value}\r\n".encode() in valkey.ask(port, "CONFIG", "GET", name)
        finally:
            process.kill()
