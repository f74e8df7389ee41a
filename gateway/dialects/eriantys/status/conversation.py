"""One connection's side of `eriantys.status`: a bare name, commands, and status codes in reply."""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, RequestDone
from gateway.dialects.contract import Opening
from gateway.dialects.eriantys.common.codec import decode, error_name, may_exist
from gateway.dialects.eriantys.common.conversation import EriantysConversation
from gateway.dialects.eriantys.common.table import GAME, Table
from gateway.dialects.eriantys.status import messages, render
from gateway.dialects.eriantys.status.commands import ParsedCommand, parse_command
from gateway.dialects.requests import (
    ConfigureRequest,
    JoinRequest,
    LeaveRequest,
    LoginRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    ReturnRequest,
)
from gateway.transports.close_codes import REMOVED
from shared.errors import ProtocolError
from shared.games.eriantys.events import Event, Finished
from shared.games.eriantys.views import View
from shared.ids import RoomId
from shared.room_events import NOTHING, Closed, Left, RoomEvent, RoomSpec, Started

DIALECT_NAME: Final = "eriantys.status"
MAX_SEATS: Final = 4

_encode = msgspec.json.Encoder().encode
_decode_line = msgspec.json.Decoder(messages.Line).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_parameters = msgspec.json.Decoder(messages.GameParameters).decode

Parsed: TypeAlias = str | messages.GameParameters | ParsedCommand
"""A name, the parameters of a game, or a command."""


