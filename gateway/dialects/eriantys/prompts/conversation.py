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
from gateway.dialects.eriantys.prompts.render import Notice
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
_TICKS_BETWEEN: Final = 2
"""Calls of `tick` between two lists that the client has not asked for: at least a second passes."""

_encode = msgspec.json.Encoder().encode
_decode: Callable[[bytes], messages.FromClient] = msgspec.json.Decoder(messages.FromClient).decode
_PING: Final = _encode(messages.Ping())


class PromptsConversation(EriantysConversation[messages.FromClient]):
    """The states of a connection: without a lobby, in a waiting lobby, in a game, and without a lobby again."""

    tick_ms = PING_MS
    max_unanswered_pings = MAX_UNANSWERED_PINGS

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._unanswered = 0
        self._named = False
        self._missed_change = False
        """The lobbies have changed while the client was trying to enter one."""
        self._unsent_change = False
        """The lobbies have changed less than a second after the last list that was not asked for."""
        self._ticks = _TICKS_BETWEEN
        """Calls of `tick` since that list."""

    def open(self) -> Iterable[Output]:
        return [WatchRoomsRequest(GAME)]

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        if self._table is not None or self._closed:
            return []
        self._missed_change = self._busy
        if self._busy:
            return []
        if not change.changed:  # the answer to the request to watch
            return [self._welcome()]
        self._unsent_change = True
        return self._send_change(0)

    def _send_change(self, ticks: int) -> list[Output]:
        """Send a list that the client has not asked for, unless the last one was sent less than a second ago."""
        if not self._unsent_change or self._ticks < _TICKS_BETWEEN or self._table is not None or self._busy:
            return []
        self._ticks = ticks
        return [self._welcome()]

    def _welcome(self) -> bytes:
        self._missed_change = self._unsent_change = False
        return self._rooms.rendered(type(self), self._render_lobbies)

    def _render_lobbies(self) -> bytes:
        return _encode(messages.Welcome(tuple(map(render.lobby, self._rooms.listed(GAME)))))

    # --- pings -------------------------------------------------------------------------------------------------------

    def tick(self, now_ms: int) -> Iterable[Output]:
        if self._closed:
            return []
        if self._unanswered >= self.max_unanswered_pings:
            return [self.close(SILENT)]
        self._unanswered += 1
        self._ticks += 1
        return [*self._send_change(1), _PING]

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
            seated = Notice.CREATED if isinstance(wanted, messages.GameParams) else Notice.JOINED
            yield from self.notify(table, Notice.RETURNED if answer.back else seated)
            if table.playing:
                yield from self.show_game(table, back=answer.back)

        return then

    def _not_entered(
        self, wanted: messages.GameParams | messages.Join, answer: Answer | None, otherwise: str = ""
    ) -> Iterator[Output]:
        refused = self.refusal(answer)
        code = otherwise if otherwise and not refused.code.startswith("busy/") else refused.code
        if self._named:
            self._named = False
            yield LogoutRequest()
        yield from self.refuse_seat(wanted, code, "" if otherwise else refused.text)

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
                    yield from self.put((render.prompt(table),))

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
            yield from self.put((*render.full_view(table, table.view), messages.GameStart()))
        elif played:
            yield from self.put(render.changes(table, before, table.view))
        yield from self._game_end(table, events)
        if table.playing and played:
            paused = any(isinstance(event, Paused) for event in played)
            text = "the game is paused until another player is back"
            yield from self.put((render.information(table, text) if paused else render.prompt(table),))

    def _player_changes(self, table: Table, event: RoomEvent) -> Iterator[Output]:
        match event:
            case Joined(name=name):
                yield from self.notify(table, Notice.ENTERED, name)
            case Back(seat=seat):
                yield from self.notify(table, Notice.RECONNECTED, table.name(seat))
            case Away(seat=seat):
                yield from self.notify(table, Notice.DISCONNECTED, table.name(seat))
            case Left(name=name):
                yield from self.notify(table, Notice.LEFT, name)
            case Closed(reason="operator"):
                yield from self.notify(table, Notice.CLOSED)
            case _:
                pass

    def _game_end(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        for event in events:
            match event:
                case LastRoundCalled(reason=reason):
                    yield from self.put((messages.GameMustEnd(reason.upper()),))
                case Finished(winners=winners):
                    yield from self.put((render.game_ended(table, winners),))
                case Ended() | Closed():
                    yield LeaveRequest(table.room_id, self._left_lobby)
                case _:
                    pass

    def _left_lobby(self, _answer: Answer | None) -> Iterator[Output]:
        """The game is over: release the name and show the lobbies again."""
        self._table = None
        self._named = False
        yield LogoutRequest()
        yield from self.after_game()

    # --- what a compat mode writes in another form -------------------------------------------------------------------

    def put(self, shown: Iterable[messages.ToClient]) -> Iterable[Output]:
        """Messages about the game of the table."""
        return map(_encode, shown)

    def notify(self, table: Table, what: Notice, name: str = "") -> Iterable[Output]:
        return (_encode(render.notice(table, what, name)),)

    def show_game(self, table: Table, *, back: bool) -> Iterable[Output]:
        """The running game, to a player who comes to it, for the first time or `back` again."""
        return self.put((*render.full_view(table, table.view), render.prompt(table)))

    def refuse_seat(self, wanted: messages.GameParams | messages.Join, code: str, text: str) -> Iterator[Output]:
        yield self.error(code, text)
        if isinstance(wanted, messages.Join) or self._missed_change:
            yield self._welcome()

    def after_game(self) -> Iterable[Output]:
        return (WatchRoomsRequest(GAME),)


def _is_pong(frame: bytes) -> bool:
    try:
        return isinstance(decode(_decode, frame), messages.Pong)
    except ProtocolError:
        return False
