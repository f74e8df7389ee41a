"""Lines over TCP, in any pieces."""

import pytest

from loadtest.clients.tcp import Lines
from tests.unit.loadtest.test_websocket import Owner, Pipe

DATA = b'{"a": 1}\r\n\n"name"\n[1,\t2]\n'


@pytest.mark.parametrize("cut", range(len(DATA) + 1))
def test_lines_may_be_split_anywhere(cut: int) -> None:
    owner = Owner()
    lines = Lines(owner)
    lines.connection_made(Pipe())
    lines.data_received(DATA[:cut])
    lines.data_received(DATA[cut:])
    assert [line.strip() for line in owner.heard] == [b'{"a": 1}', b'"name"', b"[1,\t2]"]


def test_messages_are_written_as_lines_at_once() -> None:
    pipe = Pipe()
    lines = Lines(Owner())
    lines.connection_made(pipe)
    lines.send([b'"ada"', b"{}"])
    assert pipe.writes == [b'"ada"\n{}\n']


def test_a_lost_connection_is_told() -> None:
    owner = Owner()
    lines = Lines(owner)
    lines.connection_made(Pipe())
    lines.connection_lost(None)
    assert owner.ends == [(1006, "")]
