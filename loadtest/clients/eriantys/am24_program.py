"""Model of the AM24 text client, without IO: it compares texts letter by letter, and its threads end where theirs do.

The texts are the operator's (`texts=FILE` of the listener): the program knows messages by them, not by their codes.
Choosing moves belongs to the player in `am24`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from loadtest.clients.eriantys.board import Board, Card, Island, Person, counted
from shared.games.eriantys.pieces import COLORS

Message = dict[str, Any]
Texts = Mapping[str, Any]

LONGEST_NAME: Final = 15
"""Characters of a name that the board has room for."""
PROMPTS: Final = (
    "choose_assistant",
    "move_students_three",
    "move_students_four",
    "move_mn",
    "choose_cloud",
    "character_move",
)
OTHERS: Final = ("other_assistant", "other_students", "other_mn", "other_cloud")
ENDINGS: Final = ("won", "lost", "draw")
_REFUSALS: Final = ("nickname_used", "mage_used", "towers_used", "lobby_full", "no_lobby", "bad_lobby")
_SEATED: Final = ("lobby_created", "joined", "welcome_back")


class ClientState(StrEnum):
    """Where the program is."""

    CONNECTED = "waits for the list of lobbies"
    ASKS = "asks for name, mage, towers and lobby"
    SEATING = "waits for its seat"
    ROOM = "reads commands, and waits for players"
    PLAYING = "reads commands, and draws the board"
    OVER = "shows the end"
    EXITED = "has ended"
    DEAD = "has a dead thread"


class Am24Program:
    """One run of the program."""

    def __init__(self, texts: Texts) -> None:
        self.state = ClientState.CONNECTED
        self.cause = ""
        """Why the program has ended, or one of its threads."""
        self.lobbies: list[Message] = []
        self.board = Board([])
        self.steps: list[int] = []
        """By seat, the steps of the assistant played last."""
        self.prompt = ""
        """The key of the last text about the game: one of `PROMPTS`, `OTHERS` or `ENDINGS`."""
        self.refusal: str | None = None
        """The last error text since the last command."""
        self.answers = 0
        """Texts about the game so far, each of which also ends the wait for an answer."""
        self.noise = 0
        """Messages of types that the program does not know. It prints them."""
        self._texts = texts
        self._numbers = {text: int(number) for number, text in texts["descriptions"].items()}
        self._asks_again = False

    # --- the user ----------------------------------------------------------------------------------------------------

    def enter(self, message: Message) -> Message:
        """The answers to all questions before a seat: a GameParams or a Join."""
        assert self.state is ClientState.ASKS
        self.state = ClientState.SEATING
        return message

    def command(self, message: Message) -> Message | None:
        """A typed command. `play N` finds the character by its description; with another text its thread ends."""
        assert self.state is ClientState.PLAYING
        self.refusal = None
        if message["type"] == "PlayCharacter" and not all(card.number for card in self.board.cards):
            self._die("the description of a character is unknown")
            return None
        return message

    def pause(self) -> None:
        """No message is waiting: the program asks its questions again, if they were refused."""
        if self._asks_again:
            self._asks_again = False
            self.state = ClientState.ASKS

    # --- messages ----------------------------------------------------------------------------------------------------

    def receive(self, message: Message) -> list[Message]:
        """A message arrived; the messages that the program sends without its user."""
        if self.state in (ClientState.EXITED, ClientState.DEAD):
            return []
        if message["type"] == "Ping":
            return [{"type": "Pong"}]
        # The questions come again only if no message follows the refusal.
        self._asks_again = False
        try:
            self._read(message)
            if self.state is ClientState.PLAYING:
                self._draw()
        except (KeyError, TypeError, IndexError, AttributeError, ValueError, StopIteration) as error:
            self._die(f"the reader fails at {str(message)[:200]}: {error!r}")
        return []

    def _read(self, message: Message) -> None:
        match message:
            case {"type": "Welcome", "lobbies": lobbies}:
                self.lobbies = lobbies
                if self.state is ClientState.CONNECTED:
                    self.state = ClientState.ASKS
            case {"type": "Error", "string": text}:
                self.refusal = text
                seating = self.state is ClientState.SEATING
                self._asks_again = seating and text in [self._texts[key] for key in _REFUSALS]
            case {"type": "InformationConnection", "string": text}:
                self._read_connection_text(text)
            case {"type": "InformationGame", "string": text}:
                self._read_game_text(text)
            case {"type": "NotifyDisconnection"}:
                self.state = ClientState.EXITED
                self.cause = "a NotifyDisconnection"
            case _:
                self._change_view(message)

    def _read_connection_text(self, text: str) -> None:
        if self.state is ClientState.SEATING and text in [self._texts[key] for key in _SEATED]:
            returned = text == self._texts["welcome_back"]
            self.state = ClientState.PLAYING if returned else ClientState.ROOM
        elif self.state is ClientState.ROOM and text == self._texts["game_started"]:
            self.state = ClientState.PLAYING

    def _read_game_text(self, text: str) -> None:
        keys = {self._texts[key]: key for key in (*PROMPTS, *ENDINGS)}
        self.prompt = keys.get(text, OTHERS[0])
        self.answers += 1
        if self.prompt in ENDINGS and self.state is ClientState.PLAYING:
            self.state = ClientState.OVER

    def _die(self, cause: str) -> None:
        self.state = ClientState.DEAD
        self.cause = cause

    # --- the view ----------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        """The drawing thread ends at a board without towers, and at names that are too long for it."""
        for person in self.board.people:
            if not person.tower or len(person.name) > LONGEST_NAME:
                raise ValueError(f"the board of {person.name} cannot be drawn")

    def _change_view(self, message: Message) -> None:
        board = self.board
        match message:
            case {"type": "FullView", "virtualView": view}:
                self._read_view(view)
            case {"type": "UpdateWorld", "islands": islands}:
                board.islands = [_island(island) for island in islands]
            case {"type": "UpdateIsland", "island": island, "index": index}:
                board.islands[index] = _island(island)
            case {"type": "UpdateMN", "index": index}:
                board.mother = index
            case {"type": "UpdatePlayer", "player": player, "index": index}:
                board.people[index] = _person(player)
                self.steps[index] = _steps(player)
            case {"type": "UpdateProfs", "profs": professors}:
                self._read_professors(professors)
            case {"type": "CreateClouds", "clouds": clouds}:
                board.clouds = [counted(cloud["students"]) for cloud in clouds]
            case {"type": "ReplaceCloud", "cloud": cloud, "index": index}:
                board.clouds[index] = counted(cloud["students"])
            case _:
                self._change_characters(message)

    def _change_characters(self, message: Message) -> None:
        """In a list, characters lose what lies on them."""
        board = self.board
        match message:
            case {"type": "CreateCharacters", "characters": characters}:
                board.cards = [self._card(character) for character in characters]
            case {"type": "ReplaceCharacter", "character": character, "index": index}:
                board.cards[index] = self._card(character)
            case {"type": "ReplaceCharacterStudents", "virtualCharacterWithStudents": character, "index": index}:
                board.cards[index] = self._card(character)
                board.cards[index].students = counted(character["students"])
            case {"type": "ReplaceCharacterWithNoEntry", "characterWithNoEntry": character, "index": index}:
                board.cards[index] = self._card(character)
                board.cards[index].no_entry = character["noEntry"]
            case {"type": "UpdateCoins" | "UpdateActiveCharacter"}:
                pass
            case _:
                self.noise += 1

    def _read_view(self, view: Message) -> None:
        self.board = Board(
            people=[_person(player) for player in view["virtualPlayers"]],
            islands=[_island(island) for island in view["virtualWorld"]],
            mother=view["mnPos"],
            clouds=[counted(cloud["students"]) for cloud in view["virtualClouds"]],
            cards=[self._card(character) for character in view["virtualCharacters"]],
        )
        self.steps = [_steps(player) for player in view["virtualPlayers"]]
        self._read_professors(view["virtualProfs"])

    def _read_professors(self, professors: Message) -> None:
        """A professor's owner is a player object; a name in its place ends the reader."""
        owners = (professors[color] for color in COLORS)
        self.board.professors = [None if owner is None else self.board.seat(owner["nickname"]) for owner in owners]

    def _card(self, character: Message) -> Card:
        """The number is 0 if no text of the program describes the character."""
        return Card(self._numbers.get(character["description"], 0), used=character["alreadyPlayed"])


def _island(island: Message) -> Island:
    towers = island["towers"]
    return Island(counted(island["students"]), len(towers), towers[0] if towers else "", island["noEntry"])


def _person(player: Message) -> Person:
    board = player["virtualBoard"]
    towers = board["towers"]
    last = player.get("virtualLastAssistant")
    return Person(
        player["nickname"],
        "" if not towers or None in towers else towers[0],
        len(towers),
        counted(board["entrance"]),
        [board["hall"][color] for color in COLORS],
        player["virtualCoins"],
        [card["turn"] for card in player["virtualHand"]["cards"]],
        last["turn"] if last else None,
    )


def _steps(player: Message) -> int:
    last = player.get("virtualLastAssistant")
    return last["MNsteps"] if last else 0
