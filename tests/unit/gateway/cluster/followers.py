"""Followers of a room on the feeds of one gateway, which record what they receive."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from gateway.cluster.background import BackgroundTasks
from gateway.cluster.command_outbox import CommandOutbox
from gateway.cluster.feeds import Feeds
from gateway.cluster.identity import GatewayIdentity
from gateway.dialects.contract import DeliveredStep
from gateway.metrics import Metrics
from gateway.session.attachments import Attachment
from shared.deliveries import Delivery, Reply, StepMessage
from shared.ids import Epoch, GatewayId, Offset, Partition, Seat
from shared.room_views import Position
from tests.support import batches
from tests.support.gateway_bench import KEYS, ROOM, GatewayBench

P0, P1 = Partition(0), Partition(1)


@dataclass(eq=False)
class Follower:
    """Records what it receives of a room."""

    received: list[int] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    steps: list[DeliveredStep] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    repeated: list[Attachment] = field(default_factory=list)
    """The attachments that were to be repeated."""
    unread: int = 0
    number: int = 1

    def deliver(self, attachment: Attachment, step: DeliveredStep) -> None:
        self.received.append(attachment.offset)
        self.raw.append(step.raw)
        self.steps.append(step)
        self.order.append(f"step {attachment.offset}")

    def views_due(self, attachment: Attachment) -> None:
        raise AssertionError("no views are pending here")

    def views_missed(self, attachment: Attachment) -> None:
        self.order.append(f"view {attachment.offset}")

    def position_lost(self, attachment: Attachment, reason: str) -> None:
        self.lost.append(reason)

    def attach_again(self, attachment: Attachment) -> None:
        self.repeated.append(attachment)

    def seat_lost(self, attachment: Attachment, reason: str) -> None:
        self.order.append(f"seat {attachment.seat} {reason}")

    def buffered(self) -> int:
        return self.unread


class Outbox(CommandOutbox):
    """Records what the feeds report."""

    def __init__(self, gateway: GatewayBench) -> None:
        super().__init__(GatewayIdentity(GatewayId("g")), gateway.store, KEYS, Metrics(), lambda: gateway.now, most=50)
        self.order: list[str] = []
        self.answers: list[tuple[int, int]] = []
        self.resent: list[Partition] = []
        self.attaching: set[int] = set()

    def answer_attaching(self, replies: Iterable[Reply]) -> list[Reply]:
        others = []
        for reply in replies:
            if reply.id in self.attaching:
                self.answer(reply)
            else:
                others.append(reply)
        return others

    def answer(self, reply: Reply) -> None:
        self.order.append(f"reply {reply.id}")
        self.answers.append((reply.offset, reply.id))

    def resend(self, partition: Partition | None = None, *, older_than_s: float = 0.0) -> int:
        assert partition is not None
        self.resent.append(partition)
        return 0


class Bench:
    def __init__(self) -> None:
        gateway = GatewayBench()
        self.store = gateway.store
        self.outbox = Outbox(gateway)
        identity = GatewayIdentity(GatewayId("g"))
        self.feeds = Feeds(identity, self.store, KEYS, self.outbox, Metrics(), BackgroundTasks())

    @property
    def gaps(self) -> list[Partition]:
        """Each gap makes the gateway send the partition's unanswered commands again."""
        return self.outbox.resent

    def attach(
        self, offset: int = 1, top: int | None = None, seat: int | None = 0, wants: int = 0
    ) -> tuple[Follower, Attachment]:
        follower, place = Follower(order=self.outbox.order), None if seat is None else Seat(seat)
        attachment = Attachment(ROOM, place, wants, Epoch(7), Offset(offset))
        self.feeds.attach(attachment, Position(Epoch(7), Offset(top or offset)), follower)
        return follower, attachment

    async def write(self, *steps: StepMessage) -> None:
        """Write steps to the store, whether they were delivered or not."""
        await self.store.pipe([batches.written(KEYS[step.room % 2], step) for step in steps])

    def say(self, number: int, *steps: StepMessage, epoch: int = 7, replies: tuple[Reply, ...] = ()) -> None:
        self.feeds.message(msgspec.json.encode([Delivery(P0, Epoch(epoch), number, steps, replies)]))
