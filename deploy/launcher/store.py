"""What the launcher asks the store: whether it is there, and the token that it shows to the operator."""

from urllib.parse import urlsplit

from redis import AuthenticationError, Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from deploy.errors import USAGE, CommandError
from shared.bus import keys, meta

LIMIT_S = 3.0


def check(url: str) -> None:
    """Raise `Trouble` unless the store answers."""
    try:
        with _client(url) as client:
            client.ping()
    except ValueError as error:
        raise CommandError(f"{shown(url)} is not the address of a store: {error}", USAGE) from None
    except AuthenticationError as error:
        raise CommandError(f"the store at {shown(url)} refuses us: {error}") from None
    except (RedisError, OSError) as error:
        raise CommandError(f"the store at {shown(url)} does not answer: {error}") from None


def admin_token(url: str) -> str | None:
    """The operator's token that the cluster made at its first start; None if it cannot be had."""
    try:
        with _client(url) as client:
            token = client.hget(keys.SECRETS, meta.ADMIN_TOKEN)
    except (RedisError, OSError):
        return None
    return token if isinstance(token, str) else None


def shown(url: str) -> str:
    """The address without a password."""
    parts = urlsplit(url)
    if parts.password is None:
        return url
    return url.replace(f":{parts.password}@", ":***@")


def _client(url: str) -> Redis:
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=LIMIT_S,
        socket_connect_timeout=LIMIT_S,
        retry=Retry(NoBackoff(), 0),
    )
