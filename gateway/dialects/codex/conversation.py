"""One connection's side of the dialect: seats, play, chat and signs of life."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, Refused, RoomsChanged
from gateway.dialects.codex.codec import Illformed, confirm, deny, encode, read
from gateway.dialects.codex.commands import ChatMessage, PlayMessage, asker, chat, play
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
from gateway.dialects.codex.render import follow, missing
from gateway.dialects.codex.returning import whole_state
from gateway.dialects.codex.settings import CodexSettings
from gateway.dialects.codex.table import Table, enter
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
from gateway.transports.close_codes import MALFORMED, SILENT
from shared.errors import CODES, ErrorCode, ProtocolError
from shared.games.codex.events import Event
from shared.ids import RoomId
from shared.room_events import RoomEvent, RoomSpec

GAME: Final = "codex"
BUSY: Final = "BUSY: retry after 1 s"
MOST_NAME: Final = 32
MOST_ILLFORMED: Final = 20
MOST_HELD: Final = 64
_ROOMS: Final = range(1, 2**53)

SeatMessage = CreateGameMessage | JoinGameMessage | RejoinGameMessage

_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode


class CodexConversation:
    """Made for each connection."""

    def __init__(self, opening: Opening, settings: CodexSettings) -> None:
        self.tick_ms = settings.heartbeat_ms
        self._settings = settings
        self._url_table = _table_of(opening)
        self._rooms = opening.rooms
        self._name: str | None = None
        self._table: Table | None = None
        self._asking: SeatMessage | None = None
        """The request for a seat that is under way."""
        self._name_is_new = False
        """The name was claimed for that request, and is given back if it fails."""
        self._held: deque[ClientMessage] = deque()
        """What came while a request for a seat was under way."""
        self._illformed = 0
        self._heard = False
        self._silent_for = 0
        self._ticked_at: int | None = None

    # --- what comes in -----------------------------------------------------------------------------------------------

    def open(self) -> Iterable[Output]:
        return ()

    def receive(self, frame: bytes) -> Iterator[Output]:
        self._heard = True
        message = read(frame)
        if isinstance(message, Illformed):
            yield CountRejection("frame/malformed")
            yield from self._complain(message.reply)
            return
        self._illformed = 0
        if isinstance(message, HeartbeatMessage):
            return
        if self._asking is None:
            yield from self._handle(message)
        elif len(self._held) < MOST_HELD:
            self._held.append(message)
        else:
            yield encode(ErrorMessage(BUSY))
            yield CountRejection("busy/rate")

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterator[Output]:
        self._heard = True
        if code.startswith("busy/"):
            yield encode(ErrorMessage(BUSY))
        else:
            yield from self._complain(ErrorMessage(CODES.get(code, code)))

    def _complain(self, reply: ServerMessage) -> Iterator[Output]:
        yield encode(reply)
        self._illformed += 1
        if self._illformed >= MOST_ILLFORMED:
            yield CloseConnection(MALFORMED)

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        return ()

    def tick(self, now_ms: int) -> Iterator[Output]:
        """Time in which nobody looked (a stalled process) is not held against the client."""
        passed = 0 if self._ticked_at is None else min(now_ms - self._ticked_at, 2 * self.tick_ms)
        self._ticked_at = now_ms
        self._silent_for = 0 if self._heard else self._silent_for + passed
        self._heard = False
        if self._table is not None and self._silent_for >= self._settings.silence_ms:
            yield CloseConnection(SILENT)
        else:
            yield encode(HeartbeatMessage("ping"))

    # --- requests ----------------------------------------------------------------------------------------------------

    def _handle(self, message: ClientMessage) -> Iterator[Output]:
        match message:
            case CreateGameMessage() | JoinGameMessage() | RejoinGameMessage():
                yield from self._take_seat(message)
            case HeartbeatMessage():
                pass
            case _:
                yield from self._at_table(message)

    def _at_table(self, message: PlayMessage | ChatMessage) -> Iterator[Output]:
        if self._table is None:
            yield encode(deny(message, "you sit at no table"))
            return
        if asker(message) != self._name:
            yield encode(deny(message, f"your nickname is {self._name}"))
            return
        request: ActRequest | SayRequest | str
        if isinstance(message, PrivateChatMessage | GroupChatMessage):
            request = chat(self._table, message)
        else:
            request = play(self._table, message)
        yield encode(deny(message, request)) if isinstance(request, str) else request

    def _take_seat(self, message: SeatMessage) -> Iterator[Output]:
        refusal = self._why_no_seat(message)
        if refusal is not None:
            yield encode(deny(message, refusal))
            return
        if self._table is not None:
            yield LeaveRequest(self._table.room)
            self._table, self._url_table = None, None
        self._asking = message
        if self._name is None and not isinstance(message, RejoinGameMessage):
            yield LoginRequest(message.nickname, message)
        else:
            yield self._seat_request(message)

    def _why_no_seat(self, message: SeatMessage) -> str | None:
        table, nickname = self._table, message.nickname
        if table is not None and not table.over:
            return "you sit at a table already"
        if self._name is not None and nickname != self._name:
            return f"your nickname is {self._name}"
        if not nickname.strip() or len(nickname) > MOST_NAME:
            return CODES["name/bad"]
        match message:
            case CreateGameMessage(numPlayers=number):
                return None if number in (2, 3, 4) else "a game has 2 to 4 players"
            case JoinGameMessage(gameId=game) | RejoinGameMessage(gameId=game):
                if game is not None and not self._can_be(game):
                    return "there is no such game"
        if table is not None and isinstance(message, RejoinGameMessage):
            return _ending(table)
        return None

    def _can_be(self, number: int) -> bool:
        """Whether a table of this game can have the number, as far as is known here."""
        if number not in _ROOMS:
            return False
        listing = self._rooms.get(RoomId(number))
        return listing is None or listing.game == GAME

    def _seat_request(self, message: SeatMessage) -> Output:
        match message:
            case CreateGameMessage(numPlayers=number):
                return CreateRequest(RoomSpec(GAME, number, self._settings.table_options()), ref=message)
            case JoinGameMessage(gameId=game):
                room = self._url_table if game is None else RoomId(game)
                return MatchRequest(GAME, ref=message) if room is None else JoinRequest(room, ref=message)
            case RejoinGameMessage(nickname=name, gameId=game):
                return ReturnRequest(name, GAME, self._url_table if game is None else RoomId(game), message)

    # --- answers -----------------------------------------------------------------------------------------------------

    def answer(self, ref: Any, answer: Answer) -> Iterator[Output]:
        match answer:
            case LoggedIn(name=name) if self._asking is not None:
                self._name, self._name_is_new = name, True
                yield self._seat_request(self._asking)
            case Entered() if self._asking is not None:
                yield from self._entered(self._asking, answer)
                yield from self._go_on()
            case Refused(code=code, text=text) if ref is not None:
                yield encode(_refusal(ref, code, text))
                if ref is self._asking:
                    yield from self._give_name_back()
                    yield from self._go_on()

    def _entered(self, message: SeatMessage, entered: Entered) -> Iterator[Output]:
        if entered.view.spec.game != GAME:
            yield encode(deny(message, "there is no such game"))
            yield LeaveRequest(entered.room)
            yield from self._give_name_back()
            return
        self._name, self._name_is_new = message.nickname, False
        self._table = table = enter(entered.seat, entered.view)
        match message:
            case CreateGameMessage(nickname=name):
                yield encode(ConfirmGameMessage(True, "", name, entered.room))
            case JoinGameMessage(nickname=name):
                yield encode(ConfirmJoinGameMessage(True, "", name, entered.room))
                yield encode(JoinedPlayerMessage(name))
            case RejoinGameMessage(nickname=name):
                yield encode(ConfirmRejoinGameMessage(True, ""))
                yield encode(whole_state(table, entered.view.chat))
                if table.picks_color():
                    yield encode(AvailableColorMessage(table.free_colors()))
                yield encode(RejoinedPlayerMessage(name))

    def _give_name_back(self) -> Iterator[Output]:
        if self._name_is_new:
            self._name, self._name_is_new = None, False
            yield LogoutRequest()

    def _go_on(self) -> Iterator[Output]:
        """The request for a seat is settled: handle what came meanwhile, up to the next one."""
        self._asking = None
        while self._held and self._asking is None:
            yield from self._handle(self._held.popleft())

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterator[Output]:
        table = self._table
        if table is None or step.update.room != table.room:
            return
        if ref is not None:
            yield encode(confirm(ref))
        for event in step.events(_decode_events):
            for message in follow(table, event):
                yield encode(message)
        for message in missing(table):
            yield encode(message)
        if table.closed:
            self._table, self._url_table = None, None


def _table_of(opening: Opening) -> RoomId | None:
    """The table that the URL names."""
    text = opening.query.get("table")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ProtocolError("room/unknown", "table is the number of a table")
    return RoomId(int(text))


def _refusal(message: ClientMessage, code: str, text: str) -> ServerMessage:
    if code.startswith("busy/"):
        return ErrorMessage(BUSY)
    if code == "lobby/no_table":
        return deny(message, "no game to join")
    return deny(message, text or CODES.get(code, code))


def _ending(table: Table) -> str:
    result = table.game.result
    winners = ", ".join(table.names[seat] for seat in result.winners) if result is not None else ""
    return f"the game is over; it was won by {winners or 'nobody'}"
