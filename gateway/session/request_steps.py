"""The steps of a request of several round trips, as its generator yields them, and how it ends in a refusal."""

from collections.abc import Generator
from typing import Any, TypeAlias, cast

import msgspec

from gateway.dialects.answers import Answer, RoomAttached, ViewReason
from gateway.session.attachments import PendingAnswer
from gateway.session.effects import Question, Submit
from gateway.session.state import SessionState
from shared.commands import RoomCommand
from shared.deliveries import Reply
from shared.errors import ErrorCode
from shared.ids import CommandId, RoomId
from shared.room_views import Position

_NOT_SENT: tuple[ErrorCode, ...] = ("busy/backlog", "busy/no_worker", "busy/store", "busy/store_full")
"""The outbox has refused the command: no room has seen it."""


class AnswerClient(msgspec.Struct, frozen=True):
    """Hand an answer to the conversation."""

    ref: Any
    answer: Answer


RequestStep: TypeAlias = Submit | Question | AnswerClient


class Refusal(Exception):
    """The request is refused with this code."""

    def __init__(self, code: str, text: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.text = text


def ask(room: RoomId, command_id: CommandId, body: RoomCommand, wants: int = 0) -> Generator[RequestStep, Any, Reply]:
    """A command and its reply, however long the cluster takes; raises `Refusal` if the command was not sent."""
    reply = cast(Reply, (yield Submit(room, command_id, body, wants)))
    if reply.code in _NOT_SENT:
        raise Refusal(reply.code)
    return reply


def reason_of_view(seen: Position | None, reply: Reply) -> ViewReason:
    """The reason of a view that a client has asked for. `seen` is what it had been sent when the room was asked: the
    view includes that, unless the store has lost it."""
    return "rewound" if seen is not None and seen.voided_by(Position(reply.epoch, reply.offset)) else ""


def send_views(views: tuple[PendingAnswer, ...]) -> Generator[RequestStep, Any, None]:
    for ref, attached in views:
        yield AnswerClient(ref, attached)


def view_of(reply: Reply, reason: ViewReason) -> RoomAttached:
    return RoomAttached(reply.room, reply.seat, reply.epoch, reply.offset, bytes(reply.view), reason, reply.key)


def attach_with_view(
    state: SessionState, ref: Any, reply: Reply, wants: int, reason: ViewReason, key: str = ""
) -> Generator[RequestStep, Any, None]:
    """Follow the room of a reply, and answer the client with the view in it. A client that follows the room already is
    sent the steps that the view shows first: its updates have no hole, even if it ignores a second answer to a request
    that it has sent twice."""
    view = view_of(reply, reason)
    before = state.attachments.get(reply.room)
    if before is not None and not before.stale and before.seat == reply.seat and before.offset < reply.offset:
        yield from send_views(state.attach(reply, wants, before.position, (ref, view), key))
    else:
        yield AnswerClient(ref, view)
        yield from send_views(state.attach(reply, wants, key=key))
