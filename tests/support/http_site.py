"""The players' HTTP application of a gateway, called without a server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Message, Scope

from gateway.http.app import HttpApps
from gateway.http.named_operators import OperatorFile
from shared.runtime.settings import GatewaySettings
from tests.support.gateway_bench import SETTINGS, GatewayBench

ADMIN_TOKEN = "an admin token that is long enough"


@dataclass
class HttpAnswer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    """By name, in lower case."""
    body: bytes = b""


class HttpSite:
    def __init__(self, settings: GatewaySettings = SETTINGS) -> None:
        self.bench = GatewayBench(settings)
        self.apps = HttpApps(self.bench.node, ADMIN_TOKEN, OperatorFile(""))
        self.app = self.apps.players

    async def ask(
        self, path: str, headers: Mapping[str, str] | None = None, *, method: str = "GET", address: str = "10.0.0.1"
    ) -> HttpAnswer:
        scope: Scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
            "client": (address, 5),
        }
        answer = HttpAnswer()

        async def receive() -> Any:
            return {"type": "http.request"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
            else:
                answer.body += message.get("body", b"")

        await self.app(scope, receive, send)
        return answer
