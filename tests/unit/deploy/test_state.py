"""The lock and the state file of a cluster."""

import os
from pathlib import Path

from deploy import state
from deploy.state import Cluster, Process

CLUSTER = Cluster(
    "http://127.0.0.1:8000", "redis://127.0.0.1:8200/0", (Process("supervisor", 7), Process("worker", 8, 81))
)


def test_the_lock_is_given_once(tmp_path: Path) -> None:
    lock = state.take_lock(tmp_path)
    assert lock is not None
    assert state.take_lock(tmp_path) is None
    assert state.is_locked(tmp_path)
    os.close(lock)
    assert not state.is_locked(tmp_path)


def test_the_state_is_read_as_it_was_written_while_the_lock_is_held(tmp_path: Path) -> None:
    lock = state.take_lock(tmp_path)
    assert lock is not None
    state.write(tmp_path, CLUSTER)
    assert state.read(tmp_path) == CLUSTER
    assert CLUSTER.supervisor() == 7
    os.close(lock)
    assert state.read(tmp_path) is None


def test_a_folder_without_a_cluster_has_no_state(tmp_path: Path) -> None:
    assert state.read(tmp_path / "nowhere") is None
    lock = state.take_lock(tmp_path)
    assert lock is not None
    assert state.read(tmp_path) is None
    (tmp_path / state.STATE).write_text("half a sta")
    assert state.read(tmp_path) is None
    os.close(lock)


def test_writing_leaves_one_file_behind(tmp_path: Path) -> None:
    state.write(tmp_path, CLUSTER)
    state.write(tmp_path, CLUSTER)
    assert [path.name for path in tmp_path.iterdir()] == [state.STATE]
    state.remove(tmp_path)
    state.remove(tmp_path)
    assert list(tmp_path.iterdir()) == []
