"""Every combination of the compose files as `docker compose` itself reads it. Needs its client, no engine."""

import json
import os
import shutil
import subprocess
from itertools import product
from typing import Any

import pytest

from tests.support.launched import ROOT

STORES = ((), ("docker-compose.sentinel.yml",), ("docker-compose.cluster.yml",))
TLS = ((), ("docker-compose.tls.yml",))
COMBINATIONS = [("docker-compose.yml", *store, *tls) for store, tls in product(STORES, TLS)]
PASSWORDS = {f"STORE_{role}_PASSWORD": "secret" for role in ("OPERATOR", "GATEWAY", "WORKER", "REPLICA", "SENTINEL")}


def compose(*words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["docker", "compose", "--env-file", os.devnull, *words]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def has_client() -> bool:
    return shutil.which("docker") is not None and compose("version", env=dict(os.environ)).returncode == 0


pytestmark = pytest.mark.skipif(not has_client(), reason="!!! docker compose is missing: no client read the files")


def config(files: tuple[str, ...]) -> dict[str, Any]:
    named = [word for file in files for word in ("-f", file)]
    done = compose(*named, "--profile", "*", "config", "--format", "json", env={**os.environ, **PASSWORDS})
    assert done.returncode == 0, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


@pytest.mark.parametrize("files", COMBINATIONS, ids=" ".join)
def test_the_client_accepts_every_combination_of_files(files: tuple[str, ...]) -> None:
    services = config(files)["services"]
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        targets = [volume["target"] for volume in service.get("volumes", ())]
        assert len(targets) == len(set(targets)), name
        assert set(service.get("depends_on", ())) <= services.keys()
    ports = {port["published"] for port in services["proxy"]["ports"]}
    assert ports == ({"443", "8300"} if "docker-compose.tls.yml" in files else {"8000", "8300"})


def test_without_secrets_the_client_says_what_to_do() -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("STORE_")}
    done = compose("config", "--quiet", env=env)
    assert done.returncode != 0
    assert "run deploy/docker/make-secrets first" in done.stderr
