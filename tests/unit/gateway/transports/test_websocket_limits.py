"""Limits of WebSockets: budgets and turns, and messages that are too big."""

import asyncio

import pytest
from websockets.frames import Opcode

from gateway.dialects.framing import MOST_BYTES
from gateway.transports.inflow import BURST_BYTES, BURST_CONTROLS, FRAMES_PER_TURN
from shared.runtime.settings import GatewaySettings
from tests.support.gateway_bench import PARTITIONS, GatewayBench
from tests.unit.gateway.transports.raw_websocket import RawClient, frame, text

# --- budgets and turns ------------------------------------------------------------------------------------------------


async def test_many_messages_of_one_read_are_handled_in_turns_and_in_order() -> None:
    client, other = RawClient(), RawClient()
    bodies = [b"%d" % number for number in range(10 * FRAMES_PER_TURN)]
    client.receive(b"".join(map(text, bodies)))
    other.receive(text(b"me, too"))
    assert not client.socket.is_reading()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await other.texts() == [b"me, too"]
    received = await client.texts()
    assert received == bodies
    assert client.socket.is_reading()


async def test_frames_that_come_while_others_wait_for_their_turn_are_handled_after_them() -> None:
    client = RawClient()
    bodies = [b"%d" % number for number in range(3 * FRAMES_PER_TURN)]
    client.receive(b"".join(map(text, bodies)))
    later = text(b"later")
    client.receive(later[:3])
    client.receive(later[3:])
    assert await client.texts() == [*bodies, b"later"]


async def test_many_pings_of_one_read_do_not_stop_the_others() -> None:
    client, other = RawClient(), RawClient()
    client.receive(frame(Opcode.PING, b"") * 40_000)
    answered = 0
    for _ in range(3):
        other.receive(text(b"me, too"))
        assert await other.texts() == [b"me, too"]
        answered += len(await client.received())
    assert not client.socket.is_reading()
    assert answered < 2 * BURST_CONTROLS


async def test_many_fragments_of_one_read_do_not_stop_the_others() -> None:
    client, other = RawClient(), RawClient()
    client.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CONT, b"", fin=False) * 40_000)
    other.receive(text(b"me, too"))
    assert await other.texts() == [b"me, too"]
    assert not client.socket.is_reading()


async def test_a_message_in_several_hundred_fragments_is_put_together() -> None:
    client, pieces = RawClient(), BURST_CONTROLS - 10
    client.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CONT, b"b", fin=False) * pieces)
    client.receive(frame(Opcode.CONT, b"c"))
    assert await client.texts() == [b"a" + b"b" * pieces + b"c"]


async def test_a_client_that_does_not_read_is_not_read_and_its_messages_wait() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    client.protocol.pause_writing()
    assert not client.socket.is_reading()
    assert connection.slow_since is not None
    client.receive(text(b"x" * 200) * 2)
    assert await client.texts() == []
    client.protocol.resume_writing()
    assert await client.texts() == [b"x" * 200] * 2
    assert client.socket.is_reading()
    assert connection.slow_since is None


async def test_a_client_that_does_not_read_is_closed_as_slow_although_it_is_not_read() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    client.socket.unread = 300_000
    client.protocol.pause_writing()
    client.bench.now += client.bench.node.settings.write_ms / 1_000 + 1
    connection.check_liveness(client.bench.now)
    ((opcode, body),) = await client.received()
    assert opcode is Opcode.CLOSE
    assert int.from_bytes(body[:2], "big") == 4002


@pytest.mark.parametrize(("rate", "charged"), [(1_000, 0), (1, 3)])
async def test_short_messages_beyond_the_rate_are_charged_as_bytes(rate: int, charged: int) -> None:
    client = RawClient(GatewayBench(GatewaySettings(partitions=PARTITIONS, rate=rate, burst=rate)))
    message = text(b"hello")
    for _ in range(charged + 1 if charged else 10):
        client.receive(message)
    assert client.protocol._inflow.bytes == BURST_BYTES - charged * len(message)


# --- too big ----------------------------------------------------------------------------------------------------------

BIG = b"x" * (MOST_BYTES + 1)


async def test_a_message_that_is_too_big_is_skipped_and_the_connection_stays() -> None:
    client = RawClient()
    client.receive(text(BIG) + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_that_is_too_big_may_come_in_pieces() -> None:
    client, data = RawClient(), text(BIG) + text(b"hello")
    for at in range(0, len(data), 1_000):
        client.receive(data[at : at + 1_000])
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_bytes_of_a_skipped_payload_that_look_like_a_frame_are_not_one() -> None:
    client, data = RawClient(), text(BIG)
    client.receive(data[:1_000])
    client.receive(text(b"inner"))
    client.receive(data[1_000 + len(text(b"inner")) :] + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_that_is_too_big_is_not_kept_in_memory() -> None:
    client = RawClient()
    client.receive(text(BIG)[:-1])
    assert len(client.protocol._rest) < 20


async def test_fragments_that_are_too_big_together_are_refused() -> None:
    client, half = RawClient(), b"x" * 40_000
    client.receive(frame(Opcode.TEXT, half, fin=False) + frame(Opcode.CONT, half) + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


@pytest.mark.parametrize("place", range(3))
async def test_one_fragment_that_is_too_big_alone_is_refused_and_the_connection_stays(place: int) -> None:
    client = RawClient()
    bodies = [BIG if number == place else b"small" for number in range(3)]
    data = frame(Opcode.TEXT, bodies[0], fin=False) + frame(Opcode.CONT, bodies[1], fin=False)
    client.receive(data + frame(Opcode.CONT, bodies[2]) + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_a_binary_message_that_is_too_big_is_refused_and_the_connection_stays() -> None:
    client = RawClient()
    client.receive(frame(Opcode.BINARY, BIG) + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_without_end_closes_the_connection() -> None:
    client = RawClient()
    client.receive(bytes((0x81, 0xFF)) + (1 << 40).to_bytes(8, "big") + b"mask" + b"x" * 100)
    ((opcode, body),) = await client.received()
    assert (opcode, int.from_bytes(body[:2], "big")) == (Opcode.CLOSE, 1009)


async def test_nothing_is_read_after_a_message_without_end() -> None:
    client = RawClient()
    client.receive(bytes((0x81, 0xFF)) + (1 << 40).to_bytes(8, "big") + b"mask")
    await client.received()
    client.receive(text(b"hello"))
    assert await client.texts() == []
