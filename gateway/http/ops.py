"""The operators' API: the processes of the cluster, the facts of one room, and asking a process to drain.

Every request needs the admin token. Players' secrets are not shown to operators either: events are the public ones.
"""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.http.admin_access import AdminAccess
from gateway.http.converters import ROOM
from gateway.http.responses import error, json
from gateway.http.room_recording import RecordedSeat
from gateway.http.room_records import RoomRecords
from gateway.node import GatewayNode
from shared.bus import drains, leases, player_names
from shared.bus.registry import GATEWAYS, WORKERS, Registry
from shared.ids import RoomId, Seat, SessionId, partition_of

_LAST = 20
_decode_status = msgspec.json.Decoder(dict[str, Any]).decode


class SeatReport(msgspec.Struct, frozen=True):
    """A seat as operators see it, with the connection that was last attached to it."""

    seat: Seat
    name: str
    bot: bool
    here: bool
    left: bool
    gateway: str
    connection: int


class Drain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    process: str


class Revocation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The session to revoke, by its id or by the name that it has."""

    session: SessionId = SessionId("")
    name: str = ""


_decode_drain = msgspec.json.Decoder(Drain).decode
_decode_revocation = msgspec.json.Decoder(Revocation).decode


class Operators:
    """The handlers, behind the admin token."""

    def __init__(self, node: GatewayNode, records: RoomRecords, access: AdminAccess) -> None:
        self._node = node
        self._records = records
        self._access = access

    def routes(self) -> list[BaseRoute]:
        authorized = self._access.authorized
        return [
            Route("/api/ops/cluster", authorized(self._cluster)),
            Route(f"/api/ops/rooms/{ROOM}", authorized(self._room)),
            Route("/api/ops/drain", authorized(self._drain), methods=["POST"]),
            Route("/api/ops/revoke", authorized(self._revoke), methods=["POST"]),
        ]

    async def _cluster(self, _request: Request) -> Response:
        node = self._node
        gateways, now_ms = await self._processes(GATEWAYS)
        workers, _ = await self._processes(WORKERS)
        return json(
            {
                "now_ms": now_ms,
                "here": node.id,
                "partitions": len(node.partitions),
                "games": sorted(node.games.cards),
                "rooms": node.rooms.count(),
                "without_worker": node.waiting_rooms.counts,
                "gateways": gateways,
                "workers": workers,
                "draining": await drains.waiting(node.store),
            }
        )

    async def _processes(self, registry: Registry) -> tuple[list[dict[str, Any]], int]:
        members, statuses = await registry.members(self._node.store), await registry.status(self._node.store)
        live = set(members.live)
        found = [
            {"id": process, "live": process in live, "lease_ms": end - members.now_ms, **_status(statuses.get(process))}
            for process, end in sorted(members.ends.items())
        ]
        return found, members.now_ms

    async def _room(self, request: Request) -> Response:
        node, room = self._node, RoomId(request.path_params["room"])
        record = await self._records.of(room)
        if record is None:
            return error("room/unknown", 404)
        partition = partition_of(room, len(node.partitions))
        keys = node.partitions[partition]
        owner = await leases.owner(node.store, keys)
        latest = await self._records.latest(room, _LAST)
        return json(
            {
                "room": room,
                "partition": partition,
                "owner": owner,
                "epoch": record.epoch,
                "offset": record.offset,
                "listing": node.rooms.get(room),
                "seats": [_seat(seat, recorded) for seat, recorded in record.seats.items()],
                "spectators": sorted(record.audience),
                "last": [step.public for step in latest],
            }
        )

    async def _drain(self, request: Request) -> Response:
        try:
            process = _decode_drain(await request.body()).process
        except msgspec.MsgspecError as wrong:
            return error("frame/malformed", 400, str(wrong))
        members = [await registry.members(self._node.store) for registry in (GATEWAYS, WORKERS)]
        if not any(process in of_kind.ends for of_kind in members):
            return error("ops/unknown", 404)
        self._access.audit(request, "drain", process)
        await drains.ask(self._node.store, process)
        return json({"draining": process}, 202)

    async def _revoke(self, request: Request) -> Response:
        """Make the tokens of a session invalid and close its connection."""
        try:
            wanted = _decode_revocation(await request.body())
        except msgspec.MsgspecError as wrong:
            return error("frame/malformed", 400, str(wrong))
        if bool(wanted.session) == bool(wanted.name):
            return error("frame/malformed", 400, "either session or name is needed")
        session = wanted.session or await player_names.holder(self._node.store, wanted.name)
        if session is None:
            return error("room/nobody", 404, "no session has that name")
        await self._node.revocations.revoke_and_close(session)
        self._access.audit(request, "revoke", session)
        return json({"revoked": session}, 202)


def _seat(seat: Seat, recorded: RecordedSeat) -> SeatReport:
    return SeatReport(
        seat, recorded.name, recorded.bot, recorded.here, recorded.left, recorded.gateway, recorded.connection
    )


def _status(body: bytes | None) -> dict[str, Any]:
    return {} if body is None else _decode_status(body)
