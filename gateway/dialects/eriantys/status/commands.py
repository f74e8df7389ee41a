"""The commands of `eriantys.status`, with the form that each of them needs, as commands of the game."""

from dataclasses import dataclass
from typing import Final

import msgspec

from gateway.dialects.eriantys.common import Table, bounded, decode
from gateway.dialects.eriantys.status import messages as words
from shared.errors import ProtocolError
from shared.games.eriantys import commands
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import Color, Counts, listed

_decode_head = msgspec.json.Decoder(words.Command).decode
_decode_fields: Final = {name: msgspec.json.Decoder(kind).decode for name, kind in words.COMMANDS.items()}
_decode_student = msgspec.json.Decoder(words.ColourAndIsland).decode
_decode_island = msgspec.json.Decoder(words.AnIsland).decode
_decode_colour = msgspec.json.Decoder(words.AColour).decode
_decode_swaps = msgspec.json.Decoder(words.Swaps).decode


@dataclass(frozen=True, slots=True)
class Order:
    """A command that is well-formed; none if it can be nobody's."""

    command: commands.Command | None


def order_of(line: bytes, table: Table | None) -> Order:
    """Raises `ProtocolError` for one that is ill-formed."""
    head = decode(_decode_head, line)
    if head.cmd not in _decode_fields:
        raise ProtocolError("frame/unknown_type", f"there is no command {head.cmd[:40]}")
    fields = decode(_decode_fields[head.cmd], line)
    if table is not None and any(number not in (None, table.seat) for number in (head.player_id, head.player_index)):
        return Order(None)
    match fields:
        case words.Assistant(index=index):
            return Order(commands.PlayAssistant(bounded(index) + 1))
        case words.ToIsland(student_colour=colour, index=index):
            return Order(commands.MoveToIsland(colour_of(colour), bounded(index)))
        case words.ToHall(student_colour=colour):
            return Order(commands.MoveToHall(colour_of(colour)))
        case words.Walk(mother_nature_shifts=steps):
            return Order(commands.MoveMother(bounded(steps)))
        case words.Cloud(index=index):
            return Order(commands.TakeCloud(bounded(index)))
        case words.Character(index=place):
            return Order(character_order(line, place, table))


def colour_of(name: str) -> Color:
    colour = words.colour_named(name)
    if colour is None:
        raise ProtocolError("frame/malformed", f"{name[:40]} is no colour")
    return colour


def character_order(line: bytes, place: int, table: Table | None) -> commands.Command | None:
    """The card at a place with all that it asks for. Where it was paid in another dialect, only the choice is left."""
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
            return commands.SendStudent(colour_of(student.p_colour), bounded(student.p_index))
        case Ask.ISLAND:
            return commands.ChooseIsland(bounded(decode(_decode_island, line).p_index))
        case Ask.COLOR:
            return commands.ChooseColor(colour_of(decode(_decode_colour, line).p_colour))
        case Ask.CARD_SWAPS:
            swaps = decode(_decode_swaps, line)
            return commands.Exchange(given=swaps.p_students_to, taken=swaps.p_students_from)
        case Ask.HALL_SWAPS:
            swaps = decode(_decode_swaps, line)
            return commands.Exchange(given=swaps.p_students_from, taken=swaps.p_students_to)


def single_swap(exchange: commands.Exchange, asks: Ask) -> commands.Command | None:
    """A swap that is owed is made one by one."""
    given, taken = _only(exchange.given), _only(exchange.taken)
    if given is None or taken is None:
        return None
    return commands.SwapWithCard(taken, given) if asks is Ask.CARD_SWAPS else commands.SwapWithHall(given, taken)


def _only(students: Counts) -> Color | None:
    return listed(students)[0] if sum(students) == 1 else None
