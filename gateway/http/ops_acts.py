"""Acts of operators over HTTP. Each answer means that the act is committed, in the journal and in the audit."""

import re
import secrets
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.http.admin_access import AdminAccess
from gateway.http.converters import ROOM
from gateway.http.named_operators import NamedOperator, Role
from gateway.http.responses import error, json
from gateway.node import GatewayNode
from shared.acts import ActKind, OperatorAct
from shared.bus import drains, player_names, quarantine
from shared.bus.registry import GATEWAYS, WORKERS
from shared.errors import Rejected
from shared.ids import LOBBY, RoomId, SessionId, partition_of

_REASON = re.compile(r"[^\x00-\x1f\x7f]{0,200}")
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_NOT_FOUND = ("room/unknown", "room/nobody")


class ActBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of every request for an act."""

    reason: str = ""
    id: str = ""
    """The id of the act. A client that gets no answer sends the request again with the same id."""


class RemovalBody(ActBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    player: str


class DrainBody(ActBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    process: str


class RevocationBody(ActBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The session to revoke, by its id or by the name that it has."""

    session: SessionId = SessionId("")
    name: str = ""


R = TypeVar("R", bound=ActBody)


class _BadRequest(Exception):
    """The body of a request is not valid."""


class OperatorActApi:
    """The handlers of acts, for operators with the role `operate`."""

    def __init__(self, node: GatewayNode, access: AdminAccess) -> None:
        self._node = node
        self._access = access

    def routes(self) -> list[BaseRoute]:
        handlers = {
            f"/api/ops/rooms/{ROOM}/close": self._close,
            f"/api/ops/rooms/{ROOM}/remove": self._remove,
            f"/api/ops/rooms/{ROOM}/free": self._free,
            "/api/ops/drain": self._drain,
            "/api/ops/revoke": self._revoke,
        }
        return [
            Route(path, self._access.authorized(handler, Role.OPERATE), methods=["POST"])
            for path, handler in handlers.items()
        ]

    # --- rooms --------------------------------------------------------------------------------------------------------

    async def _close(self, request: Request, operator: NamedOperator) -> Response:
        return await self._act_on_room(request, operator, ActKind.CLOSE, ActBody)

    async def _remove(self, request: Request, operator: NamedOperator) -> Response:
        return await self._act_on_room(request, operator, ActKind.REMOVE, RemovalBody)

    async def _free(self, request: Request, operator: NamedOperator) -> Response:
        return await self._act_on_room(request, operator, ActKind.FREE, ActBody)

    async def _act_on_room(
        self, request: Request, operator: NamedOperator, kind: ActKind, body: type[ActBody]
    ) -> Response:
        room = RoomId(request.path_params["room"])
        try:
            wanted = await _read(request, body, reason_needed=True)
        except _BadRequest as wrong:
            return error("frame/malformed", 400, str(wrong))
        if room == LOBBY:
            return error("room/unknown", 404)
        player = wanted.player if isinstance(wanted, RemovalBody) else ""
        act = _act(kind, operator, wanted, player)
        refused = await self._order(request, operator, room, act)
        if refused is not None:
            return await self._refusal(room, refused, act)
        return json({"id": act.id, "act": kind, "room": room, **({"player": player} if player else {})})

    async def _refusal(self, room: RoomId, refused: Rejected, act: OperatorAct) -> Response:
        """The answer to a refused act. A room that is quarantined still, or again, is so for a reason."""
        keys = self._node.partitions[partition_of(room, len(self._node.partitions))]
        why = await quarantine.reason(self._node.store, keys, room) if refused.code == "room/quarantined" else None
        return _refused(refused if why is None else Rejected(refused.code, why), act)

    # --- processes and sessions ---------------------------------------------------------------------------------------

    async def _drain(self, request: Request, operator: NamedOperator) -> Response:
        try:
            wanted = await _read(request, DrainBody)
        except _BadRequest as wrong:
            return error("frame/malformed", 400, str(wrong))
        members = [await registry.members(self._node.store) for registry in (GATEWAYS, WORKERS)]
        if not any(wanted.process in of_kind.ends for of_kind in members):
            return error("ops/unknown", 404)
        act = _act(ActKind.DRAIN, operator, wanted, wanted.process)
        refused = await self._order_of_lobby(request, operator, act)
        if refused is not None:
            return _refused(refused, act)
        await drains.ask(self._node.store, wanted.process)
        return json({"id": act.id, "act": act.kind, "draining": wanted.process}, 202)

    async def _revoke(self, request: Request, operator: NamedOperator) -> Response:
        """Make the tokens of a session invalid and close its connection."""
        try:
            wanted = await _read(request, RevocationBody)
        except _BadRequest as wrong:
            return error("frame/malformed", 400, str(wrong))
        if bool(wanted.session) == bool(wanted.name):
            return error("frame/malformed", 400, "either session or name is needed")
        session = wanted.session or await player_names.holder(self._node.store, wanted.name)
        if session is None:
            return error("room/nobody", 404, "no session has that name")
        act = _act(ActKind.REVOKE, operator, wanted, f"{wanted.name} ({session})" if wanted.name else session)
        refused = await self._order_of_lobby(request, operator, act)
        if refused is not None:
            return _refused(refused, act)
        await self._node.revocations.revoke_and_close(session)
        return json({"id": act.id, "act": act.kind, "revoked": session}, 202)

    async def _order_of_lobby(self, request: Request, operator: NamedOperator, act: OperatorAct) -> Rejected | None:
        """Order an act that concerns no room. An upgrade needs drains before it is finished: until then such an act is
        in the gateway's log only, because the release before could not read it in the journal."""
        refused = await self._order(request, operator, LOBBY, act)
        return None if refused is not None and refused.code == "ops/upgrade" else refused

    async def _order(
        self, request: Request, operator: NamedOperator, room: RoomId, act: OperatorAct
    ) -> Rejected | None:
        refused = await self._node.acts.order(room, act)
        subject = act.subject if room == LOBBY else f"room {room} {act.subject}".strip()
        self._access.log_act(request, operator, act.kind, subject, "done" if refused is None else refused.code)
        return refused


async def _read(request: Request, kind: type[R], *, reason_needed: bool = False) -> R:
    """The body of a request; raises `_BadRequest`."""
    try:
        wanted = msgspec.json.decode(await request.body(), type=kind)
    except msgspec.MsgspecError as wrong:
        raise _BadRequest(str(wrong)) from None
    if not _REASON.fullmatch(wanted.reason) or (reason_needed and not wanted.reason.strip()):
        raise _BadRequest("a reason has 1 to 200 characters, none of them a control character")
    if wanted.id and not _ID.fullmatch(wanted.id):
        raise _BadRequest("an id has 1 to 64 letters, digits, _ and -")
    return wanted


def _act(kind: ActKind, operator: NamedOperator, wanted: ActBody, subject: str) -> OperatorAct:
    return OperatorAct(wanted.id or secrets.token_hex(8), kind, operator.name, wanted.reason.strip(), subject)


def _refused(refused: Rejected, act: OperatorAct) -> Response:
    if refused.code in _NOT_FOUND:
        status = 404
    else:
        status = 503 if refused.code.startswith("busy/") or refused.code == "ops/unanswered" else 409
    return json({"code": refused.code, "text": str(refused), "id": act.id}, status)
