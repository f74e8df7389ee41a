"""The Java classes of the Group 3 programs, which exchange the messages of `eriantys.events` as serialized objects.

The tables are data for `gateway.transports.java_stream`; what the messages mean belongs to the dialect.
"""

from typing import Final

from gateway.transports.java_stream.jdk import ARRAY_LIST, BOOLEAN_BOX, java_enum
from gateway.transports.java_stream.types import (
    BOOLEAN,
    INT,
    LIST,
    STRING,
    STRING_ARRAY,
    ClassTable,
    JavaClass,
    JavaField,
    java_fields,
    record,
)

_BASE: Final = "it.polimi.ingsw"
_MESSAGES: Final = f"{_BASE}.messages"

COLOR: Final = java_enum(f"{_BASE}.model.Color", "GREEN", "RED", "YELLOW", "PINK", "BLUE")
ASSISTANT_CARDS: Final = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN")
"""The names of the assistants with the values 1 to 10."""
ASSISTANT_CARD: Final = java_enum(f"{_BASE}.model.AssistantCard", *ASSISTANT_CARDS)
GAME_PHASE: Final = java_enum(
    f"{_BASE}.controller.GamePhase", "PLANNING_PHASE", "ACTION_PHASE_ONE", "ACTION_PHASE_TWO", "ACTION_PHASE_THREE"
)

ROOM_INFO: Final = JavaClass(
    f"{_BASE}.server.RoomInfo",
    81033558256090089,
    java_fields(id=INT, numberOfPlayers=INT, currentPlayers=INT, expert=BOOLEAN, isPrivate=BOOLEAN),
)


def _message(name: str, *fields: JavaField, **signatures: str) -> JavaClass:
    return record(f"{_MESSAGES}.{name}", *fields, **signatures)


def _event(name: str, **signatures: str) -> JavaClass:
    """A move. All have the seat of the player who makes it."""
    return record(f"{_MESSAGES}.events.{name}", playerNumber=INT, **signatures)


TO_CLIENT: Final = ClassTable(
    messages=(
        JavaClass(f"{_MESSAGES}.Ack", -2393873918786033098),
        _message("Nack", errorMessage=STRING),
        _message("RoomId", id=INT),
        _message("PublicRooms", JavaField("rooms", LIST, element=ROOM_INFO.signature)),
        _message("AddPlayer", username=STRING, position=INT),
        _message("StartGame", expert=BOOLEAN),
        _message("NotifyCharacterCard", card=INT),
        _message("AddStudentTo", to=STRING, color=COLOR.signature),
        _message("MoveStudent", JavaField("from", STRING), to=STRING, color=COLOR.signature),
        _message("MoveTowers", JavaField("from", STRING), to=STRING, amount=INT),
        _message("MergeIslands", firstIslandIndex=INT, secondIslandIndex=INT),
        _message("MoveMotherNature", position=INT),
        _message("PlayAssistantCard", assistantCard=ASSISTANT_CARD.signature, player=INT),
        _message("ActivateCharacterCard", characterCardIndex=INT, player=INT),
        _message("AddCoin", player=INT),
        _message("SetProfessorTo", color=COLOR.signature, player=INT),
        _message("NoEntry", add=BOOLEAN, islandIndex=INT),
        _message("ChangePhase", gamePhase=GAME_PHASE.signature),
        _message("ChangeTurn", playingPlayer=INT),
        _message("EndGame", winners=STRING_ARRAY),
        _message("PlayerDisconnect", username=STRING),
    ),
    others=(COLOR, ASSISTANT_CARD, GAME_PHASE, ROOM_INFO, ARRAY_LIST),
)

FROM_CLIENT: Final = ClassTable(
    messages=(
        _message("Login", username=STRING),
        _message("Logout"),
        _message("GetPublicRooms", numberOfPlayers=INT, expert=BOOLEAN_BOX.signature),
        _message("CreateRoom", numberOfPlayers=INT, expert=BOOLEAN, isPrivate=BOOLEAN),
        _message("AccessRoom", id=INT),
        _message("LeaveRoom"),
        _event("PlayAssistantCardEvent", ac=ASSISTANT_CARD.signature),
        _event("MoveStudentFromEntranceToIslandEvent", color=COLOR.signature, indexIsland=INT),
        _event("MoveStudentFromEntranceToTableEvent", color=COLOR.signature),
        _event("MoveMotherNatureEvent", amount=INT),
        _event("ChooseCloudEvent", cloudIndex=INT),
        _event("ActivateCharacterCardEvent", cardId=INT),
        _event("MoveStudentFromCardToIslandEvent", studentFromCard=COLOR.signature, islandIndex=INT),
        _event("MoveStudentFromCardToTableEvent", color=COLOR.signature),
        _event("ChooseColorEvent", color=COLOR.signature),
        _event("ChooseIslandEvent", islandIndex=INT),
        _event("SwapStudentCardEntranceEvent", studentFromCard=COLOR.signature, studentFromEntrance=COLOR.signature),
        _event("SwapStudentEntranceTableEvent", studentFromEntrance=COLOR.signature, studentFromTable=COLOR.signature),
        _event("EndSelection"),
    ),
    others=(COLOR, ASSISTANT_CARD, BOOLEAN_BOX),
)
