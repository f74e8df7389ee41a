"""The dialect `eriantys.status`: a bare name, commands with status codes, and the status that changed."""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, RequestDone
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.eriantys.common import GAME, Table, Talk, decode, may_exist, word_of
from gateway.dialects.eriantys.status import messages as words
from gateway.dialects.eriantys.status import render as telling
from gateway.dialects.eriantys.status.commands import Order, order_of
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
from shared.errors import ProtocolError
from shared.games.eriantys.events import Event, Finished
from shared.games.eriantys.views import View
from shared.ids import RoomId
from shared.room_events import NOTHING, Left, RoomEvent, RoomSpec, Started

DIALECT_NAME: Final = "eriantys.status"
MOST_SEATS: Final = 4

_encode = msgspec.json.Encoder().encode
_decode_line = msgspec.json.Decoder(words.Line).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_parameters = msgspec.json.Decoder(words.GameParameters).decode

Parsed: TypeAlias = str | words.GameParameters | Order
"""A name, or one of the two objects."""


class StatusTalk(Talk[Parsed]):
    """Without a name; at a table that waits, is settled, is played at, and is over."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._wanted = _table_of(opening)
        self._named = False
        self._told_anything = False
        self.tick_ms = _ping_of(opening)

    def tick(self, now_ms: int) -> Iterable[Output]:
        return [] if self._closed else [b"ping"]

    # --- the client speaks -------------------------------------------------------------------------------------------

    def parse(self, frame: bytes) -> Parsed:
        line = frame.strip()
        if line[:1] in (b"{", b"["):
            if decode(_decode_line, line).cmd != NOTHING:
                return order_of(line, self._table)
            return decode(_decode_parameters, line)
        if self._table is not None and not self._table.over:
            raise ProtocolError("frame/malformed")
        return decode(_decode_text if line[:1] == b'"' else bytes.decode, line)

    def handle(self, message: Parsed) -> Iterator[Output]:
        table = self._table
        match message:
            case str():
                yield from self._introduce(message)
            case words.GameParameters():
                yield from self._settle(table, message)
            case Order(command=command):
                if table is None or not table.playing:
                    yield self.complain("game/over" if table is not None and table.over else "room/not_started")
                elif command is None:
                    yield self.complain("eriantys/bad_arguments")
                else:
                    yield self.act(table, command, self._acted)

    def receive(self, frame: bytes) -> Iterable[Output]:
        return [] if self.tick_ms and frame.strip() == b"pong" else super().receive(frame)

    def complaint(self, code: str, text: str) -> bytes:
        status = words.STATUS.get(code, words.ILLEGAL)
        busy = f"{word_of(code)}: {text}" if code.startswith("busy/") else text
        return _encode(words.CurrentStatus(status, error_message=busy))

    # --- a name and a seat -------------------------------------------------------------------------------------------

    def _introduce(self, name: str) -> Iterator[Output]:
        """A new name, or after the end any name again; what was before is left behind."""
        table = self._table
        if table is None:
            yield from self._login(name)
            return

        def then(_answer: Answer | None) -> Iterator[Output]:
            self._table = self._wanted = None
            yield from self._login(name)

        yield LeaveRequest(table.room, then)

    def _login(self, name: str) -> Iterator[Output]:
        def then(answer: Answer | None) -> Iterator[Output]:
            match answer:
                case LoggedIn():
                    self._named = True
                    yield self._seat()
                case _ if self.refusal(answer).code == "name/taken":
                    yield ReturnRequest(name, GAME, self._wanted, self._returned)
                case _:
                    yield self.deny(answer)

        yield LoginRequest(name, then)

    def _seat(self) -> Output:
        if self._wanted is not None:
            return JoinRequest(self._wanted, ref=self._entered)
        return MatchRequest(GAME, open=RoomSpec(GAME, MOST_SEATS, only=DIALECT_NAME), ref=self._entered)

    def _returned(self, answer: Answer | None) -> Iterator[Output]:
        if isinstance(answer, Entered):
            yield from self._entered(answer)
        else:
            busy = self.refusal(answer).code.startswith("busy/")
            yield self.complain(self.refusal(answer).code if busy else "name/taken")

    def _entered(self, answer: Answer | None) -> Iterator[Output]:
        if isinstance(answer, Entered):
            table = self.sit_down(answer)
            self._named = True
            yield _encode(words.AddPlayerResponse(words.FINE, table.seat))
            if table.playing:
                yield _encode(telling.full(table))
        else:
            yield self.deny(answer)
            yield from self._forget_name()

    def _forget_name(self) -> Iterator[Output]:
        if self._named:
            self._named = False
            yield LogoutRequest()

    def _settle(self, table: Table | None, wanted: words.GameParameters) -> Iterator[Output]:
        """The first player says what is played, once."""
        mode = wanted.game_mode.lower()
        first = table is not None and table.seat == min(table.people)
        fits = wanted.num_players in (2, 3, 4) and mode in words.MODES
        if table is None or not first or not table.spec.only or not fits:
            yield self.complain("command/bad")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            if answer is not None and not isinstance(answer, RequestDone):
                yield self.deny(answer)

        yield ConfigureRequest(table.room, wanted.num_players, {"expert": words.MODES[mode]}, then)

    # --- what has happened -------------------------------------------------------------------------------------------

    def _acted(self, answer: Answer | None) -> Iterator[Output]:
        """Who has moved is told something, even if nothing was to be seen."""
        if answer is not None:
            yield self.deny(answer)
        elif not self._told_anything:
            yield _encode(words.CurrentStatus(words.FINE))

    def tell(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        before = table.view
        for event in events:
            table.follow(event)
            if isinstance(event, Left) and event.seat == table.seat:
                yield from self._kicked()
                return
        self._told_anything = False
        for status in self._statuses(table, before, events):
            self._told_anything = True
            yield _encode(status)

    def _kicked(self) -> Iterator[Output]:
        self._table = self._wanted = None
        yield _encode(words.AddPlayerResponse(words.KICKED_OUT, error_message="the table was made for fewer players"))
        yield from self._forget_name()

    def _statuses(self, table: Table, before: View, events: list[RoomEvent | Event]) -> Iterator[words.CurrentStatus]:
        if any(isinstance(event, Started) for event in events):
            yield telling.full(table)
        elif before.players:
            status = telling.changes(before, table.view, events)
            if status != words.CurrentStatus(words.FINE):
                yield status
        for event in events:
            if isinstance(event, Finished):
                yield telling.winner(table, event.winners)


def _table_of(opening: Opening) -> RoomId | None:
    """The room that the URL names."""
    wanted = opening.query.get("table")
    if wanted is None:
        return None
    if not wanted.isascii() or not wanted.isdigit() or len(wanted) > 15 or not may_exist(int(wanted)):
        raise ProtocolError("frame/malformed", "table is the number of a room")
    return RoomId(int(wanted))


def _ping_of(opening: Opening) -> int:
    """How often clients that want it are sent a bare `ping`; 0: never."""
    wanted = opening.compat.get("ping_ms") or opening.query.get("ping_ms", "0")
    if not wanted.isascii() or not wanted.isdigit() or len(wanted) > 9:
        raise ProtocolError("frame/malformed", "ping_ms is a number of milliseconds")
    return int(wanted)


DIALECT: Final = Dialect(DIALECT_NAME, "/ws/eriantys/status", StatusTalk)
