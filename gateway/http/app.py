"""The HTTP applications of a gateway: one for players, one for operators on a port of their own."""

import time
from contextlib import suppress

import msgspec
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from gateway.dialects.contract import MOST_LISTED, RoomQuery
from gateway.http.admin_access import AdminAccess
from gateway.http.answers import GameBody, GamesBody, PlayersBody, ReplayBody, UpdatesBody, WatchersBody
from gateway.http.converters import ROOM
from gateway.http.descriptions.served import Descriptions
from gateway.http.health import Health
from gateway.http.limits import HttpRates, LimitedApp
from gateway.http.named_operators import OperatorFile
from gateway.http.online import OnlineCount
from gateway.http.ops import Operators
from gateway.http.ops_acts import OperatorActApi
from gateway.http.queries import LIMIT_WANTED, number, page_size
from gateway.http.responses import UNANSWERED, bearer, error, guarded, json, packed
from gateway.http.room_recording import RoomRecording, public_step
from gateway.http.room_records import RecordedSteps, RoomRecords
from gateway.http.static import StaticFiles
from gateway.node import GatewayNode
from gateway.session.rates import Meter
from gateway.transports.client_address import parse_list
from shared.bus.store import StoreError
from shared.errors import Rejected
from shared.ids import RoomId, SessionId
from shared.room_events import Spectators


class Api:
    """The players' API. Each handler answers from memory or with a few reads of the store."""

    def __init__(self, node: GatewayNode, records: RoomRecords, rates: HttpRates) -> None:
        self._node = node
        self._records = records
        self._rates = rates
        self._online = OnlineCount(node.store)

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/games", guarded(self._games)),
            Route("/api/players", guarded(self._players)),
            Route("/api/rooms", guarded(self._rooms)),
            Route(f"/api/rooms/{ROOM}/updates", guarded(self._updates)),
            Route(f"/api/rooms/{ROOM}/watchers", guarded(self._watchers)),
            Route(f"/api/replays/{ROOM}", guarded(self._replay)),
        ]

    async def _games(self, request: Request) -> Response:
        with suppress(StoreError):  # the games that were last known
            await self._node.games.read()
        cards = sorted(self._node.games.cards.values(), key=lambda card: card.name)
        games = (
            GameBody(card.name, card.title, card.version, card.seats, card.options, card.commands, card.least)
            for card in cards
        )
        return packed(request, json(GamesBody(tuple(games))))

    async def _players(self, _request: Request) -> Response:
        """The number of clients that are connected to the cluster, of all dialects."""
        return json(PlayersBody(await self._online.players()))

    async def _rooms(self, request: Request) -> Response:
        """A page of the public rooms; filters `game`, `status`, `seats`."""
        query = request.query_params
        numbers = {name: number(query.get(name)) for name in ("seats", "after")}
        wrong = [name for name, found in numbers.items() if found is None and query.get(name)]
        if wrong:
            return error("frame/malformed", 400, f"{wrong[0]} is a number")
        limit = page_size(query.get("limit"), MOST_LISTED, MOST_LISTED)
        if limit is None:
            return error("frame/malformed", 400, LIMIT_WANTED)
        wanted = RoomQuery(
            query.get("game", ""), query.get("status", ""), numbers["seats"], numbers["after"] or 0, limit
        )
        return Response(self._node.rooms.page(wanted).body, media_type="application/json")

    async def _watchers(self, request: Request) -> Response:
        """The number of spectators of a public room. Other rooms are answered like rooms that do not exist."""
        room = RoomId(request.path_params["room"])
        listing = self._node.rooms.get(room)
        is_public = listing is not None and not listing.private and not listing.only
        return json(WatchersBody(await self._online.spectators(room) if is_public else 0))

    async def _updates(self, request: Request) -> Response:
        """The updates of a room, from an offset on: those of the seat that a session token belongs to
        (`Authorization: Bearer <session token>`), or, without a token, those that spectators get."""
        after = number(request.query_params.get("after", "0"))
        if after is None:
            return error("frame/malformed", 400, "after is a number")
        if not bearer(request):
            return await self._spectators_updates(request, after)
        claims = await self._claims(request)
        if isinstance(claims, Rejected):
            return error(claims.code, 401)
        record = await self._record(request, claims)
        if isinstance(record, Response):
            return record
        seat = record.holders.get(claims)
        if seat is None:
            return error("updates/denied", 403)
        steps = await self._records.steps(record.room, after)
        return _page_of(steps, [record.part_for(step, seat) for step in steps.steps])

    async def _spectators_updates(self, request: Request, after: int) -> Response:
        if not self._rates.take(request, Meter.REPLAY):
            return error("busy/rate", 429)
        record = await self._record(request, None)
        if isinstance(record, Response):
            return record
        if record.spec.spectators is Spectators.NONE:
            return error("room/no_spectators", 403)
        steps = await self._records.steps(record.room, after)
        return _page_of(steps, [step.public for step in steps.steps])

    async def _replay(self, request: Request) -> Response:
        """A finished game, step by step, from an offset on; that of a private room only for its players and its key."""
        after = number(request.query_params.get("after", "0"))
        if after is None:
            return error("frame/malformed", 400, "after is a number")
        if not self._rates.take(request, Meter.REPLAY):
            return error("busy/rate", 429)
        claims = await self._claims(request)
        session = None if isinstance(claims, Rejected) else claims
        record = await self._record(request, session)
        if isinstance(record, Response):
            return record
        if not record.finished:
            return error("room/not_finished", 409)
        if record.spec.spectators is Spectators.NONE and session not in record.holders:
            return error("room/no_spectators", 403)
        spec, steps = await self._records.spec(record), await self._records.steps(record.room, after)
        shown = [public_step(step) for step in steps.steps]
        return json(ReplayBody(record.room, spec, shown, steps.more))

    async def _record(self, request: Request, session: SessionId | None) -> RoomRecording | Response:
        """The recording of the room in the path, or the error to answer with."""
        if not self._rates.may_guess(request):
            return error("busy/rate", 429)
        record = await self._records.of(RoomId(request.path_params["room"]))
        if record is None or not record.admits(session, _room_key(request)):
            self._rates.take(request, Meter.MISS)
            return error("room/unknown", 404)
        return record

    async def _claims(self, request: Request) -> SessionId | Rejected:
        node = self._node
        claims = await node.revocations.check(node.tokens.check(bearer(request), node.now_ms()))
        return claims if isinstance(claims, Rejected) else claims.sid


