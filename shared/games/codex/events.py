"""The events of the game. `visibility.redact` empties the fields that a receiver may not see."""

from typing import TypeAlias

from shared.game import Message, Value
from shared.games.codex.pieces import Color, Face, Own, Phase, Place, Standing, Symbol, Timing
from shared.ids import Seat


class Decks(Value, frozen=True):
    """The hidden cards. The first card of a deck is its top."""

    resource: tuple[int, ...] = ()
    gold: tuple[int, ...] = ()
    objective: tuple[int, ...] = ()
    unused: tuple[int, ...] = ()
    """The starting cards that were not dealt."""


class Dealt(Message, frozen=True, tag="dealt"):
    """Everything was shuffled and handed out; the players choose their starting faces next."""

    options: Timing
    order: tuple[Seat, ...]
    common: tuple[int, int]
    places: tuple[Place, ...]
    own: dict[Seat, Own]
    """Each seat sees its own entry only."""
    decks: Decks | None = None
    """Redacted for all receivers."""


class TurnBegan(Message, frozen=True, tag="turn_began"):
    """A player's turn to choose, place or draw began."""

    seat: Seat
    round: int = 0
    """0 during the set-up."""


class PhaseBegan(Message, frozen=True, tag="phase_began"):
    phase: Phase


class StartingPlaced(Message, frozen=True, tag="starting_placed"):
    seat: Seat
    card: int
    face: Face
    symbols: dict[Symbol, int]
    """The number of each symbol that is visible in the area now."""


class ColorPicked(Message, frozen=True, tag="color_picked"):
    seat: Seat
    color: Color


class ObjectiveChosen(Message, frozen=True, tag="objective_chosen"):
    seat: Seat
    objective: int | None = None
    """Seen by the player alone."""


class CardPlaced(Message, frozen=True, tag="card_placed"):
    seat: Seat
    card: int
    face: Face
    i: int
    j: int
    earned: int
    points: int
    """The total after it."""
    symbols: dict[Symbol, int]
    """The number of each symbol that is visible in the area now."""


class CardDrawn(Message, frozen=True, tag="card_drawn"):
    seat: Seat
    place: int
    """0-5, see `pieces`."""
    card: int | None = None
    """Seen by the player alone."""


class PlaceChanged(Message, frozen=True, tag="place_changed"):
    """A place to draw from shows something else now."""

    place: int
    card: Place


class TurnPassed(Message, frozen=True, tag="turn_passed"):
    """The player has no turn in this round: `stuck` (can place nothing) or `away`."""

    seat: Seat
    reason: str


class LastRoundBegan(Message, frozen=True, tag="last_round_began"):
    pass


class ObjectivesScored(Message, frozen=True, tag="objectives_scored"):
    """The final scoring of one player: points for both common objectives and for the secret one, now revealed."""

    seat: Seat
    objective: int
    gained: tuple[int, int, int]
    points: int
    """The final total."""


class GameEnded(Message, frozen=True, tag="game_ended"):
    reason: str
    winners: tuple[Seat, ...]
    standings: tuple[Standing, ...]


class PlayerLost(Message, frozen=True, tag="player_lost"):
    """A player went away. For the journal only: the room's own events inform the players."""

    seat: Seat
    for_good: bool = False


class PlayerFound(Message, frozen=True, tag="player_found"):
    """A player is back. For the journal only: the room's own events inform the players."""

    seat: Seat


Event: TypeAlias = (
    Dealt
    | TurnBegan
    | PhaseBegan
    | StartingPlaced
    | ColorPicked
    | ObjectiveChosen
    | CardPlaced
    | CardDrawn
    | PlaceChanged
    | TurnPassed
    | LastRoundBegan
    | ObjectivesScored
    | GameEnded
    | PlayerLost
    | PlayerFound
)
