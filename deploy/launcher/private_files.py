"""Files and folders of a cluster that only their owner may read: the store's data and logs contain secrets."""

import os
import tempfile
from pathlib import Path

UMASK = 0o077
"""The rights that other users do not get."""
OWN_ENTRIES = ("cluster.json", "lock", "logs", "valkey")
"""The entries of a data folder that the launcher makes."""


def is_ours(folder: Path) -> bool:
    """Whether the folder is missing or empty, or has files of an earlier cluster. Raises `OSError`."""
    try:
        present = {entry.name for entry in folder.iterdir()}
    except FileNotFoundError:
        return True
    return not present or bool(present & set(OWN_ENTRIES))


def narrow(folder: Path, *, itself: bool) -> None:
    """Take the rights of other users from the files of a cluster, which an earlier release has given them.

    `itself`: from the folder, too. A folder with nothing but other programs' files, such as /tmp, keeps its mode. The
    caller holds the lock of the cluster, so that no process removes files meanwhile. Raises `OSError`.
    """
    if itself:
        _narrow(folder)
    for entry in (folder / name for name in OWN_ENTRIES):
        if entry.exists():
            _narrow(entry)
        if entry.is_dir():
            for path in entry.rglob("*"):
                _narrow(path)


def _narrow(path: Path) -> None:
    if path.is_symlink():  # its target may belong to another program
        return
    mode = path.stat().st_mode & 0o777
    if mode & UMASK:
        path.chmod(mode & ~UMASK)


def replace_file(path: Path, content: bytes) -> None:
    """Replace the file as a whole, readable by its owner alone: a reader sees the old content or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mkstemp creates files of mode 0600
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).replace(path)