def _page_of(steps: RecordedSteps, parts: list[msgspec.Raw]) -> Response:
    return json(UpdatesBody(parts, steps.trimmed, steps.more))


def _room_key(request: Request) -> str:
    """The key of a private room. It has a header of its own, because URLs end up in logs."""
    return request.headers.get("Room-Key", "")


def _shared_with_origins(app: ASGIApp, origins: str) -> ASGIApp:
    """Lets pages of other origins import the client and read the API, as they may open WebSockets. Requests carry no
    cookies, so that a page gets nothing that its own server could not ask for."""
    allowed = sorted(parse_list(origins)) or ["*"]
    return CORSMiddleware(app, allow_origins=allowed, allow_headers=["Authorization", "Room-Key"], max_age=3_600)


class HttpApps:
    """The two applications. They share the records of rooms that were read last."""

    def __init__(self, node: GatewayNode, admin_token: str, named: OperatorFile) -> None:
        records, files, health = (
            RoomRecords(node.store, node.partitions, visible_only=bool(node.settings.needed_replicas)),
            StaticFiles(),
            Health(node),
        )
        rates = HttpRates(node.connections)
        api = Api(node, records, rates)
        access = AdminAccess(admin_token, named, node.settings.trusted_proxies, node.metrics, time.monotonic)
        operators, acts = Operators(node, records, access), OperatorActApi(node, access)
        descriptions = Descriptions(node.games)
        self.api = (*health.routes(), *api.routes(), *descriptions.routes())
        """The routes of the players' API, which the OpenAPI document describes."""
        players = Starlette(routes=[*self.api, *files.players_routes()], exception_handlers=UNANSWERED)
        players.router.redirect_slashes = False  # a path of the API with a slash at its end is an unknown one
        self.players = LimitedApp(_shared_with_origins(players, node.settings.origins), rates)
        pages = (*health.routes(), *health.metrics_routes(), *files.operators_routes())
        self.operators = Starlette(routes=[*pages, *operators.routes(), *acts.routes()], exception_handlers=UNANSWERED)
