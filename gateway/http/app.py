"""HTTP beside the sockets: health, metrics, lists of rooms and games, updates and replays, the web page."""

from collections.abc import Callable
from contextlib import suppress

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.desk import Desk
from gateway.http.converters import ROOM
from gateway.http.ops import Operators
from gateway.http.responses import bearer, error, guarded, json
from gateway.http.room_records import RoomRecords, public
from gateway.http.static import StaticFiles
from shared.bus.store import StoreError
from shared.errors import Rejected
from shared.ids import RoomId, Seat, SessionId
from shared.room_views import Listing


class Api:
    """The handlers; each answers from memory or with a few looks into the store."""

    def __init__(self, desk: Desk, recordings: RoomRecords, ready: Callable[[], bool]) -> None:
        self._desk = desk
        self._recordings = recordings
        self._ready = ready

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
        return json({"ok": True, "gateway": self._desk.gateway})

    async def _readyz(self, _request: Request) -> Response:
        """Whether new connections are welcome here."""
        ready = self._ready()
        return json({"ready": ready}, 200 if ready else 503)

    async def _metrics(self, _request: Request) -> Response:
        desk = self._desk
        desk.metrics.pending.set(len(desk.outgoing))
        desk.metrics.outbox.set(sum(session.buffered() for session in desk.sessions.values()))
        return Response(generate_latest(desk.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    async def _games(self, _request: Request) -> Response:
        with suppress(StoreError):
            await self._desk.learn_games()
        return json({"games": sorted(self._desk.games.values(), key=lambda card: card.name)})

    async def _rooms(self, request: Request) -> Response:
        """Public rooms; filters `game`, `status`, `seats`."""
        query = request.query_params
        seats = _number(query.get("seats"))
        if seats is None and query.get("seats"):
            return error("frame/malformed", 400, "seats is a number")

        def wanted(room: Listing) -> bool:
            return query.get("status", room.status) == room.status and seats in (None, room.seats)

        return json({"rooms": [room for room in self._desk.rooms.listed(query.get("game", "")) if wanted(room)]})

    async def _updates(self, request: Request) -> Response:
        """What a seat was told of its room, from an offset on. `Authorization: Bearer <session token>`."""
        claims = self._claims(request)
        if isinstance(claims, Rejected):
            return error(claims.code, 401)
        after = _number(request.query_params.get("after", "0"))
        if after is None:
            return error("frame/malformed", 400, "after is a number")
        record = await self._recordings.of(RoomId(request.path_params["room"]))
        if record is None:
            return error("room/unknown", 404)
        seat = record.seats.get(claims)
        if seat is None:
            return error("updates/denied", 403)
        steps = await self._recordings.steps(record.room, after)
        told = [record.told(step, seat) for step in steps.told]
        return json({"updates": told, "trimmed": steps.trimmed, "more": steps.more})

    async def _replay(self, request: Request) -> Response:
        """A finished game, step by step, from an offset on; one of a private room for its seats only."""
        after = _number(request.query_params.get("after", "0"))
        if after is None:
            return error("frame/malformed", 400, "after is a number")
        record = await self._recordings.of(RoomId(request.path_params["room"]))
        if record is None:
            return error("room/unknown", 404)
        if not record.finished:
            return error("room/not_finished", 409)
        if record.private and self._seat(request, record.seats) is None:
            return error("updates/denied", 403)
        spec, steps = await self._recordings.spec(record), await self._recordings.steps(record.room, after)
        told = [public(step) for step in steps.told]
        return json({"room": record.room, "spec": spec, "steps": told, "more": steps.more})

    def _claims(self, request: Request) -> SessionId | Rejected:
        claims = self._desk.tokens.check(bearer(request), self._desk.now_ms())
        return claims if isinstance(claims, Rejected) else claims.sid

    def _seat(self, request: Request, seats: dict[SessionId, Seat]) -> Seat | None:
        claims = self._claims(request)
        return None if isinstance(claims, Rejected) else seats.get(claims)


def _number(text: str | None) -> int | None:
    """One that the store can look up; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None


def build(desk: Desk, ready: Callable[[], bool], admin_token: str) -> Starlette:
    recordings = RoomRecords(desk.store, desk.partitions)
    api, operators = Api(desk, recordings, ready), Operators(desk, recordings, admin_token)
    return Starlette(routes=[*api.routes(), *operators.routes(), *StaticFiles().routes()])
