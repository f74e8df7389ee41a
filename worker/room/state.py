"""What a room remembers, and how its own events change that. Everything here is saved in snapshots."""

import msgspec

from shared.errors import Rejected
from shared.game import Choice
from shared.ids import CommandId, Epoch, GatewayId, Offset, RoomId, Seat, SessionId
from shared.room_events import (
    OVER,
    Away,
    Back,
    Clock,
    Closed,
    Configured,
    Ended,
    Joined,
    Left,
    Opened,
    Played,
    Rematched,
    RoomEvent,
    RoomSpec,
    RoomStatus,
    Said,
    Shifted,
    Started,
)

RESULTS_KEPT = 64
CHAT_KEPT = 500


class CommandResult(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What became of a command: the step that applied it, or why it was refused."""

    offset: Offset = Offset(0)
    """0: it became none."""
    code: str = ""
    text: str = ""
    epoch: Epoch = Epoch(0)
    """Under which it was handled."""


class SeatState(msgspec.Struct):
    """A taken seat."""

    name: str
    sid: SessionId
    bot: bool
    choice: Choice
    joined: int
    since: Offset = Offset(0)
    """The step that seated the player: what was said to the seat before was said to somebody else."""
    gateway: GatewayId = GatewayId("")
    conn: int = 0
    attached: CommandId = CommandId(0)
    """The command that made this the seat's connection; an older one, that comes late, does not take it back."""
    wants: int = 0
    here: bool = False
    left: bool = False
    aways: int = 0
    last_id: CommandId = CommandId(0)
    results: dict[CommandId, CommandResult] = {}

    def known(self, command: CommandId) -> CommandResult | Rejected | None:
        """The result of a command that was handled before; a refusal for one that is too old to tell."""
        if command > self.last_id:
            return None
        return self.results.get(command) or Rejected("command/too_old")

    def file(self, command: CommandId, result: CommandResult) -> None:
        self.last_id = command
        self.results[command] = result
        if len(self.results) > RESULTS_KEPT:
            del self.results[next(iter(self.results))]


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
    created_ms: int = 0
    status: RoomStatus = RoomStatus.UNOPENED
    offset: Offset = Offset(0)
    epoch: Epoch = Epoch(0)
    """Of the last step."""
    number: int = 0
    """Records filed after the last step."""
    seats: dict[Seat, SeatState] = {}
    chat: list[Said] = []
    audience: dict[GatewayId, int] = {}
    """Gateways with spectators, and what these want."""
    deadlines: dict[str, Deadline] = {}
    joins: int = 0
    moves: int = 0
    """Steps of the game; a new one restarts the clocks of a turn."""
    clock_ms: int = 0
    outcome: Ended | None = None
    rematch: RoomId | None = None
    game: msgspec.Raw = msgspec.Raw(b"null")
    """The game's state; filled in for snapshots only."""

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
        """The seat that a player gave up during the game; one that is given up earlier is free, and not remembered."""
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
        seats = {place.sid: seat for seat, place in self.seats.items() if not place.bot and not place.left}
        return RoomPresence(tuple(sorted(gateways)), bool(here), wants, seats)


class RoomPresence(msgspec.Struct, frozen=True):
    """Who is there. It follows from the seats and the audience, and is asked for at every step."""

    gateways: tuple[GatewayId, ...]
    """Where somebody attends to the room."""
    attended: bool
    """Whether a player is here."""
    wants: bool
    """Whether somebody wants to be told more than events."""
    seats: dict[SessionId, Seat]
    """Whose seat is which."""


def apply(state: RoomState, event: RoomEvent) -> None:
    """What an event of the room changes."""
    match event:
        case Opened(spec=spec, version=version, of=of, seed=seed):
            state.spec, state.version, state.of, state.seed, state.status = spec, version, of, seed, RoomStatus.WAITING
        case Joined(seat=seat, name=name, bot=bot, choice=choice, sid=sid):
            state.joins += 1
            state.seats[seat] = SeatState(name, sid, bot, choice, state.joins, here=bot)
            state.seats = dict(sorted(state.seats.items()))
        case Left(seat=seat):
            if state.status == RoomStatus.WAITING:
                del state.seats[seat]
                state.chat = [said for said in state.chat if said.to is None or seat not in (said.seat, said.to)]
            else:
                _away(state.seats[seat])
                state.seats[seat].left = True
        case Configured(spec=spec, choices=choices):
            state.spec = spec
            for seat, choice in choices.items():
                state.seats[seat].choice = choice
        case Started():
            state.status = RoomStatus.PLAYING
        case Away(seat=seat):
            _away(state.seats[seat])
        case Back(seat=seat, sid=sid):
            place = state.seats[seat]
            if place.sid != sid:
                place.sid, place.attached, place.last_id, place.results = sid, CommandId(0), CommandId(0), {}
            place.here = True
        case Said():
            state.chat.append(event)
            del state.chat[:-CHAT_KEPT]
        case Clock(due_ms=due_ms):
            state.clock_ms = due_ms
        case Shifted(by_ms=by_ms):
            state.deadlines = {
                name: Deadline(deadline.generation, deadline.due_ms + by_ms)
                for name, deadline in state.deadlines.items()
            }
        case Ended():
            state.status, state.outcome = RoomStatus.FINISHED, event
        case Closed():
            state.status = RoomStatus.CLOSED
        case Rematched(room=room):
            state.rematch = room
        case Played():
            pass


def _away(place: SeatState) -> None:
    place.here = False
    place.aways += 1
