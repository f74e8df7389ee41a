"""The operator's API: the cluster as its processes describe it, one room explained, and asking a process to stop.

Everything here needs the admin token. What players keep secret is not shown here either: events are the public ones.
"""

import hmac
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.desk import Desk
from gateway.http.converters import ROOM
from gateway.http.responses import Handler, bearer, error, guarded, json
from gateway.http.room_records import RoomRecords
from shared.bus import drains, leases, updates
from shared.bus.registry import GATEWAYS, WORKERS, Registry
from shared.ids import RoomId, partition_of

_LAST = 20
_decode_status = msgspec.json.Decoder(dict[str, Any]).decode


class Drain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    process: str


_decode_drain = msgspec.json.Decoder(Drain).decode


class Operators:
    """The handlers, behind the admin token."""

    def __init__(self, desk: Desk, recordings: RoomRecords, admin_token: str) -> None:
        self._desk = desk
        self._recordings = recordings
        self._token = admin_token.encode()

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/ops/cluster", self._admitted(self._cluster)),
            Route(f"/api/ops/rooms/{ROOM}", self._admitted(self._room)),
            Route("/api/ops/drain", self._admitted(self._drain), methods=["POST"]),
        ]

    def _admitted(self, handler: Handler) -> Handler:
        async def admitted(request: Request) -> Response:
            token = bearer(request).encode()
            if not token or not hmac.compare_digest(token, self._token):
                return error("token/bad", 401)
            response = await handler(request)
            response.headers["Cache-Control"] = "no-store"
            return response

        return guarded(admitted)

    async def _cluster(self, _request: Request) -> Response:
        desk = self._desk
        gateways, now_ms = await self._processes(GATEWAYS)
        workers, _ = await self._processes(WORKERS)
        return json(
            {
                "now_ms": now_ms,
                "here": desk.gateway,
                "partitions": len(desk.partitions),
                "games": sorted(desk.games),
                "rooms": desk.rooms.count(),
                "gateways": gateways,
                "workers": workers,
                "draining": await drains.waiting(desk.store),
            }
        )

    async def _processes(self, registry: Registry) -> tuple[list[dict[str, Any]], int]:
        roll, statuses = await registry.members(self._desk.store), await registry.status(self._desk.store)
        live = set(roll.live)
        found = [
            {"id": process, "live": process in live, "lease_ms": end - roll.now_ms, **_status(statuses.get(process))}
            for process, end in sorted(roll.ends.items())
        ]
        return found, roll.now_ms

    async def _room(self, request: Request) -> Response:
        desk, room = self._desk, RoomId(request.path_params["room"])
        record = await self._recordings.of(room)
        if record is None:
            return error("room/unknown", 404)
        partition = partition_of(room, len(desk.partitions))
        keys = desk.partitions[partition]
        owner = await leases.owner(desk.store, keys)
        told = await updates.latest(desk.store, keys, room, _LAST)
        return json(
            {
                "room": room,
                "partition": partition,
                "owner": owner,
                "epoch": record.epoch,
                "offset": record.offset,
                "listing": desk.rooms.get(room),
                "seats": [record.sittings[seat] for seat in sorted(record.sittings)],
                "spectators": sorted(record.audience),
                "last": [step.public for step in told],
            }
        )

    async def _drain(self, request: Request) -> Response:
        try:
            process = _decode_drain(await request.body()).process
        except msgspec.MsgspecError as wrong:
            return error("frame/malformed", 400, str(wrong))
        rolls = [await registry.members(self._desk.store) for registry in (GATEWAYS, WORKERS)]
        if not any(process in roll.ends for roll in rolls):
            return error("ops/unknown", 404)
        await drains.ask(self._desk.store, process)
        return json({"draining": process}, 202)


def _status(body: bytes | None) -> dict[str, Any]:
    return {} if body is None else _decode_status(body)
