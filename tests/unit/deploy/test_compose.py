"""docker-compose.yml and its files: names, paths, ports and variables agree. Needs no container engine."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import gateway.metrics
import worker.metrics
from shared.runtime.settings import GatewaySettings, StoreSettings, WorkerSettings, described
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
    "tavolata_rooms_loaded",
    "tavolata_steps_total",
}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
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
    assert all(service["restart"] == "unless-stopped" for service in services.values())


@pytest.mark.parametrize("name", NODES)
def test_gateways_and_workers_can_be_scaled(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert not {"container_name", "ports", "volumes"} & service.keys()
    assert service["expose"] == [str(port_of(compose, name))]


@pytest.mark.parametrize("name", NODES)
def test_commands_and_variables_exist(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["command"] == ["python", "-m", name]
    known = {variable for variable, _, _ in described(NODES[name])}
    assert service["environment"].keys() <= known
    for value in service["environment"].values():
        assert set(re.findall(r"\$\{(\w+)", value)) <= known
    assert service["environment"]["TAVOLATA_REDIS_URL"] == "redis://valkey:6379/0"
    assert service["environment"]["TAVOLATA_HOST"] == "0.0.0.0"


@pytest.mark.parametrize("name", NODES)
def test_health_checks_use_the_port_that_the_process_listens_on(compose: dict[str, Any], name: str) -> None:
    assert f"http://127.0.0.1:{port_of(compose, name)}/healthz" in compose["services"][name]["healthcheck"]["test"][-1]
    assert compose["services"][name]["depends_on"]["valkey"]["condition"] == "service_healthy"


def test_every_path_exists_and_every_volume_is_declared(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() if source.startswith(".") else source in compose["volumes"]
        if "build" in service:
            assert (ROOT / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_the_proxy_listens_on_port_8000_and_forwards_to_the_gateways(compose: dict[str, Any]) -> None:
    assert compose["services"]["proxy"]["ports"] == ["8000:8000"]
    config = text("deploy/docker/haproxy.cfg")
    assert re.search(r"^\s+bind :8000$", config, re.MULTILINE)
    [template] = re.findall(r"^\s+server-template (\S+) (\S+) (\S+) (.*)$", config, re.MULTILINE)
    assert template[0] in compose["services"]
    assert template[2] == f"gateway:{port_of(compose, 'gateway')}"
    assert template[3].split() == ["check", "resolvers", "docker", "init-addr", "none"]
    assert re.search(r"^resolvers docker$", config, re.MULTILINE)
    assert "timeout tunnel 1h" in config
    assert "uri /readyz" in config


def test_files_that_the_image_copies_exist_and_are_not_ignored() -> None:
    kept = {line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")}
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text("deploy/docker/Dockerfile"), re.MULTILINE)
    sources = {source for line in copied for source in line.split()}
    assert sources == kept
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_is_small_and_not_run_by_root() -> None:
    dockerfile = text("deploy/docker/Dockerfile")
    assert set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)) == {"python:3.12-slim"}
    assert len(re.findall(r"^FROM ", dockerfile, re.MULTILINE)) == 2
    final = dockerfile.rpartition("\nFROM ")[2]
    assert re.search(r"^USER (?!root)\w+$", final, re.MULTILINE)


def test_nothing_names_a_package_index() -> None:
    for path in ("docker-compose.yml", "deploy/docker/Dockerfile", "pyproject.toml", "Makefile"):
        assert not re.search(r"index[-]url|PIP_|https?://(?!127\.0\.0\.1)", text(path)), path


def test_prometheus_discovers_all_gateways_and_workers(compose: dict[str, Any]) -> None:
    jobs = yaml.safe_load(text("deploy/docker/prometheus.yml"))["scrape_configs"]
    found = {config["names"][0]: config["port"] for job in jobs for config in job["dns_sd_configs"]}
    assert found == {name: port_of(compose, name) for name in NODES}


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
    registries = (gateway.metrics.Metrics().registry, worker.metrics.WorkerMetrics().registry)
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
