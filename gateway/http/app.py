"""The HTTP API: health, metrics, lists of rooms and games, updates of a seat, replays."""

from contextlib import suppress

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.http.converters import ROOM
from gateway.http.ops import Operators
from gateway.http.responses import bearer, error, guarded, json
from gateway.http.room_recording import public_step
from gateway.http.room_records import RoomRecords
from gateway.http.static import StaticFiles
from gateway.node import GatewayNode
from shared.bus.store import StoreError
from shared.errors import Rejected
from shared.ids import RoomId, Seat, SessionId
from shared.room_views import Listing


class Api:
    """The handlers. Each answers from memory or with a few reads of the store."""

    def __init__(self, node: GatewayNode, records: RoomRecords) -> None:
        self._node = node
        self._records = records

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/healthz", self._healthz),
            Route("/readyz", self._readyz),
            Route("/metrics", self._metrics),
            Route("/api/games", guarded(self._games)),
            Route("/api/rooms", guarded(self._rooms)),
            Route(f"/api/rooms/{ROOM}/updates", guarded(self._updates)),
            Route(f"/api/replays/{ROOM}", guarded(self._replay)),
        ]

    async def _healthz(self, _request: Request) -> Response:
        return json({"ok": True, "gateway": self._node.id})

    async def _readyz(self, _request: Request) -> Response:
        """Whether this gateway takes new connections."""
        ready = self._node.ready
        return json({"ready": ready}, 200 if ready else 503)

    async def _metrics(self, _request: Request) -> Response:
        node = self._node
        node.metrics.pending.set(len(node.outbox))
        node.metrics.outbox.set(sum(connection.buffered() for connection in node.connections))
        return Response(generate_latest(node.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    async def _games(self, _request: Request) -> Response:
        with suppress(StoreError):
            await self._node.games.read()
        return json({"games": sorted(self._node.games.cards.values(), key=lambda card: card.name)})

    async def _rooms(self, request: Request) -> Response:
        """Public rooms; filters `game`, `status`, `seats`."""
        query = request.query_params
        seats = _number(query.get("seats"))
        if seats is None and query.get("seats"):
            return error("frame/malformed", 400, "seats is a number")

        def wanted(room: Listing) -> bool:
            return query.get("status", room.status) == room.status and seats in (None, room.seats)

        return json({"rooms": [room for room in self._node.rooms.listed(query.get("game", "")) if wanted(room)]})

    async def _updates(self, request: Request) -> Response:
        """The updates of a seat, from an offset on. `Authorization: Bearer <session token>`."""
        claims = self._claims(request)
        if isinstance(claims, Rejected):
            return error(claims.code, 401)
        after = _number(request.query_params.get("after", "0"))
        if after is None:
            return error("frame/malformed", 400, "after is a number")
        record = await self._records.of(RoomId(request.path_params["room"]))
        if record is None:
            return error("room/unknown", 404)
        seat = record.holders.get(claims)
        if seat is None:
            return error("updates/denied", 403)
        steps = await self._records.steps(record.room, after)
        parts = [record.part_for(step, seat) for step in steps.steps]
        return json({"updates": parts, "trimmed": steps.trimmed, "more": steps.more})

    async def _replay(self, request: Request) -> Response:
        """A finished game, step by step, from an offset on; that of a private room only for its players."""
        after = _number(request.query_params.get("after", "0"))
        if after is None:
            return error("frame/malformed", 400, "after is a number")
        record = await self._records.of(RoomId(request.path_params["room"]))
        if record is None:
            return error("room/unknown", 404)
        if not record.finished:
            return error("room/not_finished", 409)
        if record.private and self._seat(request, record.holders) is None:
            return error("updates/denied", 403)
        spec, steps = await self._records.spec(record), await self._records.steps(record.room, after)
        shown = [public_step(step) for step in steps.steps]
        return json({"room": record.room, "spec": spec, "steps": shown, "more": steps.more})

    def _claims(self, request: Request) -> SessionId | Rejected:
        claims = self._node.tokens.check(bearer(request), self._node.now_ms())
        return claims if isinstance(claims, Rejected) else claims.sid

    def _seat(self, request: Request, holders: dict[SessionId, Seat]) -> Seat | None:
        claims = self._claims(request)
        return None if isinstance(claims, Rejected) else holders.get(claims)


def _number(text: str | None) -> int | None:
    """A number that the store can look up as an offset; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None


def build(node: GatewayNode, admin_token: str) -> Starlette:
    """The HTTP application of a gateway: the API, the operators' API and the web page."""
    records = RoomRecords(node.store, node.partitions)
    api, operators = Api(node, records), Operators(node, records, admin_token)
    return Starlette(routes=[*api.routes(), *operators.routes(), *StaticFiles().routes()])
