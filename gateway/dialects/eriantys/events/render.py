"""Messages of `eriantys.events` for each event of a step, and for a whole position."""

from collections.abc import Iterator

from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.events import messages
from gateway.dialects.eriantys.events.messages import ToClient
from shared.games.eriantys import events as game_events
from shared.games.eriantys.events import Event
from shared.games.eriantys.pieces import COLORS, Counts, Phase, listed
from shared.games.eriantys.views import View, keeper_of, position_of, students_of, towers_of
from shared.room_events import Away, Back, BaseRoomEvent, Closed, Joined, Left, RoomEvent


def added(where: str, students: Counts) -> Iterator[ToClient]:
    return (messages.AddStudentTo(where, color) for color in listed(students))


def mother_at(view: View) -> ToClient:
    return messages.MoveMotherNature(position_of(view, view.mother))


def all_players(table: Table) -> Iterator[ToClient]:
    for seat in table.seats:
        yield messages.AddPlayer(table.name(seat), table.tower(seat), seat)


# --- a whole position ------------------------------------------------------------------------------------------------


def pieces(table: Table, view: View) -> Iterator[ToClient]:
    """A whole position, at the start or after a return: everything but clouds, phase and turn."""
    yield messages.StartGame()
    yield from merges(view)
    yield mother_at(view)
    for index, group in enumerate(view.groups):
        yield from added(messages.island(index), students_of(view, group))
    yield from (messages.NotifyCharacterCard(character.number) for character in view.characters)
    for character in view.characters:
        yield from added(messages.card(character.number), character.students)
    for seat, player in enumerate(view.players):
        yield from added(messages.entrance(seat), player.entrance)
    for seat, player in enumerate(view.players):
        yield from added(messages.dining_room(seat), player.hall)
    yield from towers(view)
    for color, owner in zip(COLORS, view.professors, strict=True):
        if owner is not None:
            yield messages.SetProfessorTo(color, table.name(owner))
    for seat in table.seats:
        yield from (messages.AddCoin(table.name(seat)) for _ in range(view.players[seat].coins))
    for index, group in enumerate(view.groups):
        yield from (messages.NoEntry(True, index) for _ in range(group.no_entry))


def merges(view: View) -> Iterator[ToClient]:
    """The merges that lead from twelve islands to these groups: neighbors are joined one by one."""
    home = {tile: group.tiles[0] for group in view.groups for tile in group.tiles}
    ring = [home[tile] for tile in sorted(home)]
    index = 0
    while index < len(ring):
        neighbor = (index + 1) % len(ring)
        if neighbor != index and ring[index] == ring[neighbor]:
            first, second = sorted((index, neighbor))
            yield messages.MergeIslands(first, second)
            del ring[second]
        else:
            index += 1


def towers(view: View) -> Iterator[ToClient]:
    for index, group in enumerate(view.groups):
        for tower in towers_of(view, group):
            yield messages.MoveTower(messages.towers_of(keeper_of(view, tower)), messages.island(index))


def clouds(view: View) -> Iterator[ToClient]:
    for index, students in enumerate(view.clouds):
        yield from added(messages.cloud(index), students)


def turn(table: Table, view: View) -> Iterator[ToClient]:
    yield messages.ChangePhase(messages.PHASES[view.phase])
    yield messages.ChangeTurn(table.name(view.turn))


def position(table: Table, view: View) -> Iterator[ToClient]:
    """All that a player who returns to a running game has to know."""
    yield from pieces(table, view)
    yield from clouds(view)
    yield from turn(table, view)


# --- a step ----------------------------------------------------------------------------------------------------------


def step(table: Table, events: list[RoomEvent | Event]) -> Iterator[ToClient]:
    """The messages for the events of a step, in the order of the events. The table follows each event on the way."""
    phase_announced, mother_before = False, -1
    for event, following in zip(events, (*events[1:], None), strict=True):
        before = table.view
        was_away = isinstance(event, Left) and not table.seats[event.seat].here
        table.follow(event)
        match event:
            case game_events.TurnBegan(seat=seat, phase=phase):
                yield messages.ChangeTurn(table.name(seat))
                # The phase that `ActionBegan` has just announced is not announced twice.
                if phase is not Phase.PLANNING and not (phase_announced and phase is before.phase):
                    yield messages.ChangePhase(messages.PHASES[phase])
            case game_events.GroupsJoined():
                # A merge shifts the positions of the islands behind it. Where mother nature stands is sent once, after
                # the last merge in a row, and only if the position differs from the one before the first merge.
                if mother_before < 0:
                    mother_before = position_of(before, before.mother)
                yield from island_changes(event, table.view)
                last_merge = not isinstance(following, game_events.GroupsJoined)
                if last_merge and mother_before != position_of(table.view, table.view.mother):
                    yield mother_at(table.view)
            case _ if isinstance(event, BaseRoomEvent):
                yield from player_changes(table, event, was_away)
            case _:
                yield from changes(table, event, before, table.view)
        phase_announced = isinstance(event, game_events.ActionBegan)


