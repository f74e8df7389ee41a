"""From options to processes with their ports, and the form of --tcp."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.errors import USAGE, CommandError
from deploy.launcher import ports
from deploy.launcher.plan import joined_listeners, lay_out, listener_ports, plan_from_env
from deploy.launcher.store import without_password
from shared.runtime.settings import GatewaySettings, WorkerSettings, from_env
from tests.support.free_ports import free_span

DATA = Path("somewhere")


def test_every_process_gets_its_own_port_and_the_common_settings() -> None:
    port = free_span(4)
    env = {"TAVOLATA_PORT": str(port), "TAVOLATA_GATEWAY_LEASE_MS": "900", "HOME": "/home/x"}
    layout = lay_out(plan_from_env(DATA, 2, 3, env))
    gateways = [from_env(GatewaySettings, spec.env) for spec in layout.gateways]
    assert [(one.port, one.shared_port) for one in gateways] == [(port + 1, port), (port + 2, port)]
    workers = [from_env(WorkerSettings, spec.env) for spec in layout.workers]
    assert len({one.port for one in workers}) == 3
    assert {one.gateway_lease_ms for one in (*gateways, *workers)} == {900}
    assert len({one.ops_port for one in gateways} | {one.port for one in workers}) == 5
    assert [spec.ops_port for spec in layout.gateways] == [one.ops_port for one in gateways]
    assert all(spec.env["HOME"] == "/home/x" for spec in layout.gateways)


def test_files_of_the_current_folder_are_not_run_in_place_of_a_worker(tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text("print('not ours')")
    command = plan_from_env(tmp_path, 1, 1, {}).worker_command
    env = os.environ | {"TAVOLATA_LEASE_MS": "never"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert "TAVOLATA_LEASE_MS" in done.stderr
    assert "not ours" not in done.stdout


def test_the_store_is_embedded_unless_one_is_named() -> None:
    port = str(free_span(4))
    embedded = lay_out(plan_from_env(DATA, 1, 1, {"TAVOLATA_PORT": port}))
    [valkey] = embedded.store
    assert embedded.redis_url.endswith(f"@127.0.0.1:{valkey.port}/0")
    named = lay_out(plan_from_env(DATA, 1, 1, {"TAVOLATA_PORT": port, "TAVOLATA_REDIS_URL": "redis://store/1"}))
    assert named.store == ()
    assert named.redis_url == "redis://store/1"
    assert named.embedded is None


def test_each_role_logs_in_to_the_embedded_store_as_its_own_user() -> None:
    layout = lay_out(plan_from_env(DATA, 1, 1, {"TAVOLATA_PORT": str(free_span(2))}))
    [gateway], [worker], [valkey] = layout.gateways, layout.workers, layout.store
    urls = [layout.redis_url, gateway.env["TAVOLATA_REDIS_URL"], worker.env["TAVOLATA_REDIS_URL"]]
    logins = [urlsplit(url) for url in urls]
    assert [login.username for login in logins] == ["operator", "gateway", "worker"]
    assert len({login.password for login in logins}) == 3
    assert all(len(str(login.password)) >= 32 for login in logins)
    assert not any(str(login.password) in word for login in logins for word in valkey.command)
    assert str(DATA.absolute() / "valkey" / "valkey.conf") in valkey.command


def test_pages_for_operators_are_on_the_loopback_address_unless_a_setting_says_otherwise() -> None:
    env = {"TAVOLATA_PORT": str(free_span(2)), "TAVOLATA_HOST": "0.0.0.0"}
    for given, host in (({}, "127.0.0.1"), ({"TAVOLATA_OPS_HOST": "0.0.0.0"}, "0.0.0.0")):
        layout = lay_out(plan_from_env(DATA, 1, 1, {**env, **given}))
        gateway = from_env(GatewaySettings, layout.gateways[0].env)
        assert (gateway.host, gateway.ops_host) == ("0.0.0.0", host)
        assert from_env(WorkerSettings, layout.workers[0].env).host == host


def test_the_ports_for_operators_follow_the_shared_port_at_a_distance_of_300(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "is_free", lambda *_: True)
    layout = lay_out(plan_from_env(DATA, 2, 2, {"TAVOLATA_PORT": "8000"}))
    assert [spec.ops_port for spec in layout.gateways] == [8301, 8302]
    assert [spec.port for spec in layout.workers] == [8101, 8102]


@pytest.mark.parametrize(("durability", "appendfsync"), [("fsync", "always"), ("applied", "everysec")])
def test_the_embedded_store_writes_as_the_durability_demands(durability: str, appendfsync: str) -> None:
    env = {"TAVOLATA_PORT": str(free_span(4)), "TAVOLATA_DURABILITY": durability}
    [valkey] = lay_out(plan_from_env(DATA, 1, 1, env)).store
    command = valkey.command
    assert command[command.index("--appendfsync") + 1] == appendfsync
    assert command[command.index("--appendonly") + 1] == "yes"
    assert command[command.index("--dir") + 1] == str(DATA.absolute() / "valkey")


def test_the_embedded_store_has_a_memory_limit_and_evicts_nothing() -> None:
    env = {"TAVOLATA_PORT": str(free_span(4)), "TAVOLATA_STORE_MAXMEMORY": "2gb"}
    [valkey] = lay_out(plan_from_env(DATA, 1, 1, env)).store
    command = valkey.command
    assert command[command.index("--maxmemory") + 1] == str(2 * 2**30)
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


@pytest.mark.parametrize(
    ("topology", "names"),
    [
        ("sentinel", ["valkey-1", "valkey-2", "valkey-3", "sentinel-1", "sentinel-2", "sentinel-3"]),
        ("cluster", ["valkey-1", "valkey-2", "valkey-3", "valkey-4", "valkey-5", "valkey-6"]),
    ],
)
def test_a_replicated_store_has_servers_whose_passwords_are_in_files_alone(
    topology: str, names: list[str], tmp_path: Path
) -> None:
    env = {"TAVOLATA_PORT": str(free_span(2)), "TAVOLATA_STORE_TOPOLOGY": topology}
    layout = lay_out(plan_from_env(tmp_path, 1, 1, {**env, "TAVOLATA_DURABILITY": "replicated"}))
    assert [spec.name for spec in layout.store] == names
    assert len({spec.port for spec in layout.store}) == len(names)
    [gateway], [worker] = layout.gateways, layout.workers
    urls = [layout.redis_url, gateway.env["TAVOLATA_REDIS_URL"], worker.env["TAVOLATA_REDIS_URL"]]
    logins = [urlsplit(url) for url in urls]
    assert [login.username for login in logins] == ["operator", "gateway", "worker"]
    assert {login.scheme for login in logins} == {f"redis+{topology}"}
    commands = [word for spec in layout.store for word in spec.command]
    assert not any(str(login.password) in word for login in logins for word in commands)


@pytest.mark.parametrize(("topology", "most"), [("standalone", 0), ("sentinel", 2), ("cluster", 1)])
def test_replicated_needs_as_many_replicas_as_the_store_has(topology: str, most: int, tmp_path: Path) -> None:
    env = {
        "TAVOLATA_PORT": str(free_span(2)),
        "TAVOLATA_STORE_TOPOLOGY": topology,
        "TAVOLATA_DURABILITY": "replicated",
        "TAVOLATA_REPLICAS": str(most + 1),
    }
    with pytest.raises(CommandError, match=f"--store {topology} has {most} replica") as caught:
        lay_out(plan_from_env(tmp_path, 1, 1, env))
    assert caught.value.code == USAGE


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({"TAVOLATA_PORT": "0"}, "--port must be 1 to"),
        ({"TAVOLATA_PORT": "65535"}, "--port must be 1 to"),
        ({"TAVOLATA_PORT": "http"}, "TAVOLATA_PORT must be a whole number"),
        ({"TAVOLATA_DURABILITY": "maybe"}, "TAVOLATA_DURABILITY must be one of fsync, applied, replicated"),
        ({"TAVOLATA_STORE_MAXMEMORY": "much"}, "TAVOLATA_STORE_MAXMEMORY must be a size such as 512mb"),
        ({"TAVOLATA_STORE_TOPOLOGY": "ring"}, "TAVOLATA_STORE_TOPOLOGY must be one of auto, standalone, sentinel"),
        ({"TAVOLATA_TCP": "snarl"}, "--tcp takes NAME=PORT"),
        ({"TAVOLATA_ADMIN_TOKEN": "fifteen letters"}, "TAVOLATA_ADMIN_TOKEN must have at least 16 characters"),
        ({"TAVOLATA_PORT": "8000", "TAVOLATA_TCP": "snarl=8001"}, "one of the gateways' own"),
    ],
)
def test_an_unusable_setting_is_reported_as_wrong_usage(env: dict[str, str], text: str) -> None:
    with pytest.raises(CommandError, match=text) as caught:
        plan_from_env(DATA, 2, 2, env)
    assert caught.value.code == USAGE


def test_the_url_of_a_cluster_that_listens_on_all_interfaces_is_the_loopback_address() -> None:
    plan = plan_from_env(DATA, 1, 1, {})
    assert replace(plan, gateway=replace(plan.gateway, host="0.0.0.0")).url == "http://127.0.0.1:8000"
    assert replace(plan, gateway=replace(plan.gateway, host="::")).url == "http://[::1]:8000"


def test_a_password_is_not_without_password() -> None:
    assert without_password("redis://ada:secret@store:6379/0") == "redis://ada:***@store:6379/0"
    assert without_password("redis://store:6379/0") == "redis://store:6379/0"
    shown = without_password("redis+sentinel://ada:secret@a:1,b:2/tavolata?sentinel_password=other")
    assert shown == "redis+sentinel://ada:***@a:1,b:2/tavolata?sentinel_password=***"


def test_repeated_tcp_options_and_commas_mean_the_same() -> None:
    both = "snarl=45678,codex=45680,snarl=45679;separator=none"
    assert joined_listeners(["snarl=45678,codex=45680", "snarl=45679;separator=none"]) == both
    assert joined_listeners([" snarl=45678 , codex=45680,", "snarl=45679;separator=none"]) == both


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("snarl=45678", [45678]),
        ("snarl=45678, codex=45680", [45678, 45680]),
        ("eriantys.events=9999,snarl=45679;separator=none;strict", [9999, 45679]),
    ],
)
def test_the_ports_of_the_tcp_option_are_found(text: str, found: list[int]) -> None:
    assert listener_ports(text) == found


@pytest.mark.parametrize(
    "text",
    ["snarl", "snarl=", "=45678", "snarl=x", "Snarl=1", "snarl=0", "snarl=65536", "snarl=1;", "a=1,b=1", "a=1 b"],
)
def test_a_malformed_tcp_option_is_reported_as_wrong_usage(text: str) -> None:
    with pytest.raises(CommandError, match="--tcp") as caught:
        listener_ports(text)
    assert caught.value.code == USAGE
