"""The lock and `cluster.json` in a cluster's data folder, and what other commands do with them: list and stop.

All processes of a cluster hold the lock (they inherit it), so it is free only when the last one has ended, however they
ended. A `cluster.json` without the lock is left over from an earlier cluster and is ignored.
"""

import fcntl
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import psutil

from deploy.errors import CommandError
from deploy.launcher.private_files import replace_file

STATE = "cluster.json"
LOCK = "lock"
SUPERVISOR = "supervisor"
POLL_S = 0.05


class RunningProcess(msgspec.Struct, frozen=True):
    role: str
    pid: int
    port: int | None = None
    ops_port: int | None = None
    """Port of a gateway for operators."""


class RunningCluster(msgspec.Struct, frozen=True):
    url: str
    """Address of the page and the API."""
    redis_url: str
    """Address of the store, with the operator's password if it is embedded."""
    processes: tuple[RunningProcess, ...]

    def supervisor(self) -> int:
        return next(process.pid for process in self.processes if process.role == SUPERVISOR)


def take_lock(folder: Path) -> int | None:
    """The lock as an open file, or None if a cluster has it. Raises `OSError` if the folder cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def is_locked(folder: Path) -> bool:
    """Whether any process of a cluster is alive."""
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def write(folder: Path, cluster: RunningCluster) -> None:
    text = msgspec.json.format(msgspec.json.encode(cluster), indent=2)
    replace_file(folder / STATE, text + b"\n")


def read(folder: Path) -> RunningCluster | None:
    """The cluster that runs on this folder, if there is one."""
    if not is_locked(folder):
        return None
    try:
        return msgspec.json.decode((folder / STATE).read_bytes(), type=RunningCluster)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def remove(folder: Path) -> None:
    (folder / STATE).unlink(missing_ok=True)


# --- commands that look at a running cluster -------------------------------------------------------------------------


def running_cluster(data: Path) -> RunningCluster:
    """The cluster that runs on this folder; raises `CommandError` if there is none."""
    try:
        cluster = read(data)
    except OSError as error:
        raise CommandError(f"the data folder {data} cannot be read: {error.strerror}") from None
    if cluster is None:
        raise CommandError(f"no cluster is running on {data}: start one with `tavolata up --data {data}`")
    return cluster


def process_lines(cluster: RunningCluster, details: Mapping[int, str]) -> list[str]:
    """`role pid port uptime` of every process. `ops=PORT` follows for gateways, then the details, which are by pid."""
    return [f"{_line(process)} {details.get(process.pid, '')}".rstrip() for process in cluster.processes]


def _line(process: RunningProcess) -> str:
    line = f"{process.role} {process.pid} {process.port or '-'} {_uptime(process.pid)}"
    return f"{line} ops={process.ops_port}" if process.ops_port else line


def _uptime(pid: int) -> str:
    try:
        seconds = int(time.time() - psutil.Process(pid).create_time())
    except psutil.Error:
        return "-"
    minutes, seconds = divmod(max(0, seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m{seconds:02}s" if minutes else f"{seconds}s"


def stop_cluster(data: Path, limit_s: float) -> None:
    """Ask the supervisor to stop the cluster, and wait until every process has ended."""
    supervisor = running_cluster(data).supervisor()
    try:
        os.kill(supervisor, signal.SIGTERM)
    except ProcessLookupError:
        pass  # it was killed, and its processes are about to end
    except PermissionError:
        raise CommandError(
            f"the cluster on {data} belongs to another user: ask them to stop pid {supervisor}"
        ) from None
    end = time.monotonic() + limit_s
    while is_locked(data):
        if time.monotonic() > end:
            raise CommandError(f"the cluster on {data} still runs after {limit_s:g} s: see `tavolata ps --data {data}`")
        time.sleep(POLL_S)