def player_changes(table: Table, event: RoomEvent, was_away: bool) -> Iterator[ToClient]:
    """Joining and leaving. A player who was away before leaving has been reported as disconnected already."""
    match event:
        case Joined(seat=seat, name=name):
            yield messages.AddPlayer(name, table.tower(seat), seat)
        case Back(seat=seat):
            yield messages.AddPlayer(table.name(seat), table.tower(seat), seat)
        case Away(seat=seat):
            yield messages.PlayerDisconnect(table.name(seat))
        case Left(name=name) if not was_away:
            yield messages.PlayerDisconnect(name)
        case Closed():
            yield messages.EndGame(())
        case _:
            pass


# --- one event -------------------------------------------------------------------------------------------------------


def changes(table: Table, event: Event, before: View, after: View) -> Iterator[ToClient]:
    """The messages for one event, except turns and merges, which depend on the events around them (see `step`)."""
    match event:
        case game_events.Began():
            yield from pieces(table, after)
        case game_events.CloudsFilled(clouds=drawn):
            for index, students in enumerate(drawn):
                yield from added(messages.cloud(index), students)
        case game_events.PlanningBegan() | game_events.ActionBegan():
            yield messages.ChangePhase(messages.PHASES[after.phase])
        case game_events.PhaseBegan(phase=phase) if phase is not Phase.CHARACTER:
            yield messages.ChangePhase(messages.PHASES[phase])
        case game_events.AssistantPlayed(seat=seat, value=value):
            yield messages.PlayAssistanCard(value, table.name(seat))
        case game_events.CoinTaken(seat=seat):
            yield messages.AddCoin(table.name(seat))
        case game_events.ProfessorTaken(colour=color, seat=seat):
            yield messages.SetProfessorTo(color, table.name(seat))
        case game_events.CloudTaken(seat=seat, cloud=cloud):
            for color in listed(before.clouds[cloud]):
                yield messages.MoveStudent(messages.cloud(cloud), messages.entrance(seat), color)
        case game_events.CharacterPlayed(seat=seat, number=number, price=price):
            yield messages.ActivateCharacterCard(number, table.name(seat))
            yield from (messages.RemoveCoin(table.name(seat)) for _ in range(price))
        case game_events.Finished(winners=winners):
            yield messages.EndGame(tuple(table.name(seat) for seat in winners))
        case _:
            yield from island_changes(event, after)
            yield from student_changes(event, after)


def island_changes(event: Event, view: View) -> Iterator[ToClient]:
    match event:
        case game_events.MotherMoved():
            yield mother_at(view)
        case game_events.NoEntryUsed(tile=tile):
            yield messages.NoEntry(False, position_of(view, tile))
        case game_events.NoEntryPlaced(tile=tile):
            yield messages.NoEntry(True, position_of(view, tile))
        case game_events.TowersReturned(seat=seat, tiles=tiles):
            there = messages.island(position_of(view, tiles[0]))
            yield from (messages.MoveTower(there, messages.towers_of(seat)) for _ in tiles)
        case game_events.TowersPlaced(seat=seat, tiles=tiles):
            there = messages.island(position_of(view, tiles[0]))
            yield from (messages.MoveTower(messages.towers_of(seat), there) for _ in tiles)
        case game_events.GroupsJoined(first=first, second=second):
            yield messages.MergeIslands(first, second)
        case _:
            pass


def student_changes(event: Event, view: View) -> Iterator[ToClient]:
    match event:
        case game_events.StudentToHall(seat=seat, colour=color):
            yield messages.MoveStudent(messages.entrance(seat), messages.dining_room(seat), color)
        case game_events.StudentToIsland(seat=seat, colour=color, tile=tile):
            yield messages.MoveStudent(messages.entrance(seat), messages.island(position_of(view, tile)), color)
        case game_events.CardToIsland(number=number, colour=color, tile=tile):
            yield messages.MoveStudent(messages.card(number), messages.island(position_of(view, tile)), color)
        case game_events.CardToHall(seat=seat, number=number, colour=color):
            yield messages.MoveStudent(messages.card(number), messages.dining_room(seat), color)
        case game_events.CardRefilled(number=number, colour=color):
            yield messages.AddStudentTo(messages.card(number), color)
        case game_events.CardSwapped(seat=seat, number=number, card=card, entrance=entrance):
            yield messages.MoveStudent(messages.card(number), messages.entrance(seat), card)
            yield messages.MoveStudent(messages.entrance(seat), messages.card(number), entrance)
        case game_events.HallSwapped(seat=seat, entrance=entrance, hall=hall):
            yield messages.MoveStudent(messages.dining_room(seat), messages.entrance(seat), hall)
            yield messages.MoveStudent(messages.entrance(seat), messages.dining_room(seat), entrance)
        case game_events.StudentsReturned(seat=seat, colour=color, count=count):
            yield from (messages.MoveStudent(messages.dining_room(seat), messages.BAG, color) for _ in range(count))
        case _:
            pass
