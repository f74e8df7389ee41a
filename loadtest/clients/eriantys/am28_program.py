"""Model of the AM28 text client, without IO: which lines it reads in which phase, what it keeps, and what ends it.

The model reads only the keys that the original reads. Where the original fails with a NullPointerException, so does the
model: its reader thread is dead then, and no line is read any more. Choosing moves belongs to the player in `am28`.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import msgspec
import orjson

SILENCE_S: Final = 10
"""Seconds without a byte after which the client ends by itself."""
PING: Final = b"ping"
PONG: Final = b"pong"
PLANNING: Final = "PLANNING"
TOWER_COLORS: Final = ("WHITE", "BLACK", "GREY")
"""Professors are numbers of these colors, not of seats."""
_WAIT_FOR_PLAYERS: Final = 105
_FILE_NAMES: Final = {f"P{number:02}.jpg": number for number in range(1, 13)}


class ProgramPhase(StrEnum):
    """The phases of the client."""

    NAME = "asks for the name"
    PARAMETERS = "asks for the number of players and the mode"
    LOBBY = "waits for players"
    MENU = "shows the menu of its own turn"
    SENT = "waits for the answer to a command"
    OTHERS = "waits while it is another player's turn"
    EXITED = "has ended"
    DEAD = "has a dead reader"


_BEFORE_THE_GAME: Final = (ProgramPhase.NAME, ProgramPhase.PARAMETERS, ProgramPhase.LOBBY)


@dataclass(slots=True)
class TileStatus:
    students: list[int]
    tower: str = ""


@dataclass(slots=True)
class ArchipelagoStatus:
    no_entry: int
    tiles: dict[int, TileStatus]
    """By `islandIndex`."""


@dataclass(slots=True)
class PlayerStatus:
    name: str
    tower: str
    towers: int
    entrance: list[int]
    hall: list[int]
    played: list[bool]
    coins: int = 0
    last_assistant: int | None = None
    added_shifts: bool = False

    @property
    def most_shifts(self) -> int:
        """The client itself refuses to move Mother Nature farther."""
        usual = (self.last_assistant or 0) // 2 + 1
        return usual + 2 if self.added_shifts else usual


@dataclass(slots=True)
class CharacterStatus:
    number: int
    students: list[int]
    no_entry: int
    coin_on_it: bool


@dataclass(slots=True)
class GameStatus:
    """All that the client keeps of a game."""

    seat: int
    expert: bool
    turn: int
    planning: bool
    mother: int
    archipelagos: dict[int, ArchipelagoStatus]
    clouds: dict[int, list[int]]
    players: list[PlayerStatus]
    characters: list[CharacterStatus] = field(default_factory=list)
    professors: list[int] = field(default_factory=list)


class Am28Program:
    """One run of the program."""

    def __init__(self) -> None:
        self.phase = ProgramPhase.NAME
        self.game: GameStatus | None = None
        self.winner: str | None = None
        """The name, empty for a draw; None until the game has ended."""
        self.refusal: tuple[int, str] | None = None
        """The last line with an error text that the client has shown."""
        self.ignored: list[bytes] = []
        """Lines that were thrown away, because the menu was shown."""
        self.cause = ""
        """Why the program has ended, or its reader."""
        self._silence_s = 0

    # --- the user ----------------------------------------------------------------------------------------------------

    def enter_name(self, name: str) -> bytes:
        assert self.phase is ProgramPhase.NAME
        return name.encode()

    def enter_parameters(self, players: int, *, expert: bool) -> bytes:
        assert self.phase is ProgramPhase.PARAMETERS
        return msgspec.json.encode({"numPlayers": players, "gameMode": "expert" if expert else "simple"})

    def enter_command(self, command: str, **arguments: Any) -> bytes:
        """A command from the menu. Absent arguments are left out, never null."""
        assert self.phase is ProgramPhase.MENU
        assert self.game is not None
        self.phase = ProgramPhase.SENT
        return msgspec.json.encode({"cmd": command, "playerIndex": self.game.seat, **arguments})

    # --- the connection ----------------------------------------------------------------------------------------------

    def second_passed(self) -> None:
        self._silence_s += 1
        if self._silence_s > SILENCE_S and self.phase is not ProgramPhase.DEAD:
            self._exit("no byte from the server for ten seconds")

    def receive(self, line: bytes) -> list[bytes]:
        """A line arrived; the lines that the program answers without its user."""
        self._silence_s = 0
        if self.phase in (ProgramPhase.EXITED, ProgramPhase.DEAD):
            return []
        if line == PING:
            return [PONG]
        if self.phase is ProgramPhase.MENU:
            self.ignored.append(line)
            return []
        try:
            self._read(orjson.loads(line))
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            self.phase = ProgramPhase.DEAD
            self.cause = f"the reader fails at {line[:200]!r}: {error!r}"
        return []

    def _read(self, message: dict[str, Any]) -> None:
        if self.phase in _BEFORE_THE_GAME:
            self._read_before_the_game(message)
        elif "errorMessage" in message:
            self._read_refusal(message)
        else:
            self._read_update(message)

    def _read_before_the_game(self, message: dict[str, Any]) -> None:
        if "errorMessage" in message:
            self._read_refusal(message)
            if self.refusal is not None and self.refusal[0] == _WAIT_FOR_PLAYERS:
                self.phase = ProgramPhase.LOBBY
        elif "first" in message:
            self.phase = ProgramPhase.PARAMETERS if message["first"] else ProgramPhase.LOBBY
        else:
            # Every other line is taken for a full status. Without a turn the original fails here.
            self.game = full_status(message)
            self._after_status(message)

    def _read_refusal(self, message: dict[str, Any]) -> None:
        self.refusal = message.get("statusCode", 0), message["errorMessage"]
        if self.phase is ProgramPhase.SENT:
            self.phase = ProgramPhase.MENU

    def _read_update(self, message: dict[str, Any]) -> None:
        assert self.game is not None
        apply_update(self.game, message)
        self._after_status(message)

    def _after_status(self, message: dict[str, Any]) -> None:
        assert self.game is not None
        if "winner" in message:
            self.winner = message["winner"]
            self._exit("the game is over")
        else:
            self.phase = ProgramPhase.MENU if self.game.turn == self.game.seat else ProgramPhase.OTHERS

    def _exit(self, cause: str) -> None:
        self.phase = ProgramPhase.EXITED
        self.cause = cause


# --- reading a status ------------------------------------------------------------------------------------------------


def full_status(message: dict[str, Any]) -> GameStatus:
    """The first status. A key that the original needs for drawing raises `KeyError` when it is missing."""
    game = message["game"]
    expert = message["gameMode"] == "expert"
    return GameStatus(
        seat=message["playerID"],
        expert=expert,
        turn=message["turn"]["player"],
        planning=message["turn"]["phase"] == PLANNING,
        mother=game["motherNatureIndex"],
        archipelagos={group["index"]: _archipelago(group) for group in game["archipelagos"]},
        clouds={cloud["index"]: _five(cloud["students"]) for cloud in game["clouds"]},
        players=[_player(player, expert) for player in game["players"]],
        characters=_characters(game["characterCards"]) if expert else [],
        professors=_professors(game["professors"]),
    )


def _five(numbers: list[int]) -> list[int]:
    if len(numbers) != 5 or None in numbers:
        raise ValueError(f"{numbers} are not five numbers")
    return list(numbers)


def _professors(numbers: list[int]) -> list[int]:
    found = _five(numbers)
    for number in found:
        if number >= 0:
            TOWER_COLORS[number]
    return found


def _archipelago(group: dict[str, Any]) -> ArchipelagoStatus:
    tiles = {tile["islandIndex"]: _tile(tile) for tile in group["islands"]}
    return ArchipelagoStatus(group["noEntryTiles"], tiles)


def _tile(tile: dict[str, Any]) -> TileStatus:
    return TileStatus(_five(tile["students"]), tile.get("towerColour", ""))


def _player(player: dict[str, Any], expert: bool) -> PlayerStatus:
    if len(player["assistantCards"]) != 10:
        raise ValueError("a hand is not ten booleans")
    return PlayerStatus(
        name=player["nickName"],
        tower=player["towerColour"],
        towers=player["numTowers"],
        entrance=_five(player["studentsOnEntrance"]),
        hall=_five(player["studentsOnHall"]),
        played=list(player["assistantCards"]),
        coins=player["coins"] if expert else 0,
        last_assistant=player.get("lastAssistantCardPlayed"),
        added_shifts=player.get("addedShifts", False),
    )


def _characters(cards: list[dict[str, Any]]) -> list[CharacterStatus]:
    if len(cards) != 3:
        raise ValueError("an expert game has three characters")
    return [
        CharacterStatus(_FILE_NAMES[card["fileName"]], _five(card["students"]), card["noEntryTiles"], card["coinOnIt"])
        for card in cards
    ]


def apply_update(status: GameStatus, message: dict[str, Any]) -> None:
    """A partial status: a key that is absent has not changed."""
    turn, game = message.get("turn", {}), message.get("game", {})
    status.turn = turn.get("player", status.turn)
    if "phase" in turn:
        status.planning = turn["phase"] == PLANNING
    status.mother = game.get("motherNatureIndex", status.mother)
    if "archipelagos" in game:
        _update_archipelagos(status, game["archipelagos"])
    for cloud in game.get("clouds", ()):
        status.clouds[cloud["index"]] = _five(cloud["students"])
    for player in game.get("players", ()):
        _update_player(status.players[player["index"]], player)
    for card in game.get("characterCards", ()):
        character = status.characters[card["index"]]
        character.students = _five(card.get("students", character.students))
        character.no_entry = card.get("noEntryTiles", character.no_entry)
    if "professors" in game:
        status.professors = _professors(game["professors"])


def _update_archipelagos(status: GameStatus, groups: list[dict[str, Any]]) -> None:
    """More than one entry replaces all; one entry is found by its index, and likewise the islands in it."""
    if len(groups) != 1:
        status.archipelagos = {group["index"]: _archipelago(group) for group in groups}
        return
    (group,) = groups
    known = status.archipelagos[group["index"]]
    known.no_entry = group.get("noEntryTiles", known.no_entry)
    tiles = group.get("islands", [])
    if len(tiles) > 1:
        known.tiles = {tile["islandIndex"]: _tile(tile) for tile in tiles}
    elif tiles:
        there = known.tiles[tiles[0]["islandIndex"]]
        there.students = _five(tiles[0].get("students", there.students))
        there.tower = tiles[0].get("towerColour", there.tower)


def _update_player(known: PlayerStatus, player: dict[str, Any]) -> None:
    known.towers = player.get("numTowers", known.towers)
    known.entrance = _five(player.get("studentsOnEntrance", known.entrance))
    known.hall = _five(player.get("studentsOnHall", known.hall))
    known.played = list(player.get("assistantCards", known.played))
    known.coins = player.get("coins", known.coins)
    known.last_assistant = player.get("lastAssistantCardPlayed", known.last_assistant)
    known.added_shifts = player.get("addedShifts", known.added_shifts)
