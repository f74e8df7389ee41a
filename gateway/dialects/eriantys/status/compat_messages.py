"""The messages to the AM28 programs: the keys of `eriantys.status`, and beside them the keys that the programs read.

Keys that both have with different contents (phases, positions of archipelagos, file names, owners of professors) have
the contents that the programs expect.
"""

from typing import Final

import msgspec

from gateway.dialects.eriantys.status.messages import (
    CharacterCardsStatus,
    CloudStatus,
    IslandStatus,
    PlayerStatus,
    Reply,
    TurnStatus,
)
from shared.games.eriantys.pieces import Counts, Tower

BAD_NAME: Final = 104
WAIT_FOR_PLAYERS: Final = 105
"""Not an error: the client shows that it waits. All other codes are only printed."""
NOT_FIRST: Final = 106
SENT_AWAY: Final = 209
BAD_ARGUMENT: Final = 301
TOWERS: Final = (Tower.WHITE, Tower.BLACK, Tower.GREY)
"""Owners of professors are given by their places in this tuple."""


class Am28Answer(Reply, frozen=True):
    """The answer to a name and to the parameters of a game."""

    status: int
    status_code: int
    user_id: int | None = msgspec.field(default=None, name="userID")
    first: bool | None = None
    """Whether the client shall ask for the parameters of the game."""
    error_message: str | None = None


class Am28Player(PlayerStatus, frozen=True):
    students_on_entrance: Counts | None = None
    students_on_hall: Counts | None = None
    assistant_cards: tuple[bool, ...] | None = None
    """For each of the ten assistants, whether it was played."""
    added_shifts: bool | None = None
    """Whether mother nature may go two islands further in this turn; None in simple games."""


class Am28Archipelago(Reply, frozen=True):
    index: int
    """The position in the list, from 0."""
    no_entry_tiles: int
    islands: tuple[IslandStatus, ...] | None = None
    """All of them, or one that has changed; None: unchanged."""


class Am28Game(Reply, frozen=True):
    mother_nature_index: int | None = None
    archipelagos: tuple[Am28Archipelago, ...] | None = None
    clouds: tuple[CloudStatus, ...] | None = None
    character_cards: tuple[CharacterCardsStatus, ...] | None = None
    players: tuple[Am28Player, ...] | None = None
    professors: tuple[int, ...] | None = None


class Am28Status(Reply, frozen=True):
    status: int
    status_code: int
    error_message: str | None = None
    last_command: str | None = None
    winner: str | None = None
    turn: TurnStatus | None = None
    game: Am28Game | None = None
    game_mode: str | None = None
    player_id: int | None = msgspec.field(default=None, name="playerID")
