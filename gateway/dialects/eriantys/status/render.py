"""The game as `eriantys.status` shows it: the full status, and what of it changed."""

from collections.abc import Iterable

from gateway.dialects.eriantys.common import Table
from gateway.dialects.eriantys.status import messages as said
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.events import Event, GroupsJoined, MotherMoved, NoEntryUsed, TowersPlaced, TowersReturned
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.views import Character, Group, Player, View
from shared.ids import Seat
from shared.room_events import RoomEvent

_RESOLVING = (MotherMoved, NoEntryUsed, TowersReturned, TowersPlaced, GroupsJoined)


def turn(view: View) -> said.TurnStatus:
    return said.TurnStatus(view.turn, "planning" if view.phase is Phase.PLANNING else "action")


def archipelago(view: View, place: int, group: Group) -> said.ArchipelagoStatus:
    islands = (
        said.IslandStatus(tile, tile, view.tiles[tile - 1].students, view.tiles[tile - 1].tower) for tile in group.tiles
    )
    return said.ArchipelagoStatus(place + 1, tuple(islands), group.no_entry)


def archipelagos(view: View) -> tuple[said.ArchipelagoStatus, ...]:
    return tuple(archipelago(view, place, group) for place, group in enumerate(view.groups))


def professors(view: View) -> tuple[int, ...]:
    return tuple(-1 if owner is None else owner for owner in view.professors)


def character(place: int, there: Character) -> said.CharacterCardsStatus:
    """A card in full; a coin is told of once it lies there."""
    card = CARDS[there.number]
    return said.CharacterCardsStatus(
        place,
        f"P{there.number:02}.png",
        True if there.used else None,
        there.no_entry if card.no_entry else None,
        there.students if card.students else None,
    )


def last_played(player: Player) -> int | None:
    return None if player.assistant is None else player.assistant - 1


def person(table: Table, view: View, seat: Seat) -> said.PlayerStatus:
    player = view.players[seat]
    return said.PlayerStatus(
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


def full(table: Table) -> said.CurrentStatus:
    """Everything: at the start, and for a player who is back."""
    view = table.view
    game = said.GameState(
        view.mother,
        archipelagos(view),
        tuple(said.CloudStatus(index, students) for index, students in enumerate(view.clouds)),
        tuple(character(place, there) for place, there in enumerate(view.characters)) if view.expert else None,
        tuple(person(table, view, Seat(seat)) for seat in range(len(view.players))),
        professors(view),
    )
    mode = "expert" if view.expert else "simple"
    return said.CurrentStatus(said.FINE, turn=turn(view), game=game, game_mode=mode, player_id=table.seat)


# --- what changed ----------------------------------------------------------------------------------------------------


def changes(before: View, after: View, events: Iterable[RoomEvent | Event]) -> said.CurrentStatus:
    resolved = any(isinstance(event, _RESOLVING) for event in events)
    game = said.GameState(
        after.mother if before.mother != after.mother else None,
        changed_archipelagos(before, after, resolved),
        changed_clouds(before, after),
        changed_characters(before, after),
        changed_people(before, after),
        professors(after) if before.professors != after.professors else None,
    )
    playing = after.phase is not Phase.OVER
    return said.CurrentStatus(
        said.FINE,
        turn=turn(after) if playing and turn(before) != turn(after) else None,
        game=game if game != said.GameState() else None,
    )


def changed_archipelagos(before: View, after: View, resolved: bool) -> tuple[said.ArchipelagoStatus, ...] | None:
    """Exactly one, or all: a reader replaces everything if there is more than one."""
    if before.tiles is after.tiles and before.groups is after.groups:
        return None
    then, now = archipelagos(before), archipelagos(after)
    if then == now:
        return None
    changed = tuple(entry for entry in now if entry not in then)
    return changed if len(changed) == 1 and not resolved else now


def changed_clouds(before: View, after: View) -> tuple[said.CloudStatus, ...] | None:
    pairs = enumerate(zip(before.clouds, after.clouds, strict=True))
    return tuple(said.CloudStatus(index, now) for index, (then, now) in pairs if then != now) or None


def changed_characters(before: View, after: View) -> tuple[said.CharacterCardsStatus, ...] | None:
    pairs = enumerate(zip(before.characters, after.characters, strict=True))
    changed = (
        said.CharacterCardsStatus(
            place,
            coin_on_it=now.used if now.used is not then.used else None,
            no_entry_tiles=now.no_entry if now.no_entry != then.no_entry else None,
            students=now.students if now.students != then.students else None,
        )
        for place, (then, now) in pairs
        if then != now
    )
    return tuple(changed) or None


def changed_people(before: View, after: View) -> tuple[said.PlayerStatus, ...] | None:
    pairs = enumerate(zip(before.players, after.players, strict=True))
    changed = (
        said.PlayerStatus(
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


def winner(table: Table, winners: tuple[Seat, ...]) -> said.CurrentStatus:
    """A name, both of a team, or nothing if players or teams are equal."""
    colours = {table.view.players[seat].tower for seat in winners}
    names = ", ".join(table.name(seat) for seat in winners) if len(colours) == 1 else ""
    return said.CurrentStatus(said.FINE, winner=names)
