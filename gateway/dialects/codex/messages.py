"""All messages of the dialect. Class and field names are those of the protocol document and of the wire."""

from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

Picture: TypeAlias = Any
"""A card as JSON (see cards.py)."""


class Message(msgspec.Struct, frozen=True, tag_field="type"):
    """Base of all messages: JSON objects whose `type` is the message's name."""


# --- from clients ----------------------------------------------------------------------------------------------------


class CreateGameMessage(Message, frozen=True, tag="CreateGameMessage"):
    numPlayers: int
    nickname: str


class JoinGameMessage(Message, frozen=True, tag="JoinGameMessage"):
    nickname: str
    hasJoined: bool = False
    gameId: int | None = None


class RejoinGameMessage(Message, frozen=True, tag="RejoinGameMessage"):
    nickname: str
    gameId: int | None = None


class ChooseStartingMessage(Message, frozen=True, tag="ChooseStartingMessage"):
    player: str
    face: str


class PickColorMessage(Message, frozen=True, tag="PickColorMessage"):
    nickname: str
    color: str


class ChooseObjectiveMessage(Message, frozen=True, tag="ChooseObjectiveMessage"):
    player: str
    choose: int


class PlaceCardMessage(Message, frozen=True, tag="PlaceCardMessage"):
    player: str
    choice: int
    i: int
    j: int
    face: str


class DrawTableMessage(Message, frozen=True, tag="DrawTableMessage"):
    nickname: str
    choice: int


class DrawResourceMessage(Message, frozen=True, tag="DrawResourceMessage"):
    nickname: str


class DrawGoldMessage(Message, frozen=True, tag="DrawGoldMessage"):
    nickname: str


# --- both ways -------------------------------------------------------------------------------------------------------


class PrivateChatMessage(Message, frozen=True, tag="PrivateChatMessage"):
    sender: str
    recipient: str
    text: str


class GroupChatMessage(Message, frozen=True, tag="GroupChatMessage"):
    sender: str
    text: str


class HeartbeatMessage(Message, frozen=True, tag="HeartbeatMessage"):
    heartbeat: str


# --- to clients: answers ---------------------------------------------------------------------------------------------


class ConfirmGameMessage(Message, frozen=True, tag="ConfirmGameMessage"):
    confirmGameCreation: bool
    details: str
    nickname: str
    gameId: int | UnsetType = UNSET


class ConfirmJoinGameMessage(Message, frozen=True, tag="ConfirmJoinGameMessage"):
    confirmJoinGame: bool
    details: str
    nickname: str
    gameId: int | UnsetType = UNSET


class ConfirmRejoinGameMessage(Message, frozen=True, tag="ConfirmRejoinGameMessage"):
    confirmRejoinGame: bool
    details: str


class ConfirmStartingCardMessage(Message, frozen=True, tag="ConfirmStartingCardMessage"):
    confirmStarting: bool
    details: str


class ConfirmPickColorMessage(Message, frozen=True, tag="ConfirmPickColorMessage"):
    confirmPickColor: bool
    details: str


class ConfirmChooseObjectiveMessage(Message, frozen=True, tag="ConfirmChooseObjectiveMessage"):
    confirmChoice: bool
    details: str


class ConfirmPlaceCardMessage(Message, frozen=True, tag="ConfirmPlaceCardMessage"):
    confirmPlacing: bool
    details: str


class ConfirmDrawMessage(Message, frozen=True, tag="ConfirmDrawMessage"):
    confirmdraw: bool
    details: str


class ConfirmChatMessage(Message, frozen=True, tag="ConfirmChatMessage"):
    confirmChat: bool
    details: str


class ErrorMessage(Message, frozen=True, tag="ErrorMessage"):
    details: str


# --- to clients: news ------------------------------------------------------------------------------------------------


class JoinedPlayerMessage(Message, frozen=True, tag="JoinedPlayerMessage"):
    player: str


class NotifyNumPlayersReachedMessage(Message, frozen=True, tag="NotifyNumPlayersReachedMessage"):
    pass


class StartingCommonMessage(Message, frozen=True, tag="StartingCommonMessage"):
    commons: list[Picture]


class CommonObjectiveMessage(Message, frozen=True, tag="CommonObjectiveMessage"):
    o1: Picture
    o2: Picture


class FirstHandMessage(Message, frozen=True, tag="FirstHandMessage"):
    playablecard1: Picture
    playablecard2: Picture
    playablecard3: Picture
    startingCard: Picture
    o1: Picture
    o2: Picture


