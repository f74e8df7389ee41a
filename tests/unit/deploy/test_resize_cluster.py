"""The command line of `python -m deploy.resize_cluster`; tests/integration/bus/test_cluster_changes.py has its work."""

import pytest

from deploy import resize_cluster


def test_a_store_that_is_no_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVOLATA_REDIS_URL", "redis://127.0.0.1:1")
    with pytest.raises(SystemExit, match="must begin with redis\\+cluster://"):
        resize_cluster.main(["leave", "127.0.0.1:2"])


def test_a_cluster_that_does_not_answer_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVOLATA_REDIS_URL", "redis+cluster://127.0.0.1:1")
    with pytest.raises(SystemExit, match=r"\Ano node of the Cluster answers\Z"):
        resize_cluster.main(["leave", "127.0.0.1:2"])
