"""Messages of `eriantys.prompts`: the whole view, the parts that a step has changed, and the next prompt."""

from collections.abc import Iterator
from enum import StrEnum

from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.prompts import messages
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
from shared.room_events import RoomStatus
from shared.room_views import Listing

_ACTIVITIES = {
    Phase.PLANNING: "is choosing an assistant",
    Phase.STUDENTS: "is moving students",
    Phase.MOTHER: "is moving mother nature",
    Phase.CLOUD: "is choosing a cloud",
    Phase.CHARACTER: "has to make the choice of a character",
    Phase.OVER: "was the last to play",
}


class Notice(StrEnum):
    """The news about the players of a table. The first three go to the player who has got the seat."""

    CREATED = "created"
    JOINED = "joined"
    RETURNED = "returned"
    ENTERED = "entered"
    RECONNECTED = "reconnected"
    DISCONNECTED = "disconnected"
    LEFT = "left"
    CLOSED = "closed"


_NOTICES = {
    Notice.CREATED: "you have a seat",
    Notice.JOINED: "you have a seat",
    Notice.RETURNED: "welcome back",
    Notice.ENTERED: "{name} has joined",
    Notice.RECONNECTED: "{name} is back",
    Notice.DISCONNECTED: "{name} has lost the connection",
    Notice.LEFT: "{name} has left",
    Notice.CLOSED: "an operator has closed the lobby",
}


def notice(table: Table, what: Notice, name: str) -> ToClient:
    text = _NOTICES[what].replace("{name}", name)
    if what in (Notice.DISCONNECTED, Notice.LEFT):
        return messages.NotifyDisconnection(text)
    taken = f"{len(table.seats)} of {table.room.spec.seats}"
    return messages.InformationConnection(f"{text} ({taken})", table.room_id)


def lobby(listing: Listing) -> messages.Lobby:
    seats = sorted(listing.names)
    choices = [listing.choices.get(seat, {}) for seat in seats]
    waiting = listing.status is RoomStatus.WAITING
    return messages.Lobby(
        nicknames=tuple(listing.names[seat] for seat in seats),
        num_players=listing.seats,
        mages=tuple(str(choice["mage"]) for choice in choices if "mage" in choice),
        towers=tuple(str(choice["tower"]) for choice in choices if "tower" in choice),
        mode=bool(listing.options.get("expert")),
        game_status="SETUP" if waiting else "PAUSE" if listing.paused else "PLAYING",
        lobby_index=listing.room,
    )


# --- objects ---------------------------------------------------------------------------------------------------------


def island(view: View, group: Group) -> messages.Island:
    return messages.Island(listed(students_of(view, group)), towers_of(view, group), group.no_entry, len(group.tiles))


def world(view: View) -> tuple[messages.Island, ...]:
    return tuple(island(view, group) for group in view.groups)


def assistant(value: int) -> messages.Assistant:
    return messages.Assistant(steps_of(value), value)


def player(table: Table, view: View, seat: int) -> messages.Player:
    own = view.players[seat]
    return messages.Player(
        nickname=table.name(Seat(seat)),
        virtual_coins=own.coins,
        virtual_hand=messages.Hand(own.mage, tuple(map(assistant, own.hand))),
        virtual_board=messages.Board(
            entrance=listed(own.entrance),
            towers=(own.tower,) * own.towers,
            hall=dict(zip(COLORS, own.hall, strict=True)),
        ),
        virtual_last_assistant=None if own.assistant is None else assistant(own.assistant),
    )


def clouds(view: View) -> tuple[messages.Cloud, ...]:
    return tuple(messages.Cloud(listed(students)) for students in view.clouds)


def professors(table: Table, view: View) -> dict[Color, str | None]:
    owners = (None if owner is None else table.name(owner) for owner in view.professors)
    return dict(zip(COLORS, owners, strict=True))


def character(view: View, place: int) -> messages.Character:
    shown = view.characters[place]
    card = CARDS[shown.number]
    return messages.Character(
        number=shown.number,
        description=card.text,
        cost=shown.price,
        already_played=shown.used,
        active=is_active(view, place),
        students=listed(shown.students) if card.students else None,
        no_entry=shown.no_entry if card.no_entry else None,
    )


