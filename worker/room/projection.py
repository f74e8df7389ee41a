"""The projection: what each receiver may see of a room. Updates, views and the directory entry are made here alone, so
that secrets have no other way out."""

from collections.abc import Sequence
from typing import Any

import msgspec

from shared.commands import Envelope, Listed, Wants
from shared.deliveries import CompletedCommand, StepMessage
from shared.game import AnyGame
from shared.ids import LOBBY, CommandId, CommitNumber, Offset, RoomId, Seat, SessionId
from shared.room_events import (
    NOTHING,
    Back,
    BaseRoomEvent,
    Configured,
    Joined,
    Left,
    Opened,
    Rematched,
    RoomSpec,
    RoomStatus,
    Said,
)
from shared.room_views import Listing, RoomView, SeatView, Update
from worker.room.state import RoomState

_encode = msgspec.json.Encoder().encode
_VIEW, _OPTIONS = Wants.VIEW.value, Wants.OPTIONS.value
"""Plain integers: operators of `IntFlag` are slow, and these run for every receiver of a step."""


def _shown_spec(spec: RoomSpec, game: AnyGame) -> RoomSpec:
    if not any(name in spec.options for name in game.secret_options):
        return spec
    options = {name: value for name, value in spec.options.items() if name not in game.secret_options}
    return msgspec.structs.replace(spec, options=options)


def shown(event: Any, seat: Seat | None, game: AnyGame) -> Any:
    """An event as a seat, or a spectator, may see it; None: not at all."""
    if not isinstance(event, BaseRoomEvent):
        return game.redact(event, seat)
    match event:
        case Joined():
            return msgspec.structs.replace(event, sid=SessionId(""), token=False)
        case Back():
            return msgspec.structs.replace(event, sid=SessionId(""))
        case Opened():
            return msgspec.structs.replace(event, seed=0, key="", spec=_shown_spec(event.spec, game))
        case Rematched():
            return msgspec.structs.replace(event, key="")
        case Configured():
            return msgspec.structs.replace(event, spec=_shown_spec(event.spec, game))
        case Said(seat=sender, to=to):
            return event if to is None or seat in (sender, to) else None
        case _:
            return event


def _visible(events: Sequence[Any], seat: Seat | None, game: AnyGame) -> list[Any]:
    return [visible for event in events if (visible := shown(event, seat, game)) is not None]


def _with(update: Update, events: Sequence[Any], before: Sequence[Any]) -> Update:
    """The update with these events instead of `before`. Comparing identities is cheaper than comparing values."""
    if len(events) == len(before) and all(one is other for one, other in zip(events, before, strict=True)):
        return update
    return msgspec.structs.replace(update, events=msgspec.Raw(_encode(events)))


