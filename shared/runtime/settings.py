"""Settings from `TAVOLATA_*` variables: read once, in `__main__`, and passed down. Durations are in milliseconds."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, ClassVar, TypeVar, get_type_hints

PREFIX = "TAVOLATA_"
CODEX = PREFIX + "CODEX_"
SNARL = PREFIX + "SNARL_"
"""How the variables begin that belong to a dialect: only gateways know them all."""
T = TypeVar("T", bound="StoreSettings")


class SettingError(Exception):
    """A setting that makes no sense; the text is one line that says what to do."""


HIGHEST_PORT = 65_535


def _setting(
    default: Any, text: str, *, least: int | None = None, most: int | None = None, one_of: tuple[str, ...] = ()
) -> Any:
    return field(default=default, metadata={"text": text, "least": least, "most": most, "one_of": one_of})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """What every process needs to know."""

    role: ClassVar[str] = ""

    redis_url: str = _setting("redis://127.0.0.1:6379/0", "the store: redis://, rediss:// or unix://")
    partitions: int = _setting(16, "into how many parts rooms are divided; fixed at the first start", least=1)
    durability: str = _setting(
        "fsync",
        "when a move counts as done: fsync (on disk), applied (in memory), replicated (at replicas)",
        one_of=("fsync", "applied", "replicated"),
    )
    linger_ms: int = _setting(3, "pause after a large batch, so that the next is large, too", least=0)
    gateway_lease_ms: int = _setting(5_000, "after how long without a sign of life a gateway counts as dead", least=200)
    log_level: str = _setting("info", "debug, info, warning or error", one_of=("debug", "info", "warning", "error"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings(StoreSettings):
    """What `python -m worker` understands."""

    role: ClassVar[str] = "worker"

    games: str = _setting("", "further games: modules with a GAME, separated by commas")
    host: str = _setting("127.0.0.1", "address of the /healthz and /metrics page")
    port: int = _setting(0, "port of that page; 0: any free one, -1: none", least=-1, most=HIGHEST_PORT)
    replicas: int = _setting(1, "how many replicas must have a move with durability=replicated", least=1)
    lease_ms: int = _setting(3_000, "after how long without a sign of life a worker counts as dead", least=200)
    batch: int = _setting(512, "most stream entries that are read at once", least=1)
    snapshot_every: int = _setting(100, "steps of a room, or refusals, between two snapshots", least=1)
    updates_kept: int = _setting(5_000, "how many updates of a room are kept, to resume from and to replay", least=10)
    keep_finished_ms: int = _setting(7 * 24 * 3_600_000, "how long a finished room can be replayed", least=1_000)
    grace_ms: int = _setting(10_000, "how long the seat of a lost player is kept before the game starts", least=0)
    away_ms: int = _setting(30_000, "how long a game without rules for it waits for a lost player", least=0)
    abandoned_ms: int = _setting(600_000, "after how long without any connected player a room is closed", least=1_000)
    rematch_ms: int = _setting(60_000, "how long a finished room stays in memory for chat and rematch", least=0)
    bot_ms: int = _setting(600, "how long a bot seems to think", least=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings(StoreSettings):
    """What `python -m gateway` understands."""

    role: ClassVar[str] = "gateway"

    host: str = _setting("127.0.0.1", "address to listen on")
    port: int = _setting(8000, "port to listen on; 0: any free one", least=0, most=HIGHEST_PORT)
    shared_port: int = _setting(
        0, "a second port that several gateways of one machine share; 0: none", least=0, most=HIGHEST_PORT
    )
    tcp: str = _setting("", "dialects over TCP: NAME=PORT[;OPTION[=VALUE]...], separated by commas")
    secret: str = _setting("", "signs session tokens; made once in the store unless set")
    admin_token: str = _setting("", "opens /ops and the operator's API; made once in the store unless set")
    origins: str = _setting("", "web origins that may open WebSockets, separated by commas; empty: any")
    trusted_proxies: str = _setting("", "addresses whose X-Forwarded-For is believed, separated by commas; *: any")
    rate: int = _setting(500, "commands per second of a connection", least=1)
    burst: int = _setting(1_000, "commands that a connection may send at once", least=1)
    connections: int = _setting(50_000, "most connections of a gateway", least=1)
    connections_per_address: int = _setting(20_000, "most connections from one address", least=1)
    rooms_per_player: int = _setting(8, "in how many running rooms a player may sit", least=1)
    backlog: int = _setting(20_000, "commands without an answer before new ones are told busy", least=1)
    outbox_bytes: int = _setting(256 * 1024, "unsent bytes before a client counts as slow", least=1_024)
    write_ms: int = _setting(10_000, "how long a slow client may take before it is closed", least=100)
    ping_ms: int = _setting(20_000, "between two pings of a silent WebSocket; unanswered twice: closed", least=0)
    retry_ms: int = _setting(5_000, "when a command without an answer is put on the stream again", least=100)
    name_ms: int = _setting(60_000, "how long a lost player's name is kept outside of rooms", least=0)
    token_ms: int = _setting(7 * 24 * 3_600_000, "how long a session token is good", least=1_000)
    drain_ms: int = _setting(3_000, "over how long sockets are closed at a clean stop", least=0)


def from_env(kind: type[T], env: Mapping[str, str]) -> T:
    """The settings of a process; raises `SettingError`."""
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for item in fields(kind):
        text = env.get(variable(item))
        if text is not None:
            values[item.name] = _parse(item, hints[item.name], text)
    return kind(**values)


def to_env(settings: StoreSettings) -> dict[str, str]:
    """The variables that give these settings to another process."""
    return {variable(item): str(getattr(settings, item.name)) for item in fields(settings)}


def variable(item: "Field[Any]") -> str:
    return PREFIX + item.name.upper()


def described(kind: type[StoreSettings]) -> list[tuple[str, str, str]]:
    """(variable, default, what it is) of every setting, for --help and the docs."""
    return [(variable(item), _default(item), item.metadata["text"]) for item in fields(kind)]


def strays(env: Mapping[str, str], dialects: Iterable[str] | None = None) -> list[str]:
    """A line for each `TAVOLATA_*` variable that no program understands, such as one that is misspelt. `dialects` are
    the variables of dialects; without them, nothing that looks like one is a stray."""
    known = {variable(item) for kind in (GatewaySettings, WorkerSettings) for item in fields(kind)} | {
        *(dialects or ())
    }
    given = sorted(name for name in env if name.startswith(PREFIX) and name not in known)
    return [_stray(name, known) for name in given if dialects is not None or not name.startswith((CODEX, SNARL))]


def _stray(name: str, known: Iterable[str]) -> str:
    """What all names have in common would make them look alike."""
    near = get_close_matches(name.removeprefix(PREFIX), sorted(one.removeprefix(PREFIX) for one in known), 1)
    hint = f"did you mean {PREFIX}{near[0]}?" if near else "`tavolata settings` lists all"
    return f"{name} is not a setting and is ignored; {hint}"


def _default(item: "Field[Any]") -> str:
    return "" if item.default is MISSING else str(item.default)


def _parse(item: "Field[Any]", kind: type, text: str) -> Any:
    name, least, most = variable(item), item.metadata["least"], item.metadata["most"]
    one_of = item.metadata["one_of"]
    if kind is int:
        try:
            number = int(text)
        except ValueError:
            raise SettingError(f"{name} must be a whole number, not {text!r}") from None
        if least is not None and number < least:
            raise SettingError(f"{name} must be at least {least}, not {number}")
        if most is not None and number > most:
            raise SettingError(f"{name} must be at most {most}, not {number}")
        return number
    if one_of and text not in one_of:
        raise SettingError(f"{name} must be one of {', '.join(one_of)}, not {text!r}")
    return text
