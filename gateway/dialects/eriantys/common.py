"""What the three conversations have in common: one frame at a time, rows of nonsense, and the table one sits at."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from gateway.dialects.answers import Answer, Entered, Refused, RoomsChanged
from gateway.dialects.contract import DeliveredStep, Opening
from gateway.dialects.framing import fault_of
from gateway.dialects.requests import ActRequest, CloseConnection, CountRejection, Output, Request
from gateway.transports.close_codes import MALFORMED, CloseCode
from shared.errors import CODES as COMMON_CODES
from shared.errors import ErrorCode, ProtocolError
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.commands import ActivateCharacter, Command, PlayCharacter
from shared.games.eriantys.events import Event
from shared.games.eriantys.pieces import Manner, Tower
from shared.games.eriantys.refusals import CODES
from shared.games.eriantys.views import View
from shared.ids import RoomId, Seat
from shared.room_events import (
    NOTHING,
    Away,
    Back,
    BaseRoomEvent,
    Closed,
    Configured,
    Ended,
    Joined,
    Left,
    RoomEvent,
    RoomSpec,
    Started,
)
from shared.room_views import RoomView, SeatView

GAME: Final = "eriantys"
MOST_NONSENSE: Final = 20
"""So many ill-formed frames in a row close the connection."""
MOST_WAITING: Final = 64
"""Frames that a client may send ahead while one of its requests is being carried out."""
_BEYOND: Final = 1_000_000
"""No number of the game is larger; what is, is as wrong as this."""

_NO_ROOM: Final = 10**15

_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode
_decode_view = msgspec.json.Decoder(View).decode

T = TypeVar("T")
M = TypeVar("M")
Then: TypeAlias = Callable[[Answer | None], Iterator[Output]]
"""How a conversation goes on: with the answer to its request, or with None once the update it caused was told."""


def decode(decoder: Callable[[bytes], T], frame: bytes) -> T:
    """Typed or a `ProtocolError`, however odd the bytes."""
    try:
        return decoder(frame)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ProtocolError(fault_of(str(error)), str(error)) from None


def bounded(number: int) -> int:
    """The number, or one that is just as impossible but small enough to travel."""
    return max(-_BEYOND, min(_BEYOND, number))


def may_exist(room: int) -> bool:
    """Rooms have positive numbers, small enough to travel."""
    return 0 < room < _NO_ROOM


def word_of(code: str) -> str:
    """The stable word for a code: BUSY, NOT_YOUR_TURN, ROW_FULL, NAME_TAKEN, ROOM_FULL, ..."""
    space, _, name = code.partition("/")
    match space:
        case "busy":
            return "BUSY"
        case "game" | "eriantys":
            return name.upper()
        case _:
            return code.replace("/", "_").upper()


def text_of(code: str) -> str:
    return CODES.get(code) or COMMON_CODES.get(code, code)


def activation(number: int, manner: Manner) -> Command:
    """The command of a dialect that plays a character first and chooses later."""
    asks = number in CARDS and CARDS[number].asks is not Ask.NOTHING
    return ActivateCharacter(number, manner) if asks else PlayCharacter(number)


@dataclass(slots=True)
class Table:
    """The room one has a seat in, as far as it was told."""

    room: RoomId
    seat: Seat
    spec: RoomSpec
    people: dict[Seat, SeatView]
    status: str
    view: View

    @classmethod
    def entered(cls, room: RoomId, seat: Seat, view: RoomView) -> "Table":
        people = {person.seat: person for person in view.seats}
        game = View() if view.game == NOTHING else _decode_view(view.game)
        return cls(room, seat, view.spec, people, view.status, game)

    @property
    def playing(self) -> bool:
        return self.status == "playing"

    @property
    def over(self) -> bool:
        return self.status in ("finished", "closed")

    def name(self, seat: Seat) -> str:
        return self.people[seat].name

    def tower(self, seat: Seat) -> str:
        if self.view.players:
            return self.view.players[seat].tower
        return str(self.people[seat].choice.get("tower", Tower.BLACK.value))

    def tile_at(self, position: int) -> int:
        """The lowest tile of a group that is named by its place in the list; 0, which is none, if there is none."""
        return self.view.groups[position].tiles[0] if 0 <= position < len(self.view.groups) else 0

    def follow(self, event: RoomEvent | Event) -> None:
        """Let the event have happened."""
        if isinstance(event, BaseRoomEvent):
            self._follow_room(event)
        else:
            self.view = event.on(self.view)

    def _follow_room(self, event: RoomEvent) -> None:
        match event:
            case Joined(seat=seat, name=name, bot=bot, choice=choice):
                self.people[seat] = SeatView(seat, name, bot, True, choice=choice)
            case Left(seat=seat):
                if self.status == "waiting":
                    self.people.pop(seat, None)
                else:
                    self._mark(seat, here=False, left=True)
            case Configured(spec=spec, choices=choices):
                self.spec = spec
                for seat, choice in choices.items():
                    self._mark(seat, choice=choice)
            case Started():
                self.status = "playing"
            case Away(seat=seat):
                self._mark(seat, here=False)
            case Back(seat=seat):
                self._mark(seat, here=True)
            case Ended():
                self.status = "finished"
            case Closed():
                self.status = "closed"
            case _:
                pass

    def _mark(self, seat: Seat, **changes: Any) -> None:
        if seat in self.people:
            self.people[seat] = msgspec.structs.replace(self.people[seat], **changes)


class Talk(ABC, Generic[M]):
    """A conversation in which a frame is looked at when everything before it is done.

    So what a frame names by its place is read in the position that its sender's earlier frames have led to. M is what
    frames are parsed to.
    """

    tick_ms = 0

    def __init__(self, opening: Opening) -> None:
        self._rooms = opening.rooms
        self._table: Table | None = None
        self._busy = False
        self._waiting: deque[bytes] = deque()
        self._row = 0
        self._closed = False

    # --- what each dialect says in its own way -----------------------------------------------------------------------

    @abstractmethod
    def parse(self, frame: bytes) -> M:
        """Raises `ProtocolError` for a frame that is ill-formed."""

    @abstractmethod
    def handle(self, message: M) -> Iterator[Output]:
        """Carry out what the client asked for."""

    @abstractmethod
    def complaint(self, code: str, text: str) -> bytes:
        """The dialect's error message."""

    @abstractmethod
    def tell(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        """Say what has happened; the table follows each event on the way."""

    # --- the conversation --------------------------------------------------------------------------------------------

    def open(self) -> Iterable[Output]:
        return ()

    def receive(self, frame: bytes) -> Iterable[Output]:
        if self._closed:
            return []
        if not self._busy:
            return list(self._hear(frame))
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(frame)
            return []
        return [self.complain("busy/rate"), CountRejection("busy/rate")]

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        if self._closed:
            return []
        return [self.complain(code)] if code.startswith("busy/") else list(self._nonsense(ProtocolError(code)))

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        then: Then | None = ref
        return [] if then is None else list(self._go_on(then(answer)))

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        then: Then | None = ref
        told = self._told(step)
        return list(self._watch_busy(told) if then is None else self._go_on(chain(told, then(None))))

    def _told(self, step: DeliveredStep) -> Iterator[Output]:
        if self._table is not None and self._table.room == step.update.room:
            yield from self.tell(self._table, step.events(_decode_events))

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        return ()

    def tick(self, now_ms: int) -> Iterable[Output]:
        return ()

    # --- one thing after the other -----------------------------------------------------------------------------------

    def _hear(self, frame: bytes) -> Iterator[Output]:
        try:
            message = self.parse(frame)
        except ProtocolError as error:
            yield CountRejection(error.code)
            yield from self._nonsense(error)
            return
        self._row = 0
        yield from self._watch_busy(self.handle(message))

    def _nonsense(self, error: ProtocolError) -> Iterator[Output]:
        self._row += 1
        yield self.complain(error.code, str(error))
        if self._row >= MOST_NONSENSE:
            yield self.hang_up(MALFORMED)

    def _go_on(self, outs: Iterator[Output]) -> Iterator[Output]:
        """The request is done: continue, then look at the frames that came meanwhile."""
        self._busy = False
        yield from self._watch_busy(outs)
        while self._waiting and not self._busy and not self._closed:
            yield from self._hear(self._waiting.popleft())

    def _watch_busy(self, outs: Iterator[Output]) -> Iterator[Output]:
        for out in outs:
            if getattr(out, "ref", None) is not None:
                self._busy = True
            yield out

    # --- for the dialects --------------------------------------------------------------------------------------------

    def complain(self, code: str, text: str = "") -> bytes:
        if code == "game/not_your_turn" and self._table is not None and self._table.playing:
            text = f"it is {self._table.name(self._table.view.turn)}'s turn"
        return self.complaint(code, text or text_of(code))

    def refusal(self, answer: Answer | None) -> Refused:
        """What was refused; an answer that makes no sense here is our own mistake."""
        return answer if isinstance(answer, Refused) else Refused("internal", text_of("internal"))

    def deny(self, answer: Answer | None) -> bytes:
        """The error message for a request that was refused."""
        refused = self.refusal(answer)
        return self.complain(refused.code, refused.text)

    def hang_up(self, close_code: CloseCode) -> CloseConnection:
        self._closed = True
        self._waiting.clear()
        return CloseConnection(close_code)

    def sit_down(self, entered: Entered) -> Table:
        self._table = Table.entered(entered.room, entered.seat, entered.view)
        return self._table

    def act(self, table: Table, command: Command, then: Then) -> Request:
        return ActRequest(table.room, command, then)
