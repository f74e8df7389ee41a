"""The headless Group 3 client, over the bytes of its object stream."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gateway.dialects.eriantys.events import java_classes
from gateway.transports.java_stream.framing import ObjectFraming
from loadtest.clients.contract import Received, SeatAssignment
from loadtest.clients.eriantys import PLAYERS
from loadtest.clients.eriantys.group3 import Group3Player
from loadtest.clients.eriantys.group3_program import Group3Program, ProgramState, card_id_of, number_of
from tests.support.eriantys_players import eriantys_party
from tests.support.examples import fewer_examples
from tests.support.memory_cluster import close_all
from tests.support.party import PlayerFactory

pytestmark = pytest.mark.slow

ACK = {"type": "Ack"}


def logged_in() -> Group3Program:
    program = Group3Program()
    program.login("ann")
    program.receive(ACK)
    return program


def test_characters_are_numbered_by_price() -> None:
    assert [number_of(card_id) for card_id in range(12)] == [1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12]
    assert [card_id_of(number_of(card_id)) for card_id in range(12)] == list(range(12))


def test_the_program_asks_for_the_rooms_after_its_login() -> None:
    program = Group3Program()
    program.login("ann")
    assert program.receive(ACK) == [{"type": "GetPublicRooms", "numberOfPlayers": -1, "expert": None}]
    assert program.state is ProgramState.LOBBY


def test_a_room_is_created_without_an_ack() -> None:
    program = logged_in()
    program.create_room(2, expert=True)
    program.receive({"type": "RoomId", "id": 7})
    assert program.state is ProgramState.ROOM
    assert program.room == 7


def test_an_ack_after_create_room_leaves_the_program_stuck() -> None:
    program = logged_in()
    program.create_room(2, expert=True)
    program.receive(ACK)
    assert program.state is ProgramState.STUCK


def test_the_disconnection_of_a_player_ends_the_room() -> None:
    program = logged_in()
    program.access_room(7)
    program.receive(ACK)
    program.receive({"type": "PlayerDisconnect", "username": "bob"})
    assert program.state is ProgramState.STUCK


def test_a_refused_request_can_be_made_again() -> None:
    program = Group3Program()
    program.login("ann")
    program.receive({"type": "Nack", "errorMessage": "NAME_TAKEN: somebody uses it"})
    assert program.state is ProgramState.LOGIN
    assert program.refusal is not None
    assert program.login("ann") == {"type": "Login", "username": "ann"}


def test_the_program_pays_for_characters_by_itself() -> None:
    program = logged_in()
    for seat, name in enumerate(("ann", "bob")):
        program.receive({"type": "AddPlayer", "username": name, "position": seat})
    program.receive({"type": "StartGame", "expert": True})
    program.receive({"type": "NotifyCharacterCard", "card": card_id_of(8)})
    for _ in range(6):
        program.receive({"type": "AddCoin", "player": 0})
    for left in (4, 1):
        program.receive({"type": "ActivateCharacterCard", "characterCardIndex": card_id_of(8), "player": 0})
        assert program.board.people[0].coins == left


# --- whole games -----------------------------------------------------------------------------------------------------

EVENTS = {
    "PlayAssistantCardEvent": "PLAY_ASSISTANT_CARD",
    "MoveStudentFromEntranceToIslandEvent": "MOVE_STUDENT_FROM_ENTRANCE_TO_ISLAND",
    "MoveStudentFromEntranceToTableEvent": "MOVE_STUDENT_FROM_ENTRANCE_TO_TABLE",
    "MoveMotherNatureEvent": "MOVE_MOTHER_NATURE",
    "ChooseCloudEvent": "CHOOSE_CLOUD_TILE",
    "ActivateCharacterCardEvent": "ACTIVATE_CHARACTER_CARD",
    "MoveStudentFromCardToIslandEvent": "MOVE_STUDENT_FROM_CARD_TO_ISLAND",
    "MoveStudentFromCardToTableEvent": "MOVE_STUDENT_FROM_CARD_TO_TABLE",
    "ChooseColorEvent": "CHOOSE_COLOR",
    "ChooseIslandEvent": "CHOOSE_ISLAND",
    "SwapStudentCardEntranceEvent": "SWAP_STUDENT_CARD_ENTRANCE",
    "SwapStudentEntranceTableEvent": "SWAP_STUDENT_ENTRANCE_TABLE",
    "EndSelection": "END_SELECTION",
}
FIELDS = {"indexIsland": "islandIndex", "amount": "moveAmount", "studentFromTable": "color2"}


class Translated:
    """A player whose messages are translated from and to `eriantys.events` as it is without a compat mode, and pass
    through the bytes of an object stream on their way."""

    def __init__(self, seating: SeatAssignment) -> None:
        self.player = Group3Player(seating)
        self.path = self.player.path
        self.sent_at: Callable[[], None] | None = None
        self.acked_at: Callable[[], None] | None = None
        self._expert = bool(seating.options.get("expert"))
        self._server = ObjectFraming(java_classes.FROM_CLIENT, java_classes.TO_CLIENT)
        self._client = ObjectFraming(java_classes.TO_CLIENT, java_classes.FROM_CLIENT, resets=False)
        self._seats: dict[str, int] = {}
        self._creating = False

    @property
    def received(self) -> Received:
        return self.player.received

    @received.setter
    def received(self, received: Received) -> None:
        self.player.received = received

    @property
    def over(self) -> bool:
        return self.player.over

    @over.setter
    def over(self, over: bool) -> None:
        self.player.over = over

    @property
    def moves(self) -> int:
        return self.player.moves

    @moves.setter
    def moves(self, moves: int) -> None:
        self.player.moves = moves

    def open(self) -> Iterable[bytes]:
        self._server.feed(self._client.preamble)
        self._client.feed(self._server.preamble)
        return self._sent(self.player.open())

    def tick(self) -> Iterable[bytes]:
        return self._sent(self.player.tick())

    def receive(self, frame: bytes) -> Iterable[bytes]:
        message = self._to_client(json.loads(frame))
        if message is None:
            return
        for received in self._client.feed(self._server.frame(json.dumps(message).encode())):
            assert isinstance(received, bytes)
            yield from self._sent(self.player.receive(received))

    def _sent(self, frames: Iterable[bytes]) -> Iterable[bytes]:
        for frame in frames:
            for received in self._server.feed(self._client.frame(frame)):
                assert isinstance(received, bytes)
                yield json.dumps(self._from_client(json.loads(received))).encode()

    def _from_client(self, message: dict[str, Any]) -> dict[str, Any]:
        match message:
            case {"type": "GetPublicRooms"}:
                return {"type": "GetPublicRooms"}
            case {"type": "AccessRoom", "id": room}:
                return {"type": "AccessRoom", "roomId": room}
            case {"type": "CreateRoom"}:
                self._creating = True
                return message
            case {"type": event} if event in EVENTS:
                return {"type": "GameEvent", "eventType": EVENTS[event], **self._event_fields(message)}
            case _:
                return message

    def _event_fields(self, message: dict[str, Any]) -> dict[str, Any]:
        fields = {FIELDS.get(name, name): value for name, value in message.items() if name != "type"}
        del fields["playerNumber"]
        if "ac" in fields:
            fields["assistantCardValue"] = java_classes.ASSISTANT_CARDS.index(fields.pop("ac")) + 1
        if "cardId" in fields:
            fields["activatedCard"] = number_of(fields.pop("cardId"))
        if "studentFromCard" in fields:
            fields["color"] = fields.pop("studentFromCard")
        if "studentFromEntrance" in fields:
            fields["color2" if "color" in fields else "color"] = fields.pop("studentFromEntrance")
        return fields

    def _to_client(self, message: dict[str, Any]) -> dict[str, Any] | None:
        match message:
            case {"type": "Ack"} if self._creating:
                self._creating = False
                return None
            case {"type": "RemoveCoin" | "PlayerDisconnect"}:
                return None
            case {"type": "PublicRooms"}:
                return {"type": "PublicRooms", "rooms": []}
            case {"type": "RoomId", "roomId": room}:
                return {"type": "RoomId", "id": room}
            case {"type": "AddPlayer", "player": name, "position": seat}:
                self._seats[name] = seat
                return {"type": "AddPlayer", "username": name, "position": seat}
            case {"type": "StartGame"}:
                return {"type": "StartGame", "expert": self._expert}
            case _:
                return self._change(message)

    def _change(self, message: dict[str, Any]) -> dict[str, Any]:
        renamed = {
            "AddStudentTo": {"where": "to"},
            "MergeIslands": {"firstIsland": "firstIslandIndex", "secondIsland": "secondIslandIndex"},
            "SetProfessorTo": {"professor": "color"},
            "MoveMotherNature": {"destination": "position"},
            "ActivateCharacterCard": {"characterCard": "characterCardIndex"},
            "ChangePhase": {"phase": "gamePhase"},
            "ChangeTurn": {"player": "playingPlayer"},
        }.get(message["type"], {})
        changed = {renamed.get(name, name): self._value(name, value) for name, value in message.items()}
        if changed["type"] == "MoveTower":
            changed = {**changed, "type": "MoveTowers", "amount": 1}
        if changed["type"] == "PlayAssistanCard":
            changed["type"] = "PlayAssistantCard"
        return changed

    def _value(self, name: str, value: Any) -> Any:
        if name == "player":
            return self._seats[value]
        if name == "assistantCard":
            return java_classes.ASSISTANT_CARDS[value - 1]
        if name in ("card", "characterCard"):
            return card_id_of(value)
        if name in ("from", "to", "where") and value.startswith("CARD:"):
            return f"CARD:{card_id_of(int(value[5:]))}"
        return value


CLIENTS: dict[str, PlayerFactory] = {**PLAYERS, "eriantys.events": Translated}


@pytest.mark.parametrize(("seats", "expert"), [(2, False), (3, True)])
@fewer_examples(60)
@given(seed=some.integers(1, 10**6))
def test_whole_games_are_played_to_the_end(seats: int, expert: bool, seed: int) -> None:
    close_all()
    party = eriantys_party(["eriantys.events"] * seats, expert=expert, seed=seed, clients=CLIENTS)
    party.play()
    party.check()


@fewer_examples(60)
@given(seed=some.integers(1, 10**6))
def test_whole_games_are_played_together_with_other_dialects(seed: int) -> None:
    close_all()
    dialects = ["eriantys.events", "eriantys.prompts", "eriantys.status"]
    party = eriantys_party(dialects, expert=True, seed=seed, clients=CLIENTS)
    party.play()
    assert [fault for player in party.players for fault in player.received.faults] == []
    for player in party.players:
        assert player.over
        assert player.received.result == party.players[0].received.result
