"""One connection's conversation with the cluster, without IO: frames, replies and steps in, effects out.

The dialect's conversation makes requests; the session turns them into effects and hands the answers and the steps of
rooms back. Commands of play take a short path. Requests of several round trips wait in a `RequestQueue`.
"""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from gateway.dialects.answers import Answer, Refused, RoomsChanged, ViewReason
from gateway.dialects.contract import DeliveredStep, Dialect, Opening
from gateway.dialects.requests import (
    ActRequest,
    AttendRequest,
    CloseConnection,
    CommandRequest,
    ConfigureRequest,
    CountRejection,
    ListRoomsRequest,
    LogoutRequest,
    Output,
    Request,
    SayRequest,
    WatchRoomsRequest,
)
from gateway.session import fresh_views
from gateway.session.attachments import Attachment, PendingAnswer
from gateway.session.effects import (
    Close,
    CompleteCommand,
    CountResume,
    Effect,
    Question,
    Refresh,
    ReleaseName,
    Submit,
    UnwatchRooms,
    WatchRooms,
    Withdraw,
)
from gateway.session.rates import RequestRates, meter_of
from gateway.session.request_queue import RequestQueue
from gateway.session.request_steps import AnswerClient, Refusal, RequestStep
from gateway.session.room_guesses import RoomGuesses
from gateway.session.state import ReturnByName, SessionState
from gateway.transports import close_codes
from gateway.transports.close_codes import CloseCode
from shared import commands
from shared.commands import Enter, RoomCommand, Watch
from shared.deliveries import Reply
from shared.errors import ErrorCode, text_of
from shared.ids import CommandId, RoomId, SessionId

log = logging.getLogger("tavolata.session")

_encode = msgspec.json.Encoder().encode


