"""A headless player with the AM24 text client. It knows the phase of its turn only from the operator's texts."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
import orjson

from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.eriantys.am24_program import PROMPTS, Am24Program, ClientState, Message, Texts
from loadtest.clients.eriantys.board import Board
from loadtest.clients.eriantys.strategy import RandomStrategy
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import Mage, Tower

MOST_REFUSALS: Final = 40
"""Refusals in a row after which the player gives up."""
_ACTIONS: Final = PROMPTS[1:]


class Am24Player:
    """One seat. Frames are the JSON texts; the connection turns them into strings of an object stream.

    Commands are sent by `tick` and `retry` alone: a person takes a moment to read the text and to type.
    """

    path = ""
    """The program speaks over TCP only."""

    def __init__(self, seating: SeatAssignment, texts: Texts) -> None:
        self.received = Received()
        self.over = False
        self.moves = 0
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self.program = Am24Program(texts)
        self._texts = texts
        self._seating = seating
        self._strategy = RandomStrategy(seating.seed)
        self._refusals = 0
        self._awaits: int | None = None
        """Texts about the game that had been shown when the last command was sent; None: it has been answered."""
        self._tried: set[int] = set()
        """Assistants that were refused in this round."""
        self._hand_place = 0
        self._played = 0
        """Number of the character played in this turn."""
        self._choices_left = 0

    def open(self) -> Iterable[bytes]:
        """Start the program, for the first time or again: it cannot reconnect."""
        self.program = Am24Program(self._texts)
        self._awaits = None
        return ()

    def receive(self, frame: bytes) -> Iterable[bytes]:
        message, program = orjson.loads(frame), self.program
        answers = program.receive(message)
        if program.state in (ClientState.DEAD, ClientState.EXITED) and not self.over:
            self.received.faults.append(f"{self._seating.name}: {program.cause}")
            self.over = True
        if message["type"] == "Error" and message["code"] == "ROOM_STARTED" and self.received.room is not None:
            # The code is for the load tool alone: the game has ended while the player was away.
            self.over = self.received.late = True
        if message["type"] == "InformationConnection" and program.state in (ClientState.ROOM, ClientState.PLAYING):
            self._seated(message["lobbyIndex"])
        if program.prompt in _ACTIONS:
            self._tried.clear()
        if program.state is ClientState.OVER and not self.over:
            self._ended()
        return [msgspec.json.encode(answer) for answer in answers]

    def tick(self) -> Iterable[bytes]:
        self.program.pause()
        if self.over:
            return ()
        message: Message | None = None
        if self.program.state is ClientState.ASKS:
            message = self._enter()
        elif self.program.state is ClientState.PLAYING and self._answered():
            message = self._command()
        return () if message is None else (msgspec.json.encode(message),)

    def retry(self) -> Iterable[bytes]:
        """Type a command, between two ticks. A seat has time."""
        return self.tick() if self.program.state is ClientState.PLAYING else ()

    # --- a seat ------------------------------------------------------------------------------------------------------

    def _seated(self, room: int) -> None:
        """The number of the lobby is for the load tool alone: the program does not read it."""
        if self.received.room is None:
            self.received.room = room
            if self._seating.first:
                self._seating.opened(room)

    def _enter(self) -> Message | None:
        table = self.received.room or self._seating.table()
        lobby = next((lobby for lobby in self.program.lobbies if lobby["lobbyIndex"] == table), None)
        mages = [mage for mage in Mage if lobby is None or mage not in lobby["mages"]]
        towers = [tower for tower in Tower if lobby is None or tower not in lobby["towers"]]
        seats = self._seating.seats
        # The gray towers are for three players only.
        colors = towers if seats == 3 else [tower for tower in towers if tower in tuple(Tower)[:2]]
        who = {"nickname": self._seating.name, "mage": (mages or list(Mage))[0], "colorT": (colors or list(Tower))[0]}
        if table is not None:
            return self.program.enter({"type": "Join", **who, "index": table})
        if not self._seating.first:
            return None
        expert = bool(self._seating.options.get("expert"))
        return self.program.enter({"type": "GameParams", **who, "numPlayers": seats, "expert": expert})

    # --- answers -----------------------------------------------------------------------------------------------------

    def _answered(self) -> bool:
        """Whether the next command may be typed."""
        program = self.program
        if self._awaits is None:
            return True
        if program.refusal is not None:
            self._refused(program.refusal)
        elif program.answers > self._awaits:
            self.moves += 1
            self._refusals = 0
            if self.acked_at is not None:
                self.acked_at()
        else:
            return False
        self._awaits = None
        return not self.over

    def _refused(self, text: str) -> None:
        self._count("refused")
        self._refusals += 1
        if self.program.prompt == PROMPTS[0]:
            self._tried.add(self._hand_place)
        self._choices_left = 0
        if self._refusals > MOST_REFUSALS:
            self.received.faults.append(
                f"{self._seating.name}: refused {self._refusals} times in a row, last with {text}"
            )
            self.over = True

    def _ended(self) -> None:
        """The program only shows whether it has won. The winner is the color with the most towers on the islands, then
        with the most professors."""
        board = self.program.board
        self.over = True
        for person in board.people:
            # The server never shows an empty board of towers, so the number there cannot be trusted.
            person.towers = (6 if len(board.people) == 3 else 8) - _built(board, person.tower)
        best = max(_score(board, person.tower) for person in board.people)
        winners = [person.name for person in board.people if _score(board, person.tower) == best]
        self.received.result = [] if self.program.prompt == "draw" else board.result(winners)
        if (self.program.prompt == "won") != (self._seating.name in self.received.result):
            self.received.faults.append(f"{self._seating.name}: {self.program.prompt}, but the winners are {winners}")
        self.received.board = board.comparable() if len(board.people) < 4 else None
        if self._seating.first:
            self._count(f"ending {board.ending()}")

    # --- commands ----------------------------------------------------------------------------------------------------

    @property
    def _seat(self) -> int:
        return self.program.board.seat(self._seating.name)

    def _command(self) -> Message | None:
        program, board = self.program, self.program.board
        if program.prompt not in PROMPTS:
            self._played = self._choices_left = 0
            return None
        if program.prompt == "choose_assistant":
            self._played = self._choices_left = 0
            return self._choose_assistant()
        if self._choices_left and (choice := self._choose()) is not None:
            return self._send(choice)
        if not self._played and (place := self._strategy.card(board, self._seat)) is not None:
            return self._play(board.cards[place].number)
        return self._action()

    def _choose_assistant(self) -> Message | None:
        """The number is the place in the hand, from 1; cards that were played are gone, the rest moves up."""
        hand = self.program.board.people[self._seat].hand
        places = [place for place in range(1, len(hand) + 1) if place not in self._tried]
        self._hand_place = self._strategy.pick(places or list(range(1, len(hand) + 1)))
        return self._send({"type": "ChooseAssistant", "index": self._hand_place})

    def _action(self) -> Message | None:
        board, seat = self.program.board, self._seat
        match self.program.prompt:
            case "move_students_three" | "move_students_four":
                student = self._strategy.student(board, seat)
                if student.island is None:
                    return self._send({"type": "EntranceToHall", "colorS": student.colour})
                return self._send({"type": "MoveToIsland", "colorS": student.colour, "index": student.island})
            case "move_mn":
                extra = CARDS[self._played].extra_steps if self._played else 0
                most = self.program.steps[seat] + extra
                return self._send({"type": "MoveMN", "steps": self._strategy.pick(list(range(1, most + 1)))})
            case "choose_cloud":
                return self._send({"type": "ChooseCloud", "index": self._strategy.cloud(board)})
            case _:
                choice = self._choose()
                return None if choice is None else self._send(choice)

    def _play(self, number: int) -> Message | None:
        facts = CARDS[number]
        self._played = number
        self._choices_left = 0 if facts.asks is Ask.NOTHING else facts.choices
        self._count(f"character {number}")
        return self._send({"type": "PlayCharacter", "c": f"CHAR{number}"})

    def _choose(self) -> Message | None:
        """One choice for the character that was played, if it can do anything."""
        board = self.program.board
        choice = self._strategy.choice(board, self._seat, board.card(self._played), most=1) if self._played else None
        self._choices_left = max(0, self._choices_left - 1)
        if choice is None:
            self._choices_left = 0
            return None
        match CARDS[self._played].asks:
            case Ask.ISLAND:
                return {"type": "ChooseIsland", "islandIndex": choice.island}
            case Ask.STUDENT:
                return {"type": "SpecialMoveIsland", "student": choice.colour, "islandIndex": choice.island}
            case Ask.COLOR:
                return {"type": "ChooseColor", "color": choice.colour}
            case asks:
                entrance, other = choice.swaps[0]
                first, second = (entrance, other) if asks is Ask.CARD_SWAPS else (other, entrance)
                return {"type": "ChooseTwoColors", "firstColor": first, "secondColor": second}

    def _send(self, message: Message) -> Message | None:
        self._awaits = self.program.answers
        if self.sent_at is not None:
            self.sent_at()
        return self.program.command(message)

    def _count(self, what: str) -> None:
        self.received.counts[what] = self.received.counts.get(what, 0) + 1


def _built(board: Board, color: str) -> int:
    return sum(island.towers for island in board.islands if island.colour == color)


def _score(board: Board, color: str) -> tuple[int, int]:
    owners: list[Any] = [None if seat is None else board.people[seat].tower for seat in board.professors]
    return _built(board, color), owners.count(color)
