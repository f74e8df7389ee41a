"""The form of `--tcp`: NAME=PORT[;OPTION[=VALUE]...], several separated by commas or by repeating the option."""

import re
from collections.abc import Iterable

from deploy.errors import USAGE, CommandError
from deploy.launcher.ports import HIGHEST

FORM = re.compile(r"(?P<name>[a-z][a-z0-9.-]*)=(?P<port>\d{1,5})(?:;[a-z_-]+(?:=[^;,\s]*)?)*")


def joined(values: Iterable[str]) -> str:
    """All values as one, in the form of TAVOLATA_TCP."""
    return ",".join(part.strip() for value in values for part in value.split(",") if part.strip())


def ports(text: str) -> list[int]:
    """The ports that are named; raises `Trouble` for a wrong form, and for a port that is named twice."""
    found: list[int] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        form = FORM.fullmatch(part)
        if form is None:
            raise CommandError(f"--tcp takes NAME=PORT[;OPTION[=VALUE]...], such as snarl=45678, not {part!r}", USAGE)
        port = int(form["port"])
        if not 0 < port <= HIGHEST:
            raise CommandError(f"--tcp: a port is 1 to {HIGHEST}, not {port}", USAGE)
        if port in found:
            raise CommandError(f"--tcp names port {port} twice: every dialect needs a port of its own", USAGE)
        found.append(port)
    return found
