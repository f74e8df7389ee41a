"""Object streams as framings of a listener: JSON messages on one side, Java's bytes on the other."""

import json

from gateway.dialects.eriantys.events import java_classes
from gateway.dialects.framing import Framing
from gateway.transports.java_stream.constants import HEADER
from gateway.transports.java_stream.framing import ObjectFraming, StringFraming
from gateway.transports.java_stream.types import STRING, ClassTable, record
from shared.errors import ProtocolError
from tests.unit.gateway.transports.java_stream.samples import stream_of


def group3_server() -> ObjectFraming:
    return ObjectFraming(java_classes.FROM_CLIENT, java_classes.TO_CLIENT)


def group3_client() -> ObjectFraming:
    return ObjectFraming(java_classes.TO_CLIENT, java_classes.FROM_CLIENT, resets=False)


def test_both_framings_have_the_contract_of_a_listener() -> None:
    framings: list[Framing] = [StringFraming(), group3_server()]
    for framing in framings:
        assert framing.idle() == []
        assert framing.idle_ms == 0
        assert framing.pause_ms == 0


def test_a_stream_begins_with_the_preamble() -> None:
    assert StringFraming.preamble == b"\xac\xed\x00\x05"
    assert ObjectFraming.preamble == b"\xac\xed\x00\x05"


def test_a_string_is_preceded_by_a_reset() -> None:
    assert StringFraming().frame(b'{"type":"Ping"}') == b'\x79\x74\x00\x0f{"type":"Ping"}'


def test_strings_are_frames_with_and_without_resets() -> None:
    framing = StringFraming()
    assert framing.feed(HEADER + b"\x79\x74\x00\x02{}") == [b"{}"]
    assert framing.feed(b"\x74\x00\x03{ }\x7c\x00\x00\x00\x00\x00\x00\x00\x02[]") == [b"{ }", b"[]"]


def test_a_text_in_modified_utf8_becomes_a_frame_in_utf8() -> None:
    sender, receiver = StringFraming(), StringFraming()
    frame = json.dumps({"nickname": "caffè 🎲"}, ensure_ascii=False).encode()
    assert receiver.feed(sender.preamble + sender.frame(frame)) == [frame]


def test_an_object_in_a_stream_of_strings_ends_it() -> None:
    framing = StringFraming()
    login = java_classes.FROM_CLIENT.messages["Login"].create(username="ann")
    (error,) = framing.feed(stream_of([login]))
    assert isinstance(error, ProtocolError)
    assert error.code == "frame/endless"
    assert "it.polimi.ingsw.messages.Login" in str(error)


def test_messages_before_an_error_are_frames() -> None:
    framing = StringFraming()
    first, error = framing.feed(stream_of(["{}"]) + b"\x00")
    assert first == b"{}"
    assert isinstance(error, ProtocolError)
    assert framing.feed(b"\x74\x00\x02{}") == []


def test_an_object_is_a_json_message_with_the_name_of_its_class() -> None:
    client, server = group3_client(), group3_server()
    login = b'{"type":"Login","username":"ann"}'
    assert server.feed(client.preamble + client.frame(login)) == [login]
    card = b'{"type":"PlayAssistantCardEvent","playerNumber":1,"ac":"SEVEN"}'
    assert server.feed(client.frame(card)) == [card]
    wanted = b'{"type":"GetPublicRooms","numberOfPlayers":-1,"expert":null}'
    assert server.feed(client.frame(wanted)) == [wanted]


def test_the_server_describes_the_classes_of_every_message_anew() -> None:
    client, server = group3_client(), group3_server()
    room = {"id": 7, "numberOfPlayers": 3, "currentPlayers": 1, "expert": True, "isPrivate": False}
    rooms = {"type": "PublicRooms", "rooms": [room, {**room, "id": 8}]}
    framed = server.frame(json.dumps(rooms).encode())
    assert framed.startswith(b"\x79\x73\x72")
    assert framed == server.frame(json.dumps(rooms).encode())
    assert framed.count(b"it.polimi.ingsw.server.RoomInfo") == 1
    (frame,) = client.feed(server.preamble + framed)
    assert isinstance(frame, bytes)
    assert json.loads(frame) == rooms


def test_an_object_that_is_not_a_message_does_not_end_the_stream() -> None:
    name = record("example.Name", text=STRING)
    said = record("example.Said", text=STRING)
    framing = ObjectFraming(ClassTable((said,), others=(name,)), ClassTable(()))
    error, frame = framing.feed(stream_of([name.create(text="ann"), said.create(text="hello")]))
    assert isinstance(error, ProtocolError)
    assert error.code == "frame/unknown_type"
    assert frame == b'{"type":"Said","text":"hello"}'


def test_a_class_of_the_other_direction_ends_the_stream() -> None:
    server = group3_server()
    (error,) = server.feed(HEADER + group3_server().frame(b'{"type":"Ack"}'))
    assert isinstance(error, ProtocolError)
    assert error.code == "frame/endless"
