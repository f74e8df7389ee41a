"""The dialect `eriantys.events`: rooms, acknowledgements, and one message for every piece that moves."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from gateway.dialects.answers import Answer, Entered, LoggedIn, RequestDone
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.eriantys.common import GAME, Table, Talk, activation, bounded, decode, may_exist, word_of
from gateway.dialects.eriantys.events import messages as words
from gateway.dialects.eriantys.events import render as telling
from gateway.dialects.requests import (
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    LoginRequest,
    LogoutRequest,
    Output,
    ReturnRequest,
)
from shared.errors import ProtocolError
from shared.games.eriantys import commands
from shared.games.eriantys.events import Event
from shared.games.eriantys.pieces import Manner
from shared.games.eriantys.views import active_card
from shared.ids import RoomId
from shared.room_events import RoomEvent, RoomSpec

_encode = msgspec.json.Encoder().encode
_decode: Callable[[bytes], words.FromClient] = msgspec.json.Decoder(words.FromClient).decode
_decode_move: Final = {kind: msgspec.json.Decoder(kind).decode for kind in set(words.MOVES.values())}
_ACK: Final = _encode(words.Ack())

Parsed = words.FromClient | tuple[words.GameEvent, words.AnyMove]


class EventsTalk(Talk[Parsed]):
    """Not logged in; logged in; in a room."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._name = ""

    # --- the client speaks -------------------------------------------------------------------------------------------

    def parse(self, frame: bytes) -> Parsed:
        message = decode(_decode, frame)
        match message:
            case words.GameEvent(event_type=event_type):
                if event_type not in words.MOVES:
                    raise ProtocolError("frame/unknown_type", f"there is no event type {event_type}")
                return message, decode(_decode_move[words.MOVES[event_type]], frame)
            case words.CreateRoom(private=None, is_private=None):
                raise ProtocolError("frame/malformed", "private is missing")
            case _:
                return message

    def handle(self, message: Parsed) -> Iterator[Output]:
        match message:
            case words.Login(username=name):
                yield from self._login(name)
            case words.Logout():
                yield from self._logout()
            case words.GetPublicRooms():
                yield self._public_rooms(message)
            case words.CreateRoom():
                yield from self._create(message)
            case words.AccessRoom(room_id=room):
                yield from self._access(room)
            case words.LeaveRoom():
                yield from self._leave()
            case (words.GameEvent(player=player), move):
                yield from self._move(player, move)
            case _:
                yield self.complain("frame/unknown_type")

    def _login(self, name: str) -> Iterator[Output]:
        if self._name:
            yield self.complain("session/twice")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            match answer:
                case LoggedIn():
                    self._name = name
                    yield _ACK
                    yield self._public_rooms(words.GetPublicRooms())
                case _ if self.refusal(answer).code == "name/taken":
                    yield ReturnRequest(name, GAME, ref=self._returned)
                case _:
                    yield self.deny(answer)

        yield LoginRequest(name, then)

    def _returned(self, answer: Answer | None) -> Iterator[Output]:
        """Who logs in with the name of a lost player takes the seat again."""
        if not isinstance(answer, Entered):
            busy = self.refusal(answer).code.startswith("busy/")
            yield self.complain(self.refusal(answer).code if busy else "name/taken")
            return
        table = self.sit_down(answer)
        self._name = table.name(table.seat)
        yield _ACK
        yield _encode(words.RoomId(table.room))
        yield from map(_encode, telling.everybody(table))
        if table.playing:
            yield from map(_encode, telling.pieces(table, table.view))
            yield from map(_encode, telling.clouds(table.view))
            yield from map(_encode, telling.whose_turn(table, table.view))

    def _logout(self) -> Iterator[Output]:
        if not self._name:
            yield self.complain("session/none")
        elif self._table is not None:
            yield self.complain("room/seated")
        else:
            self._name = ""
            yield LogoutRequest()
            yield _ACK

    def _public_rooms(self, wanted: words.GetPublicRooms) -> bytes:
        if wanted.number_of_players not in (None, 2, 3, 4):
            return self.complain("room/bad_seats")
        found = (
            words.PublicRoom(room.room, room.seats, bool(room.options.get("expert")), len(room.names))
            for room in self._rooms.listed(GAME)
            if room.status == "waiting" and not room.private and not room.only
        )
        fitting = (
            room
            for room in found
            if wanted.number_of_players in (None, room.number_of_players) and wanted.expert in (None, room.expert)
        )
        return _encode(words.PublicRooms(tuple(fitting)))

    def _may_enter(self) -> str:
        """Why no room can be entered now."""
        if not self._name:
            return "session/none"
        return "room/seated" if self._table is not None else ""

    def _create(self, wanted: words.CreateRoom) -> Iterator[Output]:
        if code := self._may_enter():
            yield self.complain(code)
            return
        private = wanted.private if wanted.private is not None else bool(wanted.is_private)
        spec = RoomSpec(GAME, bounded(wanted.number_of_players), {"expert": wanted.expert}, private)

        def then(answer: Answer | None) -> Iterator[Output]:
            if isinstance(answer, Entered):
                table = self.sit_down(answer)
                yield _ACK
                yield _encode(words.RoomId(table.room))
                yield from map(_encode, telling.everybody(table))
            else:
                yield self.deny(answer)

        yield CreateRequest(spec, ref=then)

    def _access(self, room: int) -> Iterator[Output]:
        if code := self._may_enter() or ("" if may_exist(room) else "room/unknown"):
            yield self.complain(code)
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            if isinstance(answer, Entered):
                yield _ACK
                yield from map(_encode, telling.everybody(self.sit_down(answer)))
            else:
                yield self.deny(answer)

        yield JoinRequest(RoomId(room), ref=then)

    def _leave(self) -> Iterator[Output]:
        table = self._table
        if table is None or not table.over:
            yield self.complain("room/not_seated" if table is None else "room/not_finished")
            return

        def then(answer: Answer | None) -> Iterator[Output]:
            if isinstance(answer, RequestDone):
                self._table = None
                yield _ACK
            else:
                yield self.deny(answer)

        yield LeaveRequest(table.room, then)

    # --- moves -------------------------------------------------------------------------------------------------------

    def _move(self, player: str | None, move: words.AnyMove) -> Iterator[Output]:
        table = self._table
        if not self._name:
            yield self.complain("session/none")
        elif table is None:
            yield self.complain("room/not_seated")
        elif player not in (None, self._name):
            yield self.complain("eriantys/bad_arguments", f"you are {self._name}")
        elif not table.playing:
            yield self.complain("game/over" if table.over else "room/not_started")
        elif self._asks_another_card(table, move):
            yield self.complain("eriantys/no_choice")
        else:
            yield self.act(table, self._command(table, move), self._acted)

    def _acted(self, answer: Answer | None) -> Iterator[Output]:
        yield _ACK if answer is None else self.deny(answer)

    def _asks_another_card(self, table: Table, move: words.AnyMove) -> bool:
        """The princess has an event of her own, which is no answer to the other cards that ask for a colour."""
        mine = table.view.turn == table.seat
        return mine and isinstance(move, words.CardToTable) and active_card(table.view).number != 11

    def _command(self, table: Table, move: words.AnyMove) -> commands.Command:
        match move:
            case words.PlayAssistantCard(assistant_card_value=value):
                return commands.PlayAssistant(bounded(value))
            case words.EntranceToIsland(color=colour, island_index=index):
                return commands.MoveToIsland(colour, table.tile_at(index))
            case words.EntranceToTable(color=colour):
                return commands.MoveToHall(colour)
            case words.WalkMotherNature(move_amount=steps):
                return commands.MoveMother(bounded(steps))
            case words.ChooseCloudTile(cloud_index=cloud):
                return commands.TakeCloud(bounded(cloud))
            case words.ActivateCard(activated_card=number):
                return activation(bounded(number), Manner.STRICT)
            case words.CardToIsland(color=colour, island_index=index):
                return commands.SendStudent(colour, table.tile_at(index))
            case words.ChooseColor(color=colour) | words.CardToTable(color=colour):
                return commands.ChooseColor(colour)
            case words.ChooseIsland(island_index=index):
                return commands.ChooseIsland(table.tile_at(index))
            case words.SwapCardEntrance(color=card, color2=entrance):
                return commands.SwapWithCard(card, entrance)
            case words.SwapEntranceTable(color=entrance, color2=hall):
                return commands.SwapWithHall(entrance, hall)
            case words.EndSelection():
                return commands.EndSelection()

    # --- what has happened -------------------------------------------------------------------------------------------

    def complaint(self, code: str, text: str) -> bytes:
        return _encode(words.Nack(f"{word_of(code)}: {text}"))

    def tell(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        return map(_encode, telling.update(table, events))


DIALECT: Final = Dialect("eriantys.events", "/ws/eriantys/events", EventsTalk)
