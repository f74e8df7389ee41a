"""Messages for the AM24 programs: pure functions from the messages of `eriantys.prompts`, with the operator's texts.

The programs know the situation by the text of a message alone. They print messages of types that they do not have, so
those are left out or replaced by texts.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.prompts import messages
from gateway.dialects.eriantys.prompts.compat_messages import (
    Am24FullView,
    Am24UpdateProfs,
    Am24View,
    ProfessorOwner,
    ToAm24,
)
from gateway.dialects.eriantys.prompts.compat_texts import Texts, about
from gateway.dialects.eriantys.prompts.render import Notice
from shared.games.eriantys.pieces import Color, Phase, Reason, Tower, students_per_cloud

LONGEST_NAME: Final = 15
"""Characters of a name that the programs have room for; a longer one ends their drawing thread."""


def text_of_refusal(texts: Texts, code: str, *, lobbies: bool) -> str:
    """The text for a refused seat. Each of these makes the program ask its questions again, so there is always one."""
    match code:
        case "name/taken" | "name/bad":
            return texts.nickname_used
        case "eriantys/mage_taken" | "eriantys/bad_choice":
            return texts.mage_used
        case "eriantys/tower_taken":
            return texts.towers_used
        case "room/full" | "room/started":
            return texts.lobby_full
        case _:
            return texts.bad_lobby if lobbies else texts.no_lobby


def connection(table: Table, text: str) -> messages.InformationConnection:
    return messages.InformationConnection(text, table.room_id)


def notice(table: Table, what: Notice, name: str, texts: Texts) -> ToAm24:
    match what:
        case Notice.CREATED:
            text = texts.lobby_created
        case Notice.RETURNED if not table.waiting:
            text = texts.welcome_back
        case Notice.JOINED | Notice.RETURNED:
            text = texts.joined
        case Notice.ENTERED:
            text = texts.entered
        case Notice.RECONNECTED:
            text = texts.reconnected
        case Notice.DISCONNECTED | Notice.LEFT:
            text = texts.disconnected
        case Notice.CLOSED:
            text = "an operator has closed the lobby"
    return connection(table, about(text, shortened(name)))


# --- messages about the game -----------------------------------------------------------------------------------------


def translated(table: Table, shown: Iterable[messages.ToClient], texts: Texts) -> Iterator[ToAm24]:
    for message in shown:
        match message:
            case messages.GameStart():
                yield connection(table, texts.game_started)
            case messages.GameEnded():
                yield from ending(table, message, texts)
            case (
                messages.SelectAssistant()
                | messages.MoveStudentRequest()
                | messages.MoveMNRequest()
                | messages.SelectCloud()
                | messages.InformationGame()
            ):
                yield prompt(table, texts)
            case messages.FullView(virtual_view=view):
                yield Am24FullView(full_view(table, view, texts))
            case messages.UpdateProfs(profs=owners):
                yield Am24UpdateProfs(professors(table, owners))
            case messages.UpdatePlayer(player=player, index=seat):
                yield messages.UpdatePlayer(drawable(table, player, seat), seat)
            case messages.CreateCharacters(characters=characters):
                yield from all_characters(characters, texts)
            case (
                messages.ReplaceCharacter(character=character, index=place)
                | messages.ReplaceCharacterStudents(virtual_character_with_students=character, index=place)
                | messages.ReplaceCharacterWithNoEntry(character_with_no_entry=character, index=place)
            ):
                yield single_character(described(character, texts), place)
            case messages.Welcome() | messages.Error() | messages.Ping() | messages.InformationConnection():
                raise ValueError(f"{type(message).__name__} is not about a game")
            case messages.NotifyDisconnection() | messages.GameMustEnd():
                pass  # the programs exit on the first, and do not have the second
            case _:
                yield message


def prompt(table: Table, texts: Texts) -> ToAm24:
    """The text in place of a prompt, or of the information about another player's turn."""
    view = table.view
    if view.paused:
        return connection(table, texts.paused)
    name = name_of(table, table.name(view.turn))
    four = students_per_cloud(len(view.players)) == 4
    own = {
        Phase.PLANNING: texts.choose_assistant,
        Phase.STUDENTS: texts.move_students_four if four else texts.move_students_three,
        Phase.MOTHER: texts.move_mn,
        Phase.CLOUD: texts.choose_cloud,
    }
    others = {
        Phase.PLANNING: texts.other_assistant,
        Phase.STUDENTS: texts.other_students,
        Phase.MOTHER: texts.other_mn,
    }
    mine = view.turn == table.seat
    text = own.get(view.phase, texts.character_move) if mine else others.get(view.phase, texts.other_cloud)
    return messages.InformationGame(about(text, name), name, messages.PHASES[view.phase])


def ending(table: Table, ended: messages.GameEnded, texts: Texts) -> Iterator[ToAm24]:
    own = table.name(table.seat)
    if table.view.ending == Reason.ALONE and own in ended.winners:
        yield connection(table, texts.alone_won)
    text = texts.draw if ended.winner is None else texts.won if own in ended.winners else texts.lost
    yield messages.InformationGame(text, name_of(table, own), messages.PHASES[Phase.OVER])


# --- parts of the view -----------------------------------------------------------------------------------------------


def shortened(name: str) -> str:
    return name[:LONGEST_NAME]


def name_of(table: Table, name: str) -> str:
    """The name as the programs can draw it. Two long names of a table that begin alike end with their seats."""
    short = shortened(name)
    alike = [seat for seat, other in table.room.names.items() if shortened(other) == short]
    if len(alike) < 2 or name == short:
        return short
    seat = next(seat for seat in alike if table.name(seat) == name)
    return f"{short[:-1]}{seat}"


def full_view(table: Table, view: messages.VirtualView, texts: Texts) -> Am24View:
    return Am24View(
        virtual_world=view.virtual_world,
        virtual_players=tuple(drawable(table, player, seat) for seat, player in enumerate(view.virtual_players)),
        virtual_clouds=view.virtual_clouds,
        virtual_profs=professors(table, view.virtual_profs),
        virtual_characters=tuple(described(character, texts) for character in view.virtual_characters),
        virtual_coins=view.virtual_coins,
        mn_pos=view.mn_pos,
    )


def drawable(table: Table, player: messages.Player, seat: int) -> messages.Player:
    """The programs cannot draw a board without towers: one stands in for a player who has none left, and for the
    partner in a team, who has none at all."""
    board = player.virtual_board
    towers: tuple[Tower, ...] = board.towers or (table.view.players[seat].tower,)
    return replace(player, nickname=name_of(table, player.nickname), virtual_board=replace(board, towers=towers))


def professors(table: Table, owners: Mapping[Color, str | None]) -> dict[Color, ProfessorOwner | None]:
    return {color: None if name is None else ProfessorOwner(name_of(table, name)) for color, name in owners.items()}


def described(character: messages.Character, texts: Texts) -> messages.Character:
    return replace(character, description=texts.descriptions[str(character.number)])


def all_characters(characters: tuple[messages.Character, ...], texts: Texts) -> Iterator[ToAm24]:
    """In a list the programs lose what lies on characters, so those with something on them are sent again."""
    shown = tuple(described(character, texts) for character in characters)
    yield messages.CreateCharacters(shown)
    for place, character in enumerate(shown):
        if character.students is not None or character.no_entry is not None:
            yield single_character(character, place)


def single_character(character: messages.Character, place: int) -> ToAm24:
    if character.students is not None:
        return messages.ReplaceCharacterStudents(character, place)
    if character.no_entry is not None:
        return messages.ReplaceCharacterWithNoEntry(character, place)
    return messages.ReplaceCharacter(character, place)
