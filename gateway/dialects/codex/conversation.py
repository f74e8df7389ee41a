"""One connection's side of the dialect: seats, moves, chat and heartbeats."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, Refused, RoomsChanged
from gateway.dialects.codex.codec import Malformed, confirm, decode, deny, encode
from gateway.dialects.codex.commands import ChatMessage, PlayMessage, chat_request, play_request, sender_of
from gateway.dialects.codex.messages import (
    AvailableColorMessage,
    ClientMessage,
    ConfirmGameMessage,
    ConfirmJoinGameMessage,
    ConfirmRejoinGameMessage,
    CreateGameMessage,
    ErrorMessage,
    GroupChatMessage,
    HeartbeatMessage,
    JoinedPlayerMessage,
    JoinGameMessage,
    PrivateChatMessage,
    RejoinedPlayerMessage,
    RejoinGameMessage,
    ServerMessage,
)
from gateway.dialects.codex.render import full_state, render_step
from gateway.dialects.codex.settings import CodexSettings
from gateway.dialects.codex.table import Table
from gateway.dialects.contract import DeliveredStep, Opening
from gateway.dialects.requests import (
    ActRequest,
    CloseConnection,
    CountRejection,
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    LoginRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    ReturnRequest,
    SayRequest,
)
from gateway.dialects.waiting_messages import WaitingMessages
from gateway.transports.close_codes import MALFORMED, SILENT
from shared.errors import CODES, ErrorCode, ProtocolError
from shared.games.codex.events import Event
from shared.ids import RoomId
from shared.room_events import RoomEvent, RoomSpec

GAME: Final = "codex"
BUSY: Final = ErrorMessage("BUSY: retry after 1 s")
MAX_NAME: Final = 32
MAX_MALFORMED: Final = 20
"""Malformed messages in a row that close the connection."""
_ROOM_IDS: Final = range(1, 2**53)

SeatMessage = CreateGameMessage | JoinGameMessage | RejoinGameMessage

_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode


class CodexConversation:
    """One connection. A message is handled only after those before it were answered. A Confirm does not name its
    request, so answers have to come in the order of the messages; and a request for a seat decides at which table the
    messages after it are handled."""

    def __init__(self, opening: Opening, settings: CodexSettings) -> None:
        self.tick_ms = settings.heartbeat_ms
        self._settings = settings
        self._url_table = _table_of(opening)
        self._url_key = opening.query.get("key", "")
        """The key of the table that the URL names, if that one is private."""
        self._rooms = opening.rooms
        self._name: str | None = None
        self._table: Table | None = None
        self._name_is_new = False
        """The name was claimed for the request for a seat that is under way, and is released if it fails."""
        self._under_way = False
        """A request is being carried out by the cluster."""
        self._handling_waiting = False
        self._waiting = WaitingMessages[ClientMessage | Malformed | ErrorMessage](BUSY)
        self._malformed_in_a_row = 0
        self._received = False
        """The client has sent something since the last tick."""
        self._silent_ms = 0
        self._ticked_ms: int | None = None

    # --- frames and time ---------------------------------------------------------------------------------------------

    def open(self) -> Iterable[Output]:
        return ()

    def receive(self, frame: bytes) -> Iterator[Output]:
        self._received = True
        message = decode(frame)
        if isinstance(message, Malformed):
            yield CountRejection("frame/malformed")
            yield from self._malformed(message, len(frame))
            return
        self._malformed_in_a_row = 0
        if not isinstance(message, HeartbeatMessage):
            yield from self._handle_in_turn(message, len(frame))

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterator[Output]:
        self._received = True
        if not code.startswith("busy/"):
            yield from self._malformed(Malformed(ErrorMessage(CODES[code])), len(frame))
        elif self._under_way:
            self._waiting.refuse()
        else:
            yield encode(BUSY)

    def _malformed(self, message: Malformed, size: int) -> Iterator[Output]:
        yield from self._handle_in_turn(message, size)
        self._malformed_in_a_row += 1
        if self._malformed_in_a_row >= MAX_MALFORMED:
            yield CloseConnection(MALFORMED)

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        return ()

    def tick(self, now_ms: int) -> Iterator[Output]:
        """Send a heartbeat, or close a silent connection that has a seat.

        A tick that comes late counts as two at most: while this process was stalled, frames of the client could not be
        received either."""
        passed_ms = 0 if self._ticked_ms is None else min(now_ms - self._ticked_ms, 2 * self.tick_ms)
        self._ticked_ms = now_ms
        self._silent_ms = 0 if self._received else self._silent_ms + passed_ms
        self._received = False
        if self._table is not None and self._silent_ms >= self._settings.silence_ms:
            yield CloseConnection(SILENT)
        else:
            yield encode(HeartbeatMessage("ping"))

    # --- requests ----------------------------------------------------------------------------------------------------

    def _handle_in_turn(self, message: ClientMessage | Malformed, size: int) -> Iterator[Output]:
        """Handle the message now, or once all before it are answered."""
        if not self._under_way:
            yield from self._handle(message)
        elif not self._waiting.add(message, size):
            yield CountRejection("busy/rate")

    def _handle_waiting(self) -> Iterator[Output]:
        """The last request is answered: handle the messages that have arrived since, up to the next request."""
        self._under_way = False
        if self._handling_waiting:  # a request was refused at once: the loop goes on, without a call for each message
            return
        self._handling_waiting = True
        try:
            while not self._under_way and (message := self._waiting.take()) is not None:
                yield from self._handle(message)
        finally:
            self._handling_waiting = False

    def _handle(self, message: ClientMessage | Malformed | ErrorMessage) -> Iterator[Output]:
        match message:
            case Malformed(reply):
                yield encode(reply)
            case ErrorMessage():
                yield encode(message)
            case CreateGameMessage() | JoinGameMessage() | RejoinGameMessage():
                yield from self._take_seat(message)
            case HeartbeatMessage():
                pass
            case _:
                yield from self._at_table(message)

    def _at_table(self, message: PlayMessage | ChatMessage) -> Iterator[Output]:
        if self._table is None:
            yield encode(deny(message, "you have no seat at a table"))
            return
        if sender_of(message) != self._name:
            yield encode(deny(message, f"your nickname is {self._name}"))
            return
        request: ActRequest | SayRequest | str
        if isinstance(message, PrivateChatMessage | GroupChatMessage):
            request = chat_request(self._table, message)
        else:
            request = play_request(self._table, message)
        if isinstance(request, str):
            yield encode(deny(message, request))
        else:
            self._under_way = True
            yield request

    def _take_seat(self, message: SeatMessage) -> Iterator[Output]:
        refusal = self._why_no_seat(message)
        if refusal is not None:
            yield encode(deny(message, refusal))
            return
        if self._table is not None:
            yield LeaveRequest(self._table.room_id)
            self._table, self._url_table = None, None
        self._under_way = True
        if self._name is None and not isinstance(message, RejoinGameMessage):
            yield LoginRequest(message.nickname, message)
        else:
            yield self._seat_request(message)

    def _why_no_seat(self, message: SeatMessage) -> str | None:
        table, nickname = self._table, message.nickname
        if table is not None and not table.over:
            return "you have a seat at a table already"
        if self._name is not None and nickname != self._name:
            return f"your nickname is {self._name}"
        if not nickname.strip() or len(nickname) > MAX_NAME:
            return CODES["name/bad"]
        match message:
            case CreateGameMessage(numPlayers=number):
                return None if number in (2, 3, 4) else "a game has 2 to 4 players"
            case JoinGameMessage(gameId=game) | RejoinGameMessage(gameId=game):
                if game is not None and not self._may_exist(game):
                    return "there is no such game"
        if table is not None and isinstance(message, RejoinGameMessage):
            return _game_over_text(table)
        return None

    def _may_exist(self, number: int) -> bool:
        """Whether a table of this game may have the number, as far as this gateway knows."""
        if number not in _ROOM_IDS:
            return False
        listing = self._rooms.get(RoomId(number))
        return listing is None or listing.private or listing.game == GAME

    def _seat_request(self, message: SeatMessage) -> Output:
        match message:
            case CreateGameMessage(numPlayers=number):
                return CreateRequest(RoomSpec(GAME, number, self._settings.table_options()), ref=message)
            case JoinGameMessage(gameId=game):
                room = self._url_table if game is None else RoomId(game)
                if room is None:
                    return MatchRequest(GAME, ref=message)
                return JoinRequest(room, ref=message, key=self._url_key if room == self._url_table else "")
            case RejoinGameMessage(nickname=name, gameId=game):
                return ReturnRequest(name, GAME, self._url_table if game is None else RoomId(game), message)

    # --- answers -----------------------------------------------------------------------------------------------------

    def answer(self, ref: Any, answer: Answer) -> Iterator[Output]:
        match answer:
            case LoggedIn(name=name):
                self._name, self._name_is_new = name, True
                yield self._seat_request(ref)
            case Entered():
                yield from self._entered(ref, answer)
                yield from self._handle_waiting()
            case Refused(code=code, text=text) if ref is not None:
                yield encode(_refusal(ref, code, text))
                yield from self._release_name()
                yield from self._handle_waiting()

    def _entered(self, message: SeatMessage, entered: Entered) -> Iterator[Output]:
        if entered.view.spec.game != GAME:
            yield encode(deny(message, "there is no such game"))
            yield LeaveRequest(entered.room)
            yield from self._release_name()
            return
        self._name, self._name_is_new = message.nickname, False
        self._table = table = Table.entered(entered.seat, entered.view)
        match message:
            case CreateGameMessage(nickname=name):
                yield encode(ConfirmGameMessage(True, "", name, entered.room))
            case JoinGameMessage(nickname=name):
                yield encode(ConfirmJoinGameMessage(True, "", name, entered.room))
                yield encode(JoinedPlayerMessage(name))
            case RejoinGameMessage(nickname=name):
                yield encode(ConfirmRejoinGameMessage(True, ""))
                yield encode(full_state(table, entered.view.chat))
                if table.picks_color():
                    yield encode(AvailableColorMessage(table.free_colors()))
                yield encode(RejoinedPlayerMessage(name))

    def _release_name(self) -> Iterator[Output]:
        if self._name_is_new:
            self._name, self._name_is_new = None, False
            yield LogoutRequest()

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterator[Output]:
        if ref is not None:
            yield encode(confirm(ref))
        table = self._table
        if table is not None and step.update.room == table.room_id:
            for message in render_step(table, step.events(_decode_events)):
                yield encode(message)
            if table.closed:
                self._table, self._url_table = None, None
        if ref is not None:
            yield from self._handle_waiting()


def _table_of(opening: Opening) -> RoomId | None:
    """The room that the URL parameter `table` names."""
    text = opening.query.get("table")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ProtocolError("room/unknown", "table is the number of a table")
    return RoomId(int(text))


def _refusal(message: ClientMessage, code: str, text: str) -> ServerMessage:
    if code.startswith("busy/"):
        return BUSY
    if code == "lobby/no_table":
        return deny(message, "no game to join")
    return deny(message, text or CODES.get(code, code))


def _game_over_text(table: Table) -> str:
    result = table.game.result
    winners = ", ".join(table.name(seat) for seat in result.winners) if result is not None else ""
    return f"the game is over; it was won by {winners or 'nobody'}"
