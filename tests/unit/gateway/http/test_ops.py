"""The description of a room for operators."""

from typing import Any

import msgspec
import pytest
from starlette.requests import Request
from starlette.routing import Route

from gateway.http.admin_access import AdminAccess
from gateway.http.converters import ROOM as ROOM_PATH
from gateway.http.named_operators import OperatorFile
from gateway.http.ops import Operators
from gateway.http.room_records import RoomRecords
from shared.bus.store import Argument
from shared.ids import Epoch, Seat, partition_of
from shared.journal_records import Attached, JournalRecord
from shared.room_events import Joined
from tests.support import batches
from tests.support.gateway_bench import GATEWAY, KEYS, ROOM, GatewayBench

KEPT = KEYS[partition_of(ROOM, len(KEYS))]


async def explained(operators: Operators) -> Any:
    """The answer to who asks for the room, as the route for it gives it."""
    (route,) = (one for one in operators.routes() if isinstance(one, Route) and one.path.endswith(ROOM_PATH))
    headers = [(b"authorization", b"Bearer let-me-in")]
    answer = await route.endpoint(Request({"type": "http", "headers": headers, "path_params": {"room": ROOM}}))
    return msgspec.json.decode(answer.body)


async def test_a_room_that_is_looked_at_again_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = GatewayBench()
    access = AdminAccess("let-me-in", OperatorFile(""), "", bench.node.metrics, lambda: 0.0)
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
        read.append(len(reply or ()))
        return reply

    monkeypatch.setattr(bench.store, "call", counted)
    assert await explained(operators) == before
    assert max(read) < 5
    assert (before["offset"], before["seats"][0]["name"], before["seats"][0]["gateway"]) == (499, "ann", GATEWAY)
