"""A player without a face: the client's side of a dialect, without IO. The load tool and the e2e tests drive it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(slots=True)
class Received:
    """What a seat was told about its game, in terms that players of different dialects can be compared by.

    The checker demands that all seats of a room end with equal `result`, and equal `board` where both know one.
    """

    room: int | None = None
    result: Any = None
    """How the game ended, JSON-like; None until it has."""
    board: Any = None
    """The public position at the end as this seat knows it, an object; None if the dialect does not show enough. Only
    boards with the same keys are compared."""
    late: bool = False
    """The game ended while this player was away; afterwards it was told just that."""
    counts: dict[str, int] = field(default_factory=dict)
    """Things worth counting over a run: characters played, endings, refusals by code."""
    faults: list[str] = field(default_factory=list)
    """Everything that the server must never do, in words; the run fails if there is one."""


class Player(Protocol):
    """One seat. Frames are the text of messages, without any framing."""

    path: str
    """Where to connect, with the query: `/ws/codex?table=1000`. Read when the connection is made, each time."""
    told: Received
    over: bool
    """The game is finished for this player, and everything was told."""
    moves: int
    """Moves that were acknowledged."""
    sent_at: Callable[[], None] | None
    """Called by the player when it sends a move, and `acked_at` when that is acknowledged: for latencies."""
    acked_at: Callable[[], None] | None

    def open(self) -> Iterable[bytes]:
        """Connected, for the first time or again (then the player comes back by its dialect's own means)."""

    def receive(self, frame: bytes) -> Iterable[bytes]:
        """A message came: what to answer."""

    def tick(self) -> Iterable[bytes]:
        """A second has passed: sign of life, or another try."""


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """What the load tool asks a dialect's player to do."""

    name: str
    game: str
    seats: int
    options: dict[str, Any]
    seed: int
    """For the player's own choices."""
    table: Callable[[], int | None]
    """The room that the first player of the table has opened; None until then. The first player itself opens it."""
    opened: Callable[[int], None]
    """Called by the first player with the room's number."""
    first: bool
    """True for the player who opens the table."""
