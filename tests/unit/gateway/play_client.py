"""A client of `play` on the parts of a gateway node, without sockets."""

import msgspec

from gateway.connection import Connection
from gateway.session.attachments import Attachment
from shared.bus.meta import GameCard
from shared.commands import Envelope
from shared.deliveries import CompletedCommand, StepMessage
from tests.support.gateway_bench import (
    ROOM,
    GatewayBench,
    RecordedTransport,
    reply_to,
    settle,
    step,
)


def done_by(envelope: Envelope, offset: int) -> StepMessage:
    return msgspec.structs.replace(step(offset), done=CompletedCommand(envelope.gateway, envelope.conn, envelope.id))


CARD = GameCard("stones", "Stones", 1, (2, 3), msgspec.Raw(b"{}"), msgspec.Raw(b"{}"))


class Client:
    """A play client that has said hello."""

    def __init__(self, bench: GatewayBench) -> None:
        self.bench = bench
        self.connection: Connection
        self.transport: RecordedTransport
        self.connection, self.transport = bench.connect()

    def say(self, **message: object) -> None:
        self.connection.receive(msgspec.json.encode(message))

    async def received(self) -> list[dict[str, object]]:
        await settle()
        return self.transport.messages()

    async def kinds(self) -> list[object]:
        return [message["type"] for message in await self.received()]


async def welcome(bench: GatewayBench | None = None, name: str = "ada") -> Client:
    client = Client(bench or GatewayBench())
    client.say(type="hello", name=name)
    assert await client.kinds() == ["welcome"]
    return client


async def seated(bench: GatewayBench | None = None, name: str = "ada", offset: int = 3) -> Client:
    client = await welcome(bench, name)
    client.say(type="join", id=1, room=ROOM)
    (envelope,) = await client.bench.added()
    client.bench.answer(reply_to(envelope, offset))
    assert await client.kinds() == ["entered"]
    return client


def attachment_of(connection: Connection) -> Attachment:
    attachment = connection.session.state.attachments.get(ROOM)
    assert attachment is not None
    return attachment


async def only(bench: GatewayBench) -> Envelope:
    (envelope,) = await bench.added()
    return envelope