def characters(view: View) -> tuple[messages.Character, ...]:
    return tuple(character(view, place) for place in range(len(view.characters)))


def is_active(view: View, place: int) -> bool:
    return view.active is not None and view.active.number == view.characters[place].number


def full_view(table: Table, view: View) -> Iterator[ToClient]:
    """The whole view, followed in an expert game by the characters in a message of their own."""
    yield messages.FullView(
        messages.VirtualView(
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
        yield messages.CreateCharacters(characters(view))


# --- changes ---------------------------------------------------------------------------------------------------------


def changes(table: Table, before: View, after: View) -> Iterator[ToClient]:
    """One message for each changed part: professors, players, islands, clouds, mother nature, coins, characters."""
    if before.professors != after.professors:
        yield messages.UpdateProfs(professors(table, after))
    for seat, (then, now) in enumerate(zip(before.players, after.players, strict=True)):
        if then != now:
            yield messages.UpdatePlayer(player(table, after, seat), seat)
    yield from island_changes(before, after)
    yield from cloud_changes(before, after)
    position = position_of(after, after.mother)
    if position != position_of(before, before.mother) or len(before.groups) != len(after.groups):
        yield messages.UpdateMN(position)
    if before.bank != after.bank:
        yield messages.UpdateCoins(after.bank)
    for place in range(len(after.characters)):
        yield from character_changes(before, after, place)


def island_changes(before: View, after: View) -> Iterator[ToClient]:
    if len(before.groups) != len(after.groups):
        yield messages.UpdateWorld(world(after))
        return
    if before.tiles is after.tiles and before.groups is after.groups:
        return
    for index, (then, now) in enumerate(zip(before.groups, after.groups, strict=True)):
        touched = any(before.tiles[tile - 1] != after.tiles[tile - 1] for tile in now.tiles)
        if touched or then.no_entry != now.no_entry:
            yield messages.UpdateIsland(island(after, now), index)


def cloud_changes(before: View, after: View) -> Iterator[ToClient]:
    refilled = after.round != before.round and any(listed(cloud) for cloud in after.clouds)
    if refilled and before.clouds != after.clouds:
        yield messages.CreateClouds(clouds(after))
        return
    for index, (then, now) in enumerate(zip(before.clouds, after.clouds, strict=True)):
        if then != now:
            yield messages.ReplaceCloud(messages.Cloud(listed(now)), index)


def character_changes(before: View, after: View, place: int) -> Iterator[ToClient]:
    then, now = before.characters[place], after.characters[place]
    card = CARDS[now.number]
    if then != now:
        if card.students:
            yield messages.ReplaceCharacterStudents(character(after, place), place)
        elif card.no_entry:
            yield messages.ReplaceCharacterWithNoEntry(character(after, place), place)
        else:
            yield messages.ReplaceCharacter(character(after, place), place)
    if is_active(before, place) is not is_active(after, place):
        yield messages.UpdateActiveCharacter(place, is_active(after, place))


# --- prompts and the end ---------------------------------------------------------------------------------------------


def prompt(table: Table) -> ToClient:
    """The prompt for the player whose turn it is; for the others, the information whose turn it is."""
    view = table.view
    if view.turn == table.seat and not view.paused:
        match view.phase:
            case Phase.PLANNING:
                return messages.SelectAssistant(playable_assistants(view))
            case Phase.STUDENTS:
                return messages.MoveStudentRequest(view.moves)
            case Phase.MOTHER:
                return messages.MoveMNRequest(max_steps(view))
            case Phase.CLOUD:
                return messages.SelectCloud(takeable_clouds(view))
            case _:
                pass
    return information(table, f"{table.name(view.turn)} {_ACTIVITIES[view.phase]}")


def information(table: Table, text: str) -> ToClient:
    return messages.InformationGame(text, table.name(table.view.turn), messages.PHASES[table.view.phase])


def game_ended(table: Table, winners: tuple[Seat, ...]) -> ToClient:
    """The result. `winner` is the player, or the team's player who has the towers; null after a draw."""
    colors = {table.view.players[seat].tower for seat in winners}
    winner = table.name(winners[0]) if len(colors) == 1 else None
    return messages.GameEnded(winner, tuple(table.name(seat) for seat in winners))
