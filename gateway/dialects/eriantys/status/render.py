"""Messages of `eriantys.status`: the full status, and the parts of it that a step has changed."""

from collections.abc import Iterable

from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.status import messages
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.events import Event, GroupsJoined, MotherMoved, NoEntryUsed, TowersPlaced, TowersReturned
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.views import Character, Group, Player, View
from shared.ids import Seat
from shared.room_events import RoomEvent

_RESOLVING = (MotherMoved, NoEntryUsed, TowersReturned, TowersPlaced, GroupsJoined)


def turn(view: View) -> messages.TurnStatus:
    return messages.TurnStatus(view.turn, "planning" if view.phase is Phase.PLANNING else "action")


def archipelago(view: View, place: int, group: Group) -> messages.ArchipelagoStatus:
    islands = (
        messages.IslandStatus(tile, tile, view.tiles[tile - 1].students, view.tiles[tile - 1].tower)
        for tile in group.tiles
    )
    return messages.ArchipelagoStatus(place + 1, tuple(islands), group.no_entry)


def archipelagos(view: View) -> tuple[messages.ArchipelagoStatus, ...]:
    return tuple(archipelago(view, place, group) for place, group in enumerate(view.groups))


def professors(view: View) -> tuple[int, ...]:
    return tuple(-1 if owner is None else owner for owner in view.professors)


def character(place: int, shown: Character) -> messages.CharacterCardsStatus:
    """A card in full. `coinOnIt` is omitted while there is no coin on the card."""
    card = CARDS[shown.number]
    return messages.CharacterCardsStatus(
        place,
        f"P{shown.number:02}.png",
        True if shown.used else None,
        shown.no_entry if card.no_entry else None,
        shown.students if card.students else None,
    )


def last_played(player: Player) -> int | None:
    return None if player.assistant is None else player.assistant - 1


def player_status(table: Table, view: View, seat: Seat) -> messages.PlayerStatus:
    player = view.players[seat]
    return messages.PlayerStatus(
        seat,
        table.name(seat),
        player.tower,
        tuple(value - 1 for value in player.hand),
        last_played(player),
        player.coins if view.expert else None,
        player.entrance,
        player.hall,
        player.towers,
    )


def full_status(table: Table) -> messages.CurrentStatus:
    """The full status, at the start and for a player who returns."""
    view = table.view
    game = messages.GameState(
        view.mother,
        archipelagos(view),
        tuple(messages.CloudStatus(index, students) for index, students in enumerate(view.clouds)),
        tuple(character(place, shown) for place, shown in enumerate(view.characters)) if view.expert else None,
        tuple(player_status(table, view, Seat(seat)) for seat in range(len(view.players))),
        professors(view),
    )
    mode = "expert" if view.expert else "simple"
    return messages.CurrentStatus(messages.FINE, turn=turn(view), game=game, game_mode=mode, player_id=table.seat)


# --- changes ---------------------------------------------------------------------------------------------------------


def changes(before: View, after: View, events: Iterable[RoomEvent | Event]) -> messages.CurrentStatus:
    """The parts of the status that differ between two views; without any, a status that is only `FINE`."""
    resolved = any(isinstance(event, _RESOLVING) for event in events)
    game = messages.GameState(
        after.mother if before.mother != after.mother else None,
        changed_archipelagos(before, after, resolved),
        changed_clouds(before, after),
        changed_characters(before, after),
        changed_players(before, after),
        professors(after) if before.professors != after.professors else None,
    )
    playing = after.phase is not Phase.OVER
    return messages.CurrentStatus(
        messages.FINE,
        turn=turn(after) if playing and turn(before) != turn(after) else None,
        game=game if game != messages.GameState() else None,
    )


def changed_archipelagos(before: View, after: View, resolved: bool) -> tuple[messages.ArchipelagoStatus, ...] | None:
    """The one archipelago that has changed, or all: clients replace the whole list if they get more than one. After
    mother nature has resolved an island all are sent."""
    if before.tiles is after.tiles and before.groups is after.groups:
        return None
    then, now = archipelagos(before), archipelagos(after)
    if then == now:
        return None
    changed = tuple(entry for entry in now if entry not in then)
    return changed if len(changed) == 1 and not resolved else now


def changed_clouds(before: View, after: View) -> tuple[messages.CloudStatus, ...] | None:
    pairs = enumerate(zip(before.clouds, after.clouds, strict=True))
    return tuple(messages.CloudStatus(index, now) for index, (then, now) in pairs if then != now) or None


def changed_characters(before: View, after: View) -> tuple[messages.CharacterCardsStatus, ...] | None:
    pairs = enumerate(zip(before.characters, after.characters, strict=True))
    changed = (
        messages.CharacterCardsStatus(
            place,
            coin_on_it=now.used if now.used is not then.used else None,
            no_entry_tiles=now.no_entry if now.no_entry != then.no_entry else None,
            students=now.students if now.students != then.students else None,
        )
        for place, (then, now) in pairs
        if then != now
    )
    return tuple(changed) or None


def changed_players(before: View, after: View) -> tuple[messages.PlayerStatus, ...] | None:
    pairs = enumerate(zip(before.players, after.players, strict=True))
    changed = (
        messages.PlayerStatus(
            seat,
            assistant_cards_left=tuple(value - 1 for value in now.hand) if now.hand != then.hand else None,
            last_assistant_card_played=last_played(now) if now.assistant != then.assistant else None,
            coins=now.coins if now.coins != then.coins else None,
            students_entrance=now.entrance if now.entrance != then.entrance else None,
            students_hall=now.hall if now.hall != then.hall else None,
            num_towers=now.towers if now.towers != then.towers else None,
        )
        for seat, (then, now) in pairs
        if then != now
    )
    return tuple(changed) or None


def winner(table: Table, winners: tuple[Seat, ...]) -> messages.CurrentStatus:
    """The result: the winner's name, both names of a team, or an empty text after a draw."""
    colors = {table.view.players[seat].tower for seat in winners}
    names = ", ".join(table.name(seat) for seat in winners) if len(colors) == 1 else ""
    return messages.CurrentStatus(messages.FINE, winner=names)
