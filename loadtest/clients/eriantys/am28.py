"""A headless player with the AM28 text client: it sees only what the program keeps, and plays only from its menu."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.eriantys.am28_program import (
    PING,
    TOWER_COLORS,
    Am28Program,
    ArchipelagoStatus,
    GameStatus,
    PlayerStatus,
    ProgramPhase,
)
from loadtest.clients.eriantys.board import Board, Card, Island, Person
from loadtest.clients.eriantys.strategy import Choice, RandomStrategy
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import students_per_cloud, tally

MOST_REFUSALS: Final = 40
"""Refusals in a row after which the player gives up."""
_NO_COINS, _WRONG_PHASE = 204, 208
_STUDENTS, _WALK, _CLOUD = "students", "walk", "cloud"


class Am28Player:
    """One seat. Commands are sent by `tick` and `retry` alone: a person takes a moment to type one, and in that moment
    the program throws away every line that arrives."""

    path = ""
    """The program speaks over TCP only, and cannot name a table."""

    def __init__(self, seating: SeatAssignment) -> None:
        self.received = Received()
        self.over = False
        self.moves = 0
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self.program = Am28Program()
        self._seating = seating
        self._strategy = RandomStrategy(seating.seed)
        self._asked = False
        """The program's question (name or parameters) has not been answered yet."""
        self._refusals = 0
        self._sent = ""
        self._step = _STUDENTS
        self._students_left = 0
        self._played = 0
        """Number of the character played in this turn."""
        self._used: set[int] = set()
        """Characters that cost one coin more. The program does not keep it, a person remembers."""
        self._taken: list[int] = []
        """Assistants played in this round."""
        self._seated_before = False
        """A game was shown, on this connection or an earlier one."""

    # --- the driver's side -------------------------------------------------------------------------------------------

    def open(self) -> Iterable[bytes]:
        """Start the program, for the first time or again: it cannot reconnect."""
        self.program = Am28Program()
        self.received.room = self.received.room or self._seating.table()
        self._asked = False
        return (self.program.enter_name(self._seating.name),)

    def receive(self, frame: bytes) -> Iterable[bytes]:
        program = self.program
        phase, refusal, before = program.phase, program.refusal, _progress(program.game)
        answers = program.receive(frame)
        if frame == PING:
            return answers
        if program.phase is ProgramPhase.DEAD and phase is not ProgramPhase.DEAD:
            self._fault(program.cause)
        elif program.refusal is not refusal:
            self._after_refusal(phase)
        elif program.phase is ProgramPhase.PARAMETERS:
            self._asked = True
            self._end_if_late()
        elif program.game is not None and phase is not ProgramPhase.MENU:
            self._seated_before = True
            self._after_status(program.game, phase, before)
        return answers

    def tick(self) -> Iterable[bytes]:
        if self.over:
            return ()
        self.program.second_passed()
        if self.program.phase is ProgramPhase.EXITED:
            self._fault(self.program.cause)
            self.over = True
            return ()
        return self._type()

    def retry(self) -> Iterable[bytes]:
        """Type a command, between two ticks. Names and parameters have time."""
        return self._type() if self.program.phase is ProgramPhase.MENU else ()

    def _end_if_late(self) -> None:
        """A player who returns after the end of the game is led to another table."""
        if self._seated_before and not self.over:
            self.over = self.received.late = True

    # --- after a line ------------------------------------------------------------------------------------------------

    def _after_refusal(self, phase: ProgramPhase) -> None:
        assert self.program.refusal is not None
        code, _ = self.program.refusal
        self._count(f"refused {code}")
        if phase is not ProgramPhase.SENT:
            self._asked = self.program.phase in (ProgramPhase.NAME, ProgramPhase.PARAMETERS)
            return
        self._refusals += 1
        if self._refusals > MOST_REFUSALS:
            self._fault(f"refused {self._refusals} times in a row, last with {code}")
            self.over = True
        if code == _WRONG_PHASE:
            self._step = {_STUDENTS: _WALK, _WALK: _CLOUD}.get(self._step, _STUDENTS)
        elif code == _NO_COINS:
            self._used.add(self._played)

    def _after_status(self, game: GameStatus, phase: ProgramPhase, before: tuple[Any, ...]) -> None:
        if phase is ProgramPhase.SENT:
            self._acknowledged()
        self._note_assistants(game, before)
        if before[:2] != (game.turn, game.planning):
            self._begin_turn(game)
        if self.program.winner is not None:
            self._ended(game, self.program.winner)

    def _acknowledged(self) -> None:
        self.moves += 1
        self._refusals = 0
        if self.acked_at is not None:
            self.acked_at()
        match self._sent:
            case "MOVETOHALL" | "MOVETOISLAND":
                self._students_left -= 1
                self._step = _STUDENTS if self._students_left else _WALK
            case "MOVEMOTHERNATURE":
                self._step = _CLOUD
            case "PLAYCHARACTERCARD":
                self._used.add(self._played)

    def _note_assistants(self, game: GameStatus, before: tuple[Any, ...]) -> None:
        _, was_planning, *previous = before
        if game.planning and not was_planning:
            self._taken = []
        for then, now in zip(previous, game.players, strict=False):
            if now.last_assistant is not None and now.last_assistant != then:
                self._taken.append(now.last_assistant + 1)

    def _begin_turn(self, game: GameStatus) -> None:
        self._played = 0
        moves = students_per_cloud(len(game.players))
        self._students_left = min(moves, sum(game.players[game.seat].entrance))
        self._step = _STUDENTS if self._students_left else _WALK

    def _ended(self, game: GameStatus, winner: str) -> None:
        board = board_of(game, self._used)
        self.over = True
        self.received.result = board.result(winner.split(", ")) if winner else []
        self.received.names = tuple(person.name for person in board.people)
        # Professors are colors of towers in this program, so with two players of a color their owner is not known.
        self.received.board = board.comparable() if len(game.players) <= len(TOWER_COLORS) else None
        if self._seating.first:
            self._count(f"ending {board.ending()}")

    # --- typing ------------------------------------------------------------------------------------------------------

    def _type(self) -> Iterable[bytes]:
        """An answer to the program's question, or a command from its menu."""
        program, seating = self.program, self._seating
        if self.over:
            return ()
        if program.phase is ProgramPhase.MENU and program.game is not None:
            return self._command(program.game)
        if not self._asked:
            return ()
        self._asked = False
        if program.phase is ProgramPhase.PARAMETERS:
            return (program.enter_parameters(seating.seats, expert=bool(seating.options.get("expert"))),)
        return (program.enter_name(seating.name),)

    def _command(self, game: GameStatus) -> Iterable[bytes]:
        board = board_of(game, self._used)
        if game.planning:
            value = self._strategy.assistant(board.people[game.seat].hand, self._taken)
            return self._send("PLAYASSISTANTCARD", index=value - 1)
        if not self._played and (place := self._strategy.card(board, game.seat)) is not None:
            return self._play_character(board, game.seat, place)
        match self._step:
            case "students":
                return self._move_student(board, game.seat)
            case "walk":
                extra = 2 if game.players[game.seat].added_shifts else 0
                steps = min(self._strategy.steps(board, game.seat, extra), game.players[game.seat].most_shifts)
                return self._send("MOVEMOTHERNATURE", motherNatureShifts=steps)
            case _:
                return (
                    self._send("TAKEFROMCLOUD", index=self._strategy.cloud(board))
                    if any(map(any, board.clouds))
                    else ()
                )

    def _move_student(self, board: Board, seat: int) -> Iterable[bytes]:
        student = self._strategy.student(board, seat)
        if student.island is None:
            return self._send("MOVETOHALL", studentColour=student.colour.upper())
        tile = board.islands[student.island].tile
        return self._send("MOVETOISLAND", studentColour=student.colour.upper(), index=tile)

    def _play_character(self, board: Board, seat: int, place: int) -> Iterable[bytes]:
        card = board.cards[place]
        choice = self._strategy.choice(board, seat, card)
        if choice is None:
            return ()
        self._played = card.number
        self._count(f"character {card.number}")
        return self._send("PLAYCHARACTERCARD", index=place, **_arguments(board, card.number, choice))

    def _send(self, command: str, **arguments: Any) -> Iterable[bytes]:
        self._sent = command
        if self.sent_at is not None:
            self.sent_at()
        return (self.program.enter_command(command, **arguments),)

    def _count(self, what: str) -> None:
        self.received.counts[what] = self.received.counts.get(what, 0) + 1

    def _fault(self, text: str) -> None:
        self.received.faults.append(f"{self._seating.name}: {text}")


