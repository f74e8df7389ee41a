"""One seat that speaks the dialect `codex`, without IO."""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Final

import msgspec

from gateway.dialects.codex.messages import (
    AvailableColorMessage,
    ChangeStateMessage,
    ChooseObjectiveMessage,
    ChooseStartingMessage,
    ClientMessage,
    ConfirmChatMessage,
    ConfirmChooseObjectiveMessage,
    ConfirmDrawMessage,
    ConfirmGameMessage,
    ConfirmJoinGameMessage,
    ConfirmPickColorMessage,
    ConfirmPlaceCardMessage,
    ConfirmRejoinGameMessage,
    ConfirmStartingCardMessage,
    CreateGameMessage,
    CurrentPlayerMessage,
    ErrorMessage,
    FirstHandMessage,
    HeartbeatMessage,
    JoinGameMessage,
    NotifyCommonTableMessage,
    PersonalCardsMessage,
    PickColorMessage,
    PlayerBoardMessage,
    RejoinGameMessage,
    ServerMessage,
    StartingCommonMessage,
    TurnOrderMessage,
    UpdateCrashedPlayerMessage,
    UpdatePointsMessage,
    WinnersMessage,
)
from loadtest.clients.codex.memory import Memory
from loadtest.clients.codex.strategy import drawing, placing
from loadtest.clients.contract import Received, SeatAssignment

_decode: Final = msgspec.json.Decoder(ServerMessage).decode
_encode: Final = msgspec.json.Encoder().encode
_WON_BY: Final = "won by "
_LATE: Final = ("it is not your turn", "the game is over")
"""Refusals that a player who was given up for a moment may meet."""


