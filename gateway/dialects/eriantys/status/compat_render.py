"""Statuses for the AM28 programs: pure functions from the table and a step to one line.

The text client drops every line that arrives while its menu is shown, so one line has all that a command changed. The
graphical client draws only what the last command concerns: it takes the first player and the first character of a
status for the ones concerned, and fails where a list that the command should have changed is missing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from msgspec.structs import asdict, replace

from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.status import messages, render
from gateway.dialects.eriantys.status.compat_messages import (
    TOWERS,
    Am28Answer,
    Am28Archipelago,
    Am28Game,
    Am28Player,
    Am28Status,
)
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.events import (
    AssistantPlayed,
    CardToIsland,
    CharacterPlayed,
    ChoiceMade,
    CloudTaken,
    Event,
    Finished,
    MotherMoved,
    NoEntryPlaced,
    StudentToHall,
    StudentToIsland,
)
from shared.games.eriantys.pieces import ASSISTANTS, Phase
from shared.games.eriantys.views import View, position_of
from shared.ids import Seat
from shared.room_events import RoomEvent

_COMMANDS: Final[dict[type[RoomEvent | Event], str]] = {
    AssistantPlayed: "PLAYASSISTANTCARD",
    StudentToIsland: "MOVETOISLAND",
    StudentToHall: "MOVETOHALL",
    MotherMoved: "MOVEMOTHERNATURE",
    CloudTaken: "TAKEFROMCLOUD",
}
_RESOLVING_CARD: Final = 3
_CARDS_FOR_ALL: Final = (_RESOLVING_CARD, 12)
_CARDS_WITH_PROFESSORS: Final = (10, 11, 12)


@dataclass(frozen=True, slots=True)
class _Cause:
    """The command behind a step."""

    command: str | None = None
    """None: the step has another cause, such as a lost player."""
    card: int | None = None
    """The number of the character that was played."""

    @staticmethod
    def of(events: Iterable[RoomEvent | Event]) -> "_Cause":
        chosen = any(isinstance(event, ChoiceMade) for event in events)
        for event in events:
            if type(event) in _COMMANDS:
                return _Cause(_COMMANDS[type(event)])
            if isinstance(event, CharacterPlayed | ChoiceMade):
                # In other dialects a character can be paid before its choice is made. The program has no such step.
                complete = chosen or CARDS[event.number].asks is Ask.NOTHING
                return _Cause("PLAYCHARACTERCARD", event.number) if complete else _Cause()
        return _Cause()

    @property
    def resolves(self) -> bool:
        """An island was resolved, so that towers and archipelagos of all may have changed."""
        return self.command == "MOVEMOTHERNATURE" or self.card == _RESOLVING_CARD


# --- seats -----------------------------------------------------------------------------------------------------------


def is_first(table: Table) -> bool:
    """Whether this connection is expected to send the parameters of the game."""
    return table.waiting and bool(table.room.spec.only) and table.seat == min(table.seats)


def answer(table: Table) -> Am28Answer:
    return Am28Answer(messages.FINE, messages.FINE, table.seat, is_first(table))


# --- parts of a status -----------------------------------------------------------------------------------------------


def turn(view: View) -> messages.TurnStatus | None:
    """None once the game is over."""
    return None if view.phase is Phase.OVER else replace(render.turn(view), phase=render.turn(view).phase.upper())


def player(table: Table, view: View, seat: int) -> Am28Player:
    plain = render.player_status(table, view, Seat(seat))
    own = view.players[seat]
    active = view.active
    further = active is not None and view.turn == seat and bool(CARDS[active.number].extra_steps)
    return Am28Player(
        **asdict(plain),
        students_on_entrance=own.entrance,
        students_on_hall=own.hall,
        assistant_cards=tuple(value not in own.hand for value in ASSISTANTS),
        added_shifts=further if view.expert else None,
    )


def archipelago(view: View, place: int, tile: int | None = None) -> Am28Archipelago:
    """A whole archipelago, or one with a single island of it."""
    plain = render.archipelago(view, place, view.groups[place])
    islands = tuple(island for island in plain.islands if tile in (None, island.island_index))
    return Am28Archipelago(place, plain.no_entry_tiles, islands)


def archipelagos(view: View) -> tuple[Am28Archipelago, ...]:
    return tuple(archipelago(view, place) for place in range(len(view.groups)))


def clouds(view: View) -> tuple[messages.CloudStatus, ...]:
    return tuple(messages.CloudStatus(index, students) for index, students in enumerate(view.clouds))


def professors(view: View) -> tuple[int, ...]:
    return tuple(-1 if owner is None else TOWERS.index(view.players[owner].tower) for owner in view.professors)


def character(view: View, place: int) -> messages.CharacterCardsStatus:
    plain = render.character(place, view.characters[place])
    return replace(plain, file_name=None, coin_on_it=view.characters[place].used)


def whole_character(view: View, place: int) -> messages.CharacterCardsStatus:
    """A card in a full status. Its students and no-entry tiles are never absent."""
    shown = view.characters[place]
    return messages.CharacterCardsStatus(place, f"P{shown.number:02}.jpg", shown.used, shown.no_entry, shown.students)


# --- statuses --------------------------------------------------------------------------------------------------------


def full_status(table: Table) -> Am28Status:
    view = table.view
    game = Am28Game(
        view.mother,
        archipelagos(view),
        clouds(view),
        tuple(whole_character(view, place) for place in range(len(view.characters))) if view.expert else None,
        tuple(player(table, view, seat) for seat in range(len(view.players))),
        professors(view),
    )
    mode = "expert" if view.expert else "simple"
    return Am28Status(messages.FINE, messages.FINE, turn=turn(view), game=game, game_mode=mode, player_id=table.seat)


def update(table: Table, before: View, events: list[RoomEvent | Event]) -> Am28Status | None:
    """The only line for a step that the table has followed already; None if the step has changed nothing that is
    shown."""
    after, cause = table.view, _Cause.of(events)
    finished = next((event for event in events if isinstance(event, Finished)), None)
    plain = render.changes(before, after, events)
    if cause.command is None and finished is None and plain == messages.CurrentStatus(messages.FINE):
        return None
    game = Am28Game(
        after.mother if cause.resolves or before.mother != after.mother else None,
        _archipelagos(after, events, cause),
        clouds(after) if cause.command == "TAKEFROMCLOUD" or before.clouds != after.clouds else None,
        _characters(before, after, cause),
        _players(table, before, cause),
        _professors(before, after, cause),
    )
    return Am28Status(
        messages.FINE,
        messages.FINE,
        last_command=cause.command,
        winner=None if finished is None else render.winner(table, finished.winners).winner,
        turn=turn(after),
        game=None if game == Am28Game() else game,
    )


def _archipelagos(view: View, events: Iterable[RoomEvent | Event], cause: _Cause) -> tuple[Am28Archipelago, ...] | None:
    """All of them, or the one that was changed: a client replaces its whole list if it gets more than one."""
    if cause.resolves:
        return archipelagos(view)
    for event in events:
        match event:
            case StudentToIsland(tile=tile) | CardToIsland(tile=tile):
                return (archipelago(view, position_of(view, tile), tile),)
            case NoEntryPlaced(tile=tile):
                return (replace(archipelago(view, position_of(view, tile)), islands=None),)
    return None


def _characters(before: View, after: View, cause: _Cause) -> tuple[messages.CharacterCardsStatus, ...] | None:
    """The character that was played, then the others that have changed."""
    places = range(len(after.characters))
    played = [place for place in places if after.characters[place].number == cause.card]
    changed = [place for place in places if before.characters[place] != after.characters[place]]
    return tuple(character(after, place) for place in dict.fromkeys((*played, *changed))) or None


def _players(table: Table, before: View, cause: _Cause) -> tuple[Am28Player, ...] | None:
    """The player in turn, then the others that have changed; all in the order of seats where towers or dining rooms of
    all may have changed."""
    everyone = [player(table, table.view, seat) for seat in range(len(before.players))]
    if cause.resolves or cause.card in _CARDS_FOR_ALL:
        return tuple(everyone)
    concerned = [] if cause.command is None else [before.turn]
    changed = [seat for seat, now in enumerate(everyone) if now != player(table, before, seat)]
    return tuple(everyone[seat] for seat in dict.fromkeys((*concerned, *changed))) or None


def _professors(before: View, after: View, cause: _Cause) -> tuple[int, ...] | None:
    needed = cause.command == "MOVETOHALL" or cause.card in _CARDS_WITH_PROFESSORS
    return professors(after) if needed or before.professors != after.professors else None
