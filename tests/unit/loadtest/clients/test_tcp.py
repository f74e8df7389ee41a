"""Messages over TCP, split at any byte."""

import pytest

from gateway.transports.java_stream.framing import StringFraming
from loadtest.clients.tcp import FramedStream, JsonLines
from tests.unit.loadtest.clients.test_websocket import Handler, Pipe

DATA = b'{"a": 1}\r\n\n"name"\n[1,\t2]\n'


@pytest.mark.parametrize("cut", range(len(DATA) + 1))
def test_lines_may_be_split_anywhere(cut: int) -> None:
    handler = Handler()
    lines = JsonLines(handler)
    lines.connection_made(Pipe())
    lines.data_received(DATA[:cut])
    lines.data_received(DATA[cut:])
    assert [line.strip() for line in handler.received] == [b'{"a": 1}', b'"name"', b"[1,\t2]"]


def test_messages_are_written_as_lines_in_one_write() -> None:
    pipe = Pipe()
    lines = JsonLines(Handler())
    lines.connection_made(pipe)
    lines.send([b'"ada"', b"{}"])
    assert pipe.writes == [b'"ada"\n{}\n']


def test_a_lost_connection_is_reported() -> None:
    handler = Handler()
    lines = JsonLines(handler)
    lines.connection_made(Pipe())
    lines.connection_lost(None)
    assert handler.ends == [(1006, "")]


# --- original programs ------------------------------------------------------------------------------------------------


def test_a_program_sends_its_header_and_reads_strings_split_anywhere() -> None:
    server = StringFraming()
    data = server.preamble + server.frame(b'{"type":"Ping"}') + server.frame(b'{"type":"Welcome"}')
    for cut in range(len(data)):
        handler, pipe = Handler(), Pipe()
        stream = FramedStream(handler, StringFraming())
        stream.connection_made(pipe)
        assert pipe.writes == [server.preamble]
        stream.data_received(data[:cut])
        stream.data_received(data[cut:])
        assert handler.received == [b'{"type":"Ping"}', b'{"type":"Welcome"}']


def test_a_program_writes_its_messages_in_its_framing() -> None:
    pipe = Pipe()
    stream = FramedStream(Handler(), StringFraming())
    stream.connection_made(pipe)
    stream.send([b"{}", b"[]"])
    assert pipe.writes[1:] == [b"yt\x00\x02{}yt\x00\x02[]"]


def test_a_stream_that_the_program_cannot_read_is_a_fault() -> None:
    handler, pipe = Handler(), Pipe()
    stream = FramedStream(handler, StringFraming())
    stream.connection_made(pipe)
    stream.data_received(b"{}\n{}\n")
    stream.connection_lost(None)
    ((code, reason),) = handler.ends
    assert code == 1008
    assert reason
