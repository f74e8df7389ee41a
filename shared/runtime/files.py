"""Reading of optional files that settings name."""

from pathlib import Path


def read_text(path: str) -> str | None:
    """The text of a file, or None if the file is missing or cannot be read as UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
