"""Access of operators: the admin token and those of named operators, roles, the throttle for wrong tokens."""

import hmac
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from gateway.http.named_operators import ADMIN, NamedOperator, OperatorFile, Role
from gateway.http.responses import Handler, bearer, error, guarded
from gateway.metrics import Metrics
from gateway.transports.client_address import client_address, parse_list

log = logging.getLogger("tavolata.operators")

WINDOW_S = 60.0
MOST_WRONG_PER_ADDRESS = 10
MOST_WRONG = 100
"""Wrong tokens from all addresses within a window; this bounds the addresses that are kept, too."""


OperatorHandler = Callable[[Request, NamedOperator], Awaitable[Response]]
_ADMIN = NamedOperator(ADMIN, Role.OPERATE)


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
    """Lets requests of operators pass, and logs what operators do."""

    def __init__(
        self,
        admin_token: str,
        operators: OperatorFile,
        trusted_proxies: str,
        metrics: Metrics,
        clock: Callable[[], float],
    ) -> None:
        self._token = admin_token.encode()
        self._operators = operators
        self._trusted = parse_list(trusted_proxies)
        self._metrics = metrics
        self._throttle = TokenThrottle(clock)

    def authorized(self, handler: OperatorHandler, role: Role = Role.VIEW) -> Handler:
        """The handler, for operators who have the role."""

        async def authorized_handler(request: Request) -> Response:
            operator = self._operator(request)
            if isinstance(operator, Response):
                return operator
            if not operator.may(role):
                self._metrics.admin_refused("role")
                log.warning("%s refused to %s, whose role is %s", request.url.path, operator.name, operator.role)
                return error("ops/role", 403)
            response = await handler(request, operator)
            response.headers["Cache-Control"] = "no-store"
            return response

        return guarded(authorized_handler)

    def log_act(self, request: Request, operator: NamedOperator, action: str, subject: str, outcome: str) -> None:
        """Log an act, with the operator and the address that ordered it. The audit in the store has no addresses."""
        log.info("%s of %r ordered by %s from %s: %s", action, subject, operator.name, self._address(request), outcome)

    def _operator(self, request: Request) -> NamedOperator | Response:
        """The operator whose token the request has, or the response that refuses it."""
        token = bearer(request)
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
        operator = _ADMIN if hmac.compare_digest(token.encode(), self._token) else self._operators.find(token)
        if operator is not None:
            self._throttle.right(address)
            return operator
        self._metrics.admin_refused("wrong")
        if self._throttle.wrong(address):
            log.warning(
                "wrong token of an operator from %s; further ones within %d s are not logged", address, WINDOW_S
            )
        return error("token/bad", 401)

    def _address(self, request: Request) -> str:
        peer = request.client.host if request.client is not None else ""
        return client_address(peer, request.headers.get("X-Forwarded-For", ""), self._trusted)
