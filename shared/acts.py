"""Acts of operators: as a command brings them, as a journal keeps them, and as the audit lists them."""

from enum import StrEnum

import msgspec

from shared.ids import Offset, RoomId


class ActKind(StrEnum):
    CLOSE = "close"
    """End a room without a result."""
    REMOVE = "remove"
    """Take the seat of a player away."""
    FREE = "free"
    """Bring a quarantined room back."""
    REVOKE = "revoke"
    """Make the tokens of a session invalid."""
    DRAIN = "drain"
    """Ask a process to stop cleanly."""


LOBBY_ACTS = frozenset((ActKind.REVOKE, ActKind.DRAIN))
"""Acts that concern no room. The lobby journals them."""


class OperatorAct(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """An order of an operator."""

    id: str
    """Chosen by the operator's client: an act that is sent again under the same id is carried out once."""
    kind: ActKind
    author: str
    """The name of the operator."""
    reason: str = ""
    """Kept in the journal and in the audit; players are not shown it."""
    subject: str = ""
    """The player, session or process that the act concerns; empty: the whole room."""


class AuditEntry(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """An act in the audit of its partition, with the place of its journal record."""

    at: int
    room: RoomId
    offset: Offset
    number: int
    act: OperatorAct
    players: int = 0
    """The number of players that the act concerned."""
    code: str = ""
    """The code of the refusal; empty: the act was carried out."""
