"""Access of operators: the admin token, the throttle for wrong tokens, and the audit log."""

import hmac
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from gateway.http.responses import Handler, bearer, error, guarded
from gateway.metrics import Metrics
from gateway.transports.client_address import client_address, parse_list

log = logging.getLogger("tavolata.operators")

WINDOW_S = 60.0
MOST_WRONG_PER_ADDRESS = 10
MOST_WRONG = 100
"""Wrong tokens from all addresses within a window; this bounds the addresses that are kept, too."""


@dataclass(slots=True)
class _Window:
    """Wrong tokens until a fixed time."""

    ends: float
    wrong: int = 0


class TokenThrottle:
    """Counts wrong tokens within a minute, from each address and from all together."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._addresses: dict[str, _Window] = {}
        self._all = _Window(0.0)
        self._good: set[str] = set()
        """Addresses that sent the right token in the present window of all: the limit for all does not stop them."""

    def wait_s(self, address: str) -> int:
        """Seconds until a token from this address is compared again; 0: now."""
        now = self._clock()
        if now >= self._all.ends:
            self._all = _Window(now + WINDOW_S)
            self._good.clear()
            self._addresses = {one: window for one, window in self._addresses.items() if now < window.ends}
        own = self._addresses.get(address)
        if own is not None and own.wrong >= MOST_WRONG_PER_ADDRESS and now < own.ends:
            return math.ceil(own.ends - now)
        if self._all.wrong >= MOST_WRONG and address not in self._good:
            return math.ceil(self._all.ends - now)
        return 0

    def wrong(self, address: str) -> bool:
        """Count a wrong token; whether it is the first one from this address in its window."""
        now = self._clock()
        window = self._addresses.get(address)
        if window is None or now >= window.ends:
            window = self._addresses[address] = _Window(now + WINDOW_S)
        window.wrong += 1
        self._all.wrong += 1
        return window.wrong == 1

    def right(self, address: str) -> None:
        if len(self._good) < MOST_WRONG:
            self._good.add(address)


class AdminAccess:
    """Lets requests with the admin token pass, and logs what operators do."""

    def __init__(self, admin_token: str, trusted_proxies: str, metrics: Metrics, clock: Callable[[], float]) -> None:
        self._token = admin_token.encode()
        self._trusted = parse_list(trusted_proxies)
        self._metrics = metrics
        self._throttle = TokenThrottle(clock)

    def authorized(self, handler: Handler) -> Handler:
        """The handler behind the admin token."""

        async def authorized_handler(request: Request) -> Response:
            refusal = self._refusal(request)
            if refusal is not None:
                return refusal
            response = await handler(request)
            response.headers["Cache-Control"] = "no-store"
            return response

        return guarded(authorized_handler)

    def audit(self, request: Request, action: str, subject: str) -> None:
        """Log an action that changes the cluster, with the address that asked for it."""
        log.info("audit: %s of %r asked for by %s", action, subject, self._address(request))

    def _refusal(self, request: Request) -> Response | None:
        token = bearer(request).encode()
        if not token:
            return error("token/bad", 401)
        address = self._address(request)
        wait_s = self._throttle.wait_s(address)
        if wait_s:
            # The token is not compared, right or wrong: otherwise guessing could go on at full speed.
            self._metrics.admin_refused("throttled")
            response = error("busy/tokens", 429)
            response.headers["Retry-After"] = str(wait_s)
            return response
        if hmac.compare_digest(token, self._token):
            self._throttle.right(address)
            return None
        self._metrics.admin_refused("wrong")
        if self._throttle.wrong(address):
            log.warning("wrong admin token from %s; further ones within %d s are not logged", address, WINDOW_S)
        return error("token/bad", 401)

    def _address(self, request: Request) -> str:
        peer = request.client.host if request.client is not None else ""
        return client_address(peer, request.headers.get("X-Forwarded-For", ""), self._trusted)