def _progress(game: GameStatus | None) -> tuple[Any, ...]:
    """Turn, phase and the assistants played, to compare before and after a line."""
    if game is None:
        return None, None
    return game.turn, game.planning, *(player.last_assistant for player in game.players)


def _arguments(board: Board, number: int, choice: Choice) -> dict[str, Any]:
    """Card 7 swaps from the card to the entrance, card 10 from the entrance to the hall."""
    arguments: dict[str, Any] = {}
    if choice.colour is not None:
        arguments["pColour"] = choice.colour.upper()
    if choice.island is not None:
        arguments["pIndex"] = board.islands[choice.island].tile
    if choice.swaps:
        given = tally(out for out, _ in choice.swaps)
        taken = tally(back for _, back in choice.swaps)
        card_first = CARDS[number].asks is Ask.CARD_SWAPS
        arguments["pStudentsFrom"], arguments["pStudentsTo"] = (taken, given) if card_first else (given, taken)
    return arguments


def board_of(game: GameStatus, used: set[int]) -> Board:
    """The program's status as the board that strategies choose from."""
    groups = [game.archipelagos[index] for index in sorted(game.archipelagos)]
    colors = [player.tower for player in game.players]
    return Board(
        people=[_person_of(player) for player in game.players],
        islands=[_island_of(group) for group in groups],
        mother=next(place for place, group in enumerate(groups) if game.mother in group.tiles),
        clouds=[game.clouds[index] for index in sorted(game.clouds)],
        cards=[
            Card(card.number, card.students, card.no_entry, card.coin_on_it or card.number in used)
            for card in game.characters
        ],
        professors=[None if number < 0 else colors.index(TOWER_COLORS[number]) for number in game.professors],
    )


def _island_of(group: ArchipelagoStatus) -> Island:
    students = [sum(numbers) for numbers in zip(*(tile.students for tile in group.tiles.values()), strict=True)]
    towers = [tile.tower for tile in group.tiles.values() if tile.tower]
    return Island(students, len(towers), towers[0] if towers else "", group.no_entry, min(group.tiles))


def _person_of(player: PlayerStatus) -> Person:
    hand = [value for value, played in enumerate(player.played, 1) if not played]
    assistant = None if player.last_assistant is None else player.last_assistant + 1
    return Person(player.name, player.tower, player.towers, player.entrance, player.hall, player.coins, hand, assistant)
