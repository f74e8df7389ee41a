"""Messages at the table as requests: moves become commands of the game, chat becomes `SayRequest`.

Only the form is checked here; the rules are checked by the worker.
"""

from typing import Final

from gateway.dialects.codex.messages import (
    ChooseObjectiveMessage,
    ChooseStartingMessage,
    DrawGoldMessage,
    DrawResourceMessage,
    DrawTableMessage,
    GroupChatMessage,
    PickColorMessage,
    PlaceCardMessage,
    PrivateChatMessage,
)
from gateway.dialects.codex.table import Table
from gateway.dialects.requests import ActRequest, SayRequest
from shared.games.codex.commands import (
    ChooseObjective,
    ChooseStarting,
    Command,
    DrawGold,
    DrawResource,
    DrawTable,
    PickColor,
    PlaceCard,
)
from shared.games.codex.pieces import BOARD_SIZE, Color, Face

MAX_TEXT: Final = 500

PlayMessage = (
    ChooseStartingMessage
    | PickColorMessage
    | ChooseObjectiveMessage
    | PlaceCardMessage
    | DrawTableMessage
    | DrawResourceMessage
    | DrawGoldMessage
)
ChatMessage = PrivateChatMessage | GroupChatMessage

_FACES: Final = {face.upper(): face for face in Face}
_COLORS: Final = {color.upper(): color for color in Color}


def sender_of(message: PlayMessage | ChatMessage) -> str:
    """The nickname that the message gives as its sender."""
    match message:
        case ChooseStartingMessage() | ChooseObjectiveMessage() | PlaceCardMessage():
            return message.player
        case PrivateChatMessage() | GroupChatMessage():
            return message.sender
        case _:
            return message.nickname


def play_request(table: Table, message: PlayMessage) -> ActRequest | str:
    """The request for a move, or the text of an error."""
    if not table.started:
        return "the game has not started"
    if table.over:
        return "the game is over"
    command = _command(message)
    return command if isinstance(command, str) else ActRequest(table.room_id, command, message)


def _command(message: PlayMessage) -> Command | str:
    match message:
        case ChooseStartingMessage(face=face):
            return ChooseStarting(_FACES[face]) if face in _FACES else "the face is FRONT or BACK"
        case PickColorMessage(color=color):
            return PickColor(_COLORS[color]) if color in _COLORS else "there is no such color"
        case ChooseObjectiveMessage(choose=choose):
            return ChooseObjective(choose) if choose in (1, 2) else "choose 1 or 2"
        case PlaceCardMessage():
            return _place_card(message)
        case DrawTableMessage(choice=choice):
            return DrawTable(choice) if choice in range(1, 5) else "the face-up cards have the numbers 1 to 4"
        case DrawResourceMessage():
            return DrawResource()
        case DrawGoldMessage():
            return DrawGold()


def _place_card(message: PlaceCardMessage) -> Command | str:
    if message.choice not in range(1, 4):
        return "the cards of a hand have the numbers 1 to 3"
    if message.i not in range(BOARD_SIZE) or message.j not in range(BOARD_SIZE):
        return f"rows and columns go from 0 to {BOARD_SIZE - 1}"
    if message.face not in _FACES:
        return "the face is FRONT or BACK"
    return PlaceCard(message.choice, message.i, message.j, _FACES[message.face])


def chat_request(table: Table, message: ChatMessage) -> SayRequest | str:
    """The request for a chat message, or the text of an error."""
    if not message.text.strip():
        return "the text is empty"
    if len(message.text) > MAX_TEXT:
        return f"the text has more than {MAX_TEXT} characters"
    if isinstance(message, GroupChatMessage):
        return SayRequest(table.room_id, message.text, None, message)
    seat = table.seat_of(message.recipient)
    if seat == table.me:
        return "the recipient is the sender"
    if seat is None:
        return "there is nobody of that name at the table"
    if seat in table.away:
        return "the recipient has lost the connection"
    return SayRequest(table.room_id, message.text, message.recipient, message)
