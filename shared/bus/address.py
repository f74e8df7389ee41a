"""The address of one server of the store: its URL, parsed, and the certificates of a TLS connection to it."""

import ssl
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from shared.runtime.settings import StoreSettings


class BadUrl(Exception):
    """The store's URL is malformed, or its certificates cannot be used. The text never contains the URL, which may have
    a password in it."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """The PEM files of a TLS connection; an empty path is the default."""

    ca: str = ""
    cert: str = ""
    key: str = ""

    @staticmethod
    def named_in(settings: StoreSettings) -> "TlsFiles":
        return TlsFiles(settings.redis_ca, settings.redis_cert, settings.redis_key)


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server, its login and database."""

    host: str = "127.0.0.1"
    port: int = 6379
    path: str = ""
    username: str = ""
    password: str = ""
    db: int = 0
    tls: bool = False
    context: ssl.SSLContext | None = field(default=None, compare=False, repr=False)
    """The certificates for TLS, read once: a file that is missing is reported at the start, not at a reconnect."""

    @staticmethod
    def named_in(settings: StoreSettings) -> "Address":
        return Address.parse(settings.redis_url, TlsFiles.named_in(settings))

    @staticmethod
    def parse(url: str, files: TlsFiles = TlsFiles()) -> "Address":
        """Raises `BadUrl`."""
        parts = split(url)
        if parts.scheme not in ("redis", "rediss", "unix"):
            raise BadUrl("the store's URL (TAVOLATA_REDIS_URL) must begin with redis://, rediss:// or unix://")
        context = tls_context(files, parts.scheme == "rediss")
        username, password = unquote(parts.username or ""), unquote(parts.password or "")
        if parts.scheme == "unix":
            db = database(parse_qs(parts.query).get("db", ["0"])[0])
            return Address(path=unquote(parts.path), username=username, password=password, db=db)
        port = port_in(parts, 6379)
        db = database(parts.path.strip("/") or "0")
        host = parts.hostname or "127.0.0.1"
        return Address(host, port, "", username, password, db, parts.scheme == "rediss", context)

    async def find(self) -> "Address":
        """The server to connect to: this one. Where the primary may move, `SentinelPrimary` looks for it."""
        return self

    async def is_primary(self, address: "Address") -> bool:
        """Whether another server is certainly not about to take the place of the one at this address."""
        return True

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"


def split(url: str) -> SplitResult:
    """The parts of a URL. Raises `BadUrl`."""
    try:
        return urlsplit(url)
    except ValueError as error:
        raise BadUrl(f"the store's URL (TAVOLATA_REDIS_URL) is malformed: {error}") from None


def port_in(parts: SplitResult, default: int) -> int:
    """The port in a URL. Raises `BadUrl`."""
    try:
        port = default if parts.port is None else parts.port
    except ValueError:
        port = 0
    if not port:
        raise BadUrl("a port in the store's URL (TAVOLATA_REDIS_URL) is not a number from 1 to 65535")
    return port


def tls_context(files: TlsFiles, tls: bool) -> ssl.SSLContext | None:
    """The certificates of a TLS connection; None without TLS. Raises `BadUrl`."""
    named = {"TAVOLATA_REDIS_CA": files.ca, "TAVOLATA_REDIS_CERT": files.cert, "TAVOLATA_REDIS_KEY": files.key}
    if not tls:
        # A connection that was meant to be encrypted must not become a plain one because of a missing letter.
        for variable in (name for name, path in named.items() if path):
            raise BadUrl(f"{variable} is set, but the store's URL (TAVOLATA_REDIS_URL) does not begin with rediss://")
        return None
    for variable, path in named.items():
        _check_readable(variable, path)
    if files.key and not files.cert:
        raise BadUrl("TAVOLATA_REDIS_KEY is set without TAVOLATA_REDIS_CERT")
    try:
        context = ssl.create_default_context(cafile=files.ca or None)
        if files.cert:
            context.load_cert_chain(files.cert, files.key or None)
    except ssl.SSLError as error:
        reason = error.reason or error
        raise BadUrl(
            f"the certificates for the store (TAVOLATA_REDIS_CA, _CERT, _KEY) cannot be used: {reason}"
        ) from None
    return context


def _check_readable(variable: str, path: str) -> None:
    if not path:
        return
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise BadUrl(f"{variable}: {path} cannot be read: {error.strerror}") from None


def database(text: str) -> int:
    """The number of a database. Raises `BadUrl`."""
    if not text.isdecimal():
        raise BadUrl(f"the database in the store's URL (TAVOLATA_REDIS_URL) is {text!r}, not a number")
    return int(text)
