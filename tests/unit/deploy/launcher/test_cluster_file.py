"""The lock and the process list of a cluster."""

import os
import re
from pathlib import Path

from deploy.launcher import cluster_file
from deploy.launcher.cluster_file import RunningCluster, RunningProcess

CLUSTER = RunningCluster(
    "http://127.0.0.1:8000",
    "redis://127.0.0.1:8200/0",
    (RunningProcess("supervisor", 7), RunningProcess("worker", 8, 81)),
)


def test_the_lock_can_be_taken_once(tmp_path: Path) -> None:
    lock = cluster_file.take_lock(tmp_path)
    assert lock is not None
    assert cluster_file.take_lock(tmp_path) is None
    assert cluster_file.is_locked(tmp_path)
    os.close(lock)
    assert not cluster_file.is_locked(tmp_path)


def test_the_file_is_read_as_it_was_written_while_the_lock_is_held(tmp_path: Path) -> None:
    lock = cluster_file.take_lock(tmp_path)
    assert lock is not None
    cluster_file.write(tmp_path, CLUSTER)
    assert cluster_file.read(tmp_path) == CLUSTER
    assert CLUSTER.supervisor() == 7
    os.close(lock)
    assert cluster_file.read(tmp_path) is None


def test_a_folder_without_a_complete_file_has_no_cluster(tmp_path: Path) -> None:
    assert cluster_file.read(tmp_path / "nowhere") is None
    lock = cluster_file.take_lock(tmp_path)
    assert lock is not None
    assert cluster_file.read(tmp_path) is None
    (tmp_path / cluster_file.STATE).write_text("half a sta")
    assert cluster_file.read(tmp_path) is None
    os.close(lock)


def test_writing_leaves_no_temporary_file(tmp_path: Path) -> None:
    cluster_file.write(tmp_path, CLUSTER)
    cluster_file.write(tmp_path, CLUSTER)
    assert [path.name for path in tmp_path.iterdir()] == [cluster_file.STATE]
    cluster_file.remove(tmp_path)
    cluster_file.remove(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_process_list_has_role_pid_port_and_uptime() -> None:
    cluster = RunningCluster("", "", (RunningProcess("gateway", os.getpid(), 81), RunningProcess("worker", 2**22 + 1)))
    running, ended = cluster_file.process_lines(cluster, {})
    assert re.fullmatch(rf"gateway {os.getpid()} 81 (\d+h\d\dm|\d+m\d\ds|\d+s)", running)
    assert ended == f"worker {2**22 + 1} - -"


def test_the_port_for_operators_is_behind_the_other_columns() -> None:
    [line] = cluster_file.process_lines(RunningCluster("", "", (RunningProcess("gateway", 2**22 + 1, 81, 381),)), {})
    assert line == f"gateway {2**22 + 1} 81 - ops=381"
