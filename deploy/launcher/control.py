"""Looking at a running cluster from outside, and ending it."""

import os
import signal
import time
from pathlib import Path

from deploy.errors import CommandError
from deploy.launcher import cluster_file
from deploy.launcher.cluster_file import RunningCluster

POLL_S = 0.05


def running(data: Path) -> RunningCluster:
    """The cluster on this folder; raises `Trouble` if there is none."""
    try:
        cluster = cluster_file.read(data)
    except OSError as error:
        raise CommandError(f"the data folder {data} cannot be read: {error.strerror}") from None
    if cluster is None:
        raise CommandError(f"no cluster is running on {data}: start one with `tavolata up --data {data}`")
    return cluster


def lines(cluster: RunningCluster) -> list[str]:
    """`role pid port` of every process."""
    return [f"{process.role} {process.pid} {process.port or '-'}" for process in cluster.processes]


def stop(data: Path, limit_s: float) -> None:
    """Ask the supervisor to end the cluster, and wait until every process is gone."""
    supervisor = running(data).supervisor()
    try:
        os.kill(supervisor, signal.SIGTERM)
    except ProcessLookupError:
        pass  # killed: its children are on their way
    except PermissionError:
        raise CommandError(
            f"the cluster on {data} belongs to another user: ask them to stop pid {supervisor}"
        ) from None
    end = time.monotonic() + limit_s
    while cluster_file.is_locked(data):
        if time.monotonic() > end:
            raise CommandError(f"the cluster on {data} still runs after {limit_s:g} s: see `tavolata ps --data {data}`")
        time.sleep(POLL_S)
