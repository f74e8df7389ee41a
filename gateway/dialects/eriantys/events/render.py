"""What `eriantys.events` says of each event of the game, and of a whole position."""

from collections.abc import Iterator

from gateway.dialects.eriantys.common import Table
from gateway.dialects.eriantys.events import messages as said
from gateway.dialects.eriantys.events.messages import ToClient
from shared.games.eriantys import events as happened
from shared.games.eriantys.events import Event
from shared.games.eriantys.pieces import COLORS, Counts, Phase, listed
from shared.games.eriantys.views import View, position_of, students_of, towers_of
from shared.ids import Seat
from shared.room_events import Away, Back, BaseRoomEvent, Closed, Joined, Left, RoomEvent


def added(where: str, students: Counts) -> Iterator[ToClient]:
    return (said.AddStudentTo(where, colour) for colour in listed(students))


def mother_at(view: View) -> ToClient:
    return said.MoveMotherNature(position_of(view, view.mother))


def everybody(table: Table) -> Iterator[ToClient]:
    for seat in sorted(table.people):
        yield said.AddPlayer(table.name(seat), table.tower(seat), seat)


# --- a whole position ------------------------------------------------------------------------------------------------


def pieces(table: Table, view: View) -> Iterator[ToClient]:
    """The start, or the return to a running game: everything but clouds, phase and turn."""
    yield said.StartGame()
    yield from merges(view)
    yield mother_at(view)
    for index, group in enumerate(view.groups):
        yield from added(said.island(index), students_of(view, group))
    yield from (said.NotifyCharacterCard(character.number) for character in view.characters)
    for character in view.characters:
        yield from added(said.card(character.number), character.students)
    for seat, player in enumerate(view.players):
        yield from added(said.entrance(seat), player.entrance)
    for seat, player in enumerate(view.players):
        yield from added(said.dining_room(seat), player.hall)
    yield from built(view)
    for colour, owner in zip(COLORS, view.professors, strict=True):
        if owner is not None:
            yield said.SetProfessorTo(colour, table.name(owner))
    for seat in sorted(table.people):
        yield from (said.AddCoin(table.name(seat)) for _ in range(view.players[seat].coins))
    for index, group in enumerate(view.groups):
        yield from (said.NoEntry(True, index) for _ in range(group.no_entry))


def merges(view: View) -> Iterator[ToClient]:
    """How twelve islands became these groups: neighbours are joined one by one."""
    home = {tile: group.tiles[0] for group in view.groups for tile in group.tiles}
    ring = [home[tile] for tile in sorted(home)]
    place = 0
    while place < len(ring):
        behind = (place + 1) % len(ring)
        if behind != place and ring[place] == ring[behind]:
            first, second = sorted((place, behind))
            yield said.MergeIslands(first, second)
            del ring[second]
        else:
            place += 1


def built(view: View) -> Iterator[ToClient]:
    for index, group in enumerate(view.groups):
        for tower in towers_of(view, group):
            keeper = next(seat for seat, player in enumerate(view.players) if player.tower is tower)
            yield said.MoveTower(said.towers_of(keeper), said.island(index))


def clouds(view: View) -> Iterator[ToClient]:
    for index, students in enumerate(view.clouds):
        yield from added(said.cloud(index), students)


def whose_turn(table: Table, view: View) -> Iterator[ToClient]:
    yield said.ChangePhase(said.PHASES[view.phase])
    yield said.ChangeTurn(table.name(view.turn))


# --- an update -------------------------------------------------------------------------------------------------------


def update(table: Table, events: list[RoomEvent | Event]) -> Iterator[ToClient]:
    """Everything that a step of the room has changed, in the order in which it happened."""
    announced, number = False, -1
    for event, following in zip(events, (*events[1:], None), strict=True):
        before, away = table.view, {seat for seat, person in table.people.items() if not person.here}
        table.follow(event)
        match event:
            case happened.TurnBegan(seat=seat, phase=phase):
                yield said.ChangeTurn(table.name(seat))
                if phase is not Phase.PLANNING and not (announced and phase is before.phase):
                    yield said.ChangePhase(said.PHASES[phase])
            case happened.GroupsJoined():
                number = position_of(before, before.mother) if number < 0 else number
                yield from island_changes(event, table.view)
                if not isinstance(following, happened.GroupsJoined) and number != position_of(
                    table.view, table.view.mother
                ):
                    yield mother_at(table.view)
            case _ if isinstance(event, BaseRoomEvent):
                yield from people_changes(table, event, away)
            case _:
                yield from changes(table, event, before, table.view)
        announced = isinstance(event, happened.ActionBegan)


