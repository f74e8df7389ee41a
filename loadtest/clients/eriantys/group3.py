"""A headless player with the Group 3 text client. It sends a request only when the last one has been answered."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
import orjson

from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.eriantys.board import Card
from loadtest.clients.eriantys.group3_program import (
    ASSISTANTS,
    ONE,
    PLANNING,
    TWO,
    Group3Program,
    Message,
    ProgramState,
    card_id_of,
)
from loadtest.clients.eriantys.strategy import Choice, RandomStrategy
from shared.games.eriantys.cards import CARDS, Ask

MOST_REFUSALS: Final = 40
"""Refusals in a row after which the player gives up."""


class Group3Player:
    """One seat. Frames are the JSON form of the objects; the connection turns them into an object stream.

    Requests of the user are sent by `tick` and `retry` alone, because the program waits a moment before each command.
    """

    path = ""
    """The program speaks over TCP only."""

    def __init__(self, seating: SeatAssignment) -> None:
        self.received = Received()
        self.over = False
        self.moves = 0
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self.program = Group3Program()
        self._seating = seating
        self._strategy = RandomStrategy(seating.seed)
        self._refusals = 0
        self._tried = 0
        """The assistant played last."""
        self._played = 0
        """Number of the character played in this turn."""
        self._activated = 0
        """Number of the character played last, in any turn."""
        self._choices: list[Message] = []
        """Answers to the character that are still to be sent."""

    def open(self) -> Iterable[bytes]:
        """Start the program, for the first time or again: it cannot reconnect."""
        self.program = Group3Program()
        self._choices = []
        return (msgspec.json.encode(self.program.login(self._seating.name)),)

    def receive(self, frame: bytes) -> Iterable[bytes]:
        program = self.program
        awaited, playing = program.awaits, program.state is ProgramState.PLAYING
        answers = program.receive(orjson.loads(frame))
        if program.state is ProgramState.STUCK and not self.over:
            self._fault(program.cause)
            self.over = True
        elif awaited and not program.awaits:
            self._after_answer(playing)
        if program.room is not None and self.received.room is None:
            self.received.room = program.room
            if self._seating.first:
                self._seating.opened(program.room)
        if program.winners is not None and not self.over:
            self._ended(program.winners)
        return [msgspec.json.encode(answer) for answer in answers]

    def tick(self) -> Iterable[bytes]:
        program = self.program
        if self.over or program.awaits:
            return ()
        match program.state:
            case ProgramState.LOGIN:
                request: Message | None = program.login(self._seating.name)
            case ProgramState.LOBBY:
                request = self._enter()
            case ProgramState.PLAYING:
                request = self._move()
            case _:
                request = None
        return () if request is None else (msgspec.json.encode(request),)

    def retry(self) -> Iterable[bytes]:
        """Type a command, between two ticks. Names and rooms have time."""
        return self.tick() if self.program.state is ProgramState.PLAYING else ()

    # --- answers -----------------------------------------------------------------------------------------------------

    def _after_answer(self, playing: bool) -> None:
        refusal = self.program.refusal
        if refusal is None:
            self._refusals = 0
            if playing:
                self.moves += 1
                if self.acked_at is not None:
                    self.acked_at()
            return
        word = refusal.partition(":")[0]
        if "the game is over" in refusal and not playing:
            self.over = self.received.late = True
        self._count(f"refused {word}")
        self._choices = []
        if not playing:
            return  # a name is free, and a room found, once the cluster has noticed a lost connection
        self._refusals += 1
        if word == "ASSISTANT_TAKEN":
            self.program.played.append(self._tried)
        if word == "CHOICE_OWED" and self._activated:  # the connection was lost before the character was answered
            choice = self._strategy.choice(self.program.board, self._seat, self.program.board.card(self._activated))
            self._choices = [] if choice is None else _answers(self._activated, choice)
        if self._refusals > MOST_REFUSALS:
            self._fault(f"refused {self._refusals} times in a row, last with {word}")
            self.over = True

    def _ended(self, winners: list[str]) -> None:
        board = self.program.board
        self.over = True
        self.received.result = board.result(winners)
        shown = board.comparable()
        # Other dialects show the colors of towers, so the key is another: boards with different keys are not compared.
        shown["islands without colors"] = [[s, towers, no_entry] for s, _, towers, no_entry in shown.pop("islands")]
        self.received.board = shown
        if self._seating.first:
            self._count(f"ending {board.ending()}")

    # --- the user ----------------------------------------------------------------------------------------------------

    def _enter(self) -> Message | None:
        """Open the table, or go to it as soon as it is known. The program shows the list of rooms before."""
        if self.program.rooms is None:
            return None
        if self._seating.first and self.received.room is None:
            return self.program.create_room(self._seating.seats, expert=bool(self._seating.options.get("expert")))
        table = self.received.room or self._seating.table()
        self.received.room = table
        return None if table is None else self.program.access_room(table)

    @property
    def _seat(self) -> int:
        return self.program.board.seat(self._seating.name)

    def _move(self) -> Message | None:
        program = self.program
        if program.turn != self._seat or not program.phase:
            self._played, self._choices = 0, []
            return None
        if program.phase == PLANNING:
            self._played = 0
            self._tried = self._strategy.assistant(program.board.people[self._seat].hand, program.played)
            return self._send("PlayAssistantCardEvent", ac=ASSISTANTS[self._tried - 1])
        if self._choices:
            return self._send(**self._choices.pop(0))
        if not self._played and (place := self._strategy.card(program.board, self._seat)) is not None:
            return self._activate(program.board.cards[place])
        return self._action()

    def _action(self) -> Message | None:
        board, phase = self.program.board, self.program.phase
        if phase == ONE:
            if not any(board.people[self._seat].entrance):
                return None
            student = self._strategy.student(board, self._seat)
            if student.island is None:
                return self._send("MoveStudentFromEntranceToTableEvent", color=student.colour)
            place = student.island
            return self._send("MoveStudentFromEntranceToIslandEvent", color=student.colour, indexIsland=place)
        if phase == TWO:
            extra = CARDS[self._played].extra_steps if self._played else 0
            return self._send("MoveMotherNatureEvent", amount=self._strategy.steps(board, self._seat, extra))
        if not any(map(any, board.clouds)):
            return None
        return self._send("ChooseCloudEvent", cloudIndex=self._strategy.cloud(board))

    def _activate(self, card: Card) -> Message | None:
        choice = self._strategy.choice(self.program.board, self._seat, card)
        if choice is None:
            return None
        self._played = self._activated = card.number
        self._choices = _answers(card.number, choice)
        self._count(f"character {card.number}")
        return self._send("ActivateCharacterCardEvent", cardId=card_id_of(card.number))

    def _send(self, event: str, **fields: Any) -> Message:
        if self.sent_at is not None:
            self.sent_at()
        return self.program.move(event, playerNumber=self._seat, **fields)

    def _count(self, what: str) -> None:
        self.received.counts[what] = self.received.counts.get(what, 0) + 1

    def _fault(self, text: str) -> None:
        self.received.faults.append(f"{self._seating.name}: {text}")


def _answers(number: int, choice: Choice) -> list[Message]:
    """The events that answer a character. Fewer swaps than the card allows are ended by an event of their own."""
    match CARDS[number].asks:
        case Ask.NOTHING:
            return []
        case Ask.ISLAND:
            return [{"event": "ChooseIslandEvent", "islandIndex": choice.island}]
        case Ask.STUDENT:
            event = "MoveStudentFromCardToIslandEvent"
            return [{"event": event, "studentFromCard": choice.colour, "islandIndex": choice.island}]
        case Ask.COLOR:
            event = "MoveStudentFromCardToTableEvent" if CARDS[number].students else "ChooseColorEvent"
            return [{"event": event, "color": choice.colour}]
        case Ask.CARD_SWAPS:
            keys = "SwapStudentCardEntranceEvent", "studentFromEntrance", "studentFromCard"
        case Ask.HALL_SWAPS:
            keys = "SwapStudentEntranceTableEvent", "studentFromEntrance", "studentFromTable"
    event, leaving, coming = keys
    swaps: list[Message] = [{"event": event, leaving: out, coming: back} for out, back in choice.swaps]
    return swaps if len(swaps) == CARDS[number].choices else [*swaps, {"event": "EndSelection"}]
