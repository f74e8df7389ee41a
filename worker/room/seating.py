"""Seats: opening a room, taking, taking back and giving up seats, and the start of the game.

The functions add events to the draft of a step, or return a refusal; then nothing was added, unless the room was new.
"""

import hmac
import re
from collections.abc import Sequence

import msgspec

from shared.commands import Configure, Enter
from shared.errors import Rejected, refusal
from shared.game import Absent, AnyGame, Choice, Present, Table
from shared.ids import Seat, SessionId
from shared.name_rules import folded
from shared.room_events import (
    Back,
    Closed,
    Configured,
    Joined,
    Left,
    Opened,
    RoomSpec,
    RoomStatus,
    Spectators,
    Started,
)
from worker.games import NoSuchGame
from worker.room.draft import RoomDraft
from worker.room.state import RoomState

LONGEST_MS = 30 * 24 * 3_600_000
"""The longest timer of a table."""


def open_if_new(draft: RoomDraft, body: Enter, at_ms: int) -> Rejected | None:
    """Open the room, with its bots, unless it is there already. On a refusal the caller resets the draft."""
    spec = body.spec
    if draft.state.status:
        return refusal("room/exists") if body.new else None
    if spec is None:
        return refusal("room/unknown")
    try:
        game = draft.catalog.get(spec.game)
    except NoSuchGame:
        return refusal("game/unknown")
    if (unfit := _unfit(draft, game, spec)) is not None:
        return unfit
    draft.open_game(game, at_ms)
    draft.add(Opened(spec, game.version, body.of, body.seed, body.key if spec.private else ""))
    return _seat_bots(draft, [Seat(number) for number in range(spec.seats - spec.bots, spec.seats)])


def _seat_bots(draft: RoomDraft, seats: Sequence[Seat]) -> Rejected | None:
    """Let bots take these seats. On a refusal nothing was added."""
    game, spec = draft.known_game, draft.state.spec
    options = draft.options(game, spec)
    choices = {seat: place.choice for seat, place in draft.state.seats.items()}
    bots = sum(place.bot for place in draft.state.seats.values())
    joined: list[Joined] = []
    for number, seat in enumerate(seats, bots + 1):
        choice = game.admit(options, spec.seats, choices, seat, {})
        if isinstance(choice, Rejected):
            return choice
        choices[seat] = choice
        joined.append(Joined(seat, f"Bot{number}", True, choice))
    draft.add(*joined)
    return None


def _unfit(draft: RoomDraft, game: AnyGame, spec: RoomSpec) -> Rejected | None:
    """The reason why a table with this spec cannot be opened."""
    if spec.seats not in game.seats or not 0 <= spec.bots < spec.seats:
        return refusal("room/bad_seats", f"{game.title} is played by {', '.join(map(str, game.seats))}")
    if not (0 <= spec.turn_ms <= LONGEST_MS and 0 <= spec.wait_ms <= LONGEST_MS):
        return refusal("room/bad_options", f"turn_ms and wait_ms are 0 to {LONGEST_MS}")
    try:
        draft.options(game, spec, limited=not spec.trusted)
    except msgspec.ValidationError as error:
        return refusal("room/bad_options", str(error))
    return None


def sit_down(draft: RoomDraft, sid: SessionId, body: Enter) -> Seat | Rejected:
    """Take the first free seat."""
    state, game = draft.state, draft.known_game
    if not _is_key(state, body.key):
        return refusal("room/unknown")
    if state.status == RoomStatus.CLOSED:
        return refusal("room/closed")
    if state.status != RoomStatus.WAITING:
        return refusal("room/started", _ending(state))
    if sid in state.removed or folded(body.name) in state.removed:
        return refusal("room/removed")
    if state.spec.only and body.dialect != state.spec.only:
        return refusal("room/wrong_dialect")
    free = state.free()
    if not free:
        return refusal("room/full")
    if game.names and not re.fullmatch(game.names, body.name):
        return refusal("name/bad", "this game does not allow that name")
    if folded(body.name) in {folded(place.name) for place in state.seats.values()}:
        return refusal("name/taken")
    choice = _admit(draft, free[0], body.choice)
    if isinstance(choice, Rejected):
        return choice
    draft.add(Joined(free[0], body.name, False, choice, sid, body.token))
    return free[0]


def _admit(draft: RoomDraft, seat: Seat, choice: Choice) -> Choice | Rejected:
    taken = {number: place.choice for number, place in draft.state.seats.items()}
    game, spec = draft.known_game, draft.state.spec
    return game.admit(draft.options(game, spec), spec.seats, taken, seat, choice)


