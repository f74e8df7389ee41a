"""The limit of open files: raised at the start of a process, and respected by gateways."""

import resource
import subprocess
import sys

import pytest

from gateway.app import within_open_files
from shared.runtime import open_files
from shared.runtime.settings import GatewaySettings

PROGRAM = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (128, 512))
from shared.runtime import open_files
print(open_files.limit(), open_files.raise_limit(), resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_the_soft_limit_is_raised_to_the_hard_one() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "128 512 (512, 512)"


def test_a_process_without_a_limit_has_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert open_files.limit() > 1_000_000


@pytest.mark.parametrize(("files", "connections"), [(1_000_000, 50_000), (1_024, 724), (100, 1)])
def test_a_gateway_accepts_as_many_connections_as_it_may_open_files(
    files: int, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_files, "limit", lambda: files)
    assert within_open_files(GatewaySettings()).connections == connections
