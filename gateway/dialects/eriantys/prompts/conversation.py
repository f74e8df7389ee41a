"""One connection's side of `eriantys.prompts`: lobbies, pings, and moves that the server asks for."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, Refused, RoomsChanged
from gateway.dialects.contract import Opening
from gateway.dialects.eriantys.common.codec import bounded, decode, error_name, may_exist, text_of
from gateway.dialects.eriantys.common.conversation import Continuation, EriantysConversation
from gateway.dialects.eriantys.common.table import GAME, Table
from gateway.dialects.eriantys.prompts import messages, render
from gateway.dialects.eriantys.prompts.commands import command_of, number_of
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
from shared.games.eriantys.events import Event, Finished, LastRoundCalled, Paused, PlayerBack, PlayerLost
from shared.games.eriantys.pieces import Phase
from shared.ids import RoomId
from shared.room_events import Away, Back, BaseRoomEvent, Closed, Ended, Joined, Left, RoomEvent, RoomSpec, Started

PING_MS: Final = 1000
MAX_UNANSWERED_PINGS: Final = 5

_encode = msgspec.json.Encoder().encode
_decode: Callable[[bytes], messages.FromClient] = msgspec.json.Decoder(messages.FromClient).decode
_PING: Final = _encode(messages.Ping())


class PromptsConversation(EriantysConversation[messages.FromClient]):
    """The states of a connection: without a lobby, in a waiting lobby, in a game, and without a lobby again."""

    tick_ms = PING_MS

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._unanswered = 0
        self._named = False
        self._missed_change = False
        """The lobbies have changed while the client was trying to enter one."""

    def open(self) -> Iterable[Output]:
        return [WatchRoomsRequest(GAME)]

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        if self._table is not None or self._closed:
            return []
        self._missed_change = self._busy
        return [] if self._busy else [self._welcome()]

    def _welcome(self) -> bytes:
        self._missed_change = False
        return _encode(messages.Welcome(tuple(map(render.lobby, self._rooms.listed(GAME)))))

    # --- pings -------------------------------------------------------------------------------------------------------

    def tick(self, now_ms: int) -> Iterable[Output]:
        if self._closed:
            return []
        if self._unanswered >= MAX_UNANSWERED_PINGS:
            return [self.close(SILENT)]
        self._unanswered += 1
        return [_PING]

    def receive(self, frame: bytes) -> Iterable[Output]:
        """A Pong counts at once, even while earlier frames wait, and does not end a row of malformed messages."""
        if b'"Pong"' in frame and _is_pong(frame):
            self._unanswered = 0
            return []
        return super().receive(frame)

    # --- messages of the client --------------------------------------------------------------------------------------

    def parse(self, frame: bytes) -> messages.FromClient:
        message = decode(_decode, frame)
        if isinstance(message, messages.PlayCharacter):
            number_of(message)
        return message

    def handle(self, message: messages.FromClient) -> Iterator[Output]:
        match message:
            case messages.GameParams():
                yield from self._enter(message)
            case messages.Join():
                yield from self._enter(message)
            case messages.Disconnect():
                yield from self._disconnect()
            case messages.Pong():
                pass
            case _:
                yield from self._move(message)

    def encode_error(self, code: str, text: str) -> bytes:
        return _encode(messages.Error(text, error_name(code)))

    # --- lobbies -----------------------------------------------------------------------------------------------------

    def _enter(self, wanted: messages.GameParams | messages.Join) -> Iterator[Output]:
        if self._table is not None:
            yield self.error("room/seated")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            match answer:
                case LoggedIn():
                    self._named = True
                    yield self._seat(wanted)
                case _ if isinstance(wanted, messages.Join) and self.refusal(answer).code == "name/taken":
                    yield ReturnRequest(
                        wanted.nickname, GAME, RoomId(wanted.index), self._entered(wanted, "name/taken")
                    )
                case _:
                    yield from self._not_entered(wanted, answer)

        if isinstance(wanted, messages.Join) and not may_exist(wanted.index):
            yield from self._not_entered(wanted, Refused("room/unknown", text_of("room/unknown")))
        else:
            yield LoginRequest(wanted.nickname, then)

    def _seat(self, wanted: messages.GameParams | messages.Join) -> Request:
        choice: dict[str, Any] = {"mage": wanted.mage.value}
        if wanted.color_t is not None:
            choice["tower"] = wanted.color_t.value
        if isinstance(wanted, messages.Join):
            return JoinRequest(RoomId(wanted.index), choice, self._entered(wanted))
        spec = RoomSpec(GAME, bounded(wanted.num_players), {"expert": wanted.expert})
        return CreateRequest(spec, choice, self._entered(wanted))

    def _entered(self, wanted: messages.GameParams | messages.Join, otherwise: str = "") -> Continuation:
        """The continuation of a request for a seat. `otherwise` is the error code if a request to return fails."""

        def then(answer: Answer | None) -> Iterator[Output]:
            if not isinstance(answer, Entered):
                yield from self._not_entered(wanted, answer, otherwise)
                return
            table = self.enter(answer)
            self._named = True
            yield WatchRoomsRequest(GAME, on=False)
            yield self._lobby_information(table, "welcome back" if answer.back else "you have a seat")
            if table.playing:
                yield from map(_encode, render.full_view(table, table.view))
                yield _encode(render.prompt(table))

        return then

    def _not_entered(
        self, wanted: messages.GameParams | messages.Join, answer: Answer | None, otherwise: str = ""
    ) -> Iterator[Output]:
        refused = self.refusal(answer)
        code = otherwise if otherwise and not refused.code.startswith("busy/") else refused.code
        yield self.error(code, "" if otherwise else refused.text)
        if self._named:
            self._named = False
            yield LogoutRequest()
        if isinstance(wanted, messages.Join) or self._missed_change:
            yield self._welcome()

    def _lobby_information(self, table: Table, text: str) -> bytes:
        taken = f"{len(table.seats)} of {table.room.spec.seats}"
        return _encode(messages.InformationConnection(f"{text} ({taken})", table.room_id))

    def _disconnect(self) -> Iterator[Output]:
        """A player who disconnects from a waiting lobby leaves it; in a running game the seat is kept."""
        table = self._table
        if table is not None and table.waiting:

            def then(_answer: Answer | None) -> Iterator[Output]:
                yield self.close(BYE)

            yield LeaveRequest(table.room_id, then)
        else:
            yield self.close(BYE)

    # --- moves -------------------------------------------------------------------------------------------------------

    def _move(self, move: messages.Move) -> Iterator[Output]:
        table = self._table
        if table is None or not table.playing:
            yield self.error("room/not_seated" if table is None else "room/not_started")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            if answer is not None:
                yield self.refusal_error(answer)
                planning = table.view.phase is Phase.PLANNING and table.view.turn == table.seat
                if planning and isinstance(move, messages.ChooseAssistant):
                    yield _encode(render.prompt(table))

        yield self.act(table, command_of(table, move), then)

    # --- messages to the client --------------------------------------------------------------------------------------

    def render(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        before = table.view
        for event in events:
            table.follow(event)
            if isinstance(event, BaseRoomEvent):
                yield from self._player_changes(table, event)
        played = [event for event in events if not isinstance(event, BaseRoomEvent | PlayerLost | PlayerBack)]
        if any(isinstance(event, Started) for event in events):
            yield from map(_encode, render.full_view(table, table.view))
            yield _encode(messages.GameStart())
        elif played:
            yield from map(_encode, render.changes(table, before, table.view))
        yield from self._game_end(table, events)
        if table.playing and played:
            paused = any(isinstance(event, Paused) for event in played)
            text = "the game is paused until another player is back"
            yield _encode(render.information(table, text) if paused else render.prompt(table))

    def _player_changes(self, table: Table, event: RoomEvent) -> Iterator[Output]:
        match event:
            case Joined(name=name):
                yield self._lobby_information(table, f"{name} has joined")
            case Back(seat=seat):
                yield self._lobby_information(table, f"{table.name(seat)} is back")
            case Away(seat=seat):
                yield _encode(messages.NotifyDisconnection(f"{table.name(seat)} has lost the connection"))
            case Left(name=name):
                yield _encode(messages.NotifyDisconnection(f"{name} has left"))
            case _:
                pass

    def _game_end(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        for event in events:
            match event:
                case LastRoundCalled(reason=reason):
                    yield _encode(messages.GameMustEnd(reason.upper()))
                case Finished(winners=winners):
                    yield _encode(render.game_ended(table, winners))
                case Ended() | Closed():
                    yield LeaveRequest(table.room_id, self._left_lobby)
                case _:
                    pass

    def _left_lobby(self, _answer: Answer | None) -> Iterator[Output]:
        """The game is over: release the name and show the lobbies again."""
        self._table = None
        self._named = False
        yield LogoutRequest()
        yield WatchRoomsRequest(GAME)


def _is_pong(frame: bytes) -> bool:
    try:
        return isinstance(decode(_decode, frame), messages.Pong)
    except ProtocolError:
        return False
