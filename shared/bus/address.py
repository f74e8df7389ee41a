"""The address of a store, parsed from its URL."""

from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit


class BadUrl(Exception):
    """The store's URL is malformed. The text never contains the URL, which may have a password in it."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a store, its login and database."""

    host: str = "127.0.0.1"
    port: int = 6379
    path: str = ""
    username: str = ""
    password: str = ""
    db: int = 0
    tls: bool = False

    @staticmethod
    def parse(url: str) -> "Address":
        parts = urlsplit(url)
        if parts.scheme not in ("redis", "rediss", "unix"):
            raise BadUrl("the store's URL (TAVOLATA_REDIS_URL) must begin with redis://, rediss:// or unix://")
        username, password = unquote(parts.username or ""), unquote(parts.password or "")
        if parts.scheme == "unix":
            db = _db(parse_qs(parts.query).get("db", ["0"])[0])
            return Address(path=unquote(parts.path), username=username, password=password, db=db)
        try:
            port = parts.port or 6379
        except ValueError:
            raise BadUrl("the port in the store's URL (TAVOLATA_REDIS_URL) is not a number up to 65535") from None
        db = _db(parts.path.strip("/") or "0")
        return Address(parts.hostname or "127.0.0.1", port, "", username, password, db, parts.scheme == "rediss")

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"


def _db(text: str) -> int:
    if not text.isdecimal():
        raise BadUrl(f"the database in the store's URL (TAVOLATA_REDIS_URL) is {text!r}, not a number")
    return int(text)
