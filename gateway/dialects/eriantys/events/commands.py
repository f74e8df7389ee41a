"""The moves of `eriantys.events` as commands of the game."""

from gateway.dialects.eriantys.common.codec import bounded
from gateway.dialects.eriantys.common.commands import activation
from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.events import messages
from shared.games.eriantys import commands
from shared.games.eriantys.pieces import Manner
from shared.games.eriantys.views import active_card

_PRINCESS = 11


def answers_another_card(table: Table, move: messages.AnyMove) -> bool:
    """Whether the move is the choice of the princess, but another card asks for a choice. For the game both are a
    choice of a color; in this dialect the princess has an event type of her own."""
    own_turn = table.view.turn == table.seat
    return own_turn and isinstance(move, messages.CardToTable) and active_card(table.view).number != _PRINCESS


def command_of(table: Table, move: messages.AnyMove) -> commands.Command:  # noqa: C901 - a flat table
    match move:
        case messages.PlayAssistantCard(assistant_card_value=value):
            return commands.PlayAssistant(bounded(value))
        case messages.EntranceToIsland(color=color, island_index=index):
            return commands.MoveToIsland(color, table.tile_at(index))
        case messages.EntranceToTable(color=color):
            return commands.MoveToHall(color)
        case messages.WalkMotherNature(move_amount=steps):
            return commands.MoveMother(bounded(steps))
        case messages.ChooseCloudTile(cloud_index=cloud):
            return commands.TakeCloud(bounded(cloud))
        case messages.ActivateCard(activated_card=number):
            return activation(bounded(number), Manner.STRICT)
        case messages.CardToIsland(color=color, island_index=index):
            return commands.SendStudent(color, table.tile_at(index))
        case messages.ChooseColor(color=color) | messages.CardToTable(color=color):
            return commands.ChooseColor(color)
        case messages.ChooseIsland(island_index=index):
            return commands.ChooseIsland(table.tile_at(index))
        case messages.SwapCardEntrance(color=card, color2=entrance):
            return commands.SwapWithCard(card, entrance)
        case messages.SwapEntranceTable(color=entrance, color2=hall):
            return commands.SwapWithHall(entrance, hall)
        case messages.EndSelection():
            return commands.EndSelection()