class Session:
    """A client's side of the cluster. Every public method returns the effects to perform, in order."""

    __slots__ = (
        "_ack",
        "_advancing",
        "_attached",
        "_conversation",
        "_guesses",
        "_played_room",
        "_question",
        "_queue",
        "_rates",
        "_raw",
        "_refs",
        "_requests",
        "closed",
        "dialect",
        "state",
    )

    def __init__(
        self,
        dialect: Dialect,
        opening: Opening,
        sid: SessionId,
        rooms_per_player: int,
        rates: RequestRates,
        return_by_name: ReturnByName = ReturnByName.ANY,
        address: str = "",
    ) -> None:
        """Raises `ProtocolError` for an opening that the dialect refuses."""
        self.dialect = dialect
        self.closed = False
        self.state = SessionState(dialect, sid, rooms_per_player, return_by_name, address)
        self._rates = rates
        self._attached = self.state.attachments.by_room
        self._guesses = RoomGuesses(opening.rooms, self._attached, rates)
        self._played_room: RoomId | None = None
        """The room of the last move, as long as nothing but moves has happened since: no request waits, and the session
        is attached to the room. So the next move there needs neither the queue nor the attachments, which are in no
        cache by then."""
        self._raw = dialect.raw
        self._ack = dialect.ack
        self._refs: dict[tuple[RoomId, CommandId], Any] = {}
        """The dialect's references of unanswered commands. Clients of a raw dialect number commands themselves."""
        self._requests = RequestQueue(self.state)
        self._queue = self._requests.requests
        self._question: Submit | Question | None = None
        """The effect whose result the running request waits for."""
        self._advancing = False
        """`_advance` runs. An answer that it gives may make the conversation ask for more, which waits in the queue."""
        self._conversation = dialect.converse(opening)

    @property
    def tick_ms(self) -> int:
        return self._conversation.tick_ms

    # --- from the client ----------------------------------------------------------------------------------------------

    def open(self) -> Sequence[Effect]:
        effects = self._begin()
        self._carry_out(self._conversation.open())
        return effects

    def receive(self, frame: bytes) -> Sequence[Effect]:
        if self.closed:
            return ()
        outputs = self._conversation.receive(frame)
        if type(outputs) is tuple and len(outputs) == 1 and type(outputs[0]) is ActRequest:  # nearly all frames
            move = outputs[0]
            if move.room == self._played_room:
                return (self._command(move),)
            if not self._queue and move.room in self._attached:
                self._played_room = move.room
                return (self._command(move),)
        effects = self._begin()
        self._carry_out(outputs)
        return effects

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Sequence[Effect]:
        """The client has sent something that is not passed on to the dialect as a frame."""
        if self.closed:
            return ()
        effects = self._begin()
        effects.append(CountRejection(code))
        self._carry_out(self._conversation.invalid_frame(code, frame))
        return effects

    def tick(self, now_ms: int) -> Sequence[Effect]:
        if self.closed:
            return ()
        effects = self._begin()
        self._carry_out(self._conversation.tick(now_ms))
        return effects

    # --- from the cluster ---------------------------------------------------------------------------------------------

    def answered(self, reply: Reply) -> Sequence[Effect]:
        """A command was carried out or refused (see `CommandOutbox.answer`)."""
        question = self._question
        if type(question) is Submit and question.id == reply.id and question.room == reply.room:
            return self._resume_with_reply(question, reply)
        if not reply.code and reply.id > 0:
            ack = self._ack
            return () if ack is None else (ack(reply.id, reply.room, reply.epoch, reply.offset),)
        if self.closed:
            return ()
        effects = self._begin()
        if reply.id < 0:  # the gateway's own command
            self._refreshed(reply)
        else:
            ref = reply.id if self._raw else self._refs.pop((reply.room, reply.id), None)
            self._refuse(ref, reply.code, reply.text, reply.room)
        return effects

    def deliver(self, attachment: Attachment, step: DeliveredStep) -> Sequence[Effect]:
        """The next step of a room, in a dialect that translates steps. Raw steps are written to the client without the
        session (see `Connection.deliver`)."""
        if self.closed:
            return ()
        effects = self._begin()
        update = step.update
        ref = None
        if update.id is not None and update.by == attachment.seat and (update.room, update.id) in self._refs:
            ref = self._refs.pop((update.room, update.id))
            effects.append(CompleteCommand(update.room, update.id, update.epoch, update.offset))
        self._carry_out(self._conversation.deliver(step, ref))
        return effects

    def resume(self, result: object) -> Sequence[Effect]:
        """The result of the question that the running request has asked."""
        if self.closed:
            return ()
        effects = self._begin()
        self._advance(result)
        return effects

    def fail(self, code: ErrorCode) -> Sequence[Effect]:
        """The question that the running request has asked could not be answered."""
        return self.resume(Refusal(code))

    def rooms_changed(self, change: RoomsChanged) -> Sequence[Effect]:
        if self.closed:
            return ()
        effects = self._begin()
        self._carry_out(self._conversation.rooms_changed(change))
        return effects

    # --- steps that cannot be delivered -------------------------------------------------------------------------------

    def views_due(self, attachment: Attachment) -> Sequence[Effect]:
        """All steps up to the attachment's pending views were delivered."""
        pending, attachment.pending_view = attachment.pending_view, None
        effects = self._begin()
        if pending is not None:
            self._send_views(pending.answers)
        return effects

    def views_missed(self, attachment: Attachment) -> Sequence[Effect]:
        """Steps were delivered without the views that the client wants: ask the room for one."""
        effects = self._begin()
        if not self.closed:
            effects.append(Refresh(attachment))
        return effects

    def position_lost(self, attachment: Attachment, reason: ViewReason) -> Sequence[Effect]:
        """The steps after the attachment's position cannot be delivered: they are `trimmed`, or it is `rewound`."""
        effects = self._begin()
        effects.append(CountResume(reason))
        if self._raw:
            self._send_views(fresh_views.refresh(self.state, attachment, reason))
        else:
            self._close(close_codes.POSITION_LOST)
        return effects

    def seat_lost(self, attachment: Attachment, reason: str) -> Sequence[Effect]:
        """The room has taken the client's seat away. A dialect with one room per connection has nothing to go on with
        if an operator did it."""
        if self.closed:
            return ()
        effects = self._begin()
        self._send_views(self.state.drop(attachment))
        if reason == "removed" and not self._raw:
            self._close(close_codes.REMOVED)
        return effects

    def missed(self, attachment: Attachment) -> Sequence[Effect]:
        """A step was not delivered, because the client reads too slowly."""
        effects = self._begin()
        attachment.stale = True
        if not self._raw:  # the dialect has no message for a fresh view
            self._close(close_codes.SLOW)
        return effects

    def caught_up(self) -> Sequence[Effect]:
        """The client reads again: fresh views take the place of the steps that it missed."""
        if self.closed:
            return ()
        effects = self._begin()
        for attachment in self.state.attachments:
            if attachment.stale:
                self._send_views(fresh_views.refresh(self.state, attachment, "slow"))
        return effects

    # --- the end ------------------------------------------------------------------------------------------------------

    def close(self, close_code: CloseCode) -> Sequence[Effect]:
        effects = self._begin()
        self._close(close_code)
        return effects

    def depart(self, abandoned: Iterable[RoomId]) -> Sequence[Effect]:
        """The client is not served any more. `abandoned`: the rooms that it was about to be attached to."""
        self.closed = True
        effects = self._begin()
        self._requests.cancel()
        self._question = None
        state = self.state
        effects.extend(Withdraw(room) for room in abandoned if room not in state.attachments)
        for attachment in state.attachments:
            state.drop(attachment, gone=True)
        for name, sid in dict.fromkeys(((state.name, state.sid), state.claiming)):
            if name:
                effects.append(ReleaseName(name, sid, keep=self._raw))
        return effects

    def _close(self, close_code: CloseCode) -> None:
        if not self.closed:
            self.closed = True
            self.state.effects.append(Close(close_code))

    # --- carrying out a conversation's outputs ------------------------------------------------------------------------

    def _begin(self) -> list[Effect]:
        """Begin a call that may do anything."""
        self._played_room = None
        effects = self.state.effects = []
        return effects

    def _carry_out(self, outputs: Iterable[Output]) -> None:
        effects = self.state.effects
        for output in outputs:
            if type(output) is bytes:  # frames and moves are frequent, and `match` is slow
                effects.append(output)
            elif type(output) is ActRequest and not self._queue and output.room in self._attached:
                effects.append(self._command(output))
            elif not self._carry_out_other(output):
                return

    def _carry_out_other(self, output: Output) -> bool:
        """False if the conversation ends with this output."""
        meter = meter_of(output)
        if meter is not None and not self._rates.take(meter):
            self._refuse_request(output, "busy/rate")
            return True
        match output:
            case ActRequest() | SayRequest() | ConfigureRequest() if not self._queue:
                self._submit(output)
            case ListRoomsRequest(answer=answer):
                self._carry_out(answer())
            case LogoutRequest() if not self._queue:
                self.state.log_out()
            case CloseConnection(close_code=close_code):
                self._close(close_code)
                return False
            case CountRejection():
                self.state.effects.append(output)
            case WatchRoomsRequest(game=game, on=True):
                self.state.effects.append(WatchRooms(game))
                self._carry_out(self._conversation.rooms_changed(RoomsChanged({})))
            case WatchRoomsRequest():
                self.state.effects.append(UnwatchRooms())
            case bytes():
                self.state.effects.append(output)
            case _:
                self._enqueue(output)
        return True

    def _submit(self, request: CommandRequest) -> None:
        if self._guesses.count(request.room):
            self.state.effects.append(self._command(request))
        else:
            self._refuse_request(request, "busy/rate")

    def _command(self, request: CommandRequest) -> Submit:
        """The command of a seat. It is submitted at once and answered later."""
        body: RoomCommand
        if type(request) is ActRequest:
            command = request.command
            body = commands.Act(command if type(command) is msgspec.Raw else msgspec.Raw(_encode(command)))
        elif type(request) is SayRequest:
            body = commands.Say(request.text, request.to)
        else:
            body = commands.Configure(request.seats, request.options, request.fill)
        if self._raw:
            command_id = request.ref
        else:
            command_id = self.state.mint_id()
            self._refs[request.room, command_id] = request.ref
        return Submit(request.room, command_id, body)

    # --- requests of several round trips ------------------------------------------------------------------------------

    def _enqueue(self, request: Request) -> None:
        if not self._requests.add(request):
            self._refuse_request(request, "busy/rate")
        elif not self._requests.running and not self._advancing:
            self._advance()

    def _advance(self, result: object = None) -> None:
        """Resume the running request, and start those behind it, until one has a question."""
        self._question = None
        self._advancing = True
        try:
            while self._queue and not self.closed:
                step = self._next_step(result)
                result = None
                if isinstance(step, AnswerClient):
                    self._answer(step.ref, step.answer)
                elif step is not None:
                    self._question = step
                    self.state.effects.append(step)
                    return
        except Exception:  # a bug in a request or a conversation costs this client its connection, not the others
            name = type(self._queue[0]).__name__ if self._queue else "an answer"
            log.exception("session %s: %s failed", self.state.sid, name)
            self._close(close_codes.BROKEN)
        finally:
            self._advancing = False

    def _next_step(self, result: object) -> RequestStep | None:
        """The next step of the first request of the queue; None once it is done."""
        request = self._queue[0]
        room: RoomId | None = getattr(request, "room", None)
        if isinstance(request, CommandRequest):
            self._queue.popleft()
            self._submit(request)
            return None
        if not self._requests.running and not self._guesses.may_name(room, resuming=_is_resume(request)):
            result = Refusal("busy/rate")
        try:
            return self._requests.next_step(result)
        except Refusal as refusal:
            if refusal.code == "room/unknown" and room is not None:
                self._guesses.missed()
            self._refuse_request(request, refusal.code, refusal.text)
            return None

    def _resume_with_reply(self, question: Submit, reply: Reply) -> Sequence[Effect]:
        if not self.closed:
            effects = self._begin()
            self._advance(reply)
            return effects
        # The room counts the connection as present, but it is about to go.
        self._question = None
        attached = not reply.code and isinstance(question.body, Enter | Watch)
        return (Withdraw(reply.room),) if attached else ()

    # --- answers ------------------------------------------------------------------------------------------------------

    def _answer(self, ref: Any, answer: Answer) -> None:
        self._carry_out(self._conversation.answer(ref, answer))

    def _refuse(self, ref: Any, code: str, text: str = "", room: RoomId | None = None) -> None:
        self.state.effects.append(CountRejection(code))
        self._answer(ref, Refused(code, text or text_of(code), room))

    def _refuse_request(self, request: Output, code: str, text: str = "") -> None:
        self._refuse(getattr(request, "ref", None), code, text, getattr(request, "room", None))

    def _send_views(self, views: Iterable[PendingAnswer]) -> None:
        for ref, attached in views:
            self._answer(ref, attached)

    def _refreshed(self, reply: Reply) -> None:
        """The answer to a `Refresh`."""
        attachment = self.state.attachments.get(reply.room)
        if attachment is None or attachment.refresh_id != reply.id:
            return
        if not reply.code:
            self._send_views(fresh_views.refreshed(self.state, attachment, reply))
        elif reply.code == "room/unknown":  # the store has lost the room itself with its last writes
            self._send_views(self.state.drop(attachment))
            self._refuse(None, reply.code, reply.text, reply.room)


def _is_resume(request: Request) -> bool:
    return isinstance(request, AttendRequest) and request.after is not None
