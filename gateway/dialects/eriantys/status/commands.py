"""The commands of `eriantys.status` as commands of the game. Which fields a command needs depends on its name."""

from dataclasses import dataclass
from typing import Final

import msgspec

from gateway.dialects.eriantys.common.codec import bounded, decode
from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.status import messages
from shared.errors import ProtocolError
from shared.games.eriantys import commands
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import Color, Counts, listed

_decode_head = msgspec.json.Decoder(messages.Command).decode
_decode_fields: Final = {name: msgspec.json.Decoder(kind).decode for name, kind in messages.COMMANDS.items()}
_decode_student = msgspec.json.Decoder(messages.ColourAndIsland).decode
_decode_island = msgspec.json.Decoder(messages.AnIsland).decode
_decode_color = msgspec.json.Decoder(messages.AColour).decode
_decode_swaps = msgspec.json.Decoder(messages.Swaps).decode


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A well-formed command."""

    command: commands.Command | None
    """None if the arguments fit no command that this player could give."""


def parse_command(line: bytes, table: Table | None) -> ParsedCommand:
    """Read a command; raises `ProtocolError` for a malformed one."""
    head = decode(_decode_head, line)
    if head.cmd not in _decode_fields:
        raise ProtocolError("frame/unknown_type", f"there is no command {head.cmd[:40]}")
    fields = decode(_decode_fields[head.cmd], line)
    if table is not None and any(number not in (None, table.seat) for number in (head.player_id, head.player_index)):
        return ParsedCommand(None)
    match fields:
        case messages.Assistant(index=index):
            return ParsedCommand(commands.PlayAssistant(bounded(index) + 1))
        case messages.ToIsland(student_colour=color, index=index):
            return ParsedCommand(commands.MoveToIsland(color_of(color), bounded(index)))
        case messages.ToHall(student_colour=color):
            return ParsedCommand(commands.MoveToHall(color_of(color)))
        case messages.Walk(mother_nature_shifts=steps):
            return ParsedCommand(commands.MoveMother(bounded(steps)))
        case messages.Cloud(index=index):
            return ParsedCommand(commands.TakeCloud(bounded(index)))
        case messages.Character(index=place):
            return ParsedCommand(character_command(line, place, table))


def color_of(name: str) -> Color:
    color = messages.color_named(name)
    if color is None:
        raise ProtocolError("frame/malformed", f"{name[:40]} is not a color")
    return color


def character_command(line: bytes, place: int, table: Table | None) -> commands.Command | None:
    """The command that plays the card at a place, with the choice that the card asks for.

    A player who has paid for the card in another dialect before returning in this one only makes the choice."""
    if table is None or not 0 <= place < len(table.view.characters):
        return commands.PlayCharacter(0)
    number = table.view.characters[place].number
    choice = choice_of(line, CARDS[number].asks)
    active = table.view.active
    if active is None or not active.owed or active.number != number or table.view.turn != table.seat:
        return commands.PlayCharacter(number, choice)
    if isinstance(choice, commands.Exchange):
        return single_swap(choice, CARDS[number].asks)
    return choice


def choice_of(line: bytes, asks: Ask) -> commands.WholeChoice | None:
    match asks:
        case Ask.NOTHING:
            return None
        case Ask.STUDENT:
            student = decode(_decode_student, line)
            return commands.SendStudent(color_of(student.p_colour), bounded(student.p_index))
        case Ask.ISLAND:
            return commands.ChooseIsland(bounded(decode(_decode_island, line).p_index))
        case Ask.COLOR:
            return commands.ChooseColor(color_of(decode(_decode_color, line).p_colour))
        case Ask.CARD_SWAPS:
            swaps = decode(_decode_swaps, line)
            return commands.Exchange(given=swaps.p_students_to, taken=swaps.p_students_from)
        case Ask.HALL_SWAPS:
            swaps = decode(_decode_swaps, line)
            return commands.Exchange(given=swaps.p_students_from, taken=swaps.p_students_to)


def single_swap(exchange: commands.Exchange, asks: Ask) -> commands.Command | None:
    """The swap of one student: a card that was paid before is used one swap at a time."""
    given, taken = _only(exchange.given), _only(exchange.taken)
    if given is None or taken is None:
        return None
    return commands.SwapWithCard(taken, given) if asks is Ask.CARD_SWAPS else commands.SwapWithHall(given, taken)


def _only(students: Counts) -> Color | None:
    return listed(students)[0] if sum(students) == 1 else None
