"""Requests of the launcher to the store: whether it answers, and the admin token. Uses redis-py, unlike the cluster."""

from typing import Any
from urllib.parse import urlsplit

from redis import AuthenticationError, Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from deploy.errors import USAGE, CommandError
from shared.bus import keys, meta
from shared.bus.address import Address, BadUrl, TlsFiles

LIMIT_S = 3.0


def check(url: str, tls: TlsFiles = TlsFiles()) -> None:
    """Raise `CommandError` unless the store answers."""
    try:
        if tls != TlsFiles() or url.startswith("rediss:"):
            Address.parse(url, tls)
        _ping(url, tls)
    except BadUrl as error:
        raise CommandError(str(error), USAGE) from None
    except ValueError as error:
        raise CommandError(f"{without_password(url)} is not the address of a store: {error}", USAGE) from None
    except AuthenticationError as error:
        raise CommandError(f"the store at {without_password(url)} refuses the login: {error}") from None
    except (RedisError, OSError) as error:
        raise CommandError(f"the store at {without_password(url)} does not answer: {error}") from None


def answers(url: str) -> bool:
    """Whether the store takes commands: it listens and has loaded its data."""
    try:
        _ping(url, TlsFiles())
    except (RedisError, OSError):
        return False
    return True


def admin_token(url: str, tls: TlsFiles = TlsFiles(), key_prefix: str = "") -> str | None:
    """The admin token that the cluster generated at its first start; None if it cannot be read."""
    try:
        with _client(url, tls) as client:
            token = client.hget(key_prefix + keys.SECRETS, meta.ADMIN_TOKEN)
    except (RedisError, OSError):
        return None
    return token if isinstance(token, str) else None


def without_password(url: str) -> str:
    """The address as it may be shown."""
    parts = urlsplit(url)
    if parts.password is None:
        return url
    return url.replace(f":{parts.password}@", ":***@")


def _ping(url: str, tls: TlsFiles) -> None:
    with _client(url, tls) as client:
        client.ping()


def client_at(address: Address, tls: TlsFiles = TlsFiles()) -> Any:
    """A client of one server. It is not typed, because redis-py types replies for its asyncio client, too."""
    options = _options(tls, address.tls) | {"username": address.username or None, "password": address.password or None}
    return Redis(host=address.host, port=address.port, ssl=address.tls, **options)


def _client(url: str, tls: TlsFiles) -> Redis:
    return Redis.from_url(url, **_options(tls, url.startswith("rediss:")))


def _options(tls: TlsFiles, encrypted: bool) -> dict[str, Any]:
    files = {"ssl_ca_certs": tls.ca, "ssl_certfile": tls.cert, "ssl_keyfile": tls.key} if encrypted else {}
    # Without retries: the caller polls, and a store that does not answer must be reported at once.
    waiting = {"socket_timeout": LIMIT_S, "socket_connect_timeout": LIMIT_S, "retry": Retry(NoBackoff(), 0)}
    return {"decode_responses": True, **waiting, **{name: path for name, path in files.items() if path}}
