"""From the seat to the end of the game: levels, turns, updates. Speaks from the events and the folded view."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from gateway.dialects.answers import Answer, Entered, Refused
from gateway.dialects.requests import ActRequest, Output
from gateway.dialects.snarl.close_codes import GAME_OVER, REMOVED, TABLE_CLOSED
from gateway.dialects.snarl.listener_options import Compat
from gateway.dialects.snarl.messages import (
    ASK_MOVE,
    INVALID,
    NOWHERE,
    EndGame,
    EndLevel,
    PlayerScore,
    PlayerUpdate,
    SeenActor,
    SeenObject,
    StartLevel,
    read_move,
    say,
    say_result,
)
from shared.games.snarl.commands import Command, ForfeitTurn, Move
from shared.games.snarl.events import (
    AdversaryMoved,
    End,
    Event,
    GameEnded,
    LevelBegan,
    LevelEnded,
    PlayerDisconnected,
    PlayerMoved,
    Result,
    TurnCame,
    TurnLost,
    Windows,
)
from shared.games.snarl.pieces import Actor, Kind, Window
from shared.games.snarl.views import Standing, View, fold
from shared.ids import Seat
from shared.room_events import NOTHING, Closed, Joined, Left, RoomEvent
from shared.room_views import Update

_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode
_decode_view = msgspec.json.Decoder(View).decode

_DEEDS: Final = {
    Result.OK: "moved",
    Result.KEY: "found the key",
    Result.EXIT: "exited",
    Result.EJECT: "was expelled",
}
_TURN_IS_OVER: Final = ("game/not_your_turn", "game/over", "room/not_seated", "room/closed")
"""What was said came too late; the updates tell the rest."""


class Playing:
    """A connection with a seat."""

    def __init__(self, entered: Entered, asks: int, compat: Compat) -> None:
        self._room = entered.room
        self._seat = entered.seat
        self._names = {place.seat: place.name for place in entered.view.seats}
        self._started = entered.view.game != NOTHING
        self._view = _decode_view(entered.view.game) if entered.view.game != NOTHING else View(you=entered.seat)
        self._asks = asks
        self._asks_left = 0
        self._prompted = False
        self._act_sent: ActRequest | None = None
        self._act_due = False
        """The cluster was busy: the act is sent again with the next tick."""
        self._compat = compat

    def resume(self) -> Iterable[Output]:
        """For a player who came back in mid game: the level, what it sees, and its turn."""
        view = self._view
        if not self._started:
            return
        if view.member(self._seat).standing is Standing.DISCONNECTED:
            yield REMOVED
            return
        yield say(StartLevel(view.level, tuple(self._names[member.seat] for member in view.connected)))
        if view.window is not None:
            yield self._update(view.window, None)
        if view.turn == self._seat:
            yield from self._begin_turn()

    @property
    def prompted(self) -> bool:
        return self._prompted

    def receive(self, frame: bytes) -> Iterable[Output]:
        return self._answer(read_move(frame, bare=self._compat.bare_points))

    def malformed(self) -> Iterable[Output]:
        return self._answer(NOWHERE)

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        if not isinstance(answer, Refused):
            return
        if answer.code.startswith("busy/"):
            self._act_due = True
        elif ref == "move" and answer.code not in _TURN_IS_OVER:
            yield from self._invalid()

    def tick(self, _now_ms: int) -> Iterable[Output]:
        if self._act_due and self._act_sent is not None:
            self._act_due = False
            yield self._act_sent

    def deliver(self, update: Update, ref: Any) -> Iterable[Output]:
        for event in _decode_events(update.events):
            match event:
                case Joined():
                    self._names[event.seat] = event.name
                case Left() if not self._started:
                    self._names.pop(event.seat, None)
                    if event.seat == self._seat:
                        yield TABLE_CLOSED
                case Closed():
                    yield TABLE_CLOSED
                case _ if isinstance(event, Event):
                    self._started = True
                    self._view = fold(self._view, event)
                    yield from self._tell(event, own=ref == "move")

    # --- what is said about events -----------------------------------------------------------------------------------

    def _tell(self, event: Event, *, own: bool) -> Iterable[Output]:
        match event:
            case LevelBegan():
                yield say(StartLevel(event.number, self._called(event.players)))
                yield from self._show(event.windows, None)
            case TurnCame(seat=seat) if seat == self._seat:
                yield from self._begin_turn()
            case TurnLost(seat=seat) if seat == self._seat:
                self._prompted = False
            case PlayerMoved():
                if event.seat == self._seat:
                    self._prompted = False
                    if own:
                        yield say_result(event.result)
                yield from self._show(event.windows, self._deed(event.seat, _DEEDS[event.result]))
            case AdversaryMoved(expelled=victim):
                text = None if victim is None else self._deed(victim, _DEEDS[Result.EJECT])
                yield from self._show(event.windows, text)
            case PlayerDisconnected(seat=seat):
                yield from self._show(event.windows, self._deed(seat, "disconnected"))
                if seat == self._seat:
                    yield REMOVED
            case LevelEnded():
                key = None if event.key is None else self._names[event.key]
                yield say(EndLevel(key, self._called(event.exits), self._called(event.ejects)))
            case GameEnded():
                yield say(self._end_game(event))
                yield GAME_OVER

    def _show(self, windows: Windows, text: str | None) -> Iterable[Output]:
        """Whoever is shown nothing is sent nothing."""
        if self._seat in windows:
            yield self._update(windows[self._seat], text)

    def _update(self, window: Window, text: str | None) -> bytes:
        return say(
            PlayerUpdate(
                window.layout,
                window.position,
                tuple(SeenObject(item.kind, item.position) for item in window.items),
                tuple(SeenActor(actor.kind, self._name_of(actor), actor.position) for actor in window.actors),
                "" if text is None and self._compat.message_not_null else text,
                int(self._view.window is not None) if self._compat.health else msgspec.UNSET,
            )
        )

    def _end_game(self, event: GameEnded) -> EndGame:
        scores = tuple(
            PlayerScore(self._names[score.seat], score.exits, score.ejects, score.keys) for score in event.ranking
        )
        return EndGame(scores, event.end is End.WON if self._compat.game_won else msgspec.UNSET)

    def _name_of(self, actor: Actor) -> str:
        return self._names[Seat(actor.number)] if actor.kind is Kind.PLAYER else actor.name

    def _called(self, seats: tuple[Seat, ...]) -> tuple[str, ...]:
        return tuple(self._names[seat] for seat in seats)

    def _deed(self, seat: Seat, deed: str) -> str:
        return f"Player {self._names[seat]} {deed}."

    # --- the own turn ------------------------------------------------------------------------------------------------

    def _begin_turn(self) -> Iterable[Output]:
        self._asks_left = self._asks
        return self._ask()

    def _ask(self) -> Iterable[Output]:
        self._asks_left -= 1
        self._prompted = True
        yield ASK_MOVE

    def _answer(self, move: Move) -> Iterable[Output]:
        """The first answer closes the prompt; even a malformed one goes to the rules, so that whatever comes before
        their refusal comes while no prompt is open."""
        if self._prompted:
            self._prompted = False
            yield from self._act(move, "move")

    def _invalid(self) -> Iterable[Output]:
        """Ask again, or let the turn pass once all asks are used up."""
        yield INVALID
        yield from self._ask() if self._asks_left else self._act(ForfeitTurn(), "forfeit")

    def _act(self, command: Command, ref: str) -> Iterable[Output]:
        self._act_sent = ActRequest(self._room, command, ref=ref)
        yield self._act_sent