def people_changes(table: Table, event: RoomEvent, away: set[Seat]) -> Iterator[ToClient]:
    """Who comes and goes; of those who were away it was told before that they are gone."""
    match event:
        case Joined(seat=seat, name=name):
            yield said.AddPlayer(name, table.tower(seat), seat)
        case Back(seat=seat):
            yield said.AddPlayer(table.name(seat), table.tower(seat), seat)
        case Away(seat=seat):
            yield said.PlayerDisconnect(table.name(seat))
        case Left(seat=seat, name=name) if seat not in away:
            yield said.PlayerDisconnect(name)
        case Closed():
            yield said.EndGame(())
        case _:
            pass


# --- one event -------------------------------------------------------------------------------------------------------


def changes(table: Table, event: Event, before: View, after: View) -> Iterator[ToClient]:
    """The messages of one event; turns and the walk of mother nature after merges are the conversation's business."""
    match event:
        case happened.Began():
            yield from pieces(table, after)
        case happened.CloudsFilled(clouds=drawn):
            for index, students in enumerate(drawn):
                yield from added(said.cloud(index), students)
        case happened.PlanningBegan() | happened.ActionBegan():
            yield said.ChangePhase(said.PHASES[after.phase])
        case happened.PhaseBegan(phase=phase) if phase is not Phase.CHARACTER:
            yield said.ChangePhase(said.PHASES[phase])
        case happened.AssistantPlayed(seat=seat, value=value):
            yield said.PlayAssistanCard(value, table.name(seat))
        case happened.CoinTaken(seat=seat):
            yield said.AddCoin(table.name(seat))
        case happened.ProfessorTaken(colour=colour, seat=seat):
            yield said.SetProfessorTo(colour, table.name(seat))
        case happened.CloudTaken(seat=seat, cloud=cloud):
            for colour in listed(before.clouds[cloud]):
                yield said.MoveStudent(said.cloud(cloud), said.entrance(seat), colour)
        case happened.CharacterPlayed(seat=seat, number=number, price=price):
            yield said.ActivateCharacterCard(number, table.name(seat))
            yield from (said.RemoveCoin(table.name(seat)) for _ in range(price))
        case happened.Finished(winners=winners):
            yield said.EndGame(tuple(table.name(seat) for seat in winners))
        case _:
            yield from island_changes(event, after)
            yield from student_changes(event, after)


def island_changes(event: Event, view: View) -> Iterator[ToClient]:
    match event:
        case happened.MotherMoved():
            yield mother_at(view)
        case happened.NoEntryUsed(tile=tile):
            yield said.NoEntry(False, position_of(view, tile))
        case happened.NoEntryPlaced(tile=tile):
            yield said.NoEntry(True, position_of(view, tile))
        case happened.TowersReturned(seat=seat, tiles=tiles):
            there = said.island(position_of(view, tiles[0]))
            yield from (said.MoveTower(there, said.towers_of(seat)) for _ in tiles)
        case happened.TowersPlaced(seat=seat, tiles=tiles):
            there = said.island(position_of(view, tiles[0]))
            yield from (said.MoveTower(said.towers_of(seat), there) for _ in tiles)
        case happened.GroupsJoined(first=first, second=second):
            yield said.MergeIslands(first, second)
        case _:
            pass


def student_changes(event: Event, view: View) -> Iterator[ToClient]:
    match event:
        case happened.StudentToHall(seat=seat, colour=colour):
            yield said.MoveStudent(said.entrance(seat), said.dining_room(seat), colour)
        case happened.StudentToIsland(seat=seat, colour=colour, tile=tile):
            yield said.MoveStudent(said.entrance(seat), said.island(position_of(view, tile)), colour)
        case happened.CardToIsland(number=number, colour=colour, tile=tile):
            yield said.MoveStudent(said.card(number), said.island(position_of(view, tile)), colour)
        case happened.CardToHall(seat=seat, number=number, colour=colour):
            yield said.MoveStudent(said.card(number), said.dining_room(seat), colour)
        case happened.CardRefilled(number=number, colour=colour):
            yield said.AddStudentTo(said.card(number), colour)
        case happened.CardSwapped(seat=seat, number=number, card=card, entrance=entrance):
            yield said.MoveStudent(said.card(number), said.entrance(seat), card)
            yield said.MoveStudent(said.entrance(seat), said.card(number), entrance)
        case happened.HallSwapped(seat=seat, entrance=entrance, hall=hall):
            yield said.MoveStudent(said.dining_room(seat), said.entrance(seat), hall)
            yield said.MoveStudent(said.entrance(seat), said.dining_room(seat), entrance)
        case happened.StudentsReturned(seat=seat, colour=colour, count=count):
            yield from (said.MoveStudent(said.dining_room(seat), said.BAG, colour) for _ in range(count))
        case _:
            pass
