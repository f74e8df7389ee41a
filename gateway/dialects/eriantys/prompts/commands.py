"""The moves of `eriantys.prompts` as commands of the game."""

from gateway.dialects.eriantys.common.codec import bounded
from gateway.dialects.eriantys.common.commands import activation
from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.prompts import messages
from shared.errors import ProtocolError
from shared.games.eriantys import commands
from shared.games.eriantys.cards import Ask
from shared.games.eriantys.pieces import Manner
from shared.games.eriantys.views import active_card


def number_of(message: messages.PlayCharacter) -> int:
    """The number of a character, which clients write as `CHAR7`, `"7"` or 7; raises `ProtocolError`."""
    name = message.c if message.c is not None else message.character
    if isinstance(name, str):
        digits = name.removeprefix("CHAR")
        name = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 4 else None
    if name is None:
        raise ProtocolError("frame/malformed", "a character is CHAR1 to CHAR12")
    return bounded(name)


def command_of(table: Table, move: messages.Move) -> commands.Command:
    match move:
        case messages.ChooseAssistant(index=value):
            return commands.PlayAssistant(bounded(value))
        case messages.MoveToIsland(color_s=color, index=index):
            return commands.MoveToIsland(color, table.tile_at(index))
        case messages.EntranceToHall(color_s=color):
            return commands.MoveToHall(color)
        case messages.MoveMN(steps=steps):
            return commands.MoveMother(bounded(steps))
        case messages.ChooseCloud(index=index):
            return commands.TakeCloud(bounded(index))
        case messages.PlayCharacter():
            return activation(number_of(move), Manner.LAX)
        case messages.ChooseIsland(island_index=index):
            return commands.ChooseIsland(table.tile_at(index))
        case messages.ChooseColor(color=color):
            return commands.ChooseColor(color)
        case messages.ChooseTwoColors(first_color=first, second_color=second):
            if active_card(table.view).asks is Ask.HALL_SWAPS:
                return commands.SwapWithHall(entrance=second, hall=first)
            return commands.SwapWithCard(card=second, entrance=first)
        case messages.SpecialMoveIsland(student=color, island_index=index):
            return commands.SendStudent(color, table.tile_at(index))
