"""The surroundings of a run: versions, the machine, and the settings of the cluster that matter for its figures."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

import psutil

from loadtest.cluster_file import read_cluster, settings_of
from shared.bus.operator_requests import server_version
from shared.bus.store import StoreError
from shared.runtime.settings import PREFIX

_TELLING = ("LEASE_MS", "GATEWAY_LEASE_MS", "DURABILITY", "PARTITIONS", "KEEP_FINISHED_MS")
"""Settings of workers that a reader of the figures needs."""


async def versions(data: Path) -> dict[str, str]:
    found = {"tavolata": version("tavolata"), "python": platform.python_version()}
    cluster = read_cluster(data)
    if cluster is not None and cluster.redis_url:
        try:
            found["store"] = await server_version(cluster.redis_url)
        except StoreError:
            found["store"] = "did not answer"
    return found


def cluster_settings(data: Path) -> dict[str, str]:
    """The numbers of processes, and settings of the first worker; empty if there is no cluster on the folder."""
    cluster = read_cluster(data)
    if cluster is None:
        return {}
    counts = {f"{role}s": str(len(cluster.of_role(role))) for role in ("gateway", "worker")}
    workers = cluster.of_role("worker")
    settings = settings_of(workers[0].pid) if workers else {}
    return counts | {name.lower(): settings[PREFIX + name] for name in _TELLING if PREFIX + name in settings}


def machine() -> dict[str, str]:
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "system": f"{platform.system()} {platform.release()}",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
