"""The dialect `eriantys.prompts`: lobbies, pings, prompts to the player, and updates of the parts that changed."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, Refused, RoomsChanged
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.eriantys.common import (
    GAME,
    Table,
    Talk,
    Then,
    activation,
    bounded,
    decode,
    may_exist,
    text_of,
    word_of,
)
from gateway.dialects.eriantys.prompts import messages as words
from gateway.dialects.eriantys.prompts import render as telling
from gateway.dialects.requests import (
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    LoginRequest,
    LogoutRequest,
    Output,
    Request,
    ReturnRequest,
    WatchRoomsRequest,
)
from gateway.transports.close_codes import BYE, SILENT
from shared.errors import ProtocolError
from shared.games.eriantys import commands
from shared.games.eriantys.cards import Ask
from shared.games.eriantys.events import Event, Finished, LastRoundCalled, Paused, PlayerBack, PlayerLost
from shared.games.eriantys.pieces import Manner, Phase
from shared.games.eriantys.views import active_card
from shared.ids import RoomId
from shared.room_events import Away, Back, BaseRoomEvent, Closed, Ended, Joined, Left, RoomEvent, RoomSpec, Started

PING_MS: Final = 1000
MOST_UNANSWERED: Final = 5

_encode = msgspec.json.Encoder().encode
_decode: Callable[[bytes], words.FromClient] = msgspec.json.Decoder(words.FromClient).decode
_PING: Final = _encode(words.Ping())


class PromptsTalk(Talk[words.FromClient]):
    """Without a lobby; in a lobby that waits; in a game; and without a lobby again."""

    tick_ms = PING_MS

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._unanswered = 0
        self._named = False
        self._missed = False
        """The lobbies have changed while the client was trying to enter one."""

    def open(self) -> Iterable[Output]:
        return [WatchRoomsRequest(GAME)]

    def changed(self, rooms: RoomsChanged) -> Iterable[Output]:
        if self._table is not None or self._closed:
            return []
        self._missed = self._busy
        return [] if self._busy else [self._welcome()]

    def _welcome(self) -> bytes:
        self._missed = False
        return _encode(words.Welcome(tuple(map(telling.lobby, self._rooms.listed(GAME)))))

    # --- signs of life -----------------------------------------------------------------------------------------------

    def tick(self, now_ms: int) -> Iterable[Output]:
        if self._closed:
            return []
        if self._unanswered >= MOST_UNANSWERED:
            return [self.hang_up(SILENT.code, SILENT.reason)]
        self._unanswered += 1
        return [_PING]

    def receive(self, frame: bytes) -> Iterable[Output]:
        """A Pong is heard at once, and has nothing to do with the row of nonsense."""
        if b'"Pong"' in frame and _is_pong(frame):
            self._unanswered = 0
            return []
        return super().receive(frame)

    # --- the client speaks -------------------------------------------------------------------------------------------

    def parse(self, frame: bytes) -> words.FromClient:
        message = decode(_decode, frame)
        if isinstance(message, words.PlayCharacter):
            number_of(message)
        return message

    def handle(self, message: words.FromClient) -> Iterator[Output]:
        match message:
            case words.GameParams():
                yield from self._enter(message)
            case words.Join():
                yield from self._enter(message)
            case words.Disconnect():
                yield from self._disconnect()
            case words.Pong():
                pass
            case _:
                yield from self._move(message)

    def complaint(self, code: str, text: str) -> bytes:
        return _encode(words.Error(text, word_of(code)))

    # --- lobbies -----------------------------------------------------------------------------------------------------

    def _enter(self, wanted: words.GameParams | words.Join) -> Iterator[Output]:
        if self._table is not None:
            yield self.complain("room/seated")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            match answer:
                case LoggedIn():
                    self._named = True
                    yield self._seat(wanted)
                case _ if isinstance(wanted, words.Join) and self.refusal(answer).code == "name/taken":
                    yield ReturnRequest(
                        wanted.nickname, GAME, RoomId(wanted.index), self._entered(wanted, "name/taken")
                    )
                case _:
                    yield from self._not_entered(wanted, answer)

        if isinstance(wanted, words.Join) and not may_exist(wanted.index):
            yield from self._not_entered(wanted, Refused("room/unknown", text_of("room/unknown")))
        else:
            yield LoginRequest(wanted.nickname, then)

    def _seat(self, wanted: words.GameParams | words.Join) -> Request:
        choice: dict[str, Any] = {"mage": wanted.mage.value}
        if wanted.color_t is not None:
            choice["tower"] = wanted.color_t.value
        if isinstance(wanted, words.Join):
            return JoinRequest(RoomId(wanted.index), choice, self._entered(wanted))
        spec = RoomSpec(GAME, bounded(wanted.num_players), {"expert": wanted.expert})
        return CreateRequest(spec, choice, self._entered(wanted))

    def _entered(self, wanted: words.GameParams | words.Join, otherwise: str = "") -> Then:
        """`otherwise`: what is said when it was a try to come back."""

        def then(answer: Answer | None) -> Iterator[Output]:
            if not isinstance(answer, Entered):
                yield from self._not_entered(wanted, answer, otherwise)
                return
            table = self.sit_down(answer)
            self._named = True
            yield WatchRoomsRequest(GAME, on=False)
            yield self._about_lobby(table, "welcome back" if answer.back else "you have a seat")
            if table.playing:
                yield from map(_encode, telling.everything(table, table.view))
                yield _encode(telling.prompt(table))

        return then

    def _not_entered(
        self, wanted: words.GameParams | words.Join, answer: Answer | None, otherwise: str = ""
    ) -> Iterator[Output]:
        refused = self.refusal(answer)
        code = otherwise if otherwise and not refused.code.startswith("busy/") else refused.code
        yield self.complain(code, "" if otherwise else refused.text)
        if self._named:
            self._named = False
            yield LogoutRequest()
        if isinstance(wanted, words.Join) or self._missed:
            yield self._welcome()

    def _about_lobby(self, table: Table, text: str) -> bytes:
        there = f"{len(table.people)} of {table.spec.seats}"
        return _encode(words.InformationConnection(f"{text} ({there})", table.room))

    def _disconnect(self) -> Iterator[Output]:
        """From a lobby that waits the player leaves; a running game keeps the seat."""
        table = self._table
        if table is not None and table.status == "waiting":

            def then(_answer: Answer | None) -> Iterator[Output]:
                yield self.hang_up(BYE.code, BYE.reason)

            yield LeaveRequest(table.room, then)
        else:
            yield self.hang_up(BYE.code, BYE.reason)

    # --- moves -------------------------------------------------------------------------------------------------------

    def _move(self, move: words.Move) -> Iterator[Output]:
        table = self._table
        if table is None or not table.playing:
            yield self.complain("room/not_seated" if table is None else "room/not_started")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            if answer is not None:
                yield self.deny(answer)
                planning = table.view.phase is Phase.PLANNING and table.view.turn == table.seat
                if planning and isinstance(move, words.ChooseAssistant):
                    yield _encode(telling.prompt(table))

        yield self.act(table, command_of(table, move), then)

    # --- what has happened -------------------------------------------------------------------------------------------

    def tell(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        before = table.view
        for event in events:
            table.follow(event)
            if isinstance(event, BaseRoomEvent):
                yield from self._about_people(table, event)
        played = [event for event in events if not isinstance(event, BaseRoomEvent | PlayerLost | PlayerBack)]
        if any(isinstance(event, Started) for event in events):
            yield from map(_encode, telling.everything(table, table.view))
            yield _encode(words.GameStart())
        elif played:
            yield from map(_encode, telling.changes(table, before, table.view))
        yield from self._about_the_end(table, events)
        if table.playing and played:
            paused = any(isinstance(event, Paused) for event in played)
            text = "the game is paused until somebody is back"
            yield _encode(telling.information(table, text) if paused else telling.prompt(table))

    def _about_people(self, table: Table, event: RoomEvent) -> Iterator[Output]:
        match event:
            case Joined(name=name):
                yield self._about_lobby(table, f"{name} has joined")
            case Back(seat=seat):
                yield self._about_lobby(table, f"{table.name(seat)} is back")
            case Away(seat=seat):
                yield _encode(words.NotifyDisconnection(f"{table.name(seat)} has lost the connection"))
            case Left(name=name):
                yield _encode(words.NotifyDisconnection(f"{name} has left"))
            case _:
                pass

    def _about_the_end(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        for event in events:
            match event:
                case LastRoundCalled(reason=reason):
                    yield _encode(words.GameMustEnd(reason.upper()))
                case Finished(winners=winners):
                    yield _encode(telling.ending(table, winners))
                case Ended() | Closed():
                    yield LeaveRequest(table.room, self._without_lobby)
                case _:
                    pass

    def _without_lobby(self, _answer: Answer | None) -> Iterator[Output]:
        """The game is over: the name is free again, and the lobbies are shown."""
        self._table = None
        self._named = False
        yield LogoutRequest()
        yield WatchRoomsRequest(GAME)


def _is_pong(frame: bytes) -> bool:
    try:
        return isinstance(decode(_decode, frame), words.Pong)
    except ProtocolError:
        return False


def number_of(message: words.PlayCharacter) -> int:
    """A character is named `CHAR7`, `7` or 7."""
    name = message.c if message.c is not None else message.character
    if isinstance(name, str):
        digits = name.removeprefix("CHAR")
        name = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 4 else None
    if name is None:
        raise ProtocolError("frame/malformed", "a character is CHAR1 to CHAR12")
    return bounded(name)


def command_of(table: Table, move: words.Move) -> commands.Command:
    match move:
        case words.ChooseAssistant(index=value):
            return commands.PlayAssistant(bounded(value))
        case words.MoveToIsland(color_s=colour, index=index):
            return commands.MoveToIsland(colour, table.tile_at(index))
        case words.EntranceToHall(color_s=colour):
            return commands.MoveToHall(colour)
        case words.MoveMN(steps=steps):
            return commands.MoveMother(bounded(steps))
        case words.ChooseCloud(index=index):
            return commands.TakeCloud(bounded(index))
        case words.PlayCharacter():
            return activation(number_of(move), Manner.LAX)
        case words.ChooseIsland(island_index=index):
            return commands.ChooseIsland(table.tile_at(index))
        case words.ChooseColor(color=colour):
            return commands.ChooseColor(colour)
        case words.ChooseTwoColors(first_color=first, second_color=second):
            if active_card(table.view).asks is Ask.HALL_SWAPS:
                return commands.SwapWithHall(entrance=second, hall=first)
            return commands.SwapWithCard(card=second, entrance=first)
        case words.SpecialMoveIsland(student=colour, island_index=index):
            return commands.SendStudent(colour, table.tile_at(index))


DIALECT: Final = Dialect("eriantys.prompts", "/ws/eriantys/prompts", PromptsTalk)
