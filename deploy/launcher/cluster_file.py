"""What a running cluster leaves in its data folder: a lock, and `cluster.json` with its processes.

All processes of a cluster hold the lock (children inherit it), so it is free only when the last one is gone, however
they ended; a `cluster.json` without the lock is a left-over and counts for nothing.
"""

import fcntl
import os
import tempfile
from pathlib import Path

import msgspec

STATE = "cluster.json"
LOCK = "lock"
SUPERVISOR = "supervisor"


class RunningProcess(msgspec.Struct, frozen=True):
    role: str
    pid: int
    port: int | None = None


class RunningCluster(msgspec.Struct, frozen=True):
    url: str
    """Where the page and the API are."""
    redis_url: str
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
    """Replace the state as a whole: a reader sees the old one or the new one."""
    text = msgspec.json.format(msgspec.json.encode(cluster), indent=2)
    handle, name = tempfile.mkstemp(dir=folder, prefix=STATE)
    with os.fdopen(handle, "wb") as file:
        file.write(text + b"\n")
    Path(name).replace(folder / STATE)


def read(folder: Path) -> RunningCluster | None:
    """The cluster that runs on this folder; None if there is none."""
    if not is_locked(folder):
        return None
    try:
        return msgspec.json.decode((folder / STATE).read_bytes(), type=RunningCluster)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def remove(folder: Path) -> None:
    (folder / STATE).unlink(missing_ok=True)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
