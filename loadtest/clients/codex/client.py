"""A client of the dialect `codex`, without IO."""

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
"""Refusals that are legal: the player may have counted as crashed for a moment."""


class CodexPlayer:
    """Creates or joins the table, plays legal moves, and rejoins after every loss of the connection."""

    path = "/ws/codex"

    def __init__(self, seating: SeatAssignment) -> None:
        self.received = Received()
        self.over = False
        self.moves = 0
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self._seating = seating
        self._name = seating.name
        self._random = Random(seating.seed)
        self._memory = Memory(faults=self.received.faults)
        self._seated = False
        self._connections = 0
        self._asked: ClientMessage | None = None
        """The message that has not been answered yet."""
        self._again: ClientMessage | None = None
        """The message to repeat with the next tick."""

    # --- connecting --------------------------------------------------------------------------------------------------

    def open(self) -> Iterable[bytes]:
        self._connections += 1
        self._again = None
        if self.over:
            return ()
        if self._connections == 1:
            return self._ask(self._newcomer())
        if self._seating.first and self.received.room is None:
            # The table may be open. The answer to a return does not name it, so nobody could join this player there.
            self._name += "x"
            return self._ask(self._newcomer())
        return self._ask(RejoinGameMessage(self._name, self.received.room))

    def tick(self) -> Iterable[bytes]:
        """Repeat a message that was refused."""
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
            self.received.faults.append(f"not a message of the dialect: {error}: {frame[:200]!r}")
            return ()
        return list(self._handle(message))

    def _handle(self, message: ServerMessage) -> Iterator[bytes]:
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
                self._on_error(details)
            case _:
                self._follow(message)
                yield from self._play(message)

    def _seat_answered(self, message: ConfirmGameMessage | ConfirmJoinGameMessage | ConfirmRejoinGameMessage) -> None:
        asked, self._asked = self._asked, None
        match message:
            case ConfirmGameMessage(True, _, _, int() as room) | ConfirmJoinGameMessage(True, _, _, int() as room):
                self._seated, self.received.room = True, room
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
        """The request to try next. If the connection was lost while joining, the player may have a seat or not, so
        rejoining and joining are tried in turn."""
        if isinstance(asked, RejoinGameMessage):
            return asked if self._seated else self._newcomer()
        if self._connections == 1 or isinstance(asked, CreateGameMessage):
            return self._newcomer()
        return RejoinGameMessage(self._name, self.received.room)

    def _move_answered(self, granted: bool, details: str) -> None:
        self._asked = None
        if not granted:
            self._count(f"denied: {details}")
            if not details.startswith(_LATE):
                self.received.faults.append(f"a legal move was denied: {details}")
            return
        self.moves += 1
        if self.acked_at is not None:
            self.acked_at()

    def _on_error(self, details: str) -> None:
        self._count(details)
        if details.startswith("BUSY"):
            self._again, self._asked = self._asked, None
        else:
            self.received.faults.append(f"the server sent an error: {details}")

    def _count(self, what: str) -> None:
        self.received.counts[what] = self.received.counts.get(what, 0) + 1

    # --- the game ----------------------------------------------------------------------------------------------------

    def _follow(self, message: ServerMessage) -> None:
        memory = self._memory
        match message:
            case ChangeStateMessage(state=state):
                memory.state = state
            case CurrentPlayerMessage(currentPlayer=player):
                memory.current = player
            case TurnOrderMessage(turnOrder=players):
                memory.players = players
            case UpdateCrashedPlayerMessage():
                self._asked = None
                memory.everything(message)
            case WinnersMessage(winners=winners, standings=standings):
                memory.standings = standings
                self.received.board = memory.board()
                self._finish([rank.nickname for rank in winners])
            case _:
                self._follow_cards(message)

    def _follow_cards(self, message: ServerMessage) -> None:
        """Messages that place, draw or show cards, and the points for them."""
        memory = self._memory
        match message:
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

    def _finish(self, winners: list[str]) -> None:
        self.received.result = {"winners": sorted(winners)}
        self.over = True

    def _play(self, message: ServerMessage) -> Iterable[bytes]:
        """The answer if this message asks the player to act."""
        memory = self._memory
        if self.over or memory.current != self._name:
            return ()
        if isinstance(message, AvailableColorMessage):
            return self._ask(PickColorMessage(self._name, self._random.choice(message.colors)))
        if not isinstance(message, CurrentPlayerMessage | UpdateCrashedPlayerMessage):
            return ()
        match memory.state:
            case "STARTING":
                return self._ask(ChooseStartingMessage(self._name, self._random.choice(("FRONT", "BACK"))))
            case "OBJECTIVE":
                return self._ask(ChooseObjectiveMessage(self._name, self._random.choice((1, 2))))
            case "PLAYING":
                return self._ask(placing(self._name, memory, self._random))
            case "DRAWING":
                return self._ask(drawing(self._name, memory, self._random))
            case _:
                return ()
