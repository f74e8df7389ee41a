"""The tables of `--mix`: every game and every dialect in one run, and every TCP listener that the gateways have."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadtest.clients.eriantys import AM24, AM28, GROUP3
from loadtest.clients.registry import MIXED, PLAY, dialects_of
from loadtest.cluster_file import KnownCluster, settings_of
from loadtest.plan import Address, TableKind, options_of
from shared.runtime.settings import PREFIX

_COMPAT = {"am28": AM28, "am24": AM24, "group3": GROUP3}
"""The dialect of the load tool for each compat mode of a listener."""
_PLAYERS = {"stones": 2, "codex": 3, "snarl": 4, "eriantys": 3}
"""Over TCP, Snarl starts a game with four players, unless TAVOLATA_SNARL_CLIENTS says otherwise."""


@dataclass(frozen=True, slots=True)
class TcpListeners:
    """The address of each dialect that a cluster serves over TCP, and the texts of its AM24 listener."""

    addresses: dict[str, Address] = field(default_factory=dict)
    texts: Path | None = None


def mixed_kinds(listeners: dict[str, Address], texts: dict[str, Any]) -> tuple[TableKind, ...]:
    """Tables of all games whose seats use different dialects: over WebSocket, and over the TCP listeners."""
    kinds = []
    for game, players in _PLAYERS.items():
        options = options_of(game, "", expert=game == "eriantys")
        dialects = dialects_of(game, MIXED)
        kinds.append(TableKind(game=game, dialects=dialects, players=players, options=options))
        over_tcp = {name: address for name, address in listeners.items() if name.partition(".")[0] == game}
        if over_tcp:
            spoken = tuple(over_tcp) if game == "snarl" else (PLAY, *over_tcp)
            kinds.append(
                TableKind(game=game, dialects=spoken, players=players, options=options, tcp=over_tcp, texts=texts)
            )
    return tuple(kinds)


def listeners_of(cluster: KnownCluster | None) -> TcpListeners:
    """The TCP listeners of the gateways, from their environment."""
    gateways = cluster.of_role("gateway") if cluster is not None else []
    text = settings_of(gateways[0].pid).get(f"{PREFIX}TCP", "") if gateways else ""
    found: dict[str, Address] = {}
    texts: Path | None = None
    for part in filter(None, (part.strip() for part in text.split(","))):
        place, *words = part.split(";")
        name, _, port = place.partition("=")
        options = {key: value for key, _, value in (word.partition("=") for word in words)}
        if "texts" in options:
            texts = Path(options["texts"])
        found[_COMPAT.get(options.get("compat", ""), name)] = ("127.0.0.1", int(port))
    return TcpListeners(found, texts)
