"""A connection from its seat to the end of the game: prompts for moves, and the messages about events."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from gateway.dialects.answers import Answer, Entered, Refused
from gateway.dialects.contract import DeliveredStep
from gateway.dialects.requests import ActRequest, CloseConnection, Output
from gateway.dialects.snarl.close_codes import GAME_OVER, REMOVED, TABLE_CLOSED
from gateway.dialects.snarl.codec import encode_result
from gateway.dialects.snarl.commands import NOWHERE, read_move
from gateway.dialects.snarl.listener_options import ListenerOptions
from gateway.dialects.snarl.messages import ASK_MOVE, INVALID
from gateway.dialects.snarl.render import Renderer
from gateway.dialects.snarl.table import Table
from shared.games.snarl.commands import Command, ForfeitTurn, Move
from shared.games.snarl.events import Event, GameEnded, PlayerDisconnected, PlayerMoved, TurnCame, TurnLost
from shared.games.snarl.views import Standing
from shared.room_events import BaseRoomEvent, Closed, Left, RoomEvent

_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode

_MOVE: Final = "move"
_FORFEIT: Final = "forfeit"
"""The `ref` of the two kinds of requests."""
_TURN_IS_OVER: Final = ("game/not_your_turn", "game/over", "room/not_seated", "room/closed")
"""Refusals of a move that came too late. The client gets no answer: updates of the next turns follow."""


class Playing:
    """A connection with a seat."""

    def __init__(self, entered: Entered, asks: int, options: ListenerOptions) -> None:
        self._table = Table.entered(entered)
        self._renderer = Renderer(self._table, options)
        self._asks = asks
        self._asks_left = 0
        self._prompted = False
        self._last_act: ActRequest | None = None
        self._act_again = False
        """The cluster was busy: the act is sent again with the next tick."""
        self._bare_points = options.bare_points

    def resume(self) -> Iterable[Output]:
        """For a player who returns to a running game: the level, the player's view of it, and the prompt."""
        view = self._table.view
        if self._table.waiting:
            return
        if view.member(self._table.seat).standing is Standing.DISCONNECTED:
            yield CloseConnection(REMOVED)
            return
        yield from self._renderer.position()
        if view.turn == self._table.seat:
            yield from self._begin_turn()

    @property
    def prompted(self) -> bool:
        return self._prompted

    def receive(self, frame: bytes) -> Iterable[Output]:
        return self._answer(read_move(frame, bare=self._bare_points))

    def malformed(self) -> Iterable[Output]:
        return self._answer(NOWHERE)

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        if not isinstance(answer, Refused):
            return
        if answer.code.startswith("busy/"):
            self._act_again = True
        elif ref == _MOVE and answer.code not in _TURN_IS_OVER:
            yield from self._invalid()

    def tick(self, _now_ms: int) -> Iterable[Output]:
        if self._act_again and self._last_act is not None:
            self._act_again = False
            yield self._last_act

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        table = self._table
        for event in step.events(_decode_events):
            was_waiting = table.waiting
            table.follow(event)
            if not isinstance(event, BaseRoomEvent):
                yield from self._game_event(event, own=ref == _MOVE)
            elif isinstance(event, Closed) or (isinstance(event, Left) and was_waiting and event.seat == table.seat):
                yield CloseConnection(TABLE_CLOSED)

    def _game_event(self, event: Event, *, own: bool) -> Iterable[Output]:
        """The messages for an event, and before or after them what the event means for this connection."""
        mine = self._table.seat
        match event:
            case TurnCame(seat=seat) if seat == mine:
                yield from self._begin_turn()
            case TurnLost(seat=seat) if seat == mine:
                self._prompted = False
            case PlayerMoved(seat=seat) if seat == mine:
                self._prompted = False
                if own:
                    yield encode_result(event.result)
        yield from self._renderer.event(event)
        match event:
            case PlayerDisconnected(seat=seat) if seat == mine:
                yield CloseConnection(REMOVED)
            case GameEnded():
                yield CloseConnection(GAME_OVER)

    # --- the own turn ------------------------------------------------------------------------------------------------

    def _begin_turn(self) -> Iterable[Output]:
        self._asks_left = self._asks
        return self._ask()

    def _ask(self) -> Iterable[Output]:
        self._asks_left -= 1
        self._prompted = True
        yield ASK_MOVE

    def _answer(self, move: Move) -> Iterable[Output]:
        """The first answer closes the prompt. A malformed answer goes to the rules too, as a move to nowhere: only
        their refusal opens the next prompt, so frames that arrive before it find no open prompt and are dropped."""
        if self._prompted:
            self._prompted = False
            yield from self._act(move, _MOVE)

    def _invalid(self) -> Iterable[Output]:
        """Ask again, or forfeit the turn once all prompts are used up."""
        yield INVALID
        yield from self._ask() if self._asks_left else self._act(ForfeitTurn(), _FORFEIT)

    def _act(self, command: Command, ref: str) -> Iterable[Output]:
        self._last_act = ActRequest(self._table.room_id, command, ref=ref)
        yield self._last_act
