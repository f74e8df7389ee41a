"""Messages of the Group 3 programs: pure functions from and to the messages of `eriantys.events`.

The programs number characters by price, name players by seats, and take the price of a character off by themselves.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, get_args

from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.events import compat_messages, messages, render
from gateway.dialects.eriantys.events.compat_messages import AssistantName, FromGroup3, RoomInfo, ToGroup3
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.pieces import ASSISTANTS, Phase
from shared.games.eriantys.views import View
from shared.ids import Seat

_ASSISTANTS: Final[tuple[AssistantName, ...]] = get_args(AssistantName)
_CARD: Final = messages.card(0)[:-1]
"""The place of a student on a character, up to the number."""

_PieceMessage: TypeAlias = (
    messages.AddStudentTo
    | messages.MoveStudent
    | messages.MoveTower
    | messages.MergeIslands
    | messages.MoveMotherNature
    | messages.SetProfessorTo
    | messages.AddCoin
    | messages.NotifyCharacterCard
    | messages.ActivateCharacterCard
)


def number_of(card_id: int) -> int:
    """The number of a character; 0, which is none, if the program has no such card."""
    return 1 + card_id // 4 + 3 * (card_id % 4) if 0 <= card_id < len(CARDS) else 0


def card_id_of(number: int) -> int:
    """The inverse of `number_of`: cards 1, 4, 7, 10 cost one coin and have the ids 0 to 3, and so on."""
    return 4 * ((number - 1) % 3) + (number - 1) // 3


# --- from the program ------------------------------------------------------------------------------------------------


def received(
    message: FromGroup3, table: Table | None
) -> messages.FromClient | tuple[messages.GameEvent, messages.AnyMove]:
    match message:
        case messages.Login() | messages.Logout() | messages.LeaveRoom():
            return message
        case compat_messages.Group3GetPublicRooms(number_of_players=players, expert=expert):
            return messages.GetPublicRooms(None if players < 0 else players, expert)
        case compat_messages.Group3CreateRoom(number_of_players=players, expert=expert, is_private=private):
            return messages.CreateRoom(players, expert, private)
        case compat_messages.Group3AccessRoom(id=room):
            return messages.AccessRoom(room)
        case _:
            # An empty name is that of no player: the move of another seat is refused.
            own = table is None or message.player_number == table.seat
            return messages.GameEvent(type(message).__name__, None if own else ""), move(message)


def move(event: compat_messages.Group3Move) -> messages.AnyMove:  # noqa: C901 - a flat table
    match event:
        case compat_messages.PlayAssistantCardEvent(ac=name):
            return messages.PlayAssistantCard(_ASSISTANTS.index(name) + 1)
        case compat_messages.MoveStudentFromEntranceToIslandEvent(color=color, index_island=place):
            return messages.EntranceToIsland(color, place)
        case compat_messages.MoveStudentFromEntranceToTableEvent(color=color):
            return messages.EntranceToTable(color)
        case compat_messages.MoveMotherNatureEvent(amount=steps):
            return messages.WalkMotherNature(steps)
        case compat_messages.ChooseCloudEvent(cloud_index=cloud):
            return messages.ChooseCloudTile(cloud)
        case compat_messages.ActivateCharacterCardEvent(card_id=card_id):
            return messages.ActivateCard(number_of(card_id))
        case compat_messages.MoveStudentFromCardToIslandEvent(student_from_card=color, island_index=place):
            return messages.CardToIsland(color, place)
        case compat_messages.MoveStudentFromCardToTableEvent(color=color):
            return messages.CardToTable(color)
        case compat_messages.ChooseColorEvent(color=color):
            return messages.ChooseColor(color)
        case compat_messages.ChooseIslandEvent(island_index=place):
            return messages.ChooseIsland(place)
        case compat_messages.SwapStudentCardEntranceEvent(student_from_card=card, student_from_entrance=entrance):
            return messages.SwapCardEntrance(card, entrance)
        case compat_messages.SwapStudentEntranceTableEvent(student_from_entrance=entrance, student_from_table=hall):
            return messages.SwapEntranceTable(entrance, hall)
        case compat_messages.Group3EndSelection():
            return messages.EndSelection()


# --- to the program --------------------------------------------------------------------------------------------------


def room_info(room: messages.PublicRoom) -> RoomInfo:
    return RoomInfo(room.room_id, room.number_of_players, room.current_players, room.expert)


def own_room(table: Table) -> RoomInfo:
    spec = table.room.spec
    return RoomInfo(table.room_id, spec.seats, len(table.seats), bool(spec.options.get("expert")), spec.private)


def translated(table: Table, shown: Iterable[messages.ToClient]) -> Iterator[ToGroup3]:
    """Lazily: each message is translated while the table is as the message found it."""
    for message in shown:
        match message:
            case messages.RoomId(room_id=room):
                yield compat_messages.Group3RoomId(room)
            case messages.AddPlayer(player=name, position=seat):
                yield compat_messages.Group3AddPlayer(name, seat)
            case messages.StartGame():
                yield compat_messages.Group3StartGame(table.view.expert)
            case messages.ChangePhase(phase=phase):
                yield compat_messages.Group3ChangePhase(phase)
            case messages.ChangeTurn(player=name):
                yield compat_messages.Group3ChangeTurn(seat_of(table, name))
            case messages.PlayAssistanCard(assistant_card=value, player=name):
                yield compat_messages.Group3PlayAssistantCard(_ASSISTANTS[value - 1], seat_of(table, name))
            case messages.EndGame(winners=()):
                yield compat_messages.Group3PlayerDisconnect(absent_name(table))
            case messages.Ack() | messages.Nack() | messages.NoEntry() | messages.EndGame():
                yield message
            case messages.RemoveCoin() | messages.PlayerDisconnect() | messages.PublicRooms():
                pass
            case _:
                yield piece(table, message)


def piece(table: Table, message: _PieceMessage) -> ToGroup3:
    match message:
        case messages.AddStudentTo(where=where, color=color):
            return compat_messages.Group3AddStudentTo(place(where), color)
        case messages.MoveStudent(source=source, to=to, color=color):
            return messages.MoveStudent(place(source), place(to), color)
        case messages.MoveTower(source=source, to=to):
            return compat_messages.MoveTowers(source, to, 1)
        case messages.MergeIslands(first_island=first, second_island=second):
            return compat_messages.Group3MergeIslands(first, second)
        case messages.MoveMotherNature(destination=island):
            return compat_messages.Group3MoveMotherNature(island)
        case messages.SetProfessorTo(professor=color, player=name):
            return compat_messages.Group3SetProfessorTo(color, seat_of(table, name))
        case messages.AddCoin(player=name):
            return compat_messages.Group3AddCoin(seat_of(table, name))
        case messages.NotifyCharacterCard(card=number):
            return messages.NotifyCharacterCard(card_id_of(number))
        case messages.ActivateCharacterCard(character_card=number, player=name):
            return compat_messages.Group3ActivateCharacterCard(card_id_of(number), seat_of(table, name))


def seat_of(table: Table, name: str) -> Seat:
    return next(seat for seat, other in table.room.names.items() if other == name)


def place(where: str) -> str:
    return messages.card(card_id_of(int(where.removeprefix(_CARD)))) if where.startswith(_CARD) else where


def absent_name(table: Table) -> str:
    """The player whose absence ended the room; the own name if none is away."""
    return next((seat.name for seat in table.seats.values() if not seat.here), table.name(table.seat))


# --- a player who returns --------------------------------------------------------------------------------------------


def position(table: Table, view: View) -> Iterator[messages.ToClient]:
    """The running game. A program that was started again takes all assistants for unplayed and all characters for
    unused, so it is shown how they were played."""
    yield from render.pieces(table, view)
    for character in view.characters:
        if character.used:
            # The program takes the first price off; the coins for it are added before.
            yield from (messages.AddCoin(table.name(table.seat)) for _ in range(CARDS[character.number].cost))
            yield messages.ActivateCharacterCard(character.number, table.name(table.seat))
    yield from render.clouds(view)
    this_round = view.order[: view.order.index(view.turn)] if view.phase is Phase.PLANNING else ()
    for seat in table.seats:
        yield from earlier_assistants(table, view, seat, skip_last=seat in this_round)
    phase, turn = render.turn(table, view)
    yield phase
    for seat in this_round:
        if (value := view.players[seat].assistant) is not None:
            yield messages.PlayAssistanCard(value, table.name(seat))
    yield turn


def earlier_assistants(table: Table, view: View, seat: Seat, *, skip_last: bool) -> Iterator[messages.ToClient]:
    """The assistants that a seat has played, the last one at the end."""
    player = view.players[seat]
    gone = [value for value in ASSISTANTS if value not in player.hand and value != player.assistant]
    last = [] if skip_last or player.assistant is None else [player.assistant]
    yield from (messages.PlayAssistanCard(value, table.name(seat)) for value in (*gone, *last))
