"""The game in the objects of `eriantys.prompts`: the whole view, the parts that changed, and what is asked next."""

from collections.abc import Iterator

from gateway.dialects.eriantys.common import Table
from gateway.dialects.eriantys.prompts import messages as said
from gateway.dialects.eriantys.prompts.messages import ToClient
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.pieces import COLORS, Color, Phase, listed, steps_of
from shared.games.eriantys.views import (
    Group,
    View,
    max_steps,
    playable_assistants,
    position_of,
    students_of,
    takeable_clouds,
    towers_of,
)
from shared.ids import Seat
from shared.room_views import Listing

_DOING = {
    Phase.PLANNING: "is choosing an assistant",
    Phase.STUDENTS: "is moving students",
    Phase.MOTHER: "is moving mother nature",
    Phase.CLOUD: "is choosing a cloud",
    Phase.CHARACTER: "has to make the choice of a character",
    Phase.OVER: "was the last to play",
}


def lobby(listing: Listing) -> said.Lobby:
    seats = sorted(listing.names)
    choices = [listing.choices.get(seat, {}) for seat in seats]
    waiting = listing.status == "waiting"
    return said.Lobby(
        nicknames=tuple(listing.names[seat] for seat in seats),
        num_players=listing.seats,
        mages=tuple(str(choice["mage"]) for choice in choices if "mage" in choice),
        towers=tuple(str(choice["tower"]) for choice in choices if "tower" in choice),
        mode=bool(listing.options.get("expert")),
        game_status="SETUP" if waiting else "PAUSE" if listing.paused else "PLAYING",
        lobby_index=listing.room,
    )


# --- objects ---------------------------------------------------------------------------------------------------------


def island(view: View, group: Group) -> said.Island:
    return said.Island(listed(students_of(view, group)), towers_of(view, group), group.no_entry, len(group.tiles))


def world(view: View) -> tuple[said.Island, ...]:
    return tuple(island(view, group) for group in view.groups)


def assistant(value: int) -> said.Assistant:
    return said.Assistant(steps_of(value), value)


def player(table: Table, view: View, seat: int) -> said.Player:
    person = view.players[seat]
    return said.Player(
        nickname=table.name(Seat(seat)),
        virtual_coins=person.coins,
        virtual_hand=said.Hand(person.mage, tuple(map(assistant, person.hand))),
        virtual_board=said.Board(
            entrance=listed(person.entrance),
            towers=(person.tower,) * person.towers,
            hall=dict(zip(COLORS, person.hall, strict=True)),
        ),
        virtual_last_assistant=None if person.assistant is None else assistant(person.assistant),
    )


def clouds(view: View) -> tuple[said.Cloud, ...]:
    return tuple(said.Cloud(listed(students)) for students in view.clouds)


def professors(table: Table, view: View) -> dict[Color, str | None]:
    owners = (None if owner is None else table.name(owner) for owner in view.professors)
    return dict(zip(COLORS, owners, strict=True))


def character(view: View, place: int) -> said.Character:
    there = view.characters[place]
    card = CARDS[there.number]
    return said.Character(
        number=there.number,
        description=card.text,
        cost=there.price,
        already_played=there.used,
        active=is_active(view, place),
        students=listed(there.students) if card.students else None,
        no_entry=there.no_entry if card.no_entry else None,
    )


def characters(view: View) -> tuple[said.Character, ...]:
    return tuple(character(view, place) for place in range(len(view.characters)))


def is_active(view: View, place: int) -> bool:
    return view.active is not None and view.active.number == view.characters[place].number


def everything(table: Table, view: View) -> Iterator[ToClient]:
    """The whole view; in an expert game the characters once more by themselves."""
    yield said.FullView(
        said.VirtualView(
            virtual_world=world(view),
            virtual_players=tuple(player(table, view, seat) for seat in range(len(view.players))),
            virtual_clouds=clouds(view),
            virtual_profs=professors(table, view),
            virtual_characters=characters(view),
            virtual_coins=view.bank,
            mn_pos=position_of(view, view.mother),
        )
    )
    if view.expert:
        yield said.CreateCharacters(characters(view))


