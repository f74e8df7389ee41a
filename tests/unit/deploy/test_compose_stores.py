"""The compose files of stores with replicas: names, addresses, secrets and health checks."""

import json
import re
from typing import Any

import pytest
import yaml

from deploy.launcher.sentinel_set import SERVICE
from shared.bus import store_address
from shared.bus.store_address import ClusterAddress, SentinelAddress
from shared.runtime.settings import GatewaySettings, WorkerSettings, described
from tests.support.launched import ROOT

FILES = ("docker-compose.sentinel.yml", "docker-compose.cluster.yml")
SERVERS = {
    "docker-compose.sentinel.yml": ["valkey", "valkey-2", "valkey-3"],
    "docker-compose.cluster.yml": ["valkey", *(f"valkey-{number}" for number in range(2, 7))],
}
SENTINELS = ["sentinel-1", "sentinel-2", "sentinel-3"]
BASE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def compose(file: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / file).read_text())
    return loaded


def address(compose: dict[str, Any], service: str) -> store_address.StoreAddress:
    url = compose["services"][service]["environment"]["TAVOLATA_REDIS_URL"]
    return store_address.parse(re.sub(r"\$\{STORE_(\w+)_PASSWORD:\?[^}]*\}", r"\1", url))


def test_every_service_is_one_of_the_base_file_or_extends_one(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        if name in BASE["services"]:
            assert "extends" not in service
        else:
            assert service["extends"]["file"] == "docker-compose.yml"
            assert service["extends"]["service"] in ("valkey", "worker")


def test_servers_announce_the_names_of_their_services(file: str, compose: dict[str, Any]) -> None:
    for name in SERVERS[file]:
        command = compose["services"][name]["command"]
        if "sentinel" in file:
            assert command[:3] == ["/etc/valkey/start-server", name, "valkey"]
        else:
            assert command[command.index("--cluster-announce-hostname") + 1] == name
        assert command[-1] == "${TAVOLATA_STORE_MAXMEMORY:-1gb}"


def test_sentinels_announce_the_names_of_their_services_and_watch_the_first_server() -> None:
    compose = yaml.safe_load((ROOT / FILES[0]).read_text())
    for name in SENTINELS:
        assert compose["services"][name]["command"] == ["/etc/valkey/start-sentinel", name]
    config = (ROOT / "deploy" / "docker" / "sentinel.conf").read_text().splitlines()
    assert f"sentinel monitor {SERVICE} valkey 6379 2" in config
    assert "sentinel resolve-hostnames yes" in config
    assert "sentinel announce-hostnames yes" in config


@pytest.mark.parametrize(("service", "user"), [("gateway", "gateway"), ("worker", "worker"), ("tools", "operator")])
def test_every_process_reaches_the_store_with_its_own_login(
    file: str, compose: dict[str, Any], service: str, user: str
) -> None:
    match address(compose, service):
        case SentinelAddress(sentinels, name, server):
            assert name == SERVICE
            assert [(one.host, one.port) for one in sentinels] == [(sentinel, 26379) for sentinel in SENTINELS]
            assert {one.password for one in sentinels} == {user.upper()}
            assert (server.username, server.password) == (user, user.upper())
        case ClusterAddress(nodes):
            assert [(one.host, one.port) for one in nodes] == [(server, 6379) for server in SERVERS[file]]
            assert {(one.username, one.password) for one in nodes} == {(user, user.upper())}
        case other:
            raise AssertionError(other)


def test_moves_are_replicated_unless_another_durability_is_chosen(compose: dict[str, Any]) -> None:
    for name in ("gateway", "worker"):
        assert compose["services"][name]["environment"]["TAVOLATA_DURABILITY"] == "${TAVOLATA_DURABILITY:-replicated}"
    known = {variable for kind in (GatewaySettings, WorkerSettings) for variable, _, _ in described(kind)}
    assert {name for one in ("gateway", "worker") for name in compose["services"][one]["environment"]} <= known


def test_every_path_volume_and_secret_exists(compose: dict[str, Any]) -> None:
    made = (ROOT / "deploy" / "docker" / "make-secrets").read_text()
    secrets = {**BASE["secrets"], **compose["secrets"]}
    volumes = {*BASE["volumes"], *compose["volumes"]}
    for service in compose["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() if source.startswith(".") else source in volumes
        assert set(service.get("secrets", [])) <= secrets.keys()
    for secret in compose["secrets"].values():
        assert secret["file"].removeprefix("./") in made


def test_every_server_has_a_volume_of_its_own(file: str, compose: dict[str, Any]) -> None:
    kept = [
        volume.split(":")[0]
        for name, service in compose["services"].items()
        for volume in service.get("volumes", BASE["services"].get(name, {}).get("volumes", []))
        if volume.endswith(":/data")
    ]
    assert len(kept) == len(set(kept))
    # With Sentinel, the first server keeps the volume of the store without replicas, and with it the data.
    assert len(kept) == (len(SERVERS[file]) if "cluster" in file else len(SERVERS[file]) + len(SENTINELS) - 1)


def test_every_process_waits_for_a_store_that_is_healthy(file: str, compose: dict[str, Any]) -> None:
    awaited = SENTINELS if "sentinel" in file else ["cluster"]
    for name in ("gateway", "worker"):
        assert compose["services"][name]["depends_on"] == {one: {"condition": "service_healthy"} for one in awaited}
    for name in (*SERVERS[file], *awaited):
        assert compose["services"][name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")


def test_no_password_has_a_default_and_none_is_in_a_command(compose: dict[str, Any]) -> None:
    used = re.findall(r"\$\{STORE_\w+([^}]*)\}", json.dumps(compose))
    assert used
    assert all(rest.startswith(":?run deploy/docker/make-secrets") for rest in used)
    assert "PASSWORD" not in json.dumps([service.get("command") for service in compose["services"].values()])


def test_the_docs_say_how_to_start_it(file: str) -> None:
    assert f"docker compose -f docker-compose.yml -f {file} up" in (ROOT / "docs" / "store.md").read_text()
