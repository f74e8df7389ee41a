"""Log files of supervised processes."""

from pathlib import Path

import pytest

from deploy.launcher import process
from deploy.launcher.process import LogFile


@pytest.fixture
def log(tmp_path: Path) -> LogFile:
    log = LogFile(tmp_path / "logs" / "worker-1.log")
    log.begin()
    return log


def append(log: LogFile, text: str) -> None:
    with log.path.open("a") as file:
        file.write(text)


def test_every_complete_line_is_new_once(log: LogFile) -> None:
    append(log, "one\ntwo\nthr")
    assert log.new_lines() == ["one", "two"]
    append(log, "ee\n")
    assert log.new_lines() == ["three"]
    assert log.new_lines() == []


def test_the_last_line_is_the_last_that_is_not_blank(log: LogFile) -> None:
    assert log.last_line() == ""
    append(log, "first\nport 80 is taken\n\n")
    assert log.last_line() == "port 80 is taken"


def test_a_new_cluster_starts_a_new_log_and_keeps_the_previous_one(log: LogFile) -> None:
    append(log, "old\n")
    log.begin()
    assert log.new_lines() == []
    assert log.path.with_name("worker-1.log.1").read_text() == "old\n"


def test_a_log_that_is_too_long_is_emptied(log: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_LOG_BYTES", 10)
    append(log, "a long line\n")
    assert log.new_lines() == ["a long line"]
    assert log.path.read_text() == ""
    append(log, "next\n")
    assert log.new_lines() == ["next"]


def test_a_log_that_was_replaced_or_removed_is_read_without_an_error(log: LogFile) -> None:
    append(log, "a long line\n")
    log.new_lines()
    log.path.write_text("new\n")
    assert log.new_lines() == ["new"]
    log.path.unlink()
    assert log.new_lines() == []
    assert log.last_line() == ""