def take_back(draft: RoomDraft, sid: SessionId, body: Enter) -> Seat | Rejected:
    """Take the seat of a player who is away, by the name of that player. A seat that was taken with a token is never
    given back by name: knowing a name proves nothing."""
    state = draft.state
    seat = state.seat_named(body.name)
    if state.key and (seat is None or state.seats[seat].token):
        return refusal("room/unknown")
    if state.outcome is not None:
        return refusal("game/over", _ending(state))
    if seat is None or state.seats[seat].left or state.seats[seat].bot or seat in draft.removed():
        return refusal("room/nobody")
    if state.over:
        return refusal("room/closed")
    place = state.seats[seat]
    if place.here or place.token or (body.address and body.address != place.address):
        return refusal("room/not_gone")
    come_back(draft, seat, sid)
    return seat


def watch_refusal(state: RoomState, key: str) -> Rejected | None:
    """The reason why a session without a seat may not watch or view the room."""
    if not state.status or not _is_key(state, key):
        return refusal("room/unknown")
    return refusal("room/no_spectators") if state.spec.spectators is Spectators.NONE else None


def _is_key(state: RoomState, key: str) -> bool:
    """Whether a stranger has the room's key. The time of the comparison does not reveal how much of it is right."""
    return not state.key or hmac.compare_digest(key.encode(), state.key.encode())


def come_back(draft: RoomDraft, seat: Seat, sid: SessionId) -> None:
    draft.add(Back(seat, sid))
    draft.notify(Present(seat))


def _ending(state: RoomState) -> str:
    """The result of the game, for a player who comes after the end: some dialects have no other message for it."""
    if state.outcome is None:
        return ""
    return f"the game is over; it was won by {', '.join(state.outcome.names) or 'nobody'}"


def configure(draft: RoomDraft, seat: Seat, body: Configure) -> Rejected | None:
    """Set the size and the options of a table that was opened before they were chosen, or let bots take the free seats.
    Players for whom there is no seat have to leave."""
    state, game = draft.state, draft.known_game
    if body.fill:
        return _fill(draft, seat)
    if state.status != RoomStatus.WAITING or not state.spec.only or seat != min(state.seats):
        return refusal("room/started")
    spec = msgspec.structs.replace(state.spec, seats=body.seats, options=body.options, only="", trusted=False)
    if (unfit := _unfit(draft, game, spec)) is not None:
        return unfit
    choices = _choices_again(draft, spec)
    kicked = [(number, place.name) for number, place in state.seats.items() if number >= spec.seats]
    draft.add(*(Left(number, name, "kicked") for number, name in kicked))
    draft.add(Configured(spec, choices))
    return None


def _fill(draft: RoomDraft, seat: Seat) -> Rejected | None:
    """Let bots take all free seats, so that the game starts. Only the player in the first seat may: others could
    start the game of a player who waits for friends."""
    state = draft.state
    if state.status == RoomStatus.CLOSED:
        return refusal("room/closed")
    if state.status != RoomStatus.WAITING:
        return refusal("room/started")
    if state.spec.only:
        return refusal("room/wrong_dialect")
    if seat != min(state.seats):
        return refusal("room/not_first")
    return _seat_bots(draft, state.free())


def _choices_again(draft: RoomDraft, spec: RoomSpec) -> dict[Seat, Choice]:
    """The choices of the seats under the final spec: as they were, else drawn again, else left alone."""
    game, options = draft.known_game, draft.options(draft.known_game, spec)
    choices: dict[Seat, Choice] = {}
    for seat, place in draft.state.seats.items():
        if seat >= spec.seats:
            continue
        choice = game.admit(options, spec.seats, choices, seat, place.choice)
        if isinstance(choice, Rejected):
            choice = game.admit(options, spec.seats, choices, seat, {})
        choices[seat] = place.choice if isinstance(choice, Rejected) else choice
    return choices


def leave(draft: RoomDraft, seat: Seat, reason: str = "left") -> None:
    """Give the seat up, or take it away. Once the game is over that changes nothing."""
    state = draft.state
    if not state.over:
        draft.add(Left(seat, state.seats[seat].name, reason))
        draft.notify(Absent(seat, for_good=True))
        _close_if_empty(draft)


def free_seat(draft: RoomDraft, seat: Seat) -> None:
    """Give a waiting table's seat to others: its player was away for too long."""
    draft.add(Left(seat, draft.state.seats[seat].name, "gone"))
    _close_if_empty(draft)


def _close_if_empty(draft: RoomDraft) -> None:
    if draft.state.status == RoomStatus.WAITING and not draft.state.humans:
        draft.add(Closed("empty"))


def ready_to_start(state: RoomState) -> bool:
    return state.status == RoomStatus.WAITING and not state.spec.only and not state.free()


def start(draft: RoomDraft) -> None:
    """Start the game with the players that are seated."""
    state, game = draft.state, draft.known_game
    seats = tuple(state.seats)
    order = tuple(sorted(seats, key=lambda seat: (state.seats[seat].bot, state.seats[seat].joined)))
    choices = {seat: place.choice for seat, place in state.seats.items()}
    draft.add(Started(seats, order))
    draft.add(*game.setup(Table(draft.options(game, state.spec), seats, order, state.seed, choices)))
    draft.drop_options()
    for seat, place in state.seats.items():
        if not place.here:
            draft.notify(Absent(seat))
