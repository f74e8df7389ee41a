"""Model of the Group 3 text client, without IO: its requests, the answers it waits for, and the board it keeps.

Messages are the objects of the program's stream in their JSON form: `{"type": "<class>", "<field>": ...}`. The model
gets out of step where the original does. Choosing moves belongs to the player in `group3`.
"""

from enum import StrEnum
from typing import Any, Final

from loadtest.clients.eriantys.board import Board, Card, Island, Person
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.pieces import INDEX, Color

Message = dict[str, Any]

PLANNING, ONE, TWO, THREE = "PLANNING_PHASE", "ACTION_PHASE_ONE", "ACTION_PHASE_TWO", "ACTION_PHASE_THREE"
ASSISTANTS: Final = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN")
_PILES: Final = ("ENTRANCE", "DININGROOM", "ISLAND", "CLOUD", "CARD")


def number_of(card_id: int) -> int:
    """The number of a character, which this program numbers from 0 by price."""
    return 1 + card_id // 4 + 3 * (card_id % 4)


def card_id_of(number: int) -> int:
    """The inverse of `number_of`."""
    return 4 * ((number - 1) % 3) + (number - 1) // 3


class ProgramState(StrEnum):
    """Where the user is."""

    LOGIN = "logs in"
    LOBBY = "looks at the list of rooms"
    CREATING = "waits for the number of a new room"
    ENTERING = "waits for the answer of a room"
    ROOM = "waits for players"
    PLAYING = "plays"
    OVER = "has seen the end of the game"
    STUCK = "takes no command any more"