class TurnOrderMessage(Message, frozen=True, tag="TurnOrderMessage"):
    turnOrder: list[str]


class AvailableColorMessage(Message, frozen=True, tag="AvailableColorMessage"):
    colors: list[str]


class FinalColorsMessage(Message, frozen=True, tag="FinalColorsMessage"):
    colors: dict[str, str]


class ChoiceObjectiveMessage(Message, frozen=True, tag="ChoiceObjectiveMessage"):
    player: str
    objectiveCard: Picture


class ChangeStateMessage(Message, frozen=True, tag="ChangeStateMessage"):
    state: str


class CurrentPlayerMessage(Message, frozen=True, tag="CurrentPlayerMessage"):
    currentPlayer: str


class UpdatePointsMessage(Message, frozen=True, tag="UpdatePointsMessage"):
    player: str
    points: int


class PlayerBoardMessage(Message, frozen=True, tag="PlayerBoardMessage"):
    player: str
    playableCard: Picture
    i: int
    j: int


class PersonalCardsMessage(Message, frozen=True, tag="PersonalCardsMessage"):
    player: str
    hand: list[Picture]


class NotifyCommonTableMessage(Message, frozen=True, tag="NotifyCommonTableMessage"):
    resourceCard: Picture
    index: int


class LastRoundMessage(Message, frozen=True, tag="LastRoundMessage"):
    pass


class Rank(msgspec.Struct, frozen=True):
    nickname: str
    points: int
    objectivePoints: int
    color: str | None


class WinnersMessage(Message, frozen=True, tag="WinnersMessage"):
    winners: list[Rank]
    standings: list[Rank]


class CrashedPlayerMessage(Message, frozen=True, tag="CrashedPlayerMessage"):
    player: str


class RejoinedPlayerMessage(Message, frozen=True, tag="RejoinedPlayerMessage"):
    player: str


class Text(msgspec.Struct, frozen=True):
    sender: str
    recipient: str | None
    text: str


class BoardCard(msgspec.Struct, frozen=True):
    card: Picture
    i: int
    j: int


class UpdateCrashedPlayerMessage(Message, frozen=True, tag="UpdateCrashedPlayerMessage"):
    nickname: str
    chat: list[Text]
    gameState: str
    hand: list[Picture]
    objectiveCard: Picture
    boards: dict[str, list[BoardCard]]
    points: dict[str, int]
    players: list[str]
    objectiveCards: list[Picture]
    color: str | None
    table: list[Picture]
    colors: list[str | None]
    currentPlayer: str | None
    lastRound: bool
    crashed: list[str]
    startingCard: Picture = UNSET
    objectiveChoices: list[Picture] | UnsetType = UNSET


ClientMessage: TypeAlias = (
    CreateGameMessage
    | JoinGameMessage
    | RejoinGameMessage
    | ChooseStartingMessage
    | PickColorMessage
    | ChooseObjectiveMessage
    | PlaceCardMessage
    | DrawTableMessage
    | DrawResourceMessage
    | DrawGoldMessage
    | PrivateChatMessage
    | GroupChatMessage
    | HeartbeatMessage
)

ServerMessage: TypeAlias = (
    ConfirmGameMessage
    | ConfirmJoinGameMessage
    | ConfirmRejoinGameMessage
    | ConfirmStartingCardMessage
    | ConfirmPickColorMessage
    | ConfirmChooseObjectiveMessage
    | ConfirmPlaceCardMessage
    | ConfirmDrawMessage
    | ConfirmChatMessage
    | ErrorMessage
    | JoinedPlayerMessage
    | NotifyNumPlayersReachedMessage
    | StartingCommonMessage
    | CommonObjectiveMessage
    | FirstHandMessage
    | TurnOrderMessage
    | AvailableColorMessage
    | FinalColorsMessage
    | ChoiceObjectiveMessage
    | ChangeStateMessage
    | CurrentPlayerMessage
    | UpdatePointsMessage
    | PlayerBoardMessage
    | PersonalCardsMessage
    | NotifyCommonTableMessage
    | LastRoundMessage
    | WinnersMessage
    | PrivateChatMessage
    | GroupChatMessage
    | HeartbeatMessage
    | CrashedPlayerMessage
    | RejoinedPlayerMessage
    | UpdateCrashedPlayerMessage
)