class StatusConversation(EriantysConversation[Parsed]):
    """The states of a connection: without a name; then at a table that waits, is configured, plays, and is over."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._wanted = _table_of(opening)
        self._key = opening.query.get("key", "")
        """The key of the table that the URL names, if that one is private."""
        self._named = False
        self._status_sent = False
        self.tick_ms = ping_of(opening.compat.get("ping_ms") or opening.query.get("ping_ms", "0"))

    def tick(self, now_ms: int) -> Iterable[Output]:
        return [] if self._closed else [b"ping"]

    # --- messages of the client --------------------------------------------------------------------------------------

    def parse(self, frame: bytes) -> Parsed:
        line = frame.strip()
        if line[:1] in (b"{", b"["):
            if decode(_decode_line, line).cmd != NOTHING:
                return parse_command(line, self._table)
            return decode(_decode_parameters, line)
        if self._table is not None and not self._table.over:
            raise ProtocolError("frame/malformed")
        return decode(_decode_text if line[:1] == b'"' else bytes.decode, line)

    def handle(self, message: Parsed) -> Iterator[Output]:
        table = self._table
        match message:
            case str():
                yield from self._introduce(message)
            case messages.GameParameters():
                yield from self._configure(table, message)
            case ParsedCommand(command=command):
                if table is None or not table.playing:
                    yield self.error("game/over" if table is not None and table.over else "room/not_started")
                elif command is None:
                    yield self.error("eriantys/bad_arguments")
                else:
                    yield self.act(table, command, self._acted)

    def receive(self, frame: bytes) -> Iterable[Output]:
        return [] if self.tick_ms and frame.strip() == b"pong" else super().receive(frame)

    def encode_error(self, code: str, text: str) -> bytes:
        status = messages.STATUS.get(code, messages.ILLEGAL)
        if code.startswith("busy/"):
            text = f"{error_name(code)}: {text}"
        return _encode(messages.CurrentStatus(status, error_message=text))

    # --- a name and a seat -------------------------------------------------------------------------------------------

    def _introduce(self, name: str) -> Iterator[Output]:
        """A name takes a seat. After the end of a game any name may follow; the finished table is left first."""
        table = self._table
        if table is None:
            yield from self._login(name)
            return

        def then(_answer: Answer | None) -> Iterator[Output]:
            self._table = self._wanted = None
            yield from self._login(name)

        yield LeaveRequest(table.room_id, then)

    def _login(self, name: str) -> Iterator[Output]:
        def then(answer: Answer | None) -> Iterator[Output]:
            match answer:
                case LoggedIn():
                    self._named = True
                    yield self._seat()
                case _ if self.refusal(answer).code == "name/taken":
                    yield ReturnRequest(name, GAME, self._wanted, self._returned)
                case _:
                    yield self.refusal_error(answer)

        yield LoginRequest(name, then)

    def _seat(self) -> Output:
        if self._wanted is not None:
            return JoinRequest(self._wanted, ref=self._entered, key=self._key)
        return MatchRequest(GAME, open=RoomSpec(GAME, MAX_SEATS, only=DIALECT_NAME), ref=self._entered)

    def _returned(self, answer: Answer | None) -> Iterator[Output]:
        if isinstance(answer, Entered):
            yield from self._entered(answer)
        else:
            busy = self.refusal(answer).code.startswith("busy/")
            yield self.error(self.refusal(answer).code if busy else "name/taken")

    def _entered(self, answer: Answer | None) -> Iterator[Output]:
        if isinstance(answer, Entered):
            table = self.enter(answer)
            self._named = True
            yield self.encode_seat(table)
            if table.playing:
                yield self.encode_full_status(table)
        else:
            yield self.refusal_error(answer)
            yield from self._forget_name()

    def _forget_name(self) -> Iterator[Output]:
        if self._named:
            self._named = False
            yield LogoutRequest()

    def _configure(self, table: Table | None, wanted: messages.GameParameters) -> Iterator[Output]:
        """The first player at a table configures it, once."""
        mode = wanted.game_mode.lower()
        first = table is not None and table.seat == min(table.seats)
        fits = wanted.num_players in (2, 3, 4) and mode in messages.MODES
        if table is None or not first or not table.room.spec.only or not fits:
            yield self.error("command/bad")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            if answer is not None and not isinstance(answer, RequestDone):
                yield self.refusal_error(answer)
            else:
                yield from self.configured(table, wanted.num_players)

        yield ConfigureRequest(table.room_id, wanted.num_players, {"expert": messages.MODES[mode]}, then)

    # --- messages to the client --------------------------------------------------------------------------------------

    def _acted(self, answer: Answer | None) -> Iterator[Output]:
        """Every command is answered, with an empty status if its step has changed nothing that is shown."""
        if answer is not None:
            yield self.refusal_error(answer)
        elif not self._status_sent:
            yield _encode(messages.CurrentStatus(messages.FINE))

    def render(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        before = table.view
        for event in events:
            table.follow(event)
            if isinstance(event, Left) and event.seat == table.seat:
                yield from self._kicked(event.reason)
                return
        self._status_sent = False
        for status in self.encode_step(table, before, events):
            self._status_sent = True
            yield status
        if any(isinstance(event, Closed) and event.reason == "operator" for event in events):
            yield self.error("room/closed", "an operator has closed the table")

    def _kicked(self, reason: str) -> Iterator[Output]:
        self._table = self._wanted = None
        yield from self._forget_name()
        yield from self.sent_away(REMOVED.reason if reason == "removed" else "the table was made for fewer players")

    # --- what a compat mode writes in another form -------------------------------------------------------------------

    def encode_seat(self, table: Table) -> bytes:
        """The answer to a name that has got a seat."""
        return _encode(messages.AddPlayerResponse(messages.FINE, table.seat))

    def encode_full_status(self, table: Table) -> bytes:
        return _encode(render.full_status(table))

    def encode_step(self, table: Table, before: View, events: list[RoomEvent | Event]) -> Iterator[bytes]:
        """The statuses for a step that the table has followed already."""
        if any(isinstance(event, Started) for event in events):
            yield self.encode_full_status(table)
        elif before.players:
            status = render.changes(before, table.view, events)
            if status != messages.CurrentStatus(messages.FINE):
                yield _encode(status)
        for event in events:
            if isinstance(event, Finished):
                yield _encode(render.winner(table, event.winners))

    def configured(self, table: Table, seats: int) -> Iterator[Output]:
        """The parameters of the table were accepted, which needs no answer."""
        return iter(())

    def sent_away(self, text: str) -> Iterator[Output]:
        """The table has no seat for this player any more."""
        yield _encode(messages.AddPlayerResponse(messages.KICKED_OUT, error_message=text))


def _table_of(opening: Opening) -> RoomId | None:
    """The room that the URL parameter `table` names."""
    wanted = opening.query.get("table")
    if wanted is None:
        return None
    if not wanted.isascii() or not wanted.isdigit() or len(wanted) > 15 or not may_exist(int(wanted)):
        raise ProtocolError("frame/malformed", "table is the number of a room")
    return RoomId(int(wanted))


def ping_of(wanted: str) -> int:
    """Milliseconds between two bare `ping` lines, from the listener or the URL; 0: none are sent."""
    if not wanted.isascii() or not wanted.isdigit() or len(wanted) > 9:
        raise ProtocolError("frame/malformed", "ping_ms is a number of milliseconds")
    return int(wanted)