class Group3Program:
    """One run of the program."""

    def __init__(self) -> None:
        self.state = ProgramState.LOGIN
        self.cause = ""
        """Why the program is stuck."""
        self.room: int | None = None
        self.rooms: list[Message] | None = None
        """The list of rooms; None until it was received."""
        self.names: dict[int, str] = {}
        self.board = Board([])
        self.expert = False
        self.phase = ""
        self.turn = -1
        self.played: list[int] = []
        """Assistants played in this round."""
        self.winners: list[str] | None = None
        self.started = False
        """The board is there. The user plays once in the room, too."""
        self.refusal: str | None = None
        """The text of the answer to the last request, if it was refused."""
        self.awaits = False
        """A request was sent that is answered by exactly one Ack or Nack."""

    # --- the user ----------------------------------------------------------------------------------------------------

    def login(self, name: str) -> Message:
        return self._request({"type": "Login", "username": name})

    def create_room(self, players: int, *, expert: bool) -> Message:
        self.state = ProgramState.CREATING
        return {"type": "CreateRoom", "numberOfPlayers": players, "expert": expert, "isPrivate": False}

    def access_room(self, room: int) -> Message:
        self.state = ProgramState.ENTERING
        return self._request({"type": "AccessRoom", "id": room})

    def move(self, event: str, **fields: Any) -> Message:
        return self._request({"type": event, **fields})

    def _request(self, message: Message) -> Message:
        assert not self.awaits
        self.awaits = True
        self.refusal = None
        return message

    # --- messages ----------------------------------------------------------------------------------------------------

    def receive(self, message: Message) -> list[Message]:
        """A message arrived; the requests that the program sends without its user."""
        if self.state is ProgramState.STUCK:
            return []
        match message:
            case {"type": "Ack"}:
                return self._answered()
            case {"type": "Nack", "errorMessage": text}:
                self._refused(text)
            case {"type": "RoomId", "id": room}:
                self._created(room)
            case {"type": "PublicRooms", "rooms": rooms}:
                self.rooms = rooms
            case {"type": "AddPlayer", "username": name, "position": seat}:
                self.names[seat] = name
            case {"type": "StartGame", "expert": expert}:
                self._start(expert)
            case {"type": "EndGame", "winners": winners}:
                self.winners = winners
                self.started = False
                self.state = ProgramState.OVER
            case {"type": "PlayerDisconnect", "username": name}:
                if self.state is not ProgramState.OVER:
                    self._stop(f"the room has ended, because {name} was disconnected")
            case _:
                self._change_board(message)
        return []

    def _created(self, room: int) -> None:
        """A RoomId that no CreateRoom waits for is never taken away, and the reader waits for that."""
        if self.state is not ProgramState.CREATING:
            self._stop("a RoomId without a request")
        elif room < 0:
            self.refusal = "not created"
            self.state = ProgramState.LOBBY
        else:
            self.room = room
            self._enter_room()

    def _enter_room(self) -> None:
        self.state = ProgramState.PLAYING if self.started else ProgramState.ROOM

    def _answered(self) -> list[Message]:
        """An Ack that no request waits for is taken for the answer to the next one: the program is out of step."""
        if not self.awaits:
            self._stop("an Ack without a request")
            return []
        self.awaits = False
        match self.state:
            case ProgramState.LOGIN:
                self.state = ProgramState.LOBBY
                return [{"type": "GetPublicRooms", "numberOfPlayers": -1, "expert": None}]
            case ProgramState.ENTERING:
                self._enter_room()
        return []

    def _refused(self, text: str) -> None:
        if not self.awaits:
            self._stop("a Nack without a request")
            return
        self.awaits = False
        self.refusal = text
        if self.state is ProgramState.ENTERING:
            self.state = ProgramState.LOBBY

    def _stop(self, cause: str) -> None:
        self.state = ProgramState.STUCK
        self.cause = cause

    # --- the board ---------------------------------------------------------------------------------------------------

    def _start(self, expert: bool) -> None:
        """Colors of towers are not part of the messages; each seat, or each team of four, has one of its own."""
        seats = len(self.names)
        teams = 2 if seats == 4 else seats
        people = [Person(self.names[seat], f"team {seat % teams}") for seat in range(seats)]
        for person in people[:teams]:
            person.towers = 6 if seats == 3 else 8
        self.board = Board(people)
        self.board.clouds = [[0] * 5 for _ in range(seats)]
        self.expert = expert
        self.started = True
        if self.state is ProgramState.ROOM:
            self.state = ProgramState.PLAYING

    def _change_board(self, message: Message) -> None:
        try:
            self._change_game(message)
        except (KeyError, IndexError, StopIteration, ValueError) as error:
            self._stop(f"the reader fails at {message}: {error!r}")

    def _change_game(self, message: Message) -> None:
        board = self.board
        match message:
            case {"type": "ChangeTurn", "playingPlayer": seat}:
                self.turn = seat
            case {"type": "ChangePhase", "gamePhase": phase}:
                if phase == PLANNING and self.phase != PLANNING:
                    self.played = []
                self.phase = phase
            case {"type": "PlayAssistantCard", "assistantCard": name, "player": seat}:
                self._play_assistant(seat, ASSISTANTS.index(name) + 1)
            case {"type": "NotifyCharacterCard", "card": card_id}:
                number = number_of(card_id)
                board.cards.append(Card(number, no_entry=CARDS[number].no_entry))
            case {"type": "ActivateCharacterCard", "characterCardIndex": card_id, "player": seat}:
                # The program pays by itself: the first price, and one more once the card was activated.
                card = board.card(number_of(card_id))
                board.people[seat].coins -= card.price
                card.used = True
            case {"type": "AddCoin", "player": seat}:
                board.people[seat].coins += 1
            case _:
                self._move_pieces(message)

    def _move_pieces(self, message: Message) -> None:
        board = self.board
        match message:
            case {"type": "AddStudentTo", "to": to, "color": color}:
                self._count_student(to, color, 1)
            case {"type": "MoveStudent", "from": source, "to": to, "color": color}:
                self._count_student(source, color, -1)
                self._count_student(to, color, 1)
            case {"type": "MoveTowers", "from": source, "to": to, "amount": amount}:
                self._count_towers(source, -amount, source)
                self._count_towers(to, amount, source)
            case {"type": "MergeIslands", "firstIslandIndex": first, "secondIslandIndex": second}:
                self._merge(first, second)
            case {"type": "MoveMotherNature", "position": place}:
                board.mother = place
            case {"type": "SetProfessorTo", "color": color, "player": seat}:
                board.professors[INDEX[Color(color)]] = None if seat < 0 else seat
            case {"type": "NoEntry", "add": add, "islandIndex": place}:
                board.islands[place].no_entry += 1 if add else -1
                board.card(5).no_entry -= 1 if add else -1
            case _:
                raise ValueError("no such message")

    def _play_assistant(self, seat: int, value: int) -> None:
        person = self.board.people[seat]
        person.hand = [other for other in person.hand if other != value]
        person.assistant = value
        self.played.append(value)

    def _count_student(self, place: str, color: str, count: int) -> None:
        kind, _, number = place.partition(":")
        if kind not in _PILES:
            return
        pile = self._pile(kind, int(number))
        pile[INDEX[Color(color)]] += count
        if pile[INDEX[Color(color)]] < 0:
            raise ValueError(f"there is no {color} student in {place}")

    def _pile(self, kind: str, number: int) -> list[int]:
        board = self.board
        match kind:
            case "ENTRANCE":
                return board.people[number].entrance
            case "DININGROOM":
                return board.people[number].hall
            case "ISLAND":
                return board.islands[number].students
            case "CLOUD":
                return board.clouds[number]
            case _:
                return board.card(number_of(number)).students

    def _count_towers(self, place: str, count: int, source: str) -> None:
        kind, _, number = place.partition(":")
        if kind == "PLAYER":
            self.board.people[int(number)].towers += count
            return
        island = self.board.islands[int(number)]
        island.towers += count
        if count > 0:
            island.colour = self.board.people[int(source.partition(":")[2])].tower

    def _merge(self, first: int, second: int) -> None:
        board = self.board
        one, other = board.islands[first], board.islands.pop(second)
        students = [a + b for a, b in zip(one.students, other.students, strict=True)]
        board.islands[first] = Island(students, one.towers + other.towers, one.colour, one.no_entry + other.no_entry)
        if board.mother == second:
            board.mother = first
        elif board.mother > second:
            board.mother -= 1
