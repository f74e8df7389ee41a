"""The users of the embedded store: one for each role, with passwords that are generated at the first start."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shared.bus.address import Address

_TEMPLATES = Path(__file__).parents[1] / "docker"
OPERATOR, GATEWAY, WORKER = CLIENTS = ("operator", "gateway", "worker")
REPLICA, SENTINEL = ("replica", "sentinel")
ROLES = (*CLIENTS, REPLICA, SENTINEL)
_USER = re.compile(r"^user (\w+) on >(\S+) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StoreUsers:
    """The password of each role."""

    passwords: Mapping[str, str]

    @staticmethod
    def kept_in(file: Path) -> "StoreUsers":
        """The users in a configuration file of the store; new passwords for roles that it does not have."""
        try:
            kept = dict(_USER.findall(file.read_text()))
        except FileNotFoundError:
            kept = {}
        return StoreUsers({role: kept.get(role) or secrets.token_urlsafe(24) for role in ROLES})

    def config(self) -> str:
        """The configuration file. The passwords are in it and not on the command line, which every user can read."""
        return self._filled("users.acl")

    def sentinel_users(self) -> str:
        """The users of sentinels, for their configuration file."""
        return self._filled("sentinel-users.acl")

    def url(self, role: str, host: str, port: int) -> str:
        return f"redis://{role}:{self.passwords[role]}@{host}:{port}/0"

    def operator_at(self, port: int, host: str = "127.0.0.1") -> Address:
        """The address of a server, with the login of the operator."""
        return Address(host, port, username=OPERATOR, password=self.passwords[OPERATOR])

    def acl_file(self) -> str:
        """The same users in the form of an ACL file, which cannot have comments."""
        return "".join(f"{line}\n" for line in self.config().splitlines() if not line.startswith("#"))

    def _filled(self, template: str) -> str:
        text = (_TEMPLATES / template).read_text()
        for role, password in self.passwords.items():
            text = text.replace(f"@{role}@", f">{password}")
        return text
