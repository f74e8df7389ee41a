"""The codec against Java's own ObjectInputStream and ObjectOutputStream, in a program of ours (`peer/`)."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from gateway.dialects.eriantys.events import java_classes
from gateway.transports.java_stream import jdk
from gateway.transports.java_stream.framing import STRINGS
from gateway.transports.java_stream.limits import Limits
from gateway.transports.java_stream.reader import ObjectReader
from gateway.transports.java_stream.types import (
    OBJECT,
    PRIMITIVES,
    ClassTable,
    JavaArray,
    JavaEnum,
    JavaObject,
    JavaValue,
)
from tests.unit.gateway.transports.java_stream.samples import (
    ODD_TEXT,
    SAMPLE_TABLE,
    everything,
    messages_of,
    sample,
    stream_of,
)

pytestmark = pytest.mark.slow

NOT_FOUND = "THE JAVA STREAM TESTS WERE SKIPPED: no JDK on this machine (Debian: apt-get install default-jdk-headless)"
SOURCES = Path(__file__).parent / "peer"
LIMIT_S = 100

TABLES = {"to client": java_classes.TO_CLIENT, "from client": java_classes.FROM_CLIENT}

_BOXES = {box.fields[0].signature: box.simple_name for box in jdk.BOXES.values()}


@pytest.fixture(scope="module")
def peer_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (shutil.which("javac") and shutil.which("java")):
        if sys.__stderr__ is not None:
            sys.__stderr__.write(f"\n{NOT_FOUND}\n")
        pytest.skip(NOT_FOUND)
    folder = tmp_path_factory.mktemp("java_peer")
    sources = sorted(map(str, SOURCES.rglob("*.java")))
    subprocess.run(["javac", "--release", "17", "-d", str(folder), *sources], check=True, timeout=LIMIT_S)
    return folder


def exchange(classes: Path, data: bytes, *, resets: bool) -> tuple[bytes, list[str]]:
    """The bytes that the Java program wrote after reading the data, and its description of each object it read."""
    mode = "reset" if resets else "keep"
    command = ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", str(classes), "StreamPeer", mode]
    done = subprocess.run(command, input=data, capture_output=True, timeout=LIMIT_S, check=False)
    lines = done.stderr.decode().split("\n")
    assert done.returncode == 0, done.stderr.decode()[-2_000:]
    return done.stdout, lines[:-1]


def description(value: JavaValue, signature: str = OBJECT) -> str:
    """The line with which the Java program describes the value in a variable of this type."""
    match value:
        case None:
            return "null"
        case str():
            return f'"{value}"'
        case JavaEnum(java_class=java_class, constant=constant):
            return f"{java_class.name}.{constant}"
        case bool() | int() | float():
            return f"{_box_name(value, signature)}:{str(value).lower()}"
        case JavaArray(array_class=array_class, values=values):
            return f"{array_class.name}[{', '.join(description(item, array_class.component) for item in values)}]"
        case tuple():
            return f"[{', '.join(map(description, value))}]"
        case Mapping():
            return _entries({description(key): description(item) for key, item in value.items()})
        case JavaObject(java_class=java_class):
            signatures = {field.name: field.signature for field in java_class.all_fields}
            fields = {name: description(item, signatures[name]) for name, item in value.fields().items()}
            return java_class.name + _entries(fields)


def _entries(entries: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}={entries[key]}" for key in sorted(entries)) + "}"


def _box_name(value: bool | int | float, signature: str) -> str:
    if signature in PRIMITIVES:
        return _BOXES[signature]
    if signature in jdk.BOXES:
        return jdk.BOXES[signature].simple_name
    if isinstance(value, bool):
        return "Boolean"
    if isinstance(value, float):
        return "Double"
    return "Integer" if -(2**31) <= value < 2**31 else "Long"


@pytest.mark.parametrize("resets", [True, False], ids=["with resets", "without resets"])
def test_java_reads_what_we_write_and_we_read_what_java_writes(peer_classes: Path, resets: bool) -> None:
    """All messages of both tables and all samples in one stream, because each start of a JVM takes a while."""
    group3 = [message for table in TABLES.values() for message in messages_of(table)]
    values = [*group3, everything(), everything(list=None, map=None), ODD_TEXT, ODD_TEXT]
    every_class = ClassTable(
        [*java_classes.TO_CLIENT.messages.values(), *java_classes.FROM_CLIENT.messages.values()],
        [
            *SAMPLE_TABLE.messages.values(),
            *jdk.BOXES.values(),
            java_classes.COLOR,
            java_classes.ASSISTANT_CARD,
            java_classes.GAME_PHASE,
            java_classes.ROOM_INFO,
            jdk.ARRAY_LIST,
            jdk.HASH_MAP,
        ],
    )

    written, descriptions = exchange(peer_classes, stream_of(values, resets=resets), resets=resets)

    for described, value in zip(descriptions, values, strict=True):
        assert described == description(value)
    found = ObjectReader(every_class).feed(written)
    for read, value in zip(found, values, strict=True):
        assert read == value


@pytest.mark.parametrize("name", TABLES)
def test_each_table_suffices_for_its_direction(peer_classes: Path, name: str) -> None:
    values = messages_of(TABLES[name])
    written, _ = exchange(peer_classes, stream_of(values), resets=False)
    assert ObjectReader(TABLES[name]).feed(written) == values


def test_strings_of_any_length_pass_in_both_directions(peer_classes: Path) -> None:
    values: list[JavaValue] = ["", "x" * 65_535, "y" * 65_536, "€" * 30_000, "z" * 200_000]
    written, descriptions = exchange(peer_classes, stream_of(values), resets=True)
    assert descriptions == [f'"{value}"' for value in values]
    assert ObjectReader(STRINGS, Limits(message_bytes=300_000)).feed(written) == values


def test_java_refers_back_to_an_object_that_it_has_written_before(peer_classes: Path) -> None:
    login = sample(java_classes.FROM_CLIENT.messages["Login"])
    data = stream_of([login], resets=False) + b"\x71\x00\x7e\x00\x02"
    written, descriptions = exchange(peer_classes, data, resets=False)
    assert descriptions == [description(login)] * 2
    assert written.endswith(b"\x71\x00\x7e\x00\x02")
    assert ObjectReader(java_classes.FROM_CLIENT).feed(written) == [login, login]
