"""The conversation that the three dialects of Eriantys share; each dialect adds its messages.

Shared are: frames handled strictly one after the other, malformed messages counted, the table followed, refusals turned
into error messages. Not shared: what is read and written.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from gateway.dialects.answers import Answer, Entered, Refused, RoomsChanged
from gateway.dialects.contract import DeliveredStep, Opening
from gateway.dialects.eriantys.common.codec import text_of
from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.requests import ActRequest, CloseConnection, CountRejection, Output, Request
from gateway.dialects.waiting_messages import WaitingMessages
from gateway.transports.close_codes import MALFORMED, CloseCode
from shared.errors import ErrorCode, ProtocolError
from shared.games.eriantys.commands import Command
from shared.games.eriantys.events import Event
from shared.room_events import RoomEvent

MAX_MALFORMED: Final = 20
"""Malformed messages in a row that close the connection."""

_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode

M = TypeVar("M")
Continuation: TypeAlias = Callable[[Answer | None], Iterator[Output]]
"""The `ref` of a request: called with the answer, or with None after the step that the request caused was rendered."""


class EriantysConversation(ABC, Generic[M]):
    """One connection's side of a dialect. M is the type that frames are parsed to.

    A frame is handled only after all requests of earlier frames have been answered: clients name islands by their
    position in the list, and a move that is still under way can change these positions.
    """

    tick_ms = 0

    def __init__(self, opening: Opening) -> None:
        self._rooms = opening.rooms
        self._table: Table | None = None
        self._busy = False
        """A request has not been answered yet."""
        self._waiting = WaitingMessages[bytes | ProtocolError](ProtocolError("busy/rate"))
        """Frames that were sent ahead, and errors in place of invalid ones."""
        self._malformed_in_a_row = 0
        self._closed = False

    # --- what each dialect implements --------------------------------------------------------------------------------

    @abstractmethod
    def parse(self, frame: bytes) -> M:
        """Read a frame; raises `ProtocolError` for a malformed one."""

    @abstractmethod
    def handle(self, message: M) -> Iterator[Output]:
        """Carry out a message of the client."""

    @abstractmethod
    def encode_error(self, code: str, text: str) -> bytes:
        """Encode the dialect's error message."""

    @abstractmethod
    def render(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        """Make each event take effect on the table, and put out the messages for the events."""

    # --- the conversation --------------------------------------------------------------------------------------------

    def open(self) -> Iterable[Output]:
        return ()

    def receive(self, frame: bytes) -> Iterable[Output]:
        if self._closed:
            return []
        if not self._busy:
            return list(self._handle_frame(frame))
        return [] if self._waiting.add(frame, len(frame)) else [CountRejection("busy/rate")]

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        """The error waits for the answers to earlier frames, too: no answer names the frame that it is for."""
        if self._closed:
            return []
        error = ProtocolError(code)
        if not self._busy:
            return list(self._refuse_frame(error))
        if code.startswith("busy/"):
            self._waiting.refuse()
            return []
        return [] if self._waiting.add(error, len(frame)) else [CountRejection("busy/rate")]

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        then: Continuation | None = ref
        return [] if then is None else list(self._resume(then(answer)))

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        then: Continuation | None = ref
        rendered = self._render_step(step)
        return list(self._note_requests(rendered) if then is None else self._resume(chain(rendered, then(None))))

    def _render_step(self, step: DeliveredStep) -> Iterator[Output]:
        if self._table is not None and self._table.room_id == step.update.room:
            yield from self.render(self._table, step.events(_decode_events))

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        return ()

    def tick(self, now_ms: int) -> Iterable[Output]:
        return ()

    # --- one frame after the other -----------------------------------------------------------------------------------

    def _handle_frame(self, frame: bytes) -> Iterator[Output]:
        try:
            message = self.parse(frame)
        except ProtocolError as error:
            yield CountRejection(error.code)
            yield from self._refuse_frame(error)
            return
        self._malformed_in_a_row = 0
        yield from self._note_requests(self.handle(message))

    def _refuse_frame(self, error: ProtocolError) -> Iterator[Output]:
        yield self.error(error.code, str(error))
        if not error.code.startswith("busy/"):
            self._malformed_in_a_row += 1
            if self._malformed_in_a_row >= MAX_MALFORMED:
                yield self.close(MALFORMED)

    def _resume(self, outputs: Iterator[Output]) -> Iterator[Output]:
        """The request is answered: put out its continuation, then handle the frames that have arrived meanwhile.

        A continuation may make the next request. Then the remaining frames wait for that one."""
        self._busy = False
        yield from self._note_requests(outputs)
        while not self._busy and not self._closed and (frame := self._waiting.take()) is not None:
            yield from self._refuse_frame(frame) if isinstance(frame, ProtocolError) else self._handle_frame(frame)

    def _note_requests(self, outputs: Iterator[Output]) -> Iterator[Output]:
        """Pass the outputs on. A request with a `ref` will be answered: until then the conversation is busy."""
        for output in outputs:
            if getattr(output, "ref", None) is not None:
                self._busy = True
            yield output

    # --- for the dialects --------------------------------------------------------------------------------------------

    def error(self, code: str, text: str = "") -> bytes:
        if code == "game/not_your_turn" and self._table is not None and self._table.playing:
            text = f"it is {self._table.name(self._table.view.turn)}'s turn"
        return self.encode_error(code, text or text_of(code))

    def refusal(self, answer: Answer | None) -> Refused:
        """The refusal in an answer. Any other answer is unexpected here, and reported as an internal error."""
        return answer if isinstance(answer, Refused) else Refused("internal", text_of("internal"))

    def refusal_error(self, answer: Answer | None) -> bytes:
        """The error message for a refused request."""
        refused = self.refusal(answer)
        return self.error(refused.code, refused.text)

    def close(self, close_code: CloseCode) -> CloseConnection:
        self._closed = True
        self._waiting.clear()
        return CloseConnection(close_code)

    def enter(self, entered: Entered) -> Table:
        self._table = Table.entered(entered)
        return self._table

    def act(self, table: Table, command: Command, then: Continuation) -> Request:
        return ActRequest(table.room_id, command, then)
