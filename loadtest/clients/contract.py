"""The contract of headless clients: one seat's side of a dialect, without IO. The load tool and tests drive them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(slots=True)
class Received:
    """The game as a seat has received it, in a form in which clients of different dialects can be compared.

    All seats of a room must end with the same `result`, and with the same `board` where both have one.
    """

    room: int | None = None
    result: Any = None
    """The result of the game, JSON-like; None until it has ended."""
    board: Any = None
    """The public position at the end, an object; None if the dialect does not show enough of it. Only boards with the
    same keys are compared."""
    late: bool = False
    """The game ended while this player was disconnected, so it has not received the result."""
    undone: bool = False
    """The store has lost the room, or this player's seat in it."""
    names: tuple[str, ...] = ()
    """The players of the game, from clients that cannot name a table. After a fault such a client may have been led to
    another table than the load tool meant."""
    counts: dict[str, int] = field(default_factory=dict)
    """Occurrences counted over a run: characters played, endings, refusals by code."""
    faults: list[str] = field(default_factory=list)
    """Errors of the server, as texts; a run with one fails."""


class Player(Protocol):
    """One seat. Frames are the text of messages, without any framing."""

    path: str
    """Path and query to connect to, such as `/ws/codex?table=1000`. Read for each connection."""
    received: Received
    over: bool
    """The game is finished for this player, and its result has been received."""
    moves: int
    """Moves that were acknowledged."""
    sent_at: Callable[[], None] | None
    """Called by the player when it sends a move, and `acked_at` when that is acknowledged: for latencies."""
    acked_at: Callable[[], None] | None

    def open(self) -> Iterable[bytes]:
        """The frames to send on a new connection. After the first, the player resumes by the means of its dialect."""

    def receive(self, frame: bytes) -> Iterable[bytes]:
        """The frames that answer a message."""

    def tick(self) -> Iterable[bytes]:
        """The frames to send once a second: heartbeats and retries."""


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """The seat that a player of the load tool shall take."""

    name: str
    game: str
    seats: int
    options: dict[str, Any]
    seed: int
    """Seed of the player's choices."""
    table: Callable[[], int | None]
    """The room that the first player of the table has opened; None until then."""
    opened: Callable[[int], None]
    """Called by the first player with the room's number."""
    first: bool
    """This player opens the table."""
