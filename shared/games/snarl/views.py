"""The views of a game: players see a window of the level, spectators what players have seen, or the whole level if the
table allows it. `fold` applies an event to a view.

The part of the state that is no secret is this same struct, so that rules and clients go by one and the same `fold`.
"""

from enum import StrEnum
from typing import assert_never

from msgspec.structs import replace

from shared.game import Value
from shared.games.snarl.events import (
    AdversaryMoved,
    CameBack,
    End,
    Event,
    GameBegan,
    GameEnded,
    LevelBegan,
    LevelEnded,
    PlayerDisconnected,
    PlayerMoved,
    Result,
    Score,
    TurnCame,
    TurnLost,
    WentAway,
    Windows,
)
from shared.games.snarl.explored import NOTHING_SEEN, explore, is_explored_part
from shared.games.snarl.pieces import Actor, Board, Point, Window
from shared.ids import Seat


class Standing(StrEnum):
    ACTIVE = "active"
    EXITED = "exited"
    EJECTED = "ejected"
    DISCONNECTED = "disconnected"


class Member(Value, frozen=True):
    """A player: standing in this level, and counts over the whole game."""

    seat: Seat
    standing: Standing = Standing.ACTIVE
    exits: int = 0
    ejects: int = 0
    keys: int = 0
    position: Point | None = None
    """The position of an active player, in the view of spectators only."""


class View(Value, frozen=True):
    you: Seat | None = None
    """None: a spectator, who has board and adversaries, as far as players have seen them; seats have a window instead.
    The state and spectators of a table that allows it have the whole level."""
    level: int = 0
    last: int = 0
    party: tuple[Member, ...] = ()
    """In the order of play."""
    turn: Seat | None = None
    turns: int = 0
    """The number of turns so far in the game."""
    key: Seat | None = None
    """The seat that found the key of this level, which unlocks the exit."""
    exits: tuple[Seat, ...] = ()
    ejects: tuple[Seat, ...] = ()
    board: Board | None = None
    adversaries: tuple[Actor, ...] = ()
    window: Window | None = None
    """While active in the level."""
    end: End | None = None
    ranking: tuple[Score, ...] = ()

    def member(self, seat: Seat) -> Member:
        return next(member for member in self.party if member.seat == seat)

    @property
    def whole(self) -> Board:
        """The board of the state, once a level has begun."""
        if self.board is None:
            raise LookupError("no level is open to this view")
        return self.board

    @property
    def active(self) -> tuple[Member, ...]:
        return tuple(member for member in self.party if member.standing is Standing.ACTIVE)

    @property
    def connected(self) -> tuple[Member, ...]:
        return tuple(member for member in self.party if member.standing is not Standing.DISCONNECTED)


def fold(view: View, event: Event) -> View:
    match event:
        case GameBegan():
            party = tuple(Member(seat) for seat in event.order)
            return replace(view, level=event.first, last=event.last, party=party)
        case LevelBegan():
            return _begin_level(view, event)
        case TurnCame():
            return replace(view, turn=event.seat, turns=view.turns + 1)
        case PlayerMoved():
            return _look(_move_player(view, event), event)
        case AdversaryMoved():
            return _look(_move_adversary(view, event), event)
        case PlayerDisconnected():
            return _look(_disconnect(view, event), event)
        case LevelEnded():
            return replace(view, turn=None)
        case GameEnded():
            return replace(view, turn=None, end=event.end, ranking=event.ranking)
        case TurnLost() | WentAway() | CameBack():
            return view
        case _:
            assert_never(event)


def _begin_level(view: View, event: LevelBegan) -> View:
    places = {actor.number: actor.position for actor in event.places}
    party = tuple(
        replace(member, standing=Standing.ACTIVE, position=places.get(member.seat))
        if member.seat in event.players
        else member
        for member in view.party
    )
    return replace(
        view,
        level=event.number,
        party=party,
        key=None,
        exits=(),
        ejects=(),
        board=_first_sight(view, event) if event.board is None else event.board,
        adversaries=event.adversaries,
        window=_own_window(view, event.windows, party),
    )


def _first_sight(view: View, event: LevelBegan) -> Board | None:
    """The explored part of a level that has just begun; none for seats."""
    if view.you is not None or event.sighted is None:
        return None
    return explore(NOTHING_SEEN, event.windows.values())


def _look(view: View, event: PlayerMoved | AdversaryMoved | PlayerDisconnected) -> View:
    """Extend an explored part by what players see after the event. Whole levels stay as they are."""
    if event.sighted is None or not is_explored_part(view.board):
        return view
    return replace(view, board=explore(view.whole, event.windows.values()), adversaries=event.sighted)


def _move_player(view: View, event: PlayerMoved) -> View:
    seat, board = event.seat, view.board
    here = event.to if view.you is None else None
    before = view.member(seat)
    match event.result:
        case Result.OK:
            after = replace(before, position=here)
        case Result.KEY:
            after = replace(before, position=here, keys=before.keys + 1)
            board = None if board is None else replace(board, key=None)
        case Result.EXIT:
            after = replace(before, position=None, standing=Standing.EXITED, exits=before.exits + 1)
        case Result.EJECT:
            after = replace(before, position=None, standing=Standing.EJECTED, ejects=before.ejects + 1)
    party = _with(view.party, after)
    return replace(
        view,
        party=party,
        board=board,
        key=seat if event.result is Result.KEY else view.key,
        exits=(*view.exits, seat) if event.result is Result.EXIT else view.exits,
        ejects=(*view.ejects, seat) if event.result is Result.EJECT else view.ejects,
        window=_own_window(view, event.windows, party),
    )


def _move_adversary(view: View, event: AdversaryMoved) -> View:
    party, ejects, adversaries = view.party, view.ejects, view.adversaries
    if event.to is not None:
        adversaries = tuple(
            replace(actor, position=event.to) if actor.kind == event.kind and actor.number == event.number else actor
            for actor in adversaries
        )
    if event.expelled is not None:
        victim = view.member(event.expelled)
        party = _with(party, replace(victim, position=None, standing=Standing.EJECTED, ejects=victim.ejects + 1))
        ejects = (*ejects, event.expelled)
    window = _own_window(view, event.windows, party)
    return replace(view, party=party, ejects=ejects, adversaries=adversaries, window=window)


def _disconnect(view: View, event: PlayerDisconnected) -> View:
    lost = view.member(event.seat)
    ejects = lost.ejects + event.ejected
    party = _with(view.party, replace(lost, position=None, standing=Standing.DISCONNECTED, ejects=ejects))
    return replace(
        view,
        party=party,
        ejects=(*view.ejects, event.seat) if event.ejected else view.ejects,
        window=_own_window(view, event.windows, party),
    )


def _with(party: tuple[Member, ...], changed: Member) -> tuple[Member, ...]:
    return tuple(changed if member.seat == changed.seat else member for member in party)


def _own_window(view: View, windows: Windows, party: tuple[Member, ...]) -> Window | None:
    """The window of an event, unless the player has left the level with it."""
    if view.you is None:
        return None
    active = any(member.seat == view.you and member.standing is Standing.ACTIVE for member in party)
    return windows.get(view.you) if active else None
