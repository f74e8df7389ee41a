"""The messages of the dialect `eriantys.events`, in both directions, and its names for places and phases."""

from typing import Final, TypeAlias

import msgspec

from shared.games.eriantys.pieces import Color, Phase


class Message(msgspec.Struct, frozen=True, tag_field="type", rename="camel"):
    """Base of the messages: JSON objects with a `type`, and field names in camel case."""


# --- from the client -------------------------------------------------------------------------------------------------


class Login(Message, frozen=True, tag="Login"):
    username: str


class Logout(Message, frozen=True, tag="Logout"):
    pass


class CreateRoom(Message, frozen=True, tag="CreateRoom"):
    number_of_players: int
    expert: bool
    private: bool | None = None
    is_private: bool | None = None
    """Another spelling of `private`; one of the two must be present."""


class GetPublicRooms(Message, frozen=True, tag="GetPublicRooms"):
    number_of_players: int | None = None
    expert: bool | None = None


class AccessRoom(Message, frozen=True, tag="AccessRoom"):
    room_id: int


class GameEvent(Message, frozen=True, tag="GameEvent"):
    event_type: str | int
    player: str | None = None


class LeaveRoom(Message, frozen=True, tag="LeaveRoom"):
    pass


FromClient: TypeAlias = Login | Logout | CreateRoom | GetPublicRooms | AccessRoom | GameEvent | LeaveRoom


class Move(msgspec.Struct, frozen=True, rename="camel"):
    """Base of the fields of a `GameEvent`, which depend on its event type."""


class PlayAssistantCard(Move, frozen=True):
    assistant_card_value: int


class EntranceToIsland(Move, frozen=True):
    color: Color
    island_index: int


class EntranceToTable(Move, frozen=True):
    color: Color


class WalkMotherNature(Move, frozen=True):
    move_amount: int


class ChooseCloudTile(Move, frozen=True):
    cloud_index: int


class ActivateCard(Move, frozen=True):
    activated_card: int


class CardToIsland(Move, frozen=True):
    color: Color
    island_index: int


class ChooseColor(Move, frozen=True):
    color: Color


class ChooseIsland(Move, frozen=True):
    island_index: int


class SwapCardEntrance(Move, frozen=True):
    color: Color
    """The student on the card."""
    color2: Color
    """The student in the entrance."""


class SwapEntranceTable(Move, frozen=True):
    color: Color
    """The student in the entrance."""
    color2: Color
    """The student in the dining room."""


class CardToTable(Move, frozen=True):
    """The princess's choice of a color, under an event type of its own."""

    color: Color


class EndSelection(Move, frozen=True):
    """Ends a series of swaps."""


AnyMove: TypeAlias = (
    PlayAssistantCard
    | EntranceToIsland
    | EntranceToTable
    | WalkMotherNature
    | ChooseCloudTile
    | ActivateCard
    | CardToIsland
    | ChooseColor
    | ChooseIsland
    | SwapCardEntrance
    | SwapEntranceTable
    | CardToTable
    | EndSelection
)

NUMBERED: Final[tuple[tuple[str, type[AnyMove]], ...]] = (
    ("PLAY_ASSISTANT_CARD", PlayAssistantCard),
    ("MOVE_STUDENT_FROM_ENTRANCE_TO_ISLAND", EntranceToIsland),
    ("MOVE_STUDENT_FROM_ENTRANCE_TO_TABLE", EntranceToTable),
    ("MOVE_MOTHER_NATURE", WalkMotherNature),
    ("CHOOSE_CLOUD_TILE", ChooseCloudTile),
    ("ACTIVATE_CHARACTER_CARD", ActivateCard),
    ("MOVE_STUDENT_FROM_CARD_TO_ISLAND", CardToIsland),
    ("CHOOSE_COLOR", ChooseColor),
    ("CHOOSE_ISLAND", ChooseIsland),
    ("SWAP_STUDENT_CARD_ENTRANCE", SwapCardEntrance),
    ("SWAP_STUDENT_ENTRANCE_TABLE", SwapEntranceTable),
)
"""The event types with the numbers 1 to 11, in this order."""

