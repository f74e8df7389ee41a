"""The log file of a child: it writes, we read along for lines that somebody should see, and keep the file short."""

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

MOST_BYTES = 32 * 1024 * 1024
IMPORTANT = re.compile(r"\S+ \S+ \S+ (WARNING|ERROR|CRITICAL) ")
"""As shared.logs writes them: date, time, process, level."""


@dataclass(slots=True)
class LogFile:
    """One log and its predecessor (`.1`)."""

    path: Path
    _seen: int = field(default=0, init=False)

    def begin(self) -> None:
        """An empty file for a new cluster; the last one's is kept beside it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self.path.replace(self._predecessor)
        self.path.touch()
        self._seen = 0

    def news(self) -> list[str]:
        """The whole lines that came since the last call."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._seen if self._seen <= self.path.stat().st_size else 0)
                begin = file.tell()
                text, newline, _ = file.read().rpartition(b"\n")
        except OSError:
            return []
        self._seen = begin + len(text) + len(newline)
        if self._seen > MOST_BYTES:
            self._cut()
        return text.decode(errors="replace").splitlines()

    def last_line(self) -> str:
        try:
            text = self.path.read_text(errors="replace")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")

    def _cut(self) -> None:
        """Writers append, so emptying the file under them is safe."""
        shutil.copyfile(self.path, self._predecessor)
        with self.path.open("r+b") as file:
            file.truncate(0)
        self._seen = 0

    @property
    def _predecessor(self) -> Path:
        return self.path.with_name(self.path.name + ".1")


def is_important(line: str) -> bool:
    return IMPORTANT.match(line) is not None
