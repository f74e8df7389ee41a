"""Log lines as text and as JSON."""

import json
import logging
from collections.abc import Iterator
from datetime import datetime

import pytest

from shared.runtime import logs


@pytest.fixture(autouse=True)
def _root_logger_is_restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, threshold = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(threshold)


@pytest.mark.parametrize("log_format", ["text", "json"])
@pytest.mark.parametrize(
    ("level", "important"), [(logging.INFO, False), (logging.WARNING, True), (logging.ERROR, True)]
)
def test_warnings_and_errors_are_important(
    level: int, important: bool, log_format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.set_up("info", "worker[7]", log_format)
    logging.getLogger("tavolata.worker").log(level, "no ERROR at all")
    assert logs.is_important(capsys.readouterr().err) is important


def test_a_json_line_has_time_level_process_logger_and_message(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up("info", "gateway[3]", "json")
    logging.getLogger("tavolata.session").info('connection %d of "%s"\nis closed', 4, "a")
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    found = json.loads(line)
    assert datetime.fromisoformat(found.pop("time")).tzinfo is not None
    assert found == {
        "level": "INFO",
        "process": "gateway[3]",
        "logger": "tavolata.session",
        "message": 'connection 4 of "a"\nis closed',
    }


def test_a_json_line_contains_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up("info", "gateway[3]", "json")
    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("tavolata.session").exception("delivering failed")
    found = json.loads(capsys.readouterr().err)
    assert found["exception"].endswith("ValueError: broken")