MOVES: Final[dict[str | int, type[AnyMove]]] = {
    **dict(NUMBERED),
    **{number: kind for number, (_, kind) in enumerate(NUMBERED, 1)},
    "MOVE_STUDENTS_FROM_ENTRANCE_TO_ISLAND": EntranceToIsland,
    "MOVE_STUDENTS_FROM_ENTRANCE_TO_TABLE": EntranceToTable,
    "MOVE_STUDENTS_FROM_CARD_TO_ISLAND": CardToIsland,
    "CHOOSE_CLOUD": ChooseCloudTile,
    "MOVE_STUDENT_FROM_CARD_TO_TABLE": CardToTable,
    "END_SELECTION": EndSelection,
}
"""The fields of a `GameEvent`, by every name and number of an event type that is understood."""


# --- to the client ---------------------------------------------------------------------------------------------------


class Ack(Message, frozen=True, tag="Ack"):
    pass


class Nack(Message, frozen=True, tag="Nack"):
    error_message: str


class RoomId(Message, frozen=True, tag="RoomId"):
    room_id: int


class PublicRoom(msgspec.Struct, frozen=True, rename="camel"):
    room_id: int
    number_of_players: int
    expert: bool
    current_players: int


class PublicRooms(Message, frozen=True, tag="PublicRooms"):
    public_rooms: tuple[PublicRoom, ...]


class AddPlayer(Message, frozen=True, tag="AddPlayer"):
    player: str
    color: str
    position: int


class StartGame(Message, frozen=True, tag="StartGame"):
    pass


class MoveStudent(Message, frozen=True, tag="MoveStudent"):
    source: str = msgspec.field(name="from")
    to: str
    color: Color


class AddStudentTo(Message, frozen=True, tag="AddStudentTo"):
    where: str
    color: Color


class MoveTower(Message, frozen=True, tag="MoveTower"):
    source: str = msgspec.field(name="from")
    to: str


class MergeIslands(Message, frozen=True, tag="MergeIslands"):
    first_island: int
    second_island: int


class SetProfessorTo(Message, frozen=True, tag="SetProfessorTo"):
    professor: Color
    player: str


class MoveMotherNature(Message, frozen=True, tag="MoveMotherNature"):
    destination: int


class PlayAssistanCard(Message, frozen=True, tag="PlayAssistanCard"):
    """The spelling is that of the protocol document."""

    assistant_card: int
    player: str


class ActivateCharacterCard(Message, frozen=True, tag="ActivateCharacterCard"):
    character_card: int
    player: str


class AddCoin(Message, frozen=True, tag="AddCoin"):
    player: str


class RemoveCoin(Message, frozen=True, tag="RemoveCoin"):
    player: str


class ChangePhase(Message, frozen=True, tag="ChangePhase"):
    phase: str


class ChangeTurn(Message, frozen=True, tag="ChangeTurn"):
    player: str


class EndGame(Message, frozen=True, tag="EndGame"):
    winners: tuple[str, ...]


class NotifyCharacterCard(Message, frozen=True, tag="NotifyCharacterCard"):
    card: int


class NoEntry(Message, frozen=True, tag="NoEntry"):
    add: bool
    island_index: int


class PlayerDisconnect(Message, frozen=True, tag="PlayerDisconnect"):
    player: str


ToClient: TypeAlias = (
    Ack
    | Nack
    | RoomId
    | PublicRooms
    | AddPlayer
    | StartGame
    | MoveStudent
    | AddStudentTo
    | MoveTower
    | MergeIslands
    | SetProfessorTo
    | MoveMotherNature
    | PlayAssistanCard
    | ActivateCharacterCard
    | AddCoin
    | RemoveCoin
    | ChangePhase
    | ChangeTurn
    | EndGame
    | NotifyCharacterCard
    | NoEntry
    | PlayerDisconnect
)

PHASES: Final[dict[Phase, str]] = {
    Phase.PLANNING: "PLANNING_PHASE",
    Phase.STUDENTS: "ACTION_PHASE_ONE",
    Phase.MOTHER: "ACTION_PHASE_TWO",
    Phase.CLOUD: "ACTION_PHASE_THREE",
    Phase.CHARACTER: "ACTION_PHASE_THREE",
}
BAG: Final = "BAG"


def entrance(seat: int) -> str:
    return f"ENTRANCE:{seat}"


def dining_room(seat: int) -> str:
    return f"DININGROOM:{seat}"


def island(index: int) -> str:
    return f"ISLAND:{index}"


def cloud(index: int) -> str:
    return f"CLOUD:{index}"


def card(number: int) -> str:
    return f"CARD:{number}"


def towers_of(seat: int) -> str:
    return f"PLAYER:{seat}"
