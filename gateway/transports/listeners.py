"""The setting TAVOLATA_TCP: dialects on TCP ports of their own."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.runtime.settings import SettingError

_PROXY_OPTION = "proxy"


@dataclass(frozen=True, slots=True)
class TcpListener:
    """A TCP port that speaks one dialect, with its options."""

    dialect: str
    port: int
    options: Mapping[str, str]
    proxied: bool = False
    """Connections come through a proxy, which begins each with a PROXY header."""


def parse_listeners(setting: str) -> list[TcpListener]:
    """Parse `NAME=PORT[;OPTION[=VALUE]...]`, separated by commas; raises `SettingError`. The option `proxy` is the
    listener's own, the others are the dialect's."""
    found = []
    for part in filter(None, (part.strip() for part in setting.split(","))):
        place, *options = (piece.strip() for piece in part.split(";"))
        name, equals, port = place.partition("=")
        if not equals or not port.isdigit() or not 0 < int(port) < 65_536:
            raise SettingError(f"TAVOLATA_TCP: {part!r} is not of the form NAME=PORT[;OPTION[=VALUE]...]")
        proxied = _PROXY_OPTION in options
        pairs = (option.partition("=") for option in options if option and option != _PROXY_OPTION)
        found.append(TcpListener(name, int(port), {key.strip(): value.strip() for key, _, value in pairs}, proxied))
    return found
