"""Fuzzing of byte streams through the transports that ship: messages cut, joined, fragmented and damaged anywhere.

TAVOLATA_FUZZ_ROUNDS and TAVOLATA_FUZZ_SEED work as in test_dialects.py.
"""

import struct
import time
from functools import partial
from random import Random

import pytest

from shared.errors import ProtocolError
from tests.fuzz.fuzzer import CPU_PER_BYTE_S, CPU_PER_FRAME_S, SLACK_S, ControlTable, errors_fail
from tests.fuzz.grammar import Grammar
from tests.fuzz.mutations import encode, mutated
from tests.fuzz.rounds import for_each_seed
from tests.fuzz.subjects import SUBJECTS, Subject
from tests.fuzz.wire import Wire, cut
from tests.support.hostile import CONTINUATION, TEXT, frame
from tests.support.memory_cluster import MemoryCluster

pytestmark = pytest.mark.timeout(7_200)

MESSAGES = 15
SEPARATORS = (b"\n", b"\r\n", b"\n\n", b" ", b"")
DIALECTS = {subject.dialect: subject for subject in SUBJECTS}.values()
"""One subject for each dialect: streams do not depend on the game."""
OPCODES = (0x0, 0x1, 0x2, 0x8, 0x9, 0xA, 0x3, 0xB)


def _messages(subject: Subject, dice: Random) -> list[bytes]:
    known = {name: partial(dice.choice, values) for name, values in subject.words.items()}
    grammar = Grammar(dice, known | dict.fromkeys(("row", "column"), lambda: 5))
    drawn = [subject.draw(grammar) for _ in range(MESSAGES)]
    frames = [message if isinstance(message, bytes) else encode(message) for message in drawn]
    return [one if dice.random() < 0.5 else mutated(dice, one) for one in frames]


def _fragments(dice: Random, message: bytes) -> bytes:
    """The message as a WebSocket frame, or in fragments with control frames between them."""
    if dice.random() < 0.5:
        return frame(message)
    pieces = cut(dice, message)[:300] or [b""]
    parts = [frame(piece, CONTINUATION, last=False) for piece in pieces]
    parts[0] = frame(pieces[0], TEXT, last=False)
    if dice.random() < 0.3:
        parts.insert(dice.randrange(len(parts)), frame(b"x", 0x9))
    return b"".join(parts) + frame(b"", CONTINUATION)


def _odd_frame(dice: Random, message: bytes) -> bytes:
    """A frame with any opcode, any reserved bits, and perhaps a false length or no mask."""
    first = dice.choice(OPCODES) | dice.choice((0x80, 0x80, 0x00, 0xC0, 0xF0))
    body = message[: dice.choice((0, 1, 2, 100, 125))]
    if dice.random() < 0.2:
        length = dice.choice((70_000, 2**24 + 1, 2**62, 2**63))
        return struct.pack("!BBQ", first, 0x80 | 127, length) + b"mask" + body
    masked = 0x80 if dice.random() < 0.8 else 0x00
    return struct.pack("!BB", first, masked | len(body)) + (b"mask" if masked else b"") + body


def _websocket_stream(dice: Random, messages: list[bytes]) -> bytes:
    """Mostly proper frames; a few streams have odd ones."""
    odd = dice.choice((0.0, 0.0, 0.1, 0.5))
    return b"".join(
        _odd_frame(dice, message) if dice.random() < odd else _fragments(dice, message) for message in messages
    )


@pytest.mark.parametrize("tcp", [False, True], ids=["websocket", "tcp"])
@pytest.mark.parametrize("subject", DIALECTS, ids=str)
def test_no_stream_breaks_a_connection_or_takes_more_than_its_share(subject: Subject, tcp: bool) -> None:
    cluster = MemoryCluster()
    control = ControlTable(cluster)

    def run(seed: int) -> None:
        dice = Random(f"{subject.dialect} {tcp} {seed}")
        messages = _messages(subject, dice)
        if tcp:
            stream = b"".join(message + dice.choice(SEPARATORS) for message in messages)
        else:
            stream = _websocket_stream(dice, messages)
        with errors_fail():
            wire = Wire(cluster, subject.dialect, tcp=tcp)
            pieces = cut(dice, stream)
            began = time.process_time()
            wire.send(pieces)
            cpu_s = time.process_time() - began
            wire.end()
            control.move()
        budget_s = SLACK_S + CPU_PER_FRAME_S * (MESSAGES + len(pieces) / 10) + CPU_PER_BYTE_S * len(stream)
        assert cpu_s <= budget_s, f"{cpu_s:.2f} s of CPU for {len(stream)} bytes in {len(pieces)} pieces"

    for_each_seed(run)


@pytest.mark.parametrize("subject", DIALECTS, ids=str)
def test_frames_do_not_depend_on_how_a_tcp_stream_is_cut(subject: Subject) -> None:
    dialect = MemoryCluster().dialects[subject.dialect]

    def frames(pieces: list[bytes]) -> list[bytes | str]:
        framing = dialect.framing({})
        found = [one for piece in pieces for one in framing.feed(piece)]
        return [one.code if isinstance(one, ProtocolError) else one for one in found]

    def run(seed: int) -> None:
        dice = Random(f"{subject.dialect} cut {seed}")
        stream = b"".join(message + dice.choice(SEPARATORS) for message in _messages(subject, dice))
        assert frames(cut(dice, stream)) == frames([stream])

    for_each_seed(run)
