"""Players of games with long turns keep their names and tokens while they are away."""

import pytest

from gateway.cluster.tokens import LATE_MS
from shared.bus import player_names
from shared.bus.directory import ListingChange
from shared.ids import RoomId, Seat, SessionId
from shared.room_events import RoomStatus
from shared.room_views import Listing
from tests.support.gateway_bench import GATEWAY, GatewayBench, settle

HOUR_MS = 3_600_000
ADA = SessionId("s-ada")
ROOM = RoomId(1000)


async def answer_to_expired_token(turn_ms: int, *, late_ms: int = 1, sid: SessionId = ADA) -> str:
    """The type or code of the answer to a hello with a token that expired some time ago."""
    bench = GatewayBench()
    await bench.node.start()
    await settle()
    listing = Listing(ROOM, "stones", 2, RoomStatus.PLAYING, {Seat(0): "ada"}, turn_ms=turn_ms)
    bench.node.rooms.change([ListingChange(ROOM, listing)])
    await player_names.claim(bench.store, "ada", ADA, GATEWAY, 1, token=True)
    await player_names.note(bench.store, "ada", ROOM)
    connection, transport = bench.connect()
    token = bench.node.tokens.issue(sid, "ada", bench.node.now_ms() - 60_000 - late_ms)
    connection.receive(b'{"type":"hello","token":"%b"}' % token.encode())
    await settle()
    (message,) = transport.messages()
    return str(message.get("code", message["type"]))


async def test_a_token_is_good_while_a_room_with_long_turns_waits_for_its_player() -> None:
    assert await answer_to_expired_token(2 * HOUR_MS) == "welcome"


@pytest.mark.parametrize("turn_ms", [0, HOUR_MS])
async def test_a_token_expires_if_the_player_has_no_long_turns(turn_ms: int) -> None:
    assert await answer_to_expired_token(turn_ms) == "token/expired"


async def test_a_token_expires_if_another_session_has_the_name() -> None:
    assert await answer_to_expired_token(2 * HOUR_MS, sid=SessionId("s-eve")) == "token/expired"


async def test_no_token_lasts_for_ever() -> None:
    assert await answer_to_expired_token(2 * HOUR_MS, late_ms=LATE_MS + 1) == "token/expired"
