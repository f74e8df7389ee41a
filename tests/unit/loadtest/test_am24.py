"""The headless AM24 client, over the bytes of its stream of strings. All texts are our own."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gateway.transports.java_stream.framing import StringFraming
from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.eriantys import PLAYERS
from loadtest.clients.eriantys.am24 import Am24Player
from loadtest.clients.eriantys.am24_program import ENDINGS, PROMPTS, Am24Program, ClientState
from tests.support.eriantys_players import eriantys_party
from tests.support.examples import fewer_examples
from tests.support.memory_cluster import close_all
from tests.support.party import PlayerFactory

pytestmark = pytest.mark.slow

KEYS = [
    "lobby_created",
    "joined",
    "entered",
    "welcome_back",
    "game_started",
    "nickname_used",
    "mage_used",
    "towers_used",
    "lobby_full",
    "no_lobby",
    "bad_lobby",
    "other_assistant",
    "other_students",
    "other_mn",
    "other_cloud",
]
TEXTS: dict[str, Any] = {key: f"text of {key}" for key in (*KEYS, *PROMPTS, *ENDINGS)}
TEXTS["descriptions"] = {str(number): f"text of character {number}" for number in range(1, 13)}
STUDENTS = {"GREEN": 0, "RED": 0, "YELLOW": 0, "PINK": 0, "BLUE": 0}


def connection(key: str) -> dict[str, Any]:
    return {"type": "InformationConnection", "string": TEXTS[key], "lobbyIndex": 1}


def game(key: str) -> dict[str, Any]:
    return {"type": "InformationGame", "string": TEXTS[key]}


def player(name: str, towers: list[str | None]) -> dict[str, Any]:
    board = {"entrance": ["RED"], "towers": towers, "hall": STUDENTS}
    return {"nickname": name, "virtualCoins": 1, "virtualHand": {"mage": "MAGE1", "cards": []}, "virtualBoard": board}


def full_view(names: tuple[str, str] = ("ann", "bob")) -> dict[str, Any]:
    view = {
        "virtualWorld": [{"students": [], "towers": [], "noEntry": 0, "numSubIsland": 1} for _ in range(12)],
        "virtualPlayers": [player(names[0], ["BLACK"]), player(names[1], ["WHITE"])],
        "virtualClouds": [{"students": []}, {"students": []}],
        "virtualProfs": dict.fromkeys(STUDENTS),
        "virtualCharacters": [],
        "mnPos": 0,
    }
    return {"type": "FullView", "virtualView": view}


def seating() -> Am24Program:
    program = Am24Program(TEXTS)
    program.receive({"type": "Welcome", "lobbies": []})
    program.enter({"type": "GameParams"})
    return program


def playing() -> Am24Program:
    program = seating()
    for message in (connection("lobby_created"), full_view(), connection("game_started")):
        program.receive(message)
    assert program.state is ClientState.PLAYING
    return program


def test_a_ping_is_answered() -> None:
    assert seating().receive({"type": "Ping"}) == [{"type": "Pong"}]


def test_other_texts_than_its_own_never_start_the_program() -> None:
    program = seating()
    program.receive({"type": "InformationConnection", "string": "you have a seat", "lobbyIndex": 1})
    program.receive(connection("game_started"))
    assert program.state is ClientState.SEATING


def test_a_player_who_returns_draws_at_once() -> None:
    program = seating()
    program.receive(connection("welcome_back"))
    assert program.state is ClientState.PLAYING


def test_a_refused_seat_is_asked_for_again() -> None:
    program = seating()
    program.receive({"type": "Welcome", "lobbies": []})
    program.receive({"type": "Error", "string": TEXTS["mage_used"]})
    program.pause()
    assert program.state is ClientState.ASKS


def test_a_welcome_after_the_refusal_keeps_the_program_from_asking_again() -> None:
    program = seating()
    program.receive({"type": "Error", "string": TEXTS["mage_used"]})
    program.receive({"type": "Welcome", "lobbies": []})
    program.pause()
    assert program.state is ClientState.SEATING


def test_a_disconnection_ends_the_program() -> None:
    program = playing()
    program.receive({"type": "NotifyDisconnection", "string": "bob is away"})
    assert program.state is ClientState.EXITED


def test_unknown_types_are_noise() -> None:
    program = playing()
    program.receive({"type": "SelectAssistant", "available": [1]})
    assert program.noise == 1
    assert program.state is ClientState.PLAYING


def test_a_professor_must_be_a_player_object() -> None:
    program = playing()
    program.receive({"type": "UpdateProfs", "profs": {**dict.fromkeys(STUDENTS), "RED": {"nickname": "bob"}}})
    assert program.board.professors == [None, 1, None, None, None]
    program.receive({"type": "UpdateProfs", "profs": {**dict.fromkeys(STUDENTS), "RED": "bob"}})
    assert "the reader fails" in program.cause


@pytest.mark.parametrize("towers", [[], [None]], ids=["none", "null"])
def test_a_board_without_towers_cannot_be_drawn(towers: list[str | None]) -> None:
    program = playing()
    program.receive({"type": "UpdatePlayer", "player": player("bob", towers), "index": 1})
    program.receive(game("won"))
    assert program.state is ClientState.DEAD


def test_a_name_of_sixteen_characters_cannot_be_drawn() -> None:
    program = seating()
    for message in (connection("joined"), full_view(("ann", "b" * 16)), connection("game_started")):
        program.receive(message)
    assert program.state is ClientState.DEAD


def test_characters_in_a_list_lose_what_lies_on_them() -> None:
    program = playing()
    character = {"number": 1, "description": "text of character 1", "alreadyPlayed": False, "students": ["RED"]}
    program.receive({"type": "CreateCharacters", "characters": [character]})
    assert program.board.card(1).students == [0, 0, 0, 0, 0]
    program.receive({"type": "ReplaceCharacterStudents", "virtualCharacterWithStudents": character, "index": 0})
    assert program.board.card(1).students == [0, 1, 0, 0, 0]


def test_a_character_is_found_by_its_description() -> None:
    program = playing()
    character = {"number": 1, "description": "another text", "alreadyPlayed": False}
    program.receive({"type": "CreateCharacters", "characters": [character]})
    assert program.command({"type": "PlayCharacter", "c": "CHAR1"}) is None
    assert program.state is ClientState.DEAD


# --- whole games -----------------------------------------------------------------------------------------------------

OTHERS = {
    "PLANNING": "other_assistant",
    "MOVE_STUDENTS": "other_students",
    "MOVE_MN": "other_mn",
    "CHOOSE_CLOUD": "other_cloud",
    "CHARACTER_ACTION": "other_cloud",
}
PROMPT_TYPES = {
    "SelectAssistant": "choose_assistant",
    "MoveStudentRequest": "move_students_three",
    "MoveMNRequest": "move_mn",
    "SelectCloud": "choose_cloud",
}


class Translated:
    """A player whose messages are translated from and to `eriantys.prompts` as it is without a compat mode, and pass
    through the bytes of a stream of strings on their way."""

    def __init__(self, seating: SeatAssignment) -> None:
        self.player = Am24Player(seating, TEXTS)
        self.path = self.player.path
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self._name = seating.name
        self._towers: list[str] = []
        self._hand: list[int] = []
        self._server, self._client = StringFraming(), StringFraming()

    @property
    def received(self) -> Received:
        return self.player.received

    @received.setter
    def received(self, received: Received) -> None:
        self.player.received = received

    @property
    def over(self) -> bool:
        return self.player.over

    @over.setter
    def over(self, over: bool) -> None:
        self.player.over = over

    @property
    def moves(self) -> int:
        return self.player.moves

    @moves.setter
    def moves(self, moves: int) -> None:
        self.player.moves = moves

    def open(self) -> Iterable[bytes]:
        self._server.feed(self._client.preamble)
        self._client.feed(self._server.preamble)
        return self._sent(self.player.open())

    def tick(self) -> Iterable[bytes]:
        return self._sent(self.player.tick())

    def receive(self, frame: bytes) -> Iterable[bytes]:
        for message in self._to_client(json.loads(frame)):
            for received in self._client.feed(self._server.frame(json.dumps(message).encode())):
                assert isinstance(received, bytes)
                yield from self._sent(self.player.receive(received))

    def _sent(self, frames: Iterable[bytes]) -> Iterable[bytes]:
        for frame in frames:
            for received in self._server.feed(self._client.frame(frame)):
                assert isinstance(received, bytes)
                message = json.loads(received)
                if message["type"] == "ChooseAssistant":
                    message["index"] = self._hand[message["index"] - 1]
                yield json.dumps(message).encode()

    def _to_client(self, message: dict[str, Any]) -> Iterable[dict[str, Any]]:
        match message:
            case {"type": "InformationConnection", "string": text}:
                key = "lobby_created" if text.startswith("you have a seat") else "entered"
                yield {**message, "string": TEXTS[key]}
            case {"type": "GameStart"}:
                yield connection("game_started")
            case {"type": kind} if kind in PROMPT_TYPES:
                yield game(PROMPT_TYPES[kind])
            case {"type": "InformationGame", "player": name, "phase": phase}:
                mine = name == self._name and phase == "CHARACTER_ACTION"
                yield game("character_move" if mine else OTHERS[phase])
            case {"type": "GameEnded", "winner": winner, "winners": winners}:
                yield game("draw" if winner is None else "won" if self._name in winners else "lost")
            case {"type": "GameMustEnd"}:
                pass
            case _:
                yield from self._view_change(message)

    def _view_change(self, message: dict[str, Any]) -> Iterable[dict[str, Any]]:
        match message:
            case {"type": "FullView", "virtualView": view}:
                self._towers = [seat["virtualBoard"]["towers"][0] for seat in view["virtualPlayers"]]
                for index, seat in enumerate(view["virtualPlayers"]):
                    self._player(seat, index)
                view["virtualProfs"] = self._professors(view["virtualProfs"])
                view["virtualCharacters"] = []
                yield message
            case {"type": "UpdatePlayer", "player": seat, "index": index}:
                self._player(seat, index)
                yield message
            case {"type": "UpdateProfs", "profs": professors}:
                yield {**message, "profs": self._professors(professors)}
            case {"type": "CreateCharacters", "characters": characters}:
                yield from self._characters(message, characters)
            case _:
                for key in ("character", "virtualCharacterWithStudents", "characterWithNoEntry"):
                    if key in message:
                        self._describe(message[key])
                yield message

    def _player(self, seat: dict[str, Any], index: int) -> None:
        board = seat["virtualBoard"]
        board["towers"] = board["towers"] or [self._towers[index]]
        if seat["nickname"] == self._name:
            self._hand = [card["turn"] for card in seat["virtualHand"]["cards"]]

    def _professors(self, professors: dict[str, str | None]) -> dict[str, Any]:
        return {color: name and {"nickname": name} for color, name in professors.items()}

    def _describe(self, character: dict[str, Any]) -> None:
        character["description"] = TEXTS["descriptions"][str(character["number"])]

    def _characters(self, message: dict[str, Any], characters: list[dict[str, Any]]) -> Iterable[dict[str, Any]]:
        for character in characters:
            self._describe(character)
        yield message
        for index, character in enumerate(characters):
            if "students" in character:
                kind, key = "ReplaceCharacterStudents", "virtualCharacterWithStudents"
                yield {"type": kind, key: character, "index": index}
            if "noEntry" in character:
                yield {"type": "ReplaceCharacterWithNoEntry", "characterWithNoEntry": character, "index": index}


CLIENTS: dict[str, PlayerFactory] = {**PLAYERS, "eriantys.prompts": Translated}


@pytest.mark.parametrize(("seats", "expert"), [(2, False), (3, True)])
@fewer_examples(60)
@given(seed=some.integers(1, 10**6))
def test_whole_games_are_played_to_the_end(seats: int, expert: bool, seed: int) -> None:
    close_all()
    party = eriantys_party(["eriantys.prompts"] * seats, expert=expert, seed=seed, clients=CLIENTS)
    party.play()
    party.check()


@fewer_examples(60)
@given(seed=some.integers(1, 10**6))
def test_whole_games_are_played_together_with_other_dialects(seed: int) -> None:
    close_all()
    dialects = ["eriantys.events", "eriantys.prompts", "eriantys.status"]
    party = eriantys_party(dialects, expert=True, seed=seed, clients=CLIENTS)
    party.play()
    party.check()
