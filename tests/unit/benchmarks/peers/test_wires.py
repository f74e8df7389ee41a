"""The load generator's side of each wire protocol."""

import msgspec
import pytest

from benchmarks.peers.wires import (
    BoardgameIoWire,
    ColyseusWire,
    PlayWire,
    SharedRoom,
    Signal,
    SocketIoWire,
    SystemName,
    wire_of,
)


@pytest.mark.parametrize("system", SystemName)
def test_every_system_has_a_wire_that_counts_unexpected_frames(system: SystemName) -> None:
    assert wire_of(system, SharedRoom(0, 2), 0).receive(b"\xffnonsense").signal is Signal.UNKNOWN


def test_play_seat_zero_creates_a_room_and_the_others_join_it() -> None:
    room = SharedRoom(7, 2)
    first, second = PlayWire(room, 0), PlayWire(room, 1)
    created = msgspec.json.decode(first.receive(b'{"type":"welcome","session":"s"}').reply)
    assert created["type"] == "create"
    assert created["seats"] == 2
    assert first.receive(b'{"type":"entered","id":1,"room":1000,"seat":0}').signal is Signal.ENTERED
    joined = msgspec.json.decode(second.receive(b'{"type":"welcome","session":"s"}').reply)
    assert joined == {"type": "join", "id": 1, "room": 1000}


def test_play_counts_moves_from_the_first_step_after_the_start() -> None:
    wire = PlayWire(SharedRoom(0, 2), 0)
    update = b'{"type":"update","room":1000,"epoch":99,"offset":%d,"at":1,"events":[]}'
    assert wire.receive(update % 3).signal is Signal.CONTROL
    first = wire.receive(update % 4)
    assert first.signal is Signal.UPDATE
    assert first.number == 1


def test_play_moves_are_commands_with_rising_ids() -> None:
    room = SharedRoom(0, 2)
    room.id = "1000"
    wire = PlayWire(room, 0)
    first, second = (msgspec.json.decode(wire.move(number)) for number in (0, 2))
    assert first == {"type": "act", "id": 2, "room": 1000, "command": {"type": "take", "count": 1}}
    assert second["id"] == 3


def test_play_separates_acknowledgements_from_errors() -> None:
    wire = PlayWire(SharedRoom(0, 2), 0)
    assert wire.receive(b'{"type":"ack","id":2,"room":1,"epoch":1,"offset":4}').signal is Signal.CONTROL
    assert wire.receive(b'{"type":"error","code":"game/not_your_turn"}').signal is Signal.REFUSED


def test_colyseus_reserves_a_seat_before_it_connects() -> None:
    room = SharedRoom(0, 2)
    first, second = ColyseusWire(room, 0), ColyseusWire(room, 1)
    url, body = first.reservation_request("http://a:1")
    assert url == "http://a:1/matchmake/create/turns"
    assert msgspec.json.decode(body) == {"seat": 0, "players": 2}
    first.reserved(b'{"sessionId":"S","roomId":"R","processId":"P","publicAddress":"b:2","name":"turns"}')
    assert first.url("http://a:1") == "ws://b:2/P/R?sessionId=S"
    assert second.reservation_request("http://a:1")[0] == "http://a:1/matchmake/joinById/R"


@pytest.mark.parametrize("number", [0, 127, 128, 255, 256, 65_535, 65_536])
def test_colyseus_updates_carry_integers_of_any_size(number: int) -> None:
    frame = b"\x0d" + msgspec.msgpack.encode("update") + msgspec.msgpack.encode(number)
    received = ColyseusWire(SharedRoom(0, 2), 0).receive(frame)
    assert received.signal is Signal.UPDATE
    assert received.number == number


def test_colyseus_confirms_that_it_joined() -> None:
    wire = ColyseusWire(SharedRoom(0, 2), 0)
    received = wire.receive(b"\x0a\x05token")
    assert received.signal is Signal.ENTERED
    assert received.reply == b"\x0a"
    assert wire.move(3) == b"\x0d" + msgspec.msgpack.encode("move")


def test_socket_io_opens_connects_and_answers_pings() -> None:
    wire = SocketIoWire(SharedRoom(4, 2), 1)
    assert wire.url("ws://a:1") == "ws://a:1/socket.io/?EIO=4&transport=websocket&room=r4&seat=1&players=2"
    assert wire.receive(b'0{"sid":"x","upgrades":[]}').reply == b"40"
    assert wire.receive(b'40{"sid":"y"}').signal is Signal.CONTROL
    assert wire.receive(b'42["seated"]').signal is Signal.ENTERED
    assert wire.receive(b"2").reply == b"3"


def test_socket_io_reads_updates_and_refusals() -> None:
    wire = SocketIoWire(SharedRoom(4, 2), 1)
    assert wire.receive(b'42["update",12]').number == 12
    assert wire.receive(b'42["refused"]').signal is Signal.REFUSED
    assert wire.move(1) == b'42["move"]'


def test_boardgame_io_synchronizes_before_it_plays() -> None:
    wire = BoardgameIoWire(SharedRoom(4, 2), 1)
    assert wire.receive(b'0{"sid":"x"}').reply == b"40/turns,"
    request = wire.receive(b'40/turns,{"sid":"y"}').reply
    assert msgspec.json.decode(request.removeprefix(b"42/turns,")) == ["sync", "r4", "1", None, 2]
    assert wire.receive(b'42/turns,["sync","r4",{}]').signal is Signal.ENTERED
    assert wire.receive(b'42/turns,["matchData","r4",[]]').signal is Signal.CONTROL


def test_boardgame_io_moves_name_the_state_that_they_apply_to() -> None:
    wire = BoardgameIoWire(SharedRoom(4, 2), 1)
    name, action, state, room, seat = msgspec.json.decode(wire.move(9).removeprefix(b"42/turns,"))
    assert name == "update"
    assert action["payload"]["playerID"] == "1"
    assert state == 9
    assert room == "r4"
    assert seat == "1"
    assert wire.receive(b'42/turns,["update","r4",{"G":{"counter":10},"_stateID":10},[]]').number == 10
