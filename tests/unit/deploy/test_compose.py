"""The compose files and what they mount: names, paths, ports, variables and limits. Needs no container engine."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import gateway.metrics
import worker.metrics
from deploy.launcher.store_users import ROLES
from shared.errors import CODES
from shared.runtime.settings import GatewaySettings, StoreSettings, WorkerSettings, described
from tests.support.certificates import Certificates
from tests.support.haproxy import HAPROXY
from tests.support.launched import ROOT

NODES: dict[str, type[StoreSettings]] = {"gateway": GatewaySettings, "worker": WorkerSettings}
METRICS = {
    "tavolata_commands_total",
    "tavolata_commits_total",
    "tavolata_batch_commands",
    "tavolata_frame_to_ack_seconds",
    "tavolata_partitions_held",
    "tavolata_lag_seconds",
    "tavolata_connections",
    "tavolata_outbox_bytes",
    "tavolata_pending_commands",
    "tavolata_gaps_filled_total",
    "tavolata_resumes_total",
    "tavolata_rejections_total",
    "tavolata_admin_refusals_total",
    "tavolata_rooms_loaded",
    "tavolata_partitions",
    "tavolata_store_clients",
    "tavolata_store_memory_bytes",
    "tavolata_store_memory_limit_bytes",
    "tavolata_store_replica_lag_seconds",
    "tavolata_store_replicas",
    "tavolata_store_replicas_wanted",
    "tavolata_shed_total",
    "tavolata_rooms_without_worker",
    "tavolata_steps_total",
    "tavolata_replica_wait_seconds",
    "tavolata_replica_waits_failed_total",
    "tavolata_store_reconnects_total",
    "tavolata_store_failovers_total",
    "tavolata_store_slots_moved_total",
    "tavolata_store_redirections_total",
}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


class ComposeLoader(yaml.SafeLoader):
    """Reads compose's tag for a list that replaces the one of the file before."""


def _replacing_list(loader: yaml.SafeLoader, node: yaml.SequenceNode) -> list[Any]:
    return loader.construct_sequence(node)


ComposeLoader.add_constructor("!override", _replacing_list)


@pytest.fixture(scope="module")
def tls() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(text("docker-compose.tls.yml"), ComposeLoader)
    return loaded


def text(path: str) -> str:
    return (ROOT / path).read_text()


def port_of(compose: dict[str, Any], service: str) -> int:
    return int(compose["services"][service]["environment"]["TAVOLATA_PORT"])


