"""Steps that are delivered to several conversations are decoded once."""

import msgspec

from gateway.dialects.contract import DeliveredStep
from shared.room_events import Closed, RoomEvent

RAW = b'{"type":"update","room":1000,"epoch":7,"offset":5,"at":99,"events":[{"type":"room.closed","reason":"empty"}]}'


class CountingDecoder:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, events: msgspec.Raw) -> list[RoomEvent]:
        self.calls += 1
        return msgspec.json.decode(events, type=list[RoomEvent])


def test_the_update_of_a_step_is_decoded_once() -> None:
    step = DeliveredStep(RAW)
    assert step.update.offset == 5
    assert step.update is step.update


def test_the_events_of_a_step_are_decoded_once_per_decoder() -> None:
    step, first, second = DeliveredStep(RAW), CountingDecoder(), CountingDecoder()
    assert step.events(first) == [Closed("empty")]
    assert step.events(first) is step.events(first)
    assert first.calls == 1
    step.events(second)
    assert second.calls == 1
