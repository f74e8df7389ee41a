"""Settings from `TAVOLATA_*` variables: their names, defaults, limits and descriptions, each stated once.

Programs read them once, in `__main__`, and pass them down. Durations are in milliseconds. Dialects declare their own
settings with the same functions.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from functools import partial
from typing import Any, ClassVar, Protocol, TypeVar

PREFIX = "TAVOLATA_"
HIGHEST_PORT = 65_535
SHORTEST_SECRET = 16


class SettingError(ValueError):
    """A setting has a value that cannot be used; the text is one line that names the variable and what it takes."""


class Settings(Protocol):
    """A dataclass whose fields are made by `setting`."""

    prefix: ClassVar[str]
    __dataclass_fields__: "ClassVar[dict[str, Field[Any]]]"


T = TypeVar("T", bound=Settings)
Parse = Callable[[str, str], Any]
"""(text of the variable, its name) -> value. Raises `ValueError`."""


def setting(
    default: Any,
    text: str,
    *,
    least: int | None = None,
    most: int | None = None,
    one_of: tuple[str, ...] = (),
    shortest: int = 0,
    variable: str = "",
    parse: Parse | None = None,
) -> Any:
    """A field of a settings class. `variable` is the name without prefix if it differs from the field's. `shortest` is
    the least length of a secret that is not empty.

    With `parse`, the default is given as it would be written in the environment, so that it is stated only once even
    where the value is kept in another unit.
    """
    written = "" if default is None else str(default)
    if parse is not None:
        default = parse(written, variable)
    elif isinstance(default, int):
        parse = partial(_whole_number, least=least, most=most)
    else:
        parse = partial(_text, one_of=one_of, shortest=shortest)
    return field(default=default, metadata={"text": text, "written": written, "variable": variable, "parse": parse})


def _whole_number(text: str, name: str, least: int | None, most: int | None) -> int:
    try:
        number = int(text)
    except ValueError:
        number = None
    if least is not None and most is not None:
        if number is None or not least <= number <= most:
            raise SettingError(f"{name} must be a whole number from {least} to {most}, not {text!r}")
        return number
    if number is None:
        raise SettingError(f"{name} must be a whole number, not {text!r}")
    if least is not None and number < least:
        raise SettingError(f"{name} must be at least {least}, not {number}")
    return number


def _text(text: str, name: str, one_of: tuple[str, ...], shortest: int) -> str:
    if one_of and text not in one_of:
        raise SettingError(f"{name} must be one of {', '.join(one_of)}, not {text!r}")
    if text and len(text) < shortest:  # the text does not quote the value: it is a secret
        raise SettingError(
            f"{name} must have at least {shortest} characters, not {len(text)}; leave it out for a random one"
        )
    return text


_KEY_PREFIX = re.compile(r"[A-Za-z0-9_.:-]{0,64}")


def _key_prefix(text: str, name: str) -> str:
    """Braces would change the hash tag of every key, and * and ? the users' patterns."""
    if not _KEY_PREFIX.fullmatch(text):
        raise SettingError(f"{name} must have at most 64 letters, digits, '_', '.', ':' and '-', not {text!r}")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Settings that every process reads."""

    role: ClassVar[str] = ""
    prefix: ClassVar[str] = PREFIX

    redis_url: str = setting(
        "redis://127.0.0.1:6379/0",
        "address of the store: redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://",
    )
    key_prefix: str = setting(
        "", "prefix of all keys and channels, so that several clusters can share a store", parse=_key_prefix
    )
    redis_ca: str = setting("", "file with the CA of a rediss:// store's certificate; by default those of the system")
    redis_cert: str = setting("", "file with the certificate that this process shows to a rediss:// store")
    redis_key: str = setting("", "file with the key of that certificate; by default it is in the certificate's file")
    partitions: int = setting(16, "number of partitions; fixed when the store is first used", least=1)
    durability: str = setting(
        "fsync",
        "what must hold before a move is acknowledged: fsync (on disk), applied (in memory), replicated (on replicas)",
        one_of=("fsync", "applied", "replicated"),
    )
    replicas: int = setting(1, "replicas that must have a move if durability is replicated", least=1)
    linger_ms: int = setting(3, "pause after a large batch, so that the next batch is large too", least=0)
    gateway_lease_ms: int = setting(5_000, "time without a heartbeat after which a gateway counts as dead", least=200)
    log_level: str = setting(
        "info",
        "least level that is logged: debug, info, warning or error",
        one_of=("debug", "info", "warning", "error"),
    )
    log_format: str = setting(
        "text", "form of a log line: text, or json (one object per line)", one_of=("text", "json")
    )

    @property
    def needed_replicas(self) -> int:
        """The replicas that must have a move before it is shown; 0 unless the durability is `replicated`."""
        return self.replicas if self.durability == "replicated" else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings(StoreSettings):
    """Settings of `python -m worker`."""

    role: ClassVar[str] = "worker"

    games: str = setting("", "additional games: modules that define GAME, separated by commas")
    host: str = setting("127.0.0.1", "address that serves /healthz, /readyz and /metrics")
    port: int = setting(
        0, "port that serves /healthz, /readyz and /metrics; 0: any free port, -1: none", least=-1, most=HIGHEST_PORT
    )
    lease_ms: int = setting(3_000, "time without a heartbeat after which a worker counts as dead", least=200)
    batch: int = setting(512, "stream entries read at once, at most", least=1)
    snapshot_every: int = setting(100, "steps or refusals of a room between two snapshots", least=1)
    log_bytes: int = setting(
        2 * 1024 * 1024, "size of a partition's logs from which on rooms' histories are written", least=1_000
    )
    updates_kept: int = setting(5_000, "updates kept per room, for resuming and for replays", least=10)
    updates_bytes: int = setting(1024 * 1024, "bytes of updates kept per room", least=16_384)
    chat_bytes: int = setting(512 * 1024, "bytes of a room's journal that chat may take", least=1_024)
    keep_unplayed_ms: int = setting(
        300_000, "time that a room stays in the store that was closed before its game began", least=1_000
    )
    keep_finished_ms: int = setting(7 * 24 * 3_600_000, "time that a finished room stays in the store", least=1_000)
    grace_ms: int = setting(10_000, "time that a disconnected player's seat is kept before the game starts", least=0)
    away_ms: int = setting(30_000, "time that a game which has no rule for it waits for a disconnected player", least=0)
    abandoned_ms: int = setting(600_000, "time without any connected player after which a room is closed", least=1_000)
    rematch_ms: int = setting(60_000, "time that a finished room stays in memory, for chat and rematch", least=0)
    bot_ms: int = setting(600, "delay before a bot's move", least=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings(StoreSettings):
    """Settings of `python -m gateway`."""

    role: ClassVar[str] = "gateway"

    host: str = setting("127.0.0.1", "address to listen on")
    port: int = setting(8000, "port to listen on; 0: any free port", least=0, most=HIGHEST_PORT)
    shared_port: int = setting(
        0, "second port, shared by the gateways of one machine; 0: none", least=0, most=HIGHEST_PORT
    )
    ops_host: str = setting("127.0.0.1", "address that serves /ops, the operators' API and /metrics")
    ops_port: int = setting(
        0,
        "port that serves /ops, the operators' API and /metrics; 0: any free port, -1: none",
        least=-1,
        most=HIGHEST_PORT,
    )
    tcp: str = setting("", "TCP listeners: NAME=PORT[;OPTION[=VALUE]...], separated by commas")
    secret: str = setting(
        "",
        "key that signs session tokens, 16 characters or more; by default one is generated and kept in the store",
        shortest=SHORTEST_SECRET,
    )
    admin_token: str = setting(
        "",
        "token of the operators' API, 16 characters or more; by default one is generated and kept in the store",
        shortest=SHORTEST_SECRET,
    )
    operators: str = setting("", "file with named operators and their roles; `tavolata ops hash` makes its lines")
    origins: str = setting(
        "", "web origins whose pages may open WebSockets and read the API, separated by commas; empty: any"
    )
    trusted_proxies: str = setting("", "addresses whose X-Forwarded-For is trusted, separated by commas; *: any")
    rate: int = setting(500, "messages per second that a connection may send", least=1)
    burst: int = setting(1_000, "messages that a connection may send at once", least=1)
    connections: int = setting(50_000, "connections per gateway, at most", least=1)
    connections_per_address: int = setting(20_000, "connections from one address, at most", least=1)
    rooms_per_player: int = setting(8, "unfinished rooms in which a player may have a seat", least=1)
    return_by_name: str = setting(
        "any",
        "clients that get a lost seat back by its name, in dialects without tokens: any, address (those with the same "
        "address), off (none)",
        one_of=("any", "address", "off"),
    )
    backlog: int = setting(20_000, "unanswered commands after which new ones are refused as busy", least=1)
    outbox_bytes: int = setting(256 * 1024, "unsent bytes after which a client counts as slow", least=1_024)
    write_ms: int = setting(10_000, "time after which the connection of a slow client is closed", least=100)
    ping_ms: int = setting(
        20_000, "time between two pings of a silent WebSocket; it is closed if two stay unanswered", least=0
    )
    retry_ms: int = setting(5_000, "time after which an unanswered command is added to the stream again", least=100)
    name_ms: int = setting(60_000, "time that the name of a disconnected player without a seat is kept", least=0)
    token_ms: int = setting(7 * 24 * 3_600_000, "validity of a session token", least=1_000)
    drain_ms: int = setting(3_000, "time over which connections are closed at a clean stop", least=0)
    drain_games_ms: int = setting(
        300_000, "time for which a gateway that stops lets clients that cannot resume finish their games", least=0
    )
    balance_ms: int = setting(
        30_000,
        "time in which a gateway with many more connections than the others asks two thirds of the excess to come "
        "back; 0: never",
        least=0,
    )


_SIZES = {"kb": 2**10, "mb": 2**20, "gb": 2**30}
_SIZE = re.compile(r"(\d+)(kb|mb|gb|%|)")


def _memory(text: str, name: str) -> int:
    """Bytes, from a number with a unit or a share of the machine's memory."""
    form = _SIZE.fullmatch(text.lower())
    if form is None or (form[2] == "%" and int(form[1]) > 100):
        raise SettingError(f"{name} must be a size such as 512mb or 2gb, a share such as 50%, or 0, not {text!r}")
    if form[2] == "%":
        return int(form[1]) * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 100
    return int(form[1]) * _SIZES.get(form[2], 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedStoreSettings:
    """Settings of the store that `tavolata up` starts."""

    prefix: ClassVar[str] = PREFIX + "STORE_"

    topology: str = setting(
        "auto",
        "standalone (one server), sentinel (two replicas) or cluster (three primaries with a replica each); auto: the "
        "one in the data folder, or else standalone",
        one_of=("auto", "standalone", "sentinel", "cluster"),
    )
    down_after_ms: int = setting(
        1_000,
        "time without an answer after which a server of a store with replicas counts as dead; twice that in a cluster",
        least=100,
    )
    maxmemory: int = setting(
        "50%", "memory limit: a size such as 2gb, a share of the machine's memory, or 0: none", parse=_memory
    )
    """In bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorCommandSettings:
    """Settings of the `tavolata ops` commands."""

    prefix: ClassVar[str] = PREFIX + "OPS_"

    url: str = setting("", "operators' port of a gateway, http://host:port; by default that of a local cluster")
    token: str = setting("", "token of an operator; by default the generated admin token of a local cluster")


def from_env(kind: type[T], env: Mapping[str, str], **given: Any) -> T:
    """Settings from variables; `given` are fields that the caller has read itself. Raises `SettingError`."""
    values = dict(given)
    for item in fields(kind):
        name = _variable(kind, item)
        if item.name not in given and name in env:
            values[item.name] = _parsed(item, env[name], name)
    return kind(**values)


def _parsed(item: "Field[Any]", text: str, name: str) -> Any:
    try:
        return item.metadata["parse"](text, name)
    except SettingError:
        raise
    except ValueError as error:
        raise SettingError(str(error)) from None


def to_env(settings: StoreSettings) -> dict[str, str]:
    """The variables that give these settings to another process."""
    return {_variable(settings, item): str(getattr(settings, item.name)) for item in fields(settings)}


def _variable(kind: Settings | type[Settings], item: "Field[Any]") -> str:
    return kind.prefix + (item.metadata["variable"] or item.name.upper())


def described(kind: type[Settings]) -> list[tuple[str, str, str]]:
    """(variable, default, description) of every setting, for --help and the docs."""
    return [(_variable(kind, item), item.metadata["written"], item.metadata["text"]) for item in fields(kind)]


def unknown_variables(
    env: Mapping[str, str], dialect_variables: Iterable[str] = (), unchecked: tuple[str, ...] = ()
) -> list[str]:
    """A warning for each `TAVOLATA_*` variable that no program reads, such as a misspelled one.

    A process without a list of the dialects' variables passes their prefixes as `unchecked` instead.
    """
    kinds: tuple[type[Settings], ...] = (
        GatewaySettings,
        WorkerSettings,
        EmbeddedStoreSettings,
        OperatorCommandSettings,
    )
    known = {name for kind in kinds for name, _, _ in described(kind)}
    known |= set(dialect_variables)
    unknown = sorted(name for name in env if name.startswith(PREFIX) and name not in known)
    return [_warning(name, known) for name in unknown if not name.startswith(unchecked)]


def _warning(name: str, known: Iterable[str]) -> str:
    # The common prefix is left out of the comparison: with it, all names would look alike.
    near = get_close_matches(name.removeprefix(PREFIX), sorted(one.removeprefix(PREFIX) for one in known), 1)
    hint = f"did you mean {PREFIX}{near[0]}?" if near else "`tavolata settings` lists all"
    return f"{name} is not a setting and is ignored; {hint}"
