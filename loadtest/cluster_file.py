"""The cluster on this machine, as the launcher's `cluster.json` and the environment of its processes describe it."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import psutil

STATE = "cluster.json"
SUPERVISOR = "supervisor"


class KnownProcess(msgspec.Struct, frozen=True):
    role: str
    pid: int
    port: int | None = None

    def __str__(self) -> str:
        return f"{self.role} :{self.port}" if self.port else self.role


class KnownCluster(msgspec.Struct, frozen=True):
    processes: tuple[KnownProcess, ...] = ()
    url: str = ""
    redis_url: str = ""

    def of_role(self, role: str) -> list[KnownProcess]:
        """The processes of a role, by port: a restarted process has the port of its predecessor."""
        return sorted((one for one in self.processes if one.role == role), key=lambda one: one.port or 0)


def read_cluster(data: Path) -> KnownCluster | None:
    """The cluster in a data folder, running or not; None if there is no readable file."""
    try:
        return msgspec.json.decode((data / STATE).read_bytes(), type=KnownCluster)
    except (OSError, msgspec.MsgspecError):
        return None


def running_cluster(data: Path) -> KnownCluster | None:
    """The cluster of a data folder whose supervisor is alive."""
    cluster = read_cluster(data)
    if cluster is None or not any(psutil.pid_exists(one.pid) for one in cluster.of_role(SUPERVISOR)):
        return None
    return cluster


def settings_of(pid: int) -> Mapping[str, str]:
    """The environment of a process; empty if it may not be read."""
    try:
        return psutil.Process(pid).environ()
    except psutil.Error:
        return {}