def test_monitoring_services_are_in_a_profile_and_all_others_are_not(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert {name for name, service in services.items() if "profiles" not in service} == {
        "valkey",
        "gateway",
        "worker",
        "proxy",
    }
    assert {name for name, service in services.items() if service.get("profiles") == ["monitoring"]} == {
        "prometheus",
        "grafana",
    }
    assert {name for name, service in services.items() if service["restart"] != "unless-stopped"} == {"tools"}


def test_tools_are_run_as_the_stores_operator_and_never_started_with_the_cluster(compose: dict[str, Any]) -> None:
    tools = compose["services"]["tools"]
    assert tools["profiles"] == ["tools"]
    assert tools["entrypoint"] == ["tavolata"]
    assert re.fullmatch(
        r"redis://operator:\$\{STORE_OPERATOR_PASSWORD:\?.*\}@valkey:6379/0", tools["environment"]["TAVOLATA_REDIS_URL"]
    )
    assert "volumes" not in tools


def test_the_store_has_a_memory_limit_and_evicts_nothing(compose: dict[str, Any]) -> None:
    command = compose["services"]["valkey"]["command"]
    assert command[command.index("--maxmemory") + 1] == "${TAVOLATA_STORE_MAXMEMORY:-1gb}"
    assert "maxmemory-policy noeviction" in text("deploy/docker/valkey.conf")


@pytest.mark.parametrize("name", NODES)
def test_gateways_and_workers_can_be_scaled_and_there_are_two_of_each(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["deploy"] == {"replicas": f"${{{name.upper()}S:-2}}"}
    assert not {"container_name", "ports", "volumes"} & service.keys()
    ops = [service["environment"]["TAVOLATA_OPS_PORT"]] if name == "gateway" else []
    assert service["expose"] == [str(port_of(compose, name)), *ops]


@pytest.mark.parametrize("name", NODES)
def test_commands_and_variables_exist(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["command"] == ["python", "-m", name]
    known = {variable for variable, _, _ in described(NODES[name])}
    assert service["environment"].keys() <= known
    for value in service["environment"].values():
        assert set(re.findall(r"\$\{(\w+)", value)) <= known | {f"STORE_{name.upper()}_PASSWORD"}
    url = re.sub(r"\$\{.*?\}", "PASSWORD", service["environment"]["TAVOLATA_REDIS_URL"])
    assert url == f"redis://{name}:PASSWORD@valkey:6379/0"
    assert service["environment"]["TAVOLATA_HOST"] == "0.0.0.0"


@pytest.mark.parametrize("name", NODES)
def test_health_checks_use_the_port_that_the_process_listens_on(compose: dict[str, Any], name: str) -> None:
    assert f"http://127.0.0.1:{port_of(compose, name)}/readyz" in compose["services"][name]["healthcheck"]["test"][-1]
    assert compose["services"][name]["depends_on"]["valkey"]["condition"] == "service_healthy"


def test_the_proxy_is_healthy_when_it_reaches_a_gateway(compose: dict[str, Any]) -> None:
    """The image has no curl; its busybox has wget."""
    command = compose["services"]["proxy"]["healthcheck"]["test"]
    assert command[:2] == ["CMD", "wget"]
    assert command[-1] == "http://127.0.0.1:8300/healthz"
    assert re.search(r"^frontend operators\n    bind :8300$", text("deploy/docker/haproxy.cfg"), re.MULTILINE)


def test_every_path_exists_and_every_volume_is_declared(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() if source.startswith(".") else source in compose["volumes"]
        if "build" in service:
            assert (ROOT / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_the_proxy_listens_on_two_ports_and_forwards_to_the_gateways(compose: dict[str, Any]) -> None:
    assert compose["services"]["proxy"]["ports"] == [
        "${PUBLIC_PORT:-8000}:8000",
        "127.0.0.1:${OPS_PORT:-8300}:8300",
    ]
    config = text("deploy/docker/haproxy.cfg")
    assert re.findall(r"^\s+bind (:\d+)$", config, re.MULTILINE) == [":8000", ":8300"]
    templates = re.findall(r"^\s+server-template \S+ \S+ (\S+) (.*)$", config, re.MULTILINE)
    ops_port = compose["services"]["gateway"]["environment"]["TAVOLATA_OPS_PORT"]
    assert [target for target, _ in templates] == [f"gateway:{port_of(compose, 'gateway')}", f"gateway:{ops_port}"]
    assert {options for _, options in templates} == {"check resolvers docker resolve-prefer ipv4 init-addr none"}
    assert re.search(r"^resolvers docker$", config, re.MULTILINE)
    assert "timeout tunnel 1h" in config
    assert "uri /readyz" in config


def test_the_proxy_repeats_refused_reads_at_another_gateway(compose: dict[str, Any]) -> None:
    """tests/e2e/test_proxy.py tries it where haproxy is installed."""
    config = text("deploy/docker/haproxy.cfg")
    gateways = config.partition("\nbackend gateways\n")[2].partition("\nbackend gateways_operators\n")[0]
    assert "retry-on conn-failure empty-response 503\n" in gateways
    assert "http-request disable-l7-retry unless METH_GET\n" in gateways
    assert "option redispatch 1\n" in config
    assert compose["services"]["proxy"]["stop_signal"] == "SIGTERM"
    assert 'maxconn "${PROXY_CONNECTIONS-100000}"' in config


def test_answers_of_the_proxy_itself_have_the_form_and_the_codes_of_the_gateways() -> None:
    answers = re.findall(
        r"http-error status (\d+) content-type application/json string '(.*?)'", text("deploy/docker/haproxy.cfg")
    )
    assert [status for status, _ in answers] == ["400", "408", "500", "502", "503", "504"]
    for _, body in answers:
        answer = json.loads(body)
        assert answer.keys() == {"code", "text"}
        assert answer["code"] in CODES


def test_the_example_of_an_env_file_has_every_variable_of_compose_with_its_default() -> None:
    used: dict[str, str] = {}
    for file in ("docker-compose.yml", "docker-compose.tls.yml"):
        used = dict(re.findall(r"\$\{(\w+):-([^}]*)\}", text(file))) | used
    shown = dict(re.findall(r"^#(\w+)=(.*)$", text(".env.example"), re.MULTILINE))
    assert shown == used
    assert not re.search(r"^[^#\n]", text(".env.example"), re.MULTILINE)
    assert ".env*" not in text(".gitignore").splitlines()


# --- hardening ------------------------------------------------------------------------------------------------------


def test_every_service_is_contained(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert "/tmp" in service["tmpfs"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert re.fullmatch(r"\d+[mg]|\$\{\w+_MEMORY:-\d+g\}", service["mem_limit"]), name
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        assert "privileged" not in service, name
    assert compose["services"]["valkey"]["user"] == "valkey"


@pytest.mark.parametrize("name", NODES)
def test_our_processes_are_not_the_first_of_their_container(compose: dict[str, Any], name: str) -> None:
    assert compose["services"][name]["init"] is True


def test_only_gateways_are_in_reach_of_both_the_proxy_and_the_store(compose: dict[str, Any]) -> None:
    networks = {name: set(service["networks"]) for name, service in compose["services"].items()}
    assert networks["proxy"] == {"front"}
    assert networks["valkey"] == networks["worker"] == networks["tools"] == {"back"}
    assert [name for name, joined in networks.items() if joined >= {"front", "back"}] == ["gateway"]
    assert compose["networks"]["back"] == {"internal": True}
    assert set().union(*networks.values()) == compose["networks"].keys()


def test_only_the_players_port_is_published_to_other_machines(compose: dict[str, Any], tls: dict[str, Any]) -> None:
    def public(ports: list[str]) -> list[str]:
        return [port for port in ports if not port.startswith("127.0.0.1:")]

    published = {name: public(service.get("ports", [])) for name, service in compose["services"].items()}
    assert {name: ports for name, ports in published.items() if ports} == {"proxy": ["${PUBLIC_PORT:-8000}:8000"]}
    assert public(tls["services"]["proxy"]["ports"]) == ["${PUBLIC_PORT:-443}:8443"]


def test_the_store_has_users_and_no_exemption(compose: dict[str, Any]) -> None:
    config = text("deploy/docker/valkey.conf").splitlines()
    [secret] = compose["services"]["valkey"]["secrets"]
    assert f"aclfile /run/secrets/{secret}" in config
    assert "protected-mode yes" in config
    assert compose["secrets"][secret]["file"] == "./secrets/users.acl"
    assert "valkey-cli --user operator ping" in compose["services"]["valkey"]["healthcheck"]["test"][1]


def test_no_password_has_a_default_and_none_is_in_a_command(compose: dict[str, Any], tls: dict[str, Any]) -> None:
    text_of_all = json.dumps([compose, tls])
    used = re.findall(r"\$\{(STORE_\w+_PASSWORD)([^}]*)\}", text_of_all)
    assert {name for name, _ in used} == {f"STORE_{role}_PASSWORD" for role in ("OPERATOR", "GATEWAY", "WORKER")}
    assert all(rest.startswith(":?run deploy/docker/make-secrets") for _, rest in used)
    commands = [service.get("command", []) for service in compose["services"].values()]
    assert "PASSWORD" not in json.dumps(commands)
    assert {".env", "secrets/"} <= set(text(".gitignore").splitlines())


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the files that make-secrets reads."""
    folder = tmp_path / "deploy" / "docker"
    folder.mkdir(parents=True)
    for name in ("make-secrets", "users.acl", "sentinel-users.acl"):
        shutil.copy(ROOT / "deploy" / "docker" / name, folder)
    return tmp_path


def test_make_secrets_writes_passwords_for_compose_and_hashes_for_the_store(checkout: Path) -> None:
    (checkout / ".env").write_text("TAVOLATA_PARTITIONS=32")
    for _ in range(2):
        subprocess.run([checkout / "deploy" / "docker" / "make-secrets"], check=True, capture_output=True)
        env = dict(line.split("=") for line in (checkout / ".env").read_text().splitlines())
        users = (checkout / "secrets" / "users.acl").read_text()
        for role in ROLES:
            password = env[f"STORE_{role.upper()}_PASSWORD"]
            assert len(password) == 48
            assert f"user {role} on #{hashlib.sha256(password.encode()).hexdigest()} " in users
            assert password not in users
    assert env["TAVOLATA_PARTITIONS"] == "32"
    assert len(env["TAVOLATA_ADMIN_TOKEN"]) == 48
    assert len(env) == 2 + len(ROLES)
    assert (checkout / ".env").stat().st_mode & 0o777 == 0o600
    assert (checkout / "secrets").stat().st_mode & 0o777 == 0o700
    assert f"masterauth {env['STORE_REPLICA_PASSWORD']}\n" in (checkout / "secrets" / "replication.conf").read_text()
    sentinel = (checkout / "secrets" / "sentinel.conf").read_text()
    assert f"sentinel auth-pass tavolata {env['STORE_SENTINEL_PASSWORD']}\n" in sentinel
    assert "@" not in sentinel.replace("@all", "")
    # The lines are read by the store, whose parser of this file knows no comments.
    assert all(line.startswith("user ") for line in users.splitlines())


# --- TLS to players -------------------------------------------------------------------------------------------------


def test_the_proxy_with_tls_gets_a_certificate_and_publishes_no_plain_port(tls: dict[str, Any]) -> None:
    assert tls["services"].keys() == {"proxy"}
    proxy = tls["services"]["proxy"]
    [secret] = proxy["secrets"]
    assert proxy["environment"]["TLS_CERTIFICATE"] == f"/run/secrets/{secret}"
    assert tls["secrets"][secret]["file"] == f"./secrets/{secret}"
    assert "ports: !override" in text("docker-compose.tls.yml")
    config = text("deploy/docker/haproxy.cfg")
    assert re.search(r'^\s+bind :8443 ssl crt "\$\{TLS_CERTIFICATE\}"', config, re.MULTILINE)
    assert "ssl-min-ver TLSv1.2" in config
    assert f"secrets/{secret}" in text("docs/operations.md")


@pytest.mark.skipif(HAPROXY is None or shutil.which("openssl") is None, reason="needs haproxy, openssl")
@pytest.mark.parametrize("with_tls", [False, True])
def test_haproxy_accepts_the_configuration(with_tls: bool, tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != "TLS_CERTIFICATE"}
    if with_tls:
        made = Certificates.make(tmp_path)
        pem = tmp_path / "tavolata.pem"
        pem.write_text(Path(made.path("server.crt")).read_text() + Path(made.path("server.key")).read_text())
        env["TLS_CERTIFICATE"] = str(pem)
    config = ROOT / "deploy" / "docker" / "haproxy.cfg"
    done = subprocess.run([str(HAPROXY), "-c", "-f", config], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_files_that_the_image_copies_exist_and_are_not_ignored() -> None:
    kept = {line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")}
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text("deploy/docker/Dockerfile"), re.MULTILINE)
    sources = {source for line in copied for source in line.split()}
    assert sources == kept
    assert all((ROOT / source).exists() for source in sources)


def test_the_dependencies_of_the_image_are_a_layer_that_the_sources_do_not_change() -> None:
    stages = text("deploy/docker/Dockerfile").split("\nFROM ")
    build = next(stage for stage in stages if stage.startswith("python:3.12-slim AS build"))
    before, installed, after = build.partition("install --no-cache-dir --disable-pip-version-check -r requirements.txt")
    assert installed
    assert re.findall(r"^COPY (.+)$", before, re.MULTILINE) == ["--from=requirements requirements.txt ./"]
    assert "--no-deps ." in after


def test_the_image_is_small_and_not_run_by_root() -> None:
    dockerfile = text("deploy/docker/Dockerfile")
    assert set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)) == {"python:3.12-slim"}
    final = dockerfile.rpartition("\nFROM ")[2]
    assert re.search(r"^USER (?!root)\w+$", final, re.MULTILINE)


def test_nothing_names_a_package_index() -> None:
    for path in (
        "docker-compose.yml",
        "docker-compose.tls.yml",
        "docker-compose.sentinel.yml",
        "docker-compose.cluster.yml",
        "deploy/docker/Dockerfile",
        "pyproject.toml",
        "Makefile",
    ):
        assert not re.search(r"index[-]url|PIP_|https?://(?!127\.0\.0\.1)", text(path)), path


def test_prometheus_discovers_all_gateways_and_workers(compose: dict[str, Any]) -> None:
    jobs = yaml.safe_load(text("deploy/docker/prometheus.yml"))["scrape_configs"]
    found = {config["names"][0]: config["port"] for job in jobs for config in job["dns_sd_configs"]}
    ops_port = int(compose["services"]["gateway"]["environment"]["TAVOLATA_OPS_PORT"])
    assert found == {"gateway": ops_port, "worker": port_of(compose, "worker")}


def test_the_dashboard_shows_every_metric_and_no_other() -> None:
    dashboard = json.loads(text("deploy/docker/grafana/dashboards/tavolata.json"))
    used = {
        name.removesuffix("_bucket")
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\btavolata_\w+", target["expr"])
    }
    assert used == METRICS


def test_the_listed_metrics_are_those_of_gateways_and_workers() -> None:
    registries = (gateway.metrics.Metrics().registry, worker.metrics.WorkerMetrics(16).registry)
    counted = [metric for registry in registries for metric in registry.collect()]
    assert {metric.name + "_total" * (metric.type == "counter") for metric in counted} == METRICS


def test_the_dashboard_and_its_source_are_where_grafana_looks(compose: dict[str, Any]) -> None:
    mounts = dict(volume.split(":")[:2] for volume in compose["services"]["grafana"]["volumes"])
    provider = yaml.safe_load(text("deploy/docker/grafana/provisioning/dashboards/tavolata.yml"))["providers"][0]
    assert provider["options"]["path"] == mounts["./deploy/docker/grafana/dashboards"]
    home = Path(compose["services"]["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])
    assert str(home.parent) == provider["options"]["path"]
    assert (ROOT / "deploy/docker/grafana/dashboards" / home.name).is_file()
    source = yaml.safe_load(text("deploy/docker/grafana/provisioning/datasources/prometheus.yml"))["datasources"][0]
    assert source["url"] == "http://prometheus:9090"
    dashboard = json.loads(text("deploy/docker/grafana/dashboards/tavolata.json"))
    assert {panel["datasource"]["uid"] for panel in dashboard["panels"]} == {source["uid"]}
