"""The messages of the dialect `eriantys.status`, in both directions, and its table of status codes."""

from typing import Annotated, Final, TypeAlias

import msgspec

from shared.games.eriantys.pieces import Color, Counts
from shared.room_events import NOTHING

FINE: Final = 0
NAME_IN_USE: Final = 101
NO_SEAT: Final = 102
STARTED: Final = 103
KICKED_OUT: Final = 104
ILLEGAL: Final = 201

STATUS: Final[dict[str, int]] = {
    "name/taken": NAME_IN_USE,
    "lobby/no_table": NO_SEAT,
    "room/full": NO_SEAT,
    "room/unknown": NO_SEAT,
    "room/closed": NO_SEAT,
    "room/wrong_dialect": NO_SEAT,
    "room/started": STARTED,
    "eriantys/assistant_gone": 202,
    "eriantys/character_played": 203,
    "eriantys/no_coins": 204,
    "eriantys/row_full": 205,
    "eriantys/no_student": 206,
    "eriantys/cloud_empty": 206,
    "game/not_your_turn": 207,
    "eriantys/wrong_phase": 208,
    "eriantys/choice_owed": 208,
    "eriantys/paused": 208,
    "game/over": 208,
    "room/not_started": 208,
}
"""The status of each refusal; `ILLEGAL` for a code that is not listed."""

# --- from the client -------------------------------------------------------------------------------------------------

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1000)]
FiveCounts: TypeAlias = tuple[Count, Count, Count, Count, Count]


class Sent(msgspec.Struct, frozen=True, rename="camel"):
    """Base of the messages from the client."""


class GameParameters(Sent, frozen=True):
    num_players: int
    game_mode: str


class Command(Sent, frozen=True):
    """The fields that all commands have; which others they need depends on `cmd`."""

    cmd: str
    player_id: int | None = None
    player_index: int | None = None
    """Another spelling of `player_id`."""


class Line(Sent, frozen=True):
    """The key that tells the two objects apart: with a `cmd` it is a command, otherwise the parameters of a game."""

    cmd: msgspec.Raw = NOTHING


class Assistant(Sent, frozen=True):
    index: int


class ToIsland(Sent, frozen=True):
    student_colour: str
    index: int


class ToHall(Sent, frozen=True):
    student_colour: str


class Walk(Sent, frozen=True):
    mother_nature_shifts: int


class Cloud(Sent, frozen=True):
    index: int


class Character(Sent, frozen=True):
    index: int


class ColourAndIsland(Sent, frozen=True):
    p_colour: str
    p_index: int


class AnIsland(Sent, frozen=True):
    p_index: int


class AColour(Sent, frozen=True):
    p_colour: str


class Swaps(Sent, frozen=True):
    p_students_from: FiveCounts
    p_students_to: FiveCounts


COMMANDS: Final[dict[str, type[Assistant | ToIsland | ToHall | Walk | Cloud | Character]]] = {
    "PLAYASSISTANTCARD": Assistant,
    "MOVETOISLAND": ToIsland,
    "MOVETOHALL": ToHall,
    "MOVEMOTHERNATURE": Walk,
    "TAKEFROMCLOUD": Cloud,
    "PLAYCHARACTERCARD": Character,
}

MODES: Final[dict[str, bool]] = {"expert": True, "simple": False, "normal": False, "easy": False}
"""Whether a game mode is the expert mode, by its name in lower case."""


# --- to the client ---------------------------------------------------------------------------------------------------


class Reply(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of the messages to the client. Keys with their default value are omitted."""


class AddPlayerResponse(Reply, frozen=True):
    status: int
    user_id: int | None = msgspec.field(default=None, name="userID")
    error_message: str | None = None


class TurnStatus(Reply, frozen=True):
    player: int
    phase: str


class IslandStatus(Reply, frozen=True):
    island_index: int
    index: int
    students: Counts
    tower_colour: str | None = None


class ArchipelagoStatus(Reply, frozen=True):
    index: int
    islands: tuple[IslandStatus, ...]
    no_entry_tiles: int = 0


class CloudStatus(Reply, frozen=True):
    index: int
    students: Counts


class CharacterCardsStatus(Reply, frozen=True):
    index: int
    file_name: str | None = None
    coin_on_it: bool | None = None
    no_entry_tiles: int | None = None
    students: Counts | None = None


class PlayerStatus(Reply, frozen=True):
    index: int
    nick_name: str | None = None
    tower_colour: str | None = None
    assistant_cards_left: tuple[int, ...] | None = None
    last_assistant_card_played: int | None = None
    coins: int | None = None
    students_entrance: Counts | None = None
    students_hall: Counts | None = None
    num_towers: int | None = None


class GameState(Reply, frozen=True):
    mother_nature_index: int | None = None
    archipelagos: tuple[ArchipelagoStatus, ...] | None = None
    clouds: tuple[CloudStatus, ...] | None = None
    character_cards: tuple[CharacterCardsStatus, ...] | None = None
    players: tuple[PlayerStatus, ...] | None = None
    professors: tuple[int, ...] | None = None
    """The seat that has each professor; -1 if no seat has it."""


class CurrentStatus(Reply, frozen=True):
    status: int
    error_message: str | None = None
    winner: str | None = None
    turn: TurnStatus | None = None
    game: GameState | None = None
    game_mode: str | None = None
    player_id: int | None = msgspec.field(default=None, name="playerID")


def color_named(name: str) -> Color | None:
    """The color with this name, in upper or lower case."""
    return Color.__members__.get(name.upper())