# --- what changed ----------------------------------------------------------------------------------------------------


def changes(table: Table, before: View, after: View) -> Iterator[ToClient]:
    """Each part that is not as it was, once: professors, players, islands, clouds, mother nature, coins, characters."""
    if before.professors != after.professors:
        yield said.UpdateProfs(professors(table, after))
    for seat, (then, now) in enumerate(zip(before.players, after.players, strict=True)):
        if then != now:
            yield said.UpdatePlayer(player(table, after, seat), seat)
    yield from island_changes(before, after)
    yield from cloud_changes(before, after)
    position = position_of(after, after.mother)
    if position != position_of(before, before.mother) or len(before.groups) != len(after.groups):
        yield said.UpdateMN(position)
    if before.bank != after.bank:
        yield said.UpdateCoins(after.bank)
    for place in range(len(after.characters)):
        yield from character_changes(before, after, place)


def island_changes(before: View, after: View) -> Iterator[ToClient]:
    if len(before.groups) != len(after.groups):
        yield said.UpdateWorld(world(after))
        return
    if before.tiles is after.tiles and before.groups is after.groups:
        return
    for index, (then, now) in enumerate(zip(before.groups, after.groups, strict=True)):
        touched = any(before.tiles[tile - 1] != after.tiles[tile - 1] for tile in now.tiles)
        if touched or then.no_entry != now.no_entry:
            yield said.UpdateIsland(island(after, now), index)


def cloud_changes(before: View, after: View) -> Iterator[ToClient]:
    refilled = after.round != before.round and any(listed(cloud) for cloud in after.clouds)
    if refilled and before.clouds != after.clouds:
        yield said.CreateClouds(clouds(after))
        return
    for index, (then, now) in enumerate(zip(before.clouds, after.clouds, strict=True)):
        if then != now:
            yield said.ReplaceCloud(said.Cloud(listed(now)), index)


def character_changes(before: View, after: View, place: int) -> Iterator[ToClient]:
    then, now = before.characters[place], after.characters[place]
    card = CARDS[now.number]
    if then != now:
        if card.students:
            yield said.ReplaceCharacterStudents(character(after, place), place)
        elif card.no_entry:
            yield said.ReplaceCharacterWithNoEntry(character(after, place), place)
        else:
            yield said.ReplaceCharacter(character(after, place), place)
    if is_active(before, place) is not is_active(after, place):
        yield said.UpdateActiveCharacter(place, is_active(after, place))


# --- what is next ----------------------------------------------------------------------------------------------------


def prompt(table: Table) -> ToClient:
    """To the player whose turn it is what may be done now; to the others, who that is."""
    view = table.view
    if view.turn == table.seat and not view.paused:
        match view.phase:
            case Phase.PLANNING:
                return said.SelectAssistant(playable_assistants(view))
            case Phase.STUDENTS:
                return said.MoveStudentRequest(view.moves)
            case Phase.MOTHER:
                return said.MoveMNRequest(max_steps(view))
            case Phase.CLOUD:
                return said.SelectCloud(takeable_clouds(view))
            case _:
                pass
    return information(table, f"{table.name(view.turn)} {_DOING[view.phase]}")


def information(table: Table, text: str) -> ToClient:
    return said.InformationGame(text, table.name(table.view.turn), said.PHASES[table.view.phase])


def ending(table: Table, winners: tuple[Seat, ...]) -> ToClient:
    """One winner's name: of a team the one with the towers; nobody's if teams or players are equal."""
    colours = {table.view.players[seat].tower for seat in winners}
    winner = table.name(winners[0]) if len(colours) == 1 else None
    return said.GameEnded(winner, tuple(table.name(seat) for seat in winners))
