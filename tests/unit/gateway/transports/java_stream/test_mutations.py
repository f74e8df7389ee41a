"""Mutated streams: whatever arrives, the reader returns values, then one error at most, and raises nothing.

JAVA_STREAM_MUTATIONS sets the number of streams. For 100,000:

    JAVA_STREAM_MUTATIONS=100000 python -m pytest tests/unit/gateway/transports/java_stream/test_mutations.py
"""

import os
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Final

import pytest

from gateway.dialects.eriantys.events import java_classes
from gateway.transports.java_stream.constants import TypeCode
from gateway.transports.java_stream.framing import STRINGS, ObjectFraming, StringFraming
from gateway.transports.java_stream.reader import ObjectReader
from gateway.transports.java_stream.types import ClassTable, JavaValue
from shared.errors import ProtocolError
from tests.unit.gateway.transports.java_stream.samples import SAMPLE_TABLE, everything, messages_of, stream_of

pytestmark = pytest.mark.slow

MUTATIONS: Final = int(os.environ.get("JAVA_STREAM_MUTATIONS", "12000"))
LIMIT_S: Final = 60 + MUTATIONS / 200
SEED: Final = 20
LENGTHS: Final = (
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x00\x00\xff\xff",
    b"\x00\x7e\x00\x00",
)

Mutation = Callable[[random.Random, bytearray], None]
Framings = Callable[[], StringFraming | ObjectFraming]


def change_bytes(dice: random.Random, data: bytearray) -> None:
    for _ in range(dice.randint(1, 4)):
        data[dice.randrange(len(data))] = dice.randrange(256)


def change_type_code(dice: random.Random, data: bytearray) -> None:
    codes = [place for place, byte in enumerate(data) if TypeCode.NULL <= byte <= TypeCode.ENUM]
    data[dice.choice(codes or [0])] = dice.choice(list(TypeCode))


def change_length(dice: random.Random, data: bytearray) -> None:
    place = dice.randrange(len(data))
    data[place : place + 4] = dice.choice(LENGTHS)


def remove(dice: random.Random, data: bytearray) -> None:
    place = dice.randrange(len(data))
    del data[place : place + dice.randint(1, 8)]


def insert(dice: random.Random, data: bytearray) -> None:
    place = dice.randrange(len(data))
    data[place:place] = dice.randbytes(dice.randint(1, 8))


def repeat(dice: random.Random, data: bytearray) -> None:
    """Copy a part to another place, which yields references and descriptors where they do not belong."""
    start, place = dice.randrange(len(data)), dice.randrange(len(data))
    data[place:place] = data[start : start + dice.randint(1, 60)]


ALL: Final[tuple[Mutation, ...]] = (change_bytes, change_type_code, change_length, remove, insert, repeat)


def streams(values: list[JavaValue]) -> list[bytes]:
    """Short streams with and without resets, because a mutation matters most early in a stream."""
    starts = range(0, len(values), 2)
    return [stream_of(values[start : start + 3], resets=resets) for start in starts for resets in (True, False)]


TEXTS: Final[list[JavaValue]] = ["{}", '{"type":"Ping"}', "caffè 🎲", "{}"]
KINDS: Final[dict[str, tuple[ClassTable, list[bytes], Framings]]] = {
    "strings": (STRINGS, streams(TEXTS), StringFraming),
    "group 3": (
        java_classes.FROM_CLIENT,
        streams(messages_of(java_classes.FROM_CLIENT)),
        lambda: ObjectFraming(java_classes.FROM_CLIENT, java_classes.TO_CLIENT),
    ),
    "group 3, to the client": (
        java_classes.TO_CLIENT,
        streams(messages_of(java_classes.TO_CLIENT)),
        lambda: ObjectFraming(java_classes.TO_CLIENT, java_classes.FROM_CLIENT, resets=False),
    ),
    "everything": (
        SAMPLE_TABLE,
        streams([everything(map=None, base=None), everything(list=None, grid=None)]),
        lambda: ObjectFraming(SAMPLE_TABLE, SAMPLE_TABLE),
    ),
}


def mutated(dice: random.Random, originals: list[bytes]) -> bytes:
    data = bytearray(dice.choice(originals))
    for _ in range(dice.choice((1, 1, 2, 3))):
        # Most mutations leave the header alone: without it there is nothing more to test.
        header = data[:4] if dice.random() < 0.98 else b""
        rest = data[len(header) :]
        dice.choice(ALL)(dice, rest)
        data = bytearray(header + rest) or bytearray(b"\0")
        if len(data) < 6:
            break
    return bytes(data)


def portions(dice: random.Random, data: bytes) -> list[bytes]:
    cuts = sorted(dice.randrange(len(data) + 1) for _ in range(3))
    edges = [0, *cuts, len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@pytest.mark.timeout(LIMIT_S)
@pytest.mark.parametrize("kind", KINDS)
def test_a_mutated_stream_yields_values_and_at_most_one_error(kind: str) -> None:
    table, originals, _ = KINDS[kind]
    dice = random.Random(f"{SEED} {kind}")
    errors = 0
    for _ in range(MUTATIONS // len(KINDS)):
        data = mutated(dice, originals)
        reader = ObjectReader(table)
        found = reader.feed(data)
        failed = bool(found) and isinstance(found[-1], ProtocolError)
        errors += failed
        assert not any(isinstance(value, ProtocolError) for value in found[:-1]), data.hex()
        if failed:
            assert reader.feed(data) == [], data.hex()
    assert errors > MUTATIONS // len(KINDS) // 4


@pytest.mark.timeout(LIMIT_S)
@pytest.mark.parametrize("kind", KINDS)
def test_the_portions_of_a_mutated_stream_do_not_matter(kind: str) -> None:
    """The framing is part of it: every value has a JSON form or an error in its place."""
    _, originals, framings = KINDS[kind]
    dice = random.Random(f"{SEED} portions {kind}")
    for _ in range(MUTATIONS // len(KINDS) // 10):
        data = mutated(dice, originals)
        whole, cut = framings(), framings()
        at_once = [str(frame) for frame in whole.feed(data)]
        in_portions = [str(frame) for portion in portions(dice, data) for frame in cut.feed(portion)]
        assert in_portions == at_once, data.hex()
