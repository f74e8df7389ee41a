"""What operators are told of a room."""

from typing import Any

import msgspec
import pytest
from starlette.requests import Request
from starlette.routing import Route

from gateway.http.admin_access import AdminAccess
from gateway.http.converters import ROOM as ROOM_PATH
from gateway.http.ops import Operators
from gateway.http.room_records import RoomRecords
from shared.bus import revocations
from shared.bus.store import Argument
from shared.ids import Epoch, Seat, SessionId, partition_of
from shared.journal_records import Attached, JournalRecord
from shared.room_events import Joined
from tests.support import batches
from tests.support.gateway_bench import GATEWAY, KEYS, ROOM, GatewayBench

KEPT = KEYS[partition_of(ROOM, len(KEYS))]


async def explained(operators: Operators) -> Any:
    """The answer to who asks for the room, as the route for it gives it."""
    (route,) = (one for one in operators.routes() if isinstance(one, Route) and ROOM_PATH in one.path)
    headers = [(b"authorization", b"Bearer let-me-in")]
    answer = await route.endpoint(Request({"type": "http", "headers": headers, "path_params": {"room": ROOM}}))
    return msgspec.json.decode(answer.body)


async def revoked(operators: Operators, body: bytes, token: bytes = b"let-me-in") -> tuple[int, Any]:
    """The answer to an operator who asks for a session to be revoked."""
    (route,) = (one for one in operators.routes() if isinstance(one, Route) and one.path == "/api/ops/revoke")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {
        "type": "http",
        "method": "POST",
        "headers": [(b"authorization", b"Bearer " + token)],
        "client": ("127.0.0.1", 1),
    }
    answer = await route.endpoint(Request(scope, receive))
    return answer.status_code, msgspec.json.decode(answer.body)


async def test_a_session_is_revoked_by_its_name_in_any_case_or_by_its_id() -> None:
    bench = GatewayBench()
    access = AdminAccess("let-me-in", "", bench.node.metrics, lambda: 0.0)
    operators = Operators(bench.node, RoomRecords(bench.store, KEYS), access)
    await bench.node.names.claim("Ann", SessionId("s-ann"), 1, token=True)
    assert await revoked(operators, b'{"name": "ann"}') == (202, {"revoked": "s-ann"})
    assert await revoked(operators, b'{"session": "s-bob"}') == (202, {"revoked": "s-bob"})
    for session in ("s-ann", "s-bob"):
        assert await revocations.is_revoked(bench.store, SessionId(session))
    assert not await revocations.is_revoked(bench.store, SessionId("s-cid"))


async def test_a_request_to_revoke_names_one_session_that_exists() -> None:
    bench = GatewayBench()
    access = AdminAccess("let-me-in", "", bench.node.metrics, lambda: 0.0)
    operators = Operators(bench.node, RoomRecords(bench.store, KEYS), access)
    for body in (b"{}", b'{"name": "a", "session": "s"}', b'{"who": "a"}', b"?"):
        assert (await revoked(operators, body))[0] == 400
    assert (await revoked(operators, b'{"name": "nobody"}'))[0] == 404
    assert (await revoked(operators, b'{"session": "s"}', b"wrong"))[0] == 401


async def test_a_room_that_is_looked_at_again_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = GatewayBench()
    access = AdminAccess("let-me-in", "", bench.node.metrics, lambda: 0.0)
    operators = Operators(bench.node, RoomRecords(bench.store, KEYS), access)
    joined = msgspec.Raw(msgspec.json.encode([Joined(Seat(0), "ann")]))
    seated = JournalRecord(1, Epoch(7), events=joined, notes=(Attached(GATEWAY, 3, Seat(0)),))
    bench.store.cast([batches.filed(KEPT, ROOM, 1, 0, seated)])
    bench.store.cast([batches.filed(KEPT, ROOM, offset, 0, JournalRecord(1, Epoch(7))) for offset in range(2, 500)])
    before = await explained(operators)
    read: list[int] = []
    call = bench.store.call

    async def counted(*command: Argument) -> Any:
        reply = await call(*command)
        read.append(len(reply))
        return reply

    monkeypatch.setattr(bench.store, "call", counted)
    assert await explained(operators) == before
    assert max(read) < 5
    assert (before["offset"], before["seats"][0]["name"], before["seats"][0]["gateway"]) == (499, "ann", GATEWAY)
