"""Health and metrics of a gateway."""

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.http.answers import HealthBody, ReadyBody
from gateway.http.responses import json
from gateway.node import GatewayNode
from shared.runtime.version import VERSION


class Health:
    """The handlers. Proxies check health on the players' port; metrics are on the operators' port alone."""

    def __init__(self, node: GatewayNode) -> None:
        self._node = node

    def routes(self) -> list[BaseRoute]:
        return [Route("/healthz", self._healthz), Route("/readyz", self._readyz)]

    def metrics_routes(self) -> list[BaseRoute]:
        return [Route("/metrics", self._metrics)]

    async def _healthz(self, _request: Request) -> Response:
        return json(HealthBody(True, self._node.id, VERSION))

    async def _readyz(self, _request: Request) -> Response:
        """Whether new players are served: this gateway takes connections, and moves can be made."""
        reason = self._node.unready
        return json(ReadyBody(not reason, reason), 503 if reason else 200)

    async def _metrics(self, _request: Request) -> Response:
        node = self._node
        node.metrics.pending.set(len(node.outbox))
        node.metrics.outbox.set(sum(connection.buffered() for connection in node.connections))
        return Response(generate_latest(node.metrics.registry), media_type=CONTENT_TYPE_LATEST)
