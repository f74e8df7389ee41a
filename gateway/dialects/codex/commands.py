"""What a client may ask for at its table: checked as far as the words go, and put into the game's own."""

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

MOST_TEXT: Final = 500

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


def asker(message: PlayMessage | ChatMessage) -> str:
    """Who the message says it is from."""
    match message:
        case ChooseStartingMessage() | ChooseObjectiveMessage() | PlaceCardMessage():
            return message.player
        case PrivateChatMessage() | GroupChatMessage():
            return message.sender
        case _:
            return message.nickname


def play(table: Table, message: PlayMessage) -> ActRequest | str:
    """The move, or why it is none."""
    if not table.playing:
        return "the game has not started"
    if table.over:
        return "the game is over"
    command = _command(message)
    return command if isinstance(command, str) else ActRequest(table.room, command, message)


def _command(message: PlayMessage) -> Command | str:
    match message:
        case ChooseStartingMessage(face=face):
            return ChooseStarting(_FACES[face]) if face in _FACES else "the face is FRONT or BACK"
        case PickColorMessage(color=color):
            return PickColor(_COLORS[color]) if color in _COLORS else "there is no such colour"
        case ChooseObjectiveMessage(choose=choose):
            return ChooseObjective(choose) if choose in (1, 2) else "choose 1 or 2"
        case PlaceCardMessage():
            return _placing(message)
        case DrawTableMessage(choice=choice):
            return DrawTable(choice) if choice in range(1, 5) else "the face-up cards have the numbers 1 to 4"
        case DrawResourceMessage():
            return DrawResource()
        case DrawGoldMessage():
            return DrawGold()


def _placing(message: PlaceCardMessage) -> Command | str:
    if message.choice not in range(1, 4):
        return "the cards of a hand have the numbers 1 to 3"
    if message.i not in range(BOARD_SIZE) or message.j not in range(BOARD_SIZE):
        return f"rows and columns go from 0 to {BOARD_SIZE - 1}"
    if message.face not in _FACES:
        return "the face is FRONT or BACK"
    return PlaceCard(message.choice, message.i, message.j, _FACES[message.face])


def chat(table: Table, message: ChatMessage) -> SayRequest | str:
    """What to say to whom, or why not."""
    if not message.text.strip():
        return "the text is empty"
    if len(message.text) > MOST_TEXT:
        return f"the text has more than {MOST_TEXT} characters"
    if isinstance(message, GroupChatMessage):
        return SayRequest(table.room, message.text, None, message)
    seat = table.seat(message.recipient)
    if seat == table.me:
        return "you are talking to yourself"
    if seat is None or seat in table.away:
        return "there is nobody of that name at the table"
    return SayRequest(table.room, message.text, message.recipient, message)
