"""Requests of the launcher to the store: whether it answers, and the admin token. Uses redis-py, unlike the cluster."""

from typing import Any
from urllib.parse import parse_qs

from redis import AuthenticationError, Redis, RedisCluster, RedisError
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.exceptions import RedisClusterException
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry
from redis.sentinel import Sentinel

from deploy.errors import USAGE, CommandError
from shared.bus import keys, meta, store_address
from shared.bus.address import Address, BadUrl, TlsFiles, split
from shared.bus.store_address import ClusterAddress, SentinelAddress

LIMIT_S = 3.0
FAILURES = (RedisError, RedisClusterException, OSError)
"""Exceptions of redis-py if a store does not answer."""


def check(url: str, tls: TlsFiles = TlsFiles()) -> None:
    """Raise `CommandError` unless the store answers."""
    try:
        shown = without_password(url)
        _ping(url, tls)
    except BadUrl as error:
        raise CommandError(str(error), USAGE) from None
    except AuthenticationError as error:
        raise CommandError(f"the store at {shown} refuses the login: {error}") from None
    except FAILURES as error:
        raise CommandError(f"the store at {shown} does not answer: {error}") from None


def answers(url: str) -> bool:
    """Whether the store takes commands: it listens and has loaded its data."""
    try:
        _ping(url, TlsFiles())
    except FAILURES:
        return False
    return True


def answers_at(address: Address) -> bool:
    """The same for one server."""
    try:
        with client_at(address) as opened:
            opened.ping()
    except FAILURES:
        return False
    return True


def admin_token(url: str, tls: TlsFiles = TlsFiles(), key_prefix: str = "") -> str | None:
    """The admin token that the cluster generated at its first start; None if it cannot be read."""
    try:
        with client(url, tls) as opened:
            token = opened.hget(key_prefix + keys.SECRETS, meta.ADMIN_TOKEN)
    except FAILURES:
        return None
    return token if isinstance(token, str) else None


def without_password(url: str) -> str:
    """The address as it may be shown. Raises `BadUrl`."""
    parts = split(url)
    shown = url if parts.password is None else url.replace(f":{parts.password}@", ":***@")
    for password in parse_qs(parts.query).get("sentinel_password", ()):
        shown = shown.replace(f"sentinel_password={password}", "sentinel_password=***")
    return shown


def client_at(address: Address, tls: TlsFiles = TlsFiles()) -> Any:
    """A client of one server. It is not typed, because redis-py types replies for its asyncio client, too."""
    # By default redis-py begins with a command that servers answer with an error.
    quiet = MaintNotificationsConfig(enabled=False)
    options = {**_login(address), **_options(tls, address.tls), "maint_notifications_config": quiet}
    return Redis(host=address.host, port=address.port, ssl=address.tls, **options)


def _ping(url: str, tls: TlsFiles) -> None:
    with client(url, tls) as opened:
        opened.ping()


def client(url: str, tls: TlsFiles = TlsFiles()) -> Any:
    """A client of the store: of its primary, or of all servers of a Cluster. Raises `BadUrl`."""
    match store_address.parse(url, tls):
        case SentinelAddress() as address:
            return _primary(address, tls)
        case ClusterAddress() as address:
            first = address.nodes[0]
            nodes = [ClusterNode(node.host, node.port) for node in address.nodes]  # type: ignore[no-untyped-call]
            return RedisCluster(startup_nodes=nodes, ssl=first.tls, **_login(first), **_options(tls, first.tls))
        case Address() as address:
            return Redis.from_url(url, **_options(tls, address.tls))


def _primary(address: SentinelAddress, tls: TlsFiles) -> Any:
    server, options = address.server, _options(tls, address.server.tls) | {"ssl": address.server.tls}
    sentinels: Any = Sentinel(  # type: ignore[no-untyped-call]
        [(sentinel.host, sentinel.port) for sentinel in address.sentinels],
        sentinel_kwargs={"password": address.sentinels[0].password or None, **options},
        **_login(server),
        **options,
    )
    return sentinels.master_for(address.service, db=server.db)


def _login(address: Address) -> dict[str, Any]:
    return {"username": address.username or None, "password": address.password or None}


def _options(tls: TlsFiles, encrypted: bool) -> dict[str, Any]:
    files = {"ssl_ca_certs": tls.ca, "ssl_certfile": tls.cert, "ssl_keyfile": tls.key} if encrypted else {}
    # Without retries: the caller polls, and a store that does not answer must be reported at once.
    waiting = {"socket_timeout": LIMIT_S, "socket_connect_timeout": LIMIT_S, "retry": Retry(NoBackoff(), 0)}
    return {"decode_responses": True, **waiting, **{name: path for name, path in files.items() if path}}
