"""One connection's side of `eriantys.events`: login, rooms, moves. Every request is answered with an Ack or a Nack."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, RequestDone
from gateway.dialects.contract import Opening
from gateway.dialects.eriantys.common.codec import bounded, decode, error_name, may_exist
from gateway.dialects.eriantys.common.conversation import EriantysConversation
from gateway.dialects.eriantys.common.table import GAME, Table
from gateway.dialects.eriantys.events import messages, render
from gateway.dialects.eriantys.events.commands import answers_another_card, command_of
from gateway.dialects.requests import (
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    ListRoomsRequest,
    LoginRequest,
    LogoutRequest,
    Output,
    ReturnRequest,
)
from shared.errors import ProtocolError
from shared.games.eriantys.events import Event
from shared.ids import RoomId
from shared.room_events import RoomEvent, RoomSpec, RoomStatus

encode = msgspec.json.Encoder().encode
_decode: Callable[[bytes], messages.FromClient] = msgspec.json.Decoder(messages.FromClient).decode
_decode_move: Final = {kind: msgspec.json.Decoder(kind).decode for kind in set(messages.MOVES.values())}
_ACK: Final = encode(messages.Ack())

Parsed = messages.FromClient | tuple[messages.GameEvent, messages.AnyMove]


class EventsConversation(EriantysConversation[Parsed]):
    """The states of a connection: not logged in, logged in, in a room."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._name = ""

    # --- messages of the client --------------------------------------------------------------------------------------

    def parse(self, frame: bytes) -> Parsed:
        message = decode(_decode, frame)
        match message:
            case messages.GameEvent(event_type=event_type):
                if event_type not in messages.MOVES:
                    raise ProtocolError("frame/unknown_type", f"there is no event type {event_type}")
                return message, decode(_decode_move[messages.MOVES[event_type]], frame)
            case messages.CreateRoom(private=None, is_private=None):
                raise ProtocolError("frame/malformed", "private is missing")
            case _:
                return message

    def handle(self, message: Parsed) -> Iterator[Output]:
        match message:
            case messages.Login(username=name):
                yield from self._login(name)
            case messages.Logout():
                yield from self._logout()
            case messages.GetPublicRooms():
                yield self._list_rooms(message)
            case messages.CreateRoom():
                yield from self._create(message)
            case messages.AccessRoom(room_id=room):
                yield from self._access(room)
            case messages.LeaveRoom():
                yield from self._leave()
            case (messages.GameEvent(player=player), move):
                yield from self._move(player, move)
            case _:
                yield self.error("frame/unknown_type")

    def _login(self, name: str) -> Iterator[Output]:
        if self._name:
            yield self.error("session/twice")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            match answer:
                case LoggedIn():
                    self._name = name
                    yield _ACK
                    yield self._public_rooms(messages.GetPublicRooms())
                case _ if self.refusal(answer).code == "name/taken":
                    yield ReturnRequest(name, GAME, ref=self._returned)
                case _:
                    yield self.refusal_error(answer)

        yield LoginRequest(name, then)

    def _returned(self, answer: Answer | None) -> Iterator[Output]:
        """A login with the name of a player who has lost the connection takes the player's seat."""
        if not isinstance(answer, Entered):
            busy = self.refusal(answer).code.startswith("busy/")
            yield self.error(self.refusal(answer).code if busy else "name/taken")
            return
        table = self.enter(answer)
        self._name = table.name(table.seat)
        yield _ACK
        yield from self.show_return(table)

    def _logout(self) -> Iterator[Output]:
        if not self._name:
            yield self.error("session/none")
        elif self._table is not None:
            yield self.error("room/seated")
        else:
            self._name = ""
            yield LogoutRequest()
            yield _ACK

    def _list_rooms(self, wanted: messages.GetPublicRooms) -> ListRoomsRequest:
        def rooms() -> Iterator[Output]:
            yield self._public_rooms(wanted)

        def refused(answer: Answer | None) -> Iterator[Output]:
            yield self._rooms_refused(answer)

        return ListRoomsRequest(lambda: list(self._resume(rooms())), refused)

    def _rooms_refused(self, answer: Answer | None) -> bytes:
        return self.refusal_error(answer)

    def _public_rooms(self, wanted: messages.GetPublicRooms) -> bytes:
        if wanted.number_of_players not in (None, 2, 3, 4):
            return self.error("room/bad_seats")
        key = (EventsConversation, wanted.number_of_players, wanted.expert)
        return self._rooms.rendered(key, lambda: encode(messages.PublicRooms(self._fitting_rooms(wanted))))

    def _fitting_rooms(self, wanted: messages.GetPublicRooms) -> tuple[messages.PublicRoom, ...]:
        found = (
            messages.PublicRoom(room.room, room.seats, bool(room.options.get("expert")), len(room.names))
            for room in self._rooms.listed(GAME)
            if room.status is RoomStatus.WAITING and not room.private and not room.only
        )
        return tuple(
            room
            for room in found
            if wanted.number_of_players in (None, room.number_of_players) and wanted.expert in (None, room.expert)
        )

    def _why_not_enter(self) -> str:
        """The code of the error that prevents entering a room now; empty if there is none."""
        if not self._name:
            return "session/none"
        return "room/seated" if self._table is not None else ""

    def _create(self, wanted: messages.CreateRoom) -> Iterator[Output]:
        if code := self._why_not_enter():
            yield self.not_created(code)
            return
        private = wanted.private if wanted.private is not None else bool(wanted.is_private)
        spec = RoomSpec(GAME, bounded(wanted.number_of_players), {"expert": wanted.expert}, private)

        def then(answer: Answer | None) -> Iterator[Output]:
            if isinstance(answer, Entered):
                yield from self.show_created(self.enter(answer))
            else:
                refused = self.refusal(answer)
                yield self.not_created(refused.code, refused.text)

        yield CreateRequest(spec, ref=then)

    def _access(self, room: int) -> Iterator[Output]:
        if code := self._why_not_enter() or ("" if may_exist(room) else "room/unknown"):
            yield self.error(code)
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            if isinstance(answer, Entered):
                yield _ACK
                yield from self.put(render.all_players(self.enter(answer)))
            else:
                yield self.refusal_error(answer)

        yield JoinRequest(RoomId(room), ref=then)

    def _leave(self) -> Iterator[Output]:
        table = self._table
        if table is None or not table.over:
            yield self.error("room/not_seated" if table is None else "room/not_finished")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            if isinstance(answer, RequestDone):
                self._table = None
                yield _ACK
            else:
                yield self.refusal_error(answer)

        yield LeaveRequest(table.room_id, then)

    # --- moves -------------------------------------------------------------------------------------------------------

    def _move(self, player: str | None, move: messages.AnyMove) -> Iterator[Output]:
        table = self._table
        if not self._name:
            yield self.error("session/none")
        elif table is None:
            yield self.error("room/not_seated")
        elif player not in (None, self._name):
            yield self.error("eriantys/bad_arguments", f"you are {self._name}")
        elif not table.playing:
            yield self.error("game/over" if table.over else "room/not_started")
        elif answers_another_card(table, move):
            yield self.error("eriantys/no_choice")
        else:
            yield self.act(table, command_of(table, move), self._acted)

    def _acted(self, answer: Answer | None) -> Iterator[Output]:
        yield _ACK if answer is None else self.refusal_error(answer)

    # --- messages to the client --------------------------------------------------------------------------------------

    def encode_error(self, code: str, text: str) -> bytes:
        return encode(messages.Nack(f"{error_name(code)}: {text}"))

    def render(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        return map(encode, render.step(table, events))

    # --- what a compat mode writes in another form -------------------------------------------------------------------

    def put(self, shown: Iterable[messages.ToClient]) -> Iterable[Output]:
        """Messages about the table and its game."""
        return map(encode, shown)

    def show_created(self, table: Table) -> Iterable[Output]:
        return self.put((messages.Ack(), messages.RoomId(table.room_id), *render.all_players(table)))

    def not_created(self, code: str, text: str = "") -> bytes:
        return self.error(code, text)

    def show_return(self, table: Table) -> Iterator[Output]:
        """The table, to a player who has returned to it; the login was acknowledged before."""
        yield from self.put((messages.RoomId(table.room_id), *render.all_players(table)))
        if table.playing:
            yield from self.put(render.position(table, table.view))
