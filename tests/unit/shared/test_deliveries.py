"""Messages from workers to gateways."""

import msgspec

from shared.deliveries import CompletedCommand, StepMessage, encode_public_step
from shared.ids import CommandId, CommitNumber, Epoch, GatewayId, Offset, RoomId, Seat, TraceId
from shared.room_views import Update

UPDATE = Update(RoomId(1000), Epoch(7), Offset(5), 1_000, msgspec.Raw(b"[{}]"), Seat(1), CommandId(3), TraceId("t-1"))
DONE = CompletedCommand(GatewayId("g-1"), 9, CommandId(3))


def test_a_public_step_is_encoded_like_its_message() -> None:
    public = msgspec.Raw(msgspec.json.encode(UPDATE))
    message = StepMessage(RoomId(1000), Epoch(7), Offset(5), public, done=DONE, commit=CommitNumber(4), unseats=False)
    assert encode_public_step(UPDATE, DONE, CommitNumber(4)) == msgspec.json.encode(message)


def test_a_public_step_without_a_command_is_encoded_like_its_message() -> None:
    public = msgspec.Raw(msgspec.json.encode(UPDATE))
    message = StepMessage(RoomId(1000), Epoch(7), Offset(5), public, commit=CommitNumber(4), unseats=False)
    assert encode_public_step(UPDATE, None, CommitNumber(4)) == msgspec.json.encode(message)
