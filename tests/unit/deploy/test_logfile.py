"""Logs of children."""

import logging
from pathlib import Path

import pytest

from deploy.launcher import log_file
from deploy.launcher.log_file import LogFile, is_important
from shared.runtime import logs


@pytest.fixture
def log(tmp_path: Path) -> LogFile:
    log = LogFile(tmp_path / "logs" / "worker-1.log")
    log.begin()
    return log


def append(log: LogFile, text: str) -> None:
    with log.path.open("a") as file:
        file.write(text)


def test_every_whole_line_is_news_once(log: LogFile) -> None:
    append(log, "one\ntwo\nthr")
    assert log.news() == ["one", "two"]
    append(log, "ee\n")
    assert log.news() == ["three"]
    assert log.news() == []


def test_the_last_line_is_the_last_that_says_something(log: LogFile) -> None:
    assert log.last_line() == ""
    append(log, "first\nport 80 is taken\n\n")
    assert log.last_line() == "port 80 is taken"


def test_a_new_cluster_begins_a_new_log_and_keeps_the_last_one(log: LogFile) -> None:
    append(log, "old\n")
    log.begin()
    assert log.news() == []
    assert log.path.with_name("worker-1.log.1").read_text() == "old\n"


def test_a_log_that_is_too_long_is_cut(log: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "MOST_BYTES", 10)
    append(log, "a long line\n")
    assert log.news() == ["a long line"]
    assert log.path.read_text() == ""
    append(log, "next\n")
    assert log.news() == ["next"]


@pytest.mark.parametrize(
    ("level", "important"), [(logging.INFO, False), (logging.WARNING, True), (logging.ERROR, True)]
)
def test_warnings_and_errors_are_important(level: int, important: bool, capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, threshold = root.handlers[:], root.level
    try:
        logs.set_up("info", "worker[7]")
        logging.getLogger("tavolata.worker").log(level, "no error at all")
    finally:
        root.handlers[:] = handlers
        root.setLevel(threshold)
    assert is_important(capsys.readouterr().err) is important


def test_a_log_that_somebody_emptied_or_took_away_is_no_trouble(log: LogFile) -> None:
    append(log, "a long line\n")
    log.news()
    log.path.write_text("new\n")
    assert log.news() == ["new"]
    log.path.unlink()
    assert (log.news(), log.last_line()) == ([], "")