class Projection:
    """The projection of one room as of one step."""

    def __init__(self, state: RoomState, game: AnyGame, play: Any, turn: tuple[Seat, ...]) -> None:
        self._state = state
        self._game = game
        self._play = play
        self._turn = turn

    def messages(
        self, events: Sequence[Any], update: Update, done: CompletedCommand | None, commit: CommitNumber
    ) -> tuple[StepMessage, StepMessage]:
        """The message of a step: the public update, and those of seats that may see something else. `update` has all
        events in it, as they are in the journal. If the message carries views, the second one is the same without
        them: views are large, and the room's updates keep only what cannot be made again."""
        state = self._state
        public_events = _visible(events, None, self._game)
        update = _with(update, public_events, events)
        public = _encode(update)
        seats: dict[Seat, msgspec.Raw] = {}
        kept: dict[Seat, msgspec.Raw] = {}
        for seat, place in state.seats.items():
            if place.bot or place.left:
                continue
            own = _with(update, _visible(events, seat, self._game), public_events)
            body = public if own is update else _encode(own)
            options = self._options_part(seat) if place.wants & _OPTIONS else b""
            if options or body != public:
                kept[seat] = seats[seat] = msgspec.Raw(body[:-1] + options + b"}")
            if place.wants & _VIEW:
                seats[seat] = msgspec.Raw(body[:-1] + self._view_part(seat, place.wants) + options + b"}")
        watchers = NOTHING
        if state.audience and any(wants & _VIEW for wants in state.audience.values()):
            watchers = msgspec.Raw(public[:-1] + self._view_part(None, _VIEW) + b"}")
        whole = StepMessage(
            state.room,
            state.epoch,
            state.offset,
            msgspec.Raw(public),
            seats,
            watchers,
            done,
            self._replay(events, update, public),
            commit,
            unseats=any(isinstance(event, Left) for event in events),
        )
        if seats == kept and watchers == NOTHING:
            return whole, whole
        return whole, msgspec.structs.replace(whole, seats=kept, watchers=NOTHING)

    def _replay(self, events: Sequence[Any], update: Update, public: bytes) -> msgspec.Raw:
        """The update for replays, if it shows more than the public one."""
        replay = self._game.replay
        if replay is None:
            return NOTHING
        shown_events = [
            shown(event, None, self._game) if isinstance(event, BaseRoomEvent) else replay(event) for event in events
        ]
        visible = [event for event in shown_events if event is not None]
        body = _encode(msgspec.structs.replace(update, events=msgspec.Raw(_encode(visible))))
        return NOTHING if body == public else msgspec.Raw(body)

    def view(self, seat: Seat | None, wants: int, *, chat: bool = True) -> bytes:
        """The `RoomView` of a seat, or of a spectator."""
        state = self._state
        seats = tuple(
            SeatView(number, place.name, place.bot, place.here, place.left, place.choice)
            for number, place in state.seats.items()
        )
        started = state.status == RoomStatus.PLAYING or state.outcome is not None
        view = RoomView(
            room=state.room,
            epoch=state.epoch,
            offset=state.offset,
            status=state.status,
            spec=_shown_spec(state.spec, self._game),
            version=state.version,
            seats=seats,
            you=seat,
            last_id=None if seat is None else state.seats[seat].last_id,
            turn=self._turn,
            chat=tuple(said for said in state.chat if shown(said, seat, self._game) is not None) if chat else (),
            clock_ms=state.clock_ms,
            game=msgspec.Raw(_encode(self._game.view(self._play, seat))) if started else NOTHING,
            options=self._options(seat) if wants & _OPTIONS else NOTHING,
            outcome=state.outcome,
            rematch=state.rematch,
        )
        return _encode(view)

    def listing(self) -> Listing | None:
        """The room's entry in the directory; none once it is over."""
        state = self._state
        if state.over:
            return None
        removed = self._game.removed(self._play) if state.status == RoomStatus.PLAYING else ()
        away = [seat for seat, place in state.seats.items() if not (place.here or place.left or place.token)]
        return Listing(
            room=state.room,
            game=state.spec.game,
            seats=state.spec.seats,
            status=state.status,
            names={seat: place.name for seat, place in state.seats.items()},
            gone=tuple(seat for seat in away if seat not in removed),
            free=len(state.free()) if state.status == RoomStatus.WAITING else 0,
            private=state.spec.private,
            only=state.spec.only,
            options=_shown_spec(state.spec, self._game).options,
            choices={seat: place.choice for seat, place in state.seats.items() if place.choice},
            turn_ms=state.spec.turn_ms,
            created_ms=state.created_ms,
            paused=state.status == RoomStatus.PLAYING and not self._turn,
            offset=state.offset,
            version=state.version,
        )

    def lobby_notice(self) -> Envelope | None:
        """The notice to the lobby about a public table. A table whose players are all away is reported as full: a
        player who was sent there would wait alone."""
        state = self._state
        if state.spec.private:
            return None
        waiting = state.status == RoomStatus.WAITING and any(place.here for place in state.humans)
        free = len(state.free()) if waiting else 0
        sids = tuple(place.sid for place in state.humans) if free else ()
        body = Listed(state.room, state.offset, state.spec, free, state.created_ms, sids)
        return Envelope(LOBBY, SessionId(""), CommandId(0), body)

    def _view_part(self, seat: Seat | None, wants: int) -> bytes:
        """The view in an update. It has no chat: each message is an event of its own, and all of them together would
        make every update as large as the chat."""
        return b',"view":' + self.view(seat, wants, chat=False)

    def _options_part(self, seat: Seat) -> bytes:
        options = self._options(seat)
        return b"" if options == NOTHING else b',"options":' + bytes(options)

    def _options(self, seat: Seat | None) -> msgspec.Raw:
        if seat is None or seat not in self._turn:
            return NOTHING
        return msgspec.Raw(_encode(self._game.options(self._play, seat)))


def never_opened(room: RoomId, at: int) -> Envelope:
    """The notice to the lobby that a numbered table was not opened: no player may be sent there."""
    return Envelope(LOBBY, SessionId(""), CommandId(0), Listed(room, Offset(1), RoomSpec("", 0), 0, at))
