"""Named operators: a file with the name, the role and the hash of the token of each.

A line is `name:role:hash`. Empty lines and lines that begin with # are skipped. The tokens are random and long, so that
a plain SHA-256 keeps them: there is nothing to guess.
"""

import hashlib
import hmac
import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from shared.runtime.settings import SettingError

log = logging.getLogger("tavolata.operators")

ADMIN = "admin"
"""The name of the operator who has the admin token."""
_NAME = re.compile(r"[\w.@-]{1,32}")
_HASH = re.compile(r"[0-9a-f]{64}")


class Role(StrEnum):
    VIEW = "view"
    """Sees everything that operators see."""
    OPERATE = "operate"
    """Also orders acts."""


@dataclass(frozen=True, slots=True)
class NamedOperator:
    name: str
    role: Role
    token_hash: str = ""

    def may(self, role: Role) -> bool:
        return self.role in (role, Role.OPERATE)

    def line(self) -> str:
        """The operator's line in the file."""
        return f"{self.name}:{self.role}:{self.token_hash}"


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def parse(text: str) -> tuple[NamedOperator, ...]:
    """The operators of a file; raises `ValueError` for a malformed line."""
    found: dict[str, NamedOperator] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            operator = _parsed(line.strip())
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if operator.name in found:
            raise ValueError(f"line {number}: there are two operators of the name {operator.name}")
        found[operator.name] = operator
    return tuple(found.values())


def _parsed(line: str) -> NamedOperator:
    name, role, token_hash = [*line.split(":"), "", ""][:3]
    check_name(name)
    if role not in tuple(Role):
        raise ValueError(f"the role is {' or '.join(Role)}, not {role!r}")
    if not _HASH.fullmatch(token_hash) or line.count(":") != 2:
        raise ValueError("the line is not name:role:hash, with a SHA-256 in hexadecimal digits")
    return NamedOperator(name, Role(role), token_hash)


def check_name(name: str) -> None:
    """Raises `ValueError` if an operator cannot have this name."""
    if not _NAME.fullmatch(name) or name == ADMIN:
        raise ValueError(f"a name has 1 to 32 letters, digits and . _ @ -, and is not {ADMIN!r}: {name!r}")


class OperatorFile:
    """The operators in a file that may change at any time. A file that cannot be read has none."""

    def __init__(self, path: str) -> None:
        """Raises `SettingError` if the file cannot be read now. An empty path: there are no named operators."""
        self._path = Path(path) if path else None
        self._seen: tuple[int, int, int] | None = None
        self._operators: Sequence[NamedOperator] = ()
        try:
            self._read_if_changed()
        except (OSError, ValueError) as error:
            raise SettingError(f"TAVOLATA_OPERATORS: {path} cannot be read: {error}") from None

    def find(self, token: str) -> NamedOperator | None:
        """The operator who has this token. All hashes are compared, each in constant time."""
        try:
            self._read_if_changed()
        except (OSError, ValueError) as error:
            log.error("the operators in %s cannot be read, so that none of them has access: %s", self._path, error)
        wanted = hashed(token)
        matches = [one for one in self._operators if hmac.compare_digest(one.token_hash, wanted)]
        return matches[0] if matches else None

    def _read_if_changed(self) -> None:
        if self._path is None:
            return
        try:
            status = os.stat(self._path)
            seen = (status.st_mtime_ns, status.st_size, status.st_ino)
            if seen != self._seen:
                self._operators = parse(self._path.read_text(encoding="utf-8"))
                self._seen = seen
        except (OSError, ValueError):
            self._operators, self._seen = (), None
            raise
