"""Limits of HTTP per address: connections, requests, replays, and questions about rooms that do not exist.

The size of a single request is limited in shared/runtime/http_protocol.py.
"""

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.connections import Connections
from gateway.http.responses import error
from gateway.session.rates import Meter
from gateway.transports.client_address import client_address, parse_list

_UNLIMITED = ("/healthz", "/readyz")
"""Paths that cost nothing and that a proxy asks for, whose address may be that of all players."""
_SPARE = 200
"""HTTP connections beyond the limits of connections: a full gateway still answers the health checks of proxies,
and refuses WebSockets with a close code."""


class HttpConnections:
    """Counts HTTP connections together with those of players, under the same limits. A trusted proxy's connections
    belong to many clients, so they are counted in all, but not by address."""

    def __init__(self, connections: Connections) -> None:
        self._limiter = connections.limiter
        self._trusted = parse_list(connections.settings.trusted_proxies)

    def enter(self, peer: str) -> bool:
        return self._limiter.enter(self._address(peer), _SPARE)

    def leave(self, peer: str) -> None:
        self._limiter.leave(self._address(peer))

    def _address(self, peer: str) -> str:
        return "" if peer in self._trusted or "*" in self._trusted else peer


class HttpRates:
    """The rates of one gateway's HTTP requests, by the address of the client."""

    def __init__(self, connections: Connections) -> None:
        self._meters = connections.addresses
        self._trusted = parse_list(connections.settings.trusted_proxies)

    def take(self, request: Request, meter: Meter) -> bool:
        """Count a request. False: its address has exceeded the rate."""
        return self._meters.take(self._address(request), meter)

    def may_guess(self, request: Request) -> bool:
        """Whether the client may name a room that perhaps does not exist."""
        return self._meters.allows(self._address(request), Meter.MISS)

    def _address(self, request: Request) -> str:
        peer = request.client.host if request.client is not None else "local"
        return client_address(peer, ", ".join(request.headers.getlist("X-Forwarded-For")), self._trusted)


class LimitedApp:
    """An HTTP application whose requests are counted."""

    def __init__(self, app: ASGIApp, rates: HttpRates) -> None:
        self._app = app
        self._rates = rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if scope["path"] in _UNLIMITED or self._rates.take(request, Meter.HTTP):
            await self._app(scope, receive, send)
        else:
            await error("busy/rate", 429)(scope, receive, send)
