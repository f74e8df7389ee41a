"""JSON lines over TCP, split at any byte."""

import pytest

from loadtest.clients.tcp import JsonLines
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
