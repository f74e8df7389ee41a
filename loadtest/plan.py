"""The plan of a run, and the parsers of its command line options."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import orjson

from loadtest.clients.tcp import DEFAULT_PORTS
from loadtest.faults.kinds import ALL, FaultKind, FaultPlan

Address: TypeAlias = tuple[str, int]

STONES = 300
"""Default for `stones`: about 150 moves a game, so that moves and not the opening of tables are measured."""


class PlanError(ValueError):
    """An option cannot be used; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKind:
    """The game of a table, and how its seats speak."""

    game: str = "stones"
    dialects: tuple[str, ...] = ("play",)
    """The dialects of the seats of a table, in turn."""
    players: int = 2
    options: dict[str, Any] = field(default_factory=dict)
    tcp: dict[str, Address] = field(default_factory=dict)
    """The address of each dialect that is spoken over TCP."""
    texts: dict[str, Any] = field(default_factory=dict)
    """The texts of the AM24 listener."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    urls: tuple[str, ...]
    kinds: tuple[TableKind, ...] = (TableKind(),)
    """The kinds of tables, in turn."""
    rooms: int = 1
    duration_s: float | None = None
    games: int | None = None
    think_s: float = 0.0
    seed: int = 0
    patience_s: float = 60.0
    """Time without a move after which a table is given up."""
    faults: FaultPlan | None = None
    check_at_once: bool = False
    """Check the record of a game when the game has ended, not at the end of the run."""
    allow_rewound: bool = False
    """Moves that the store has undone are no violation."""

    def kind_of(self, table: int) -> tuple[TableKind, int]:
        """The kind of a table, and its number among those of its kind."""
        number, kind = divmod(table, len(self.kinds))
        return self.kinds[kind], number

    @property
    def games_played(self) -> list[str]:
        """The names of all games, each once."""
        return list(dict.fromkeys(kind.game for kind in self.kinds))

    @property
    def dialects_spoken(self) -> list[str]:
        return list(dict.fromkeys(name for kind in self.kinds for name in kind.dialects))


def urls_of(text: str) -> tuple[str, ...]:
    """URLs without a path, from `ws://host:port[,ws://host:port...]`."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        malformed = PlanError(f"--url takes ws://host:port, several separated by commas, not {part!r}")
        try:
            parts = urlsplit(part if "//" in part else f"ws://{part}")
            port = parts.port
        except ValueError:
            raise malformed from None
        scheme = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}.get(parts.scheme)
        if scheme is None or not parts.hostname or parts.path.strip("/"):
            raise malformed
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        found.append(f"{scheme}://{host}:{port or (443 if scheme == 'wss' else 80)}")
    if not found:
        raise PlanError("--url names no server")
    return tuple(found)


def faults_of(text: str, possible: Collection[FaultKind] = tuple(FaultKind)) -> tuple[FaultKind, ...]:
    """The kinds in a list that is separated by commas; `all` is every kind that is possible with the store."""
    named = [part.strip() for part in text.split(",") if part.strip()]
    if ALL in named:
        return tuple(kind for kind in FaultKind if kind in possible)
    known = set(FaultKind)
    for name in named:
        if name not in known:
            raise PlanError(f"--faults takes {', '.join(FaultKind)} and {ALL}, not {name!r}")
        if name not in possible:
            raise PlanError(f"--faults: the store of this cluster cannot do {name}: see `tavolata up --store`")
    if not named:
        raise PlanError("--faults names no fault")
    return tuple(FaultKind(name) for name in dict.fromkeys(named))


def options_of(game: str, text: str, expert: bool) -> dict[str, Any]:
    try:
        options = orjson.loads(text) if text else {}
    except ValueError as error:
        raise PlanError(f"--options takes a JSON object: {error}") from None
    if not isinstance(options, dict):
        raise PlanError("--options takes a JSON object, such as '{\"stones\": 21}'")
    if expert:
        options = {**options, "expert": True}
    return {"stones": STONES, **options} if game == "stones" else options


def tcp_of(texts: list[str], dialects: tuple[str, ...], host: str) -> dict[str, Address]:
    """Each text is `HOST:PORT`, `PORT`, `DIALECT=PORT`, `DIALECT=HOST:PORT`, or empty for the default port."""
    found: dict[str, Address] = {}
    for text in ",".join(texts).replace(" ", "").split(",") if texts else ():
        form = re.fullmatch(r"(?:(?P<dialect>[a-z][a-z0-9.]*)=)?(?:(?P<host>[^=:]+):)?(?P<port>\d{1,5})", text)
        if text and form is None:
            raise PlanError(f"--tcp takes nothing, PORT, HOST:PORT or DIALECT=PORT, not {text!r}")
        named = form["dialect"] if form is not None else None
        for dialect in (named,) if named else dialects:
            if dialect not in DEFAULT_PORTS:
                raise PlanError(f"{dialect} is not spoken over TCP")
            port = int(form["port"]) if form is not None else DEFAULT_PORTS[dialect]
            found[dialect] = ((form["host"] if form is not None else None) or host, port)
    return found


def pids_of(text: str) -> dict[int, str]:
    """Roles by pid, from `gateway=1234,worker=1235,1236`; the role is empty where none is given."""
    found: dict[int, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        role, _, pid = part.rpartition("=")
        if not pid.isdigit():
            raise PlanError(f"--pids takes ROLE=PID or PID, several separated by commas, not {part!r}")
        found[int(pid)] = role
    return found
