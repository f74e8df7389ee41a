"""The model of the Group 3 program: it waits for answers, and is stuck where the original is."""

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.eriantys.group3 import Group3Player
from loadtest.clients.eriantys.group3_program import Group3Program, ProgramState, card_id_of, number_of

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


def test_a_room_number_that_was_not_asked_for_leaves_the_program_stuck() -> None:
    program = logged_in()
    program.receive({"type": "RoomId", "id": 7})
    assert program.state is ProgramState.STUCK


def test_a_refused_answer_to_create_room_leaves_the_program_stuck() -> None:
    program = logged_in()
    program.create_room(2, expert=True)
    program.receive({"type": "Nack", "errorMessage": "BUSY: later"})
    assert program.state is ProgramState.STUCK


def test_a_negative_room_number_means_that_no_room_was_created() -> None:
    program = logged_in()
    program.create_room(2, expert=True)
    program.receive({"type": "RoomId", "id": -1})
    assert program.state is ProgramState.LOBBY


def test_a_user_who_has_returned_plays_after_entering_the_room() -> None:
    program = logged_in()
    for seat, name in enumerate(("ann", "bob")):
        program.receive({"type": "AddPlayer", "username": name, "position": seat})
    program.receive({"type": "StartGame", "expert": False})
    before = program.state
    assert before is ProgramState.LOBBY
    program.access_room(1000)
    program.receive(ACK)
    assert program.state is ProgramState.PLAYING


def test_a_user_who_owes_a_choice_after_coming_back_makes_it() -> None:
    client = Group3Player(SeatAssignment("ann", "eriantys", 2, {}, 1, lambda: 7, lambda _room: None, True))
    program = client.program = logged_in()
    for seat, name in enumerate(("ann", "bob")):
        program.receive({"type": "AddPlayer", "username": name, "position": seat})
    program.receive({"type": "StartGame", "expert": True})
    program.receive({"type": "NotifyCharacterCard", "card": card_id_of(9)})
    client._activated = 9
    program.refusal = "CHOICE_OWED: choose a color first"
    client._after_answer(playing=True)
    assert [choice["event"] for choice in client._choices] == ["ChooseColorEvent"]
