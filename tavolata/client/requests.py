"""A request on its way: what was sent, whether a copy may have arrived, and the answer. No IO."""

import math

import msgspec

from tavolata.client.errors import ClientError, RequestRefused
from tavolata.client.messages import MOST_FRAME_BYTES, Ack, BaseMessage, encode

STEPS = ("act", "say", "fill")
"""Kinds of requests that are answered by the update of their step as well as by an `ack`."""
SEATS = ("create", "join", "match", "rematch")
"""Kinds of requests that take a seat."""


class PendingRequest(msgspec.Struct, eq=False):
    """One request of the program. Its id may change while it is certain that no copy has arrived."""

    kind: str
    room: int
    """0: the request is for no room."""
    fields: dict[str, object]
    deadline: float
    """The time at which the client gives up."""
    own: bool = False
    """The client itself made the request, not the program."""
    id: int = 0
    number: int = 0
    """Counts the requests that were sent to the room."""
    sent_at: float = 0.0
    uncertain: bool = False
    """An earlier copy may have arrived: the id must not change, or the request could be carried out twice."""
    tries: int = 0
    """Answers in a row that said busy."""
    not_before: float = -math.inf
    """The time before which the request must not be sent again."""
    acked: Ack | None = None
    """The `ack`, while the update of its step has not been received."""
    answer: BaseMessage | None = None
    """The message that answered it: an update or an `ack`, a list, or an attachment."""
    error: ClientError | None = None
    """The reason why it has failed."""

    @property
    def done(self) -> bool:
        """Answered or failed."""
        return self.answer is not None or self.error is not None

    @property
    def wants(self) -> tuple[str, ...]:
        """The parts of updates that a request which attaches to a room asks for."""
        wants = self.fields.get("wants", ())
        return wants if isinstance(wants, tuple) else ()

    def frame(self) -> bytes:
        """The frame with the present id. Raises `RequestRefused` if it is longer than servers accept, and `TypeError`
        for values that JSON does not have."""
        frame = encode({"type": self.kind, "id": self.id, **self.fields})
        if len(frame) > MOST_FRAME_BYTES:
            text = f"a request has at most {MOST_FRAME_BYTES} bytes; this one has {len(frame)}"
            raise RequestRefused("frame/too_big", text)
        return frame


def given(**fields: object) -> dict[str, object]:
    """The fields that differ from the protocol's defaults."""
    return {name: value for name, value in fields.items() if value not in (None, "", 0, False, ())}
