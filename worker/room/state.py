"""The state of a room, and how its events change it. Everything here is saved in snapshots.

`shared.room_follower` applies the facts that every follower of a room keeps; this module adds those of the owner.
"""

import sys
from functools import lru_cache

import msgspec

from shared.game import Choice
from shared.ids import CommandId, Epoch, GatewayId, Offset, RoomId, Seat, SessionId
from shared.journal_records import Acted, AnyNote, Attached, Detached
from shared.name_rules import folded
from shared.room_events import (
    OVER,
    Away,
    Back,
    Ended,
    Joined,
    Left,
    Opened,
    Rematched,
    RoomEvent,
    RoomSpec,
    RoomStatus,
    Said,
    Shifted,
)
from shared.room_follower import follow
from worker.room.kept_updates import KeptUpdates
from worker.room.results import CommandResult

CHAT_KEPT = 500
_DEPARTED_KEPT = 32
_ACTS_KEPT = 64
_SAID_BYTES = 200
"""The size of a chat line in the journal without its text."""

_encode = msgspec.json.Encoder().encode


class SeatState(msgspec.Struct):
    """A taken seat."""

    name: str
    sid: SessionId
    bot: bool
    choice: Choice
    joined: int
    since: Offset = Offset(0)
    """The step that seated the player: earlier private chat of the seat was meant for another player."""
    gateway: GatewayId = GatewayId("")
    conn: int = 0
    attached: CommandId = CommandId(0)
    """The command that attached this connection; an older command that arrives late does not take the seat back."""
    wants: int = 0
    token: bool = False
    """The seat comes back with the session's token only, never by name."""
    address: str = ""
    """The address that the seat was last attached from, if it comes back by name only to the same one."""
    here: bool = False
    left: bool = False
    aways: int = 0
    last_id: CommandId = CommandId(0)
    results: dict[CommandId, CommandResult] = {}


class Deadline(msgspec.Struct, frozen=True, gc=False, array_like=True):
    generation: int
    due_ms: int


class RoomState(msgspec.Struct):
    """A room without its game."""

    room: RoomId
    spec: RoomSpec = RoomSpec("", 0)
    version: int = 0
    of: RoomId | None = None
    seed: int = 0
    key: str = ""
    """The key of a private room; empty: none is needed."""
    created_ms: int = 0
    status: RoomStatus = RoomStatus.UNOPENED
    offset: Offset = Offset(0)
    epoch: Epoch = Epoch(0)
    """The epoch of the last step."""
    number: int = 0
    """Records filed behind the last step."""
    seats: dict[Seat, SeatState] = {}
    chat: list[Said] = []
    said_bytes: int = 0
    """The share of all chat in the journal, about."""
    audience: dict[GatewayId, int] = {}
    """Gateways with spectators, and what the spectators want besides events."""
    deadlines: dict[str, Deadline] = {}
    joins: int = 0
    moves: int = 0
    """Events of the game so far; a new one restarts the timers of a turn."""
    clock_ms: int = 0
    outcome: Ended | None = None
    rematch: RoomId | None = None
    rematch_key: str = ""
    """The key of the room of the rematch, if that one is private."""
    departed: list[SessionId] = []
    """The sessions that gave up seats before the start, as far as kept: one that repeats its command gets its answer
    again, although the seat is free."""
    removed: list[str] = []
    """The sessions and folded names that operators removed before the start, as far as kept: they get no seat here."""
    acts: dict[str, str] = {}
    """The ids of operators' acts, as far as kept, each with the code of its refusal (empty: it was carried out)."""
    over_ms: int = 0
    """The time of the step with which the room was over; 0: it is not."""
    at_ms: int = 0
    """The time of the last record."""
    kept_updates: KeptUpdates = msgspec.field(default_factory=KeptUpdates)
    game: msgspec.Raw = msgspec.Raw(b"null")
    """The game's state; filled in for snapshots only."""

    def new_seat(self, joined: Joined) -> SeatState:
        """A record for the seat that was just taken. A bot is present from the beginning, a player once attached."""
        self.joins += 1
        return SeatState(
            joined.name, joined.sid, joined.bot, joined.choice, self.joins, token=joined.token, here=joined.bot
        )

    @property
    def over(self) -> bool:
        return self.status in OVER

    @property
    def humans(self) -> list[SeatState]:
        return [place for place in self.seats.values() if not place.bot and not place.left]

    def seat_of(self, sid: SessionId) -> Seat | None:
        for seat, place in self.seats.items():
            if place.sid == sid and not place.bot and not place.left:
                return seat
        return None

    def seat_left_by(self, sid: SessionId) -> Seat | None:
        """The seat that a player gave up during the game. A seat given up before the start is free, not remembered."""
        for seat, place in self.seats.items():
            if place.sid == sid and place.left:
                return seat
        return None

    def seat_named(self, name: str) -> Seat | None:
        for seat, place in self.seats.items():
            if place.name == name:
                return seat
        return None

    def free(self) -> list[Seat]:
        return [Seat(number) for number in range(self.spec.seats) if number not in self.seats]

    def presence(self) -> "RoomPresence":
        here = [place for place in self.seats.values() if place.here and not place.bot]
        gateways = {place.gateway for place in here} | self.audience.keys()
        wants = any(place.wants for place in self.humans) or any(self.audience.values())
        places = {place.sid: (seat, place) for seat, place in self.seats.items() if not place.bot and not place.left}
        return RoomPresence(_shared(tuple(sorted(gateways))), bool(here), wants, places)


