"""The addresses of replicated stores: Sentinels that name the primary, or the nodes of a Cluster.

A URL of one server is left to `shared.bus.address`.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias
from urllib.parse import SplitResult, parse_qs, unquote

from shared.bus.address import Address, BadUrl, TlsFiles, database, port_in, split, tls_context
from shared.runtime.settings import StoreSettings

_SENTINEL_PORT, _NODE_PORT = 26_379, 6_379
_SCHEMES = ("redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster")
_URL = "the store's URL (TAVOLATA_REDIS_URL)"


@dataclass(frozen=True, slots=True)
class SentinelAddress:
    """A primary that Sentinels name."""

    sentinels: tuple[Address, ...]
    service: str
    server: Address
    """Login, database and certificates of the servers; host and port are the Sentinels' answer."""

    def at(self, host: str, port: int) -> Address:
        return replace(self.server, host=host, port=port)

    def __str__(self) -> str:
        return f"{self.service} of {','.join(map(str, self.sentinels))}"


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """Some nodes of a Cluster; the others are learnt from them."""

    nodes: tuple[Address, ...]

    def at(self, host: str, port: int) -> Address:
        """Another node, with the same login and certificates."""
        return replace(self.nodes[0], host=host, port=port)

    def __str__(self) -> str:
        return ",".join(map(str, self.nodes))


StoreAddress: TypeAlias = Address | SentinelAddress | ClusterAddress


def topology_name(url: str) -> str:
    """The topology of a store by its URL: `standalone`, `sentinel` or `cluster`. Raises `BadUrl`."""
    match parse(url):
        case SentinelAddress():
            return "sentinel"
        case ClusterAddress():
            return "cluster"
        case Address():
            return "standalone"


def named_in(settings: StoreSettings) -> StoreAddress:
    """Raises `BadUrl`."""
    return parse(settings.redis_url, TlsFiles.named_in(settings))


def parse(url: str, files: TlsFiles = TlsFiles()) -> StoreAddress:
    """Raises `BadUrl`."""
    parts = split(url)
    if parts.scheme not in _SCHEMES:
        raise BadUrl(f"{_URL} must begin with {', '.join(f'{scheme}://' for scheme in _SCHEMES)}")
    security, _, kind = parts.scheme.partition("+")
    if not kind:
        return Address.parse(url, files)
    template = _template(parts, files, tls=security == "rediss")
    return _sentinel(parts, template) if kind == "sentinel" else _cluster(parts, template)


def _template(parts: SplitResult, files: TlsFiles, *, tls: bool) -> Address:
    login, found, _ = parts.netloc.rpartition("@")
    if "@" in login:
        raise BadUrl(f"{_URL} has a login before each host: it is written once, before the first (an @ in it as %40)")
    username, _, password = login.partition(":") if found else ("", "", "")
    context = tls_context(files, tls)
    return Address(username=unquote(username), password=unquote(password), tls=tls, context=context)


def _sentinel(parts: SplitResult, server: Address) -> SentinelAddress:
    service, _, db = parts.path.strip("/").partition("/")
    if not service:
        raise BadUrl(f"{_URL} names no service: redis+sentinel://host:port,host:port/service")
    query = parse_qs(parts.query)
    if unknown := query.keys() - {"sentinel_password"}:
        raise BadUrl(f"{_URL} has an unknown option {min(unknown)!r}; sentinel_password is the only one")
    password = query.get("sentinel_password", [""])[0]
    sentinels = _servers(parts, replace(server, username="", password=password), _SENTINEL_PORT)
    return SentinelAddress(sentinels, unquote(service), replace(server, db=database(db or "0")))


def _cluster(parts: SplitResult, node: Address) -> ClusterAddress:
    if parts.path.strip("/") or parts.query:
        raise BadUrl(f"{_URL} of a Cluster ends with its nodes: a Cluster has neither databases nor options")
    return ClusterAddress(_servers(parts, node, _NODE_PORT))


def _servers(parts: SplitResult, template: Address, default_port: int) -> tuple[Address, ...]:
    hosts = parts.netloc.rpartition("@")[2]
    return tuple(_server(text, template, default_port) for text in hosts.split(","))


def _server(text: str, template: Address, default_port: int) -> Address:
    one = split(f"//{text}")
    if not one.hostname:
        raise BadUrl(f"{_URL} has an empty host: hosts are written host:port,host:port")
    return replace(template, host=one.hostname, port=port_in(one, default_port))
