"""Format and level of log lines. `tavolata up` recognizes warnings by `is_important`."""

import logging
import re
import sys
from datetime import UTC, datetime

import msgspec

_IMPORTANT = re.compile(r"(\S+ \S+ \S+ |\{\"time\":\"[^\"]+\",\"level\":\")(WARNING|ERROR|CRITICAL)\b")
"""The beginning of a warning in each of the two formats."""


def set_up(level: str, process: str, log_format: str = "text") -> None:
    """Log to stderr from this level up; every line names the process that wrote it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines(process) if log_format == "json" else _text(process))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for verbose in ("uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logging.getLogger(verbose).setLevel(logging.WARNING)


def is_important(line: str) -> bool:
    """Whether the line is the first one of a warning or an error."""
    return _IMPORTANT.match(line) is not None


def _text(process: str) -> logging.Formatter:
    return logging.Formatter(f"%(asctime)s {process} %(levelname)s %(name)s: %(message)s")


class _Line(msgspec.Struct, omit_defaults=True):
    """The fields of a line, in their order."""

    time: str
    level: str
    process: str
    logger: str
    message: str
    exception: str = ""


class _JsonLines(logging.Formatter):
    """One JSON object per line, tracebacks included."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        exception = self.formatException(record.exc_info) if record.exc_info else ""
        line = _Line(time, record.levelname, self._process, record.name, record.getMessage(), exception)
        return msgspec.json.encode(line).decode()