class RoomPresence(msgspec.Struct, frozen=True):
    """The presence in a room, derived from seats and audience. It is needed at every step and seldom changes."""

    gateways: tuple[GatewayId, ...]
    """The gateways that receive the room's updates, sorted."""
    attended: bool
    """Whether a player is here."""
    wants: bool
    """Whether a receiver wants more than events."""
    places: dict[SessionId, tuple[Seat, SeatState]]
    """The seats of players, by session."""


@lru_cache(maxsize=1_024)
def _shared(gateways: tuple[GatewayId, ...]) -> tuple[GatewayId, ...]:
    """The same objects for all rooms with these gateways, so that they stay in the caches of the processor: a step
    reads them, and the rooms of a worker take turns."""
    return tuple(GatewayId(sys.intern(gateway)) for gateway in gateways)


def apply(state: RoomState, event: RoomEvent) -> None:
    """Apply an event of the room: the facts that all followers of a room keep, and those that only its owner keeps."""
    if isinstance(event, Left):
        _forget_player(state, event)  # first, because `follow` may remove the seat
    follow(state, event)
    match event:
        case Opened(version=version, of=of, seed=seed, key=key):
            state.version, state.of, state.seed, state.key = version, of, seed, key
        case Rematched(key=key):
            state.rematch_key = key
        case Away(seat=seat):
            state.seats[seat].aways += 1
        case Back(seat=seat, sid=sid):
            _take_over(state.seats[seat], sid)
        case Said():
            state.chat.append(event)
            state.said_bytes += _SAID_BYTES + len(_encode(event.text))
            del state.chat[:-CHAT_KEPT]
        case Shifted(by_ms=by_ms):
            state.deadlines = {
                name: Deadline(deadline.generation, deadline.due_ms + by_ms)
                for name, deadline in state.deadlines.items()
            }


def _forget_player(state: RoomState, left: Left) -> None:
    """Before the start the seat is free for another player, and private chat must not reach that player."""
    seat = left.seat
    if state.status == RoomStatus.WAITING:
        sid = state.seats[seat].sid
        state.departed = [*state.departed, sid][-_DEPARTED_KEPT:]
        if left.reason == "removed":
            state.removed = [*state.removed, sid, folded(left.name)][-2 * _DEPARTED_KEPT :]
        state.chat = [said for said in state.chat if said.to is None or seat not in (said.seat, said.to)]
    else:
        state.seats[seat].aways += 1


def _take_over(place: SeatState, sid: SessionId) -> None:
    """Command ids are counted per session: those of the session before do not count for the new one."""
    if place.sid != sid:
        place.sid, place.attached, place.last_id, place.results = sid, CommandId(0), CommandId(0), {}


def apply_note(state: RoomState, note: AnyNote, code: str = "") -> None:
    """Apply a note; `code` is that of the record."""
    match note:
        case Acted(act=act):
            state.acts[act.id] = code
            if len(state.acts) > _ACTS_KEPT:
                del state.acts[next(iter(state.acts))]
        case Attached(gateway=gateway, seat=None, wants=wants):
            state.audience[gateway] = wants
        case Attached(gateway=gateway, conn=conn, seat=int(seat), wants=wants, id=command, address=address):
            place = state.seats[Seat(seat)]
            place.gateway, place.conn, place.wants, place.here = gateway, conn, wants, True
            place.address = address
            place.attached = max(place.attached, command)
        case Detached(gateway=gateway, seat=None):
            state.audience.pop(gateway, None)
        case Detached(seat=int(seat)):
            state.seats[Seat(seat)].here = False
