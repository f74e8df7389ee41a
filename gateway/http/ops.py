"""The operators' API, as far as it shows something: processes, rooms, the facts of one room, the session of a name,
the audit.

Every request needs the token of an operator. Players' secrets are not shown to operators either: events are the public
ones. The acts of operators are in gateway/http/ops_acts.py.
"""

import re
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.http import ops_rooms, ops_store
from gateway.http.admin_access import AdminAccess
from gateway.http.converters import ROOM
from gateway.http.named_operators import NamedOperator
from gateway.http.ops_rooms import MOST_LISTED, RoomFilter
from gateway.http.queries import LIMIT_WANTED, page_size
from gateway.http.responses import error, json
from gateway.http.room_recording import RecordedSeat, RoomRecording
from gateway.http.room_records import RoomRecords
from gateway.node import GatewayNode
from shared.bus import audit, drains, leases, player_names, quarantine
from shared.bus.audit import AuditedAct
from shared.bus.registry import GATEWAYS, WORKERS, Registry
from shared.ids import RoomId, Seat, partition_of

_LAST = 20
_ACTS, _MOST_ACTS = 50, 100
_AUDIT_ID = re.compile(r"[0-9]{1,15}-[0-9]{1,10}")
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


class Operators:
    """The handlers, for operators of any role."""

    def __init__(self, node: GatewayNode, records: RoomRecords, access: AdminAccess) -> None:
        self._node = node
        self._records = records
        self._access = access

    def routes(self) -> list[BaseRoute]:
        authorized = self._access.authorized
        return [
            Route("/api/ops/cluster", authorized(self._cluster)),
            Route("/api/ops/rooms", authorized(self._rooms)),
            Route(f"/api/ops/rooms/{ROOM}", authorized(self._room)),
            Route("/api/ops/session", authorized(self._session)),
            Route("/api/ops/audit", authorized(self._audit)),
        ]

    async def _cluster(self, _request: Request, operator: NamedOperator) -> Response:
        node = self._node
        gateways, now_ms = await self._processes(GATEWAYS)
        workers, _ = await self._processes(WORKERS)
        return json(
            {
                "now_ms": now_ms,
                "operator": {"name": operator.name, "role": operator.role},
                "here": node.id,
                "partitions": len(node.partitions),
                "games": sorted(node.games.cards),
                "rooms": node.rooms.count(),
                "without_worker": node.rooms_without_worker.counts,
                "gateways": gateways,
                "workers": workers,
                "store": await ops_store.report(node),
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

    async def _rooms(self, request: Request, _operator: NamedOperator) -> Response:
        """A page of all rooms that wait or play, and of those that are quarantined."""
        query = dict(request.query_params)
        limit = page_size(query.pop("limit", ""), MOST_LISTED, MOST_LISTED)
        if limit is None:
            return error("frame/malformed", 400, LIMIT_WANTED)
        try:
            wanted = msgspec.convert({**query, "limit": limit}, RoomFilter, strict=False)
        except msgspec.ValidationError as wrong:
            return error("frame/malformed", 400, str(wrong))
        quarantined = await quarantine.reasons(self._node.store, self._node.partitions)
        return json(ops_rooms.reports(self._node.rooms.all(), quarantined, wanted))

    async def _room(self, request: Request, _operator: NamedOperator) -> Response:
        node, room = self._node, RoomId(request.path_params["room"])
        partition = partition_of(room, len(node.partitions))
        keys = node.partitions[partition]
        quarantined = await quarantine.reason(node.store, keys, room)
        record, damage = await self._record(room)
        if record is None and quarantined is None:
            return error("room/unknown", 404)
        record = record or RoomRecording(room)
        latest = [] if damage else await self._records.latest(room, _LAST)
        return json(
            {
                "room": room,
                "partition": partition,
                "owner": await leases.owner(node.store, keys),
                "epoch": record.epoch,
                "offset": record.offset,
                "status": record.status,
                "listing": node.rooms.get(room),
                "quarantine": quarantined,
                "damage": damage,
                "players": sum(1 for seat in record.seats.values() if not seat.bot and not seat.left),
                "seats": [_seat(seat, recorded) for seat, recorded in record.seats.items()],
                "spectators": sorted(record.audience),
                "last": [step.public for step in latest],
            }
        )

    async def _record(self, room: RoomId) -> tuple[RoomRecording | None, str]:
        """The facts of a room, and the reason why its journal cannot be read, if it is damaged."""
        try:
            return await self._records.of(room), ""
        except (msgspec.MsgspecError, KeyError) as wrong:
            return None, f"the journal cannot be read: {wrong!r}"

    async def _session(self, request: Request, _operator: NamedOperator) -> Response:
        """The session that has a name: the one that `revoke` would end."""
        name = request.query_params.get("name", "")
        session = await player_names.holder(self._node.store, name)
        if session is None:
            return error("room/nobody", 404, "no session has that name")
        return json({"name": name, "session": session})

    async def _audit(self, request: Request, _operator: NamedOperator) -> Response:
        """A page of the acts of operators, latest first."""
        before = request.query_params.get("before", "")
        if before and not _AUDIT_ID.fullmatch(before):
            return error("frame/malformed", 400, "before is the entry of an act")
        limit = page_size(request.query_params.get("limit"), _ACTS, _MOST_ACTS)
        if limit is None:
            return error("frame/malformed", 400, LIMIT_WANTED)
        page = await audit.read(self._node.store, self._node.partitions, limit, before)
        return json({"acts": [_audited(one) for one in page.acts], "more": page.more})


def _audited(audited: AuditedAct) -> dict[str, Any]:
    """An act as operators see it. Its `entry` leads to the next page; `id` is what its client has chosen."""
    entry, act = audited.entry, audited.entry.act
    return {
        "entry": audited.id,
        "at": entry.at,
        "room": entry.room,
        "offset": entry.offset,
        "number": entry.number,
        "id": act.id,
        "kind": act.kind,
        "author": act.author,
        "reason": act.reason,
        "subject": act.subject,
        "players": entry.players,
        "code": entry.code,
    }


def _seat(seat: Seat, recorded: RecordedSeat) -> SeatReport:
    return SeatReport(
        seat, recorded.name, recorded.bot, recorded.here, recorded.left, recorded.gateway, recorded.connection
    )


def _status(body: bytes | None) -> dict[str, Any]:
    return {} if body is None else _decode_status(body)
