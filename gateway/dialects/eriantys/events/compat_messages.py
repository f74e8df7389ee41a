"""The messages of the Group 3 programs, in the JSON form of their Java objects (`java_classes`, `java_stream.plain`).

`Ack`, `Nack`, `MoveStudent`, `NoEntry`, `EndGame` and `NotifyCharacterCard` have the fields of `eriantys.events`.
"""

from typing import Literal, TypeAlias

import msgspec

from gateway.dialects.eriantys.events.messages import (
    Ack,
    EndGame,
    LeaveRoom,
    Login,
    Logout,
    Message,
    MoveStudent,
    Nack,
    NoEntry,
    NotifyCharacterCard,
)
from shared.games.eriantys.pieces import Color

AssistantName: TypeAlias = Literal["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"]

# --- from the client -------------------------------------------------------------------------------------------------
# The `player_number` of a move is the seat of the player who makes it.


class Group3GetPublicRooms(Message, frozen=True, tag="GetPublicRooms"):
    number_of_players: int
    """-1: any."""
    expert: bool | None


class Group3CreateRoom(Message, frozen=True, tag="CreateRoom"):
    number_of_players: int
    expert: bool
    is_private: bool


class Group3AccessRoom(Message, frozen=True, tag="AccessRoom"):
    id: int


class PlayAssistantCardEvent(Message, frozen=True, tag="PlayAssistantCardEvent"):
    ac: AssistantName
    player_number: int


class MoveStudentFromEntranceToIslandEvent(Message, frozen=True, tag="MoveStudentFromEntranceToIslandEvent"):
    color: Color
    index_island: int
    player_number: int


class MoveStudentFromEntranceToTableEvent(Message, frozen=True, tag="MoveStudentFromEntranceToTableEvent"):
    color: Color
    player_number: int


class MoveMotherNatureEvent(Message, frozen=True, tag="MoveMotherNatureEvent"):
    amount: int
    player_number: int


class ChooseCloudEvent(Message, frozen=True, tag="ChooseCloudEvent"):
    cloud_index: int
    player_number: int


class ActivateCharacterCardEvent(Message, frozen=True, tag="ActivateCharacterCardEvent"):
    card_id: int
    player_number: int


class MoveStudentFromCardToIslandEvent(Message, frozen=True, tag="MoveStudentFromCardToIslandEvent"):
    student_from_card: Color
    island_index: int
    player_number: int


class MoveStudentFromCardToTableEvent(Message, frozen=True, tag="MoveStudentFromCardToTableEvent"):
    color: Color
    player_number: int


class ChooseColorEvent(Message, frozen=True, tag="ChooseColorEvent"):
    color: Color
    player_number: int


class ChooseIslandEvent(Message, frozen=True, tag="ChooseIslandEvent"):
    island_index: int
    player_number: int


class SwapStudentCardEntranceEvent(Message, frozen=True, tag="SwapStudentCardEntranceEvent"):
    student_from_card: Color
    student_from_entrance: Color
    player_number: int


class SwapStudentEntranceTableEvent(Message, frozen=True, tag="SwapStudentEntranceTableEvent"):
    student_from_entrance: Color
    student_from_table: Color
    player_number: int


class Group3EndSelection(Message, frozen=True, tag="EndSelection"):
    player_number: int


Group3Move: TypeAlias = (
    PlayAssistantCardEvent
    | MoveStudentFromEntranceToIslandEvent
    | MoveStudentFromEntranceToTableEvent
    | MoveMotherNatureEvent
    | ChooseCloudEvent
    | ActivateCharacterCardEvent
    | MoveStudentFromCardToIslandEvent
    | MoveStudentFromCardToTableEvent
    | ChooseColorEvent
    | ChooseIslandEvent
    | SwapStudentCardEntranceEvent
    | SwapStudentEntranceTableEvent
    | Group3EndSelection
)
FromGroup3: TypeAlias = (
    Login | Logout | LeaveRoom | Group3GetPublicRooms | Group3CreateRoom | Group3AccessRoom | Group3Move
)


# --- to the client ---------------------------------------------------------------------------------------------------


class Group3RoomId(Message, frozen=True, tag="RoomId"):
    id: int
    """Negative: the room was not created."""


class RoomInfo(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    number_of_players: int
    current_players: int
    expert: bool
    is_private: bool = False


class Group3PublicRooms(Message, frozen=True, tag="PublicRooms"):
    rooms: tuple[RoomInfo, ...]


class Group3AddPlayer(Message, frozen=True, tag="AddPlayer"):
    username: str
    position: int


class Group3StartGame(Message, frozen=True, tag="StartGame"):
    expert: bool


class Group3AddStudentTo(Message, frozen=True, tag="AddStudentTo"):
    to: str
    color: Color


class MoveTowers(Message, frozen=True, tag="MoveTowers"):
    source: str = msgspec.field(name="from")
    to: str
    amount: int


class Group3MergeIslands(Message, frozen=True, tag="MergeIslands"):
    first_island_index: int
    second_island_index: int


class Group3MoveMotherNature(Message, frozen=True, tag="MoveMotherNature"):
    position: int


class Group3PlayAssistantCard(Message, frozen=True, tag="PlayAssistantCard"):
    assistant_card: AssistantName
    player: int


class Group3ActivateCharacterCard(Message, frozen=True, tag="ActivateCharacterCard"):
    character_card_index: int
    player: int


class Group3AddCoin(Message, frozen=True, tag="AddCoin"):
    player: int


class Group3SetProfessorTo(Message, frozen=True, tag="SetProfessorTo"):
    color: Color
    player: int


class Group3ChangePhase(Message, frozen=True, tag="ChangePhase"):
    game_phase: str


class Group3ChangeTurn(Message, frozen=True, tag="ChangeTurn"):
    playing_player: int


class Group3PlayerDisconnect(Message, frozen=True, tag="PlayerDisconnect"):
    username: str


ToGroup3: TypeAlias = (
    Ack
    | Nack
    | Group3RoomId
    | Group3PublicRooms
    | Group3AddPlayer
    | Group3StartGame
    | NotifyCharacterCard
    | Group3AddStudentTo
    | MoveStudent
    | MoveTowers
    | Group3MergeIslands
    | Group3MoveMotherNature
    | Group3PlayAssistantCard
    | Group3ActivateCharacterCard
    | Group3AddCoin
    | Group3SetProfessorTo
    | NoEntry
    | Group3ChangePhase
    | Group3ChangeTurn
    | EndGame
    | Group3PlayerDisconnect
)
