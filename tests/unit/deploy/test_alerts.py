"""The alert rules: their metrics exist, each fires on recorded figures, and none fires on those of a calm cluster."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

import gateway.metrics
import worker.metrics
from tests.support import promql
from tests.support.launched import ROOT
from tests.support.promql import INTERVAL_S, Query, recorded

FILE = ROOT / "deploy" / "docker" / "alerts.yml"
RULES: dict[str, dict[str, Any]] = {
    rule["alert"]: rule for group in yaml.safe_load(FILE.read_text())["groups"] for rule in group["rules"]
}
PROMTOOL = shutil.which("promtool")
LENGTH = 80
"""Samples of each series: twenty minutes."""
END_S = LENGTH * INTERVAL_S


def bucket(le: str, instance: str = "gateway-1") -> str:
    return f'tavolata_frame_to_ack_seconds_bucket{{instance="{instance}",le="{le}"}}'


CALM: dict[str, str] = {
    'up{job="gateway",instance="gateway-1"}': f"1x{LENGTH}",
    'up{job="worker",instance="worker-1"}': f"1x{LENGTH}",
    'up{job="worker",instance="worker-2"}': f"1x{LENGTH}",
    'tavolata_partitions{instance="worker-1"}': f"16x{LENGTH}",
    'tavolata_partitions_held{instance="worker-1"}': f"8x{LENGTH}",
    'tavolata_partitions_held{instance="worker-2"}': f"8x{LENGTH}",
    'tavolata_lag_seconds{instance="worker-1"}': f"0.01x{LENGTH}",
    'tavolata_rooms_without_worker{instance="gateway-1",game="stones"}': f"0x{LENGTH}",
    'tavolata_rejections_total{job="gateway",code="busy/store"}': f"0x{LENGTH}",
    'tavolata_rejections_total{job="gateway",code="busy/rate"}': f"0+900x{LENGTH}",
    'tavolata_rejections_total{job="worker",code="game/not_your_turn"}': f"0+900x{LENGTH}",
    'tavolata_commits_total{instance="worker-1",outcome="ok"}': f"0+900x{LENGTH}",
    'tavolata_commits_total{instance="worker-1",outcome="fenced"}': f"3x{LENGTH}",
    'tavolata_admin_refusals_total{instance="gateway-1",reason="wrong"}': f"2x{LENGTH}",
    'tavolata_gaps_filled_total{instance="gateway-1"}': f"4x{LENGTH}",
    'tavolata_store_memory_bytes{instance="worker-1"}': f"500x{LENGTH}",
    'tavolata_store_memory_limit_bytes{instance="worker-1"}': f"1000x{LENGTH}",
    'tavolata_store_replicas{instance="worker-1"}': f"1x{LENGTH}",
    'tavolata_store_replicas_wanted{instance="worker-1"}': f"1x{LENGTH}",
    'tavolata_store_replica_lag_seconds{instance="worker-1"}': f"1x{LENGTH}",
    bucket("0.01"): f"0+1000x{LENGTH}",
    bucket("0.5"): f"0+1000x{LENGTH}",
    bucket("1.0"): f"0+1000x{LENGTH}",
    bucket("+Inf"): f"0+1000x{LENGTH}",
}


@dataclass(frozen=True)
class Case:
    """Figures of a cluster with one fault, and the labels of the alert that must fire at the end."""

    changed: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    besides: frozenset[str] = frozenset()
    """Other alerts that the same fault causes."""

    def series(self) -> dict[str, str]:
        changed = {**CALM, **self.changed}
        return {name: values for name, values in changed.items() if values}


CASES: dict[str, Case] = {
    "NoWorker": Case(
        {name: "" for name in CALM if name.startswith("tavolata_partitions")}
        | {f'up{{job="worker",instance="worker-{number}"}}': "" for number in (1, 2)}
    ),
    "PartitionsWithoutWorker": Case({'tavolata_partitions_held{instance="worker-2"}': ""}),
    "RoomsWithoutWorker": Case(
        {'tavolata_rooms_without_worker{instance="gateway-1",game="stones"}': f"3x{LENGTH}"}, {"game": "stones"}
    ),
    "ProcessUnreachable": Case(
        {'up{job="gateway",instance="gateway-1"}': f"0x{LENGTH}"}, {"job": "gateway", "instance": "gateway-1"}
    ),
    "WorkersLag": Case({'tavolata_lag_seconds{instance="worker-1"}': f"4x{LENGTH}"}),
    "MovesSlow": Case({bucket("0.01"): f"0+900x{LENGTH}", bucket("0.5"): f"0+950x{LENGTH}"}),
    "CommandsRefusedAsBusy": Case(
        {'tavolata_rejections_total{job="gateway",code="busy/store"}': f"0+150x{LENGTH}"}, {"code": "busy/store"}
    ),
    "CommitsFail": Case(
        {'tavolata_commits_total{instance="worker-1",outcome="fenced"}': f"0+15x{LENGTH}"}, {"outcome": "fenced"}
    ),
    "AdminTokensGuessed": Case({'tavolata_admin_refusals_total{instance="gateway-1",reason="wrong"}': f"0+2x{LENGTH}"}),
    "DeliveriesLost": Case(
        {'tavolata_gaps_filled_total{instance="gateway-1"}': f"0+15x{LENGTH}"}, {"instance": "gateway-1"}
    ),
    "StoreMemoryHigh": Case({'tavolata_store_memory_bytes{instance="worker-1"}': f"750x{LENGTH}"}),
    "StoreMemoryCritical": Case(
        {'tavolata_store_memory_bytes{instance="worker-1"}': f"850x{LENGTH}"}, besides=frozenset({"StoreMemoryHigh"})
    ),
    "ReplicasMissing": Case({'tavolata_store_replicas{instance="worker-1"}': f"0x{LENGTH}"}),
    "ReplicaLags": Case({'tavolata_store_replica_lag_seconds{instance="worker-1"}': f"30x{LENGTH}"}),
}


def firing(alert: str, series: Mapping[str, str], at_s: int) -> list[dict[str, str]]:
    """The labels with which the alert fires. As in Prometheus, the expression must have held for a while."""
    rule, found = RULES[alert], recorded(series)
    since: dict[promql.Labels, int] = {}
    for now_s in range(0, at_s + 1, INTERVAL_S):
        held = {
            tuple(label for label in labels if label[0] != promql.NAME)
            for labels, _ in Query(rule["expr"], found, now_s).result()
        }
        since = {labels: since.get(labels, now_s) for labels in held}
    for_s = promql.seconds(rule.get("for", "0s"))
    return [dict(labels) for labels, begun_s in since.items() if at_s - begun_s >= for_s]


def test_every_rule_has_a_case() -> None:
    assert CASES.keys() == RULES.keys()


@pytest.mark.parametrize("alert", RULES)
def test_a_rule_fires_on_recorded_figures(alert: str) -> None:
    case = CASES[alert]
    assert firing(alert, case.series(), END_S) == [dict(case.labels)]


@pytest.mark.parametrize("alert", RULES)
def test_a_rule_does_not_fire_in_a_calm_cluster(alert: str) -> None:
    assert firing(alert, CALM, END_S) == []


@pytest.mark.parametrize("alert", [alert for alert, rule in RULES.items() if "for" in rule])
def test_a_rule_does_not_fire_for_a_moment_of_trouble(alert: str) -> None:
    series = CASES[alert].series()
    assert firing(alert, series, 0) == []


def test_the_metrics_of_all_rules_exist() -> None:
    registries = (gateway.metrics.Metrics().registry, worker.metrics.WorkerMetrics(16).registry)
    metrics = [metric for registry in registries for metric in registry.collect()]
    known = {metric.name + {"counter": "_total", "histogram": "_bucket"}.get(metric.type, "") for metric in metrics}
    used = {name for rule in RULES.values() for name in re.findall(r"\btavolata_\w+", rule["expr"])}
    assert used - known == set()


def test_every_rule_has_a_severity_and_a_summary() -> None:
    for rule in RULES.values():
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"].endswith(".")


def test_the_rules_are_mounted_and_loaded() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert "./deploy/docker/alerts.yml:/etc/prometheus/alerts.yml:ro" in compose["services"]["prometheus"]["volumes"]
    assert yaml.safe_load((ROOT / "deploy/docker/prometheus.yml").read_text())["rule_files"] == ["alerts.yml"]


def test_the_operations_guide_names_every_rule() -> None:
    guide = (ROOT / "docs" / "operations.md").read_text()
    assert [alert for alert in RULES if f"`{alert}`" not in guide] == []


def expected(alert: str, labels: Mapping[str, str]) -> dict[str, Any]:
    rule = RULES[alert]
    return {"exp_labels": {**labels, **rule["labels"]}, "exp_annotations": rule["annotations"]}


@pytest.mark.skipif(PROMTOOL is None, reason="!!! promtool is not installed: the rules were tried without Prometheus")
def test_promtool_sees_the_same_alerts(tmp_path: Path) -> None:
    tests = []
    for alert, case in {**CASES, "": Case({})}.items():
        wanted = {alert: [expected(alert, case.labels)]} if alert else {}
        wanted |= {other: [expected(other, {})] for other in case.besides}
        tests.append(
            {
                "interval": f"{INTERVAL_S}s",
                "input_series": [{"series": name, "values": values} for name, values in case.series().items()],
                "alert_rule_test": [
                    {"eval_time": f"{END_S}s", "alertname": name, "exp_alerts": wanted.get(name, [])} for name in RULES
                ],
            }
        )
    file = tmp_path / "alerts_test.yml"
    file.write_text(
        yaml.safe_dump({"rule_files": [str(FILE)], "evaluation_interval": f"{INTERVAL_S}s", "tests": tests})
    )
    for words in (["check", "rules", str(FILE)], ["test", "rules", str(file)]):
        done = subprocess.run([str(PROMTOOL), *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