class CodexPlayer:
    """Creates or joins the table, plays legal moves from what it was told, and comes back after every loss."""

    path = "/ws/codex"

    def __init__(self, seating: SeatAssignment) -> None:
        self.told = Received()
        self.over = False
        self.moves = 0
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self._seating = seating
        self._name = seating.name
        self._luck = Random(seating.seed)
        self._memory = Memory(faults=self.told.faults)
        self._seated = False
        self._connections = 0
        self._asked: ClientMessage | None = None
        """What was sent and not answered yet."""
        self._again: ClientMessage | None = None
        """What to try again a little later."""

    # --- connecting --------------------------------------------------------------------------------------------------

    def open(self) -> Iterable[bytes]:
        self._connections += 1
        self._again = None
        if self.over:
            return ()
        if self._connections == 1:
            return self._ask(self._newcomer())
        return self._ask(RejoinGameMessage(self._name, self.told.room))

    def tick(self) -> Iterable[bytes]:
        """Try again what did not work a moment ago."""
        again, self._again = self._again, None
        return () if again is None or self.over else self._ask(again)

    def _newcomer(self) -> ClientMessage:
        if self._seating.first:
            return CreateGameMessage(self._seating.seats, self._name)
        return JoinGameMessage(self._name, False, self._seating.table())

    def _ask(self, message: ClientMessage) -> Iterable[bytes]:
        self._asked = message
        if self._is_move(message) and self.sent_at is not None:
            self.sent_at()
        return (_encode(message),)

    def _is_move(self, message: ClientMessage) -> bool:
        return not isinstance(message, CreateGameMessage | JoinGameMessage | RejoinGameMessage | HeartbeatMessage)

    # --- messages ----------------------------------------------------------------------------------------------------

    def receive(self, frame: bytes) -> Iterable[bytes]:
        try:
            message = _decode(frame)
        except msgspec.DecodeError as error:
            self.told.faults.append(f"not a message of the dialect: {error}: {frame[:200]!r}")
            return ()
        return list(self._hear(message))

    def _hear(self, message: ServerMessage) -> Iterator[bytes]:
        match message:
            case HeartbeatMessage():
                yield _encode(message)
            case ConfirmGameMessage() | ConfirmJoinGameMessage() | ConfirmRejoinGameMessage():
                self._seat_answered(message)
            case (
                ConfirmStartingCardMessage(granted, details)
                | ConfirmPickColorMessage(granted, details)
                | ConfirmChooseObjectiveMessage(granted, details)
                | ConfirmPlaceCardMessage(granted, details)
                | ConfirmDrawMessage(granted, details)
                | ConfirmChatMessage(granted, details)
            ):
                self._move_answered(granted, details)
            case ErrorMessage(details=details):
                self._trouble(details)
            case _:
                self._news(message)
                yield from self._play(message)

    def _seat_answered(self, message: ConfirmGameMessage | ConfirmJoinGameMessage | ConfirmRejoinGameMessage) -> None:
        asked, self._asked = self._asked, None
        match message:
            case ConfirmGameMessage(True, _, _, int() as room) | ConfirmJoinGameMessage(True, _, _, int() as room):
                self._seated, self.told.room = True, room
                if self._seating.first:
                    self._seating.opened(room)
            case ConfirmRejoinGameMessage(True):
                self._seated = True
            case ConfirmRejoinGameMessage(False, details) if _WON_BY in details:
                self._finish(details.partition(_WON_BY)[2].split(", "))
            case _:
                self._count(f"denied: {message.details}")
                self._again = self._another_way(asked)

    def _another_way(self, asked: ClientMessage | None) -> ClientMessage:
        """Whoever does not know whether the first request was heard tries to come back, and to come, in turn."""
        if isinstance(asked, RejoinGameMessage):
            return asked if self._seated else self._newcomer()
        return self._newcomer() if self._connections == 1 else RejoinGameMessage(self._name, self.told.room)

    def _move_answered(self, granted: bool, details: str) -> None:
        self._asked = None
        if not granted:
            self._count(f"denied: {details}")
            if not details.startswith(_LATE):
                self.told.faults.append(f"a move by the rules was denied: {details}")
            return
        self.moves += 1
        if self.acked_at is not None:
            self.acked_at()

    def _trouble(self, details: str) -> None:
        self._count(details)
        if details.startswith("BUSY"):
            self._again, self._asked = self._asked, None
        else:
            self.told.faults.append(f"an error was sent: {details}")

    def _count(self, what: str) -> None:
        self.told.counts[what] = self.told.counts.get(what, 0) + 1

    # --- the game ----------------------------------------------------------------------------------------------------

    def _news(self, message: ServerMessage) -> None:
        memory = self._memory
        match message:
            case ChangeStateMessage(state=state):
                memory.state = state
            case CurrentPlayerMessage(currentPlayer=player):
                memory.current = player
            case PlayerBoardMessage():
                memory.placed(message.player, message.playableCard, message.i, message.j)
                if message.player == self._name:
                    memory.hand = [card for card in memory.hand if card != message.playableCard["id"]]
            case UpdatePointsMessage(player=player, points=points):
                memory.scored(player, points)
            case PersonalCardsMessage(hand=hand):
                memory.drew(hand)
            case NotifyCommonTableMessage(resourceCard=picture, index=index):
                memory.shown(index, picture)
            case StartingCommonMessage(commons=commons):
                memory.places = [None] * len(commons)
                for index, picture in enumerate(commons):
                    memory.shown(index, picture)
            case FirstHandMessage():
                first = (message.playablecard1, message.playablecard2, message.playablecard3)
                memory.hand = [picture["id"] for picture in first]
            case TurnOrderMessage(turnOrder=players):
                memory.players = players
            case UpdateCrashedPlayerMessage():
                self._asked = None
                memory.everything(message)
            case WinnersMessage(winners=winners, standings=standings):
                memory.standings = standings
                self.told.board = memory.board()
                self._finish([rank.nickname for rank in winners])

    def _finish(self, winners: list[str]) -> None:
        self.told.result = {"winners": sorted(winners)}
        self.over = True

    def _play(self, message: ServerMessage) -> Iterable[bytes]:
        """Act if this message says that it is for us to act now."""
        memory = self._memory
        if self.over or memory.current != self._name:
            return ()
        if isinstance(message, AvailableColorMessage):
            return self._ask(PickColorMessage(self._name, self._luck.choice(message.colors)))
        if not isinstance(message, CurrentPlayerMessage | UpdateCrashedPlayerMessage):
            return ()
        match memory.state:
            case "STARTING":
                return self._ask(ChooseStartingMessage(self._name, self._luck.choice(("FRONT", "BACK"))))
            case "OBJECTIVE":
                return self._ask(ChooseObjectiveMessage(self._name, self._luck.choice((1, 2))))
            case "PLAYING":
                return self._ask(placing(self._name, memory, self._luck))
            case "DRAWING":
                return self._ask(drawing(self._name, memory, self._luck))
            case _:
                return ()
