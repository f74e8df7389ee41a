"""The events of the game. visibility.py redacts what a seat may not know."""

from enum import StrEnum
from typing import TypeAlias

from shared.game import Message, Value
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.levels import Level
from shared.games.snarl.pieces import Actor, Board, Kind, Point, Window
from shared.ids import Seat

Windows: TypeAlias = dict[Seat, Window]
"""The windows of the players after an event. Each player receives only their own."""
Sighted: TypeAlias = tuple[Actor, ...] | None
"""The adversaries that players see after an event, for spectators, who do not see the others. None in a game where
spectators see the whole level; redacted for seats."""


class Result(StrEnum):
    OK = "OK"
    KEY = "Key"
    EXIT = "Exit"
    EJECT = "Eject"


class End(StrEnum):
    WON = "won"
    LOST = "lost"
    DESERTED = "deserted"


class Score(Value, frozen=True):
    seat: Seat
    exits: int
    ejects: int
    keys: int


class GameBegan(Message, frozen=True, tag="game_began"):
    order: tuple[Seat, ...]
    """The seats in the order of play."""
    first: int
    last: int
    """The numbers of the first and the last level."""
    move_time_ms: int
    grace_ms: int
    house: HouseRules
    seed: int = 0
    levels: tuple[Level, ...] = ()
    """The levels that are not generated, from the first to the last of the dungeon. Seed and levels are redacted."""
    whole_level: bool = False
    """Spectators see the whole level, not only what players have seen."""


class LevelBegan(Message, frozen=True, tag="level_began"):
    number: int
    players: tuple[Seat, ...]
    """The seats that play this level, in the order of play."""
    board: Board | None = None
    places: tuple[Actor, ...] = ()
    adversaries: tuple[Actor, ...] = ()
    """The adversaries in the order of their moves. Board and places are redacted for seats, the board and unseen
    adversaries for spectators."""
    windows: Windows = {}
    sighted: Sighted = None


class TurnCame(Message, frozen=True, tag="turn_came"):
    """It is now this player's move."""

    seat: Seat


class TurnLost(Message, frozen=True, tag="turn_lost"):
    """The player let the turn pass: not even a stay."""

    seat: Seat


class PlayerMoved(Message, frozen=True, tag="player_moved"):
    seat: Seat
    result: Result
    to: Point | None = None
    """Redacted for other seats."""
    windows: Windows = {}
    """Spectators receive the window of the player who moved."""
    sighted: Sighted = None


class AdversaryMoved(Message, frozen=True, tag="adversary_moved"):
    """An adversary had its turn, even if it could not move. The adversary and its points are redacted for seats and
    spectators."""

    expelled: Seat | None = None
    kind: Kind | None = None
    number: int = 0
    to: Point | None = None
    through: Point | None = None
    """The wall that a ghost entered and was transported by."""
    windows: Windows = {}
    """Also for the player it expelled: the last one of the level."""
    sighted: Sighted = None


class PlayerDisconnected(Message, frozen=True, tag="player_disconnected"):
    """The player is out of the game for good."""

    seat: Seat
    ejected: bool = False
    """It counts as an ejection (`HouseRules.loss_ejects`)."""
    windows: Windows = {}
    sighted: Sighted = None


class WentAway(Message, frozen=True, tag="went_away"):
    """The player lost the connection; the grace time runs."""

    seat: Seat


class CameBack(Message, frozen=True, tag="came_back"):
    seat: Seat


class LevelEnded(Message, frozen=True, tag="level_ended"):
    number: int
    key: Seat | None
    exits: tuple[Seat, ...]
    ejects: tuple[Seat, ...]
    """In the order it happened."""


class GameEnded(Message, frozen=True, tag="game_ended"):
    end: End
    ranking: tuple[Score, ...]
    """All players who began the game, the best first."""


Event: TypeAlias = (
    GameBegan
    | LevelBegan
    | TurnCame
    | TurnLost
    | PlayerMoved
    | AdversaryMoved
    | PlayerDisconnected
    | WentAway
    | CameBack
    | LevelEnded
    | GameEnded
)
