"""Streams that break the grammar or the class table: one error, then nothing."""

import struct

import pytest

from gateway.dialects.eriantys.events import java_classes
from gateway.transports.java_stream.constants import HEADER
from gateway.transports.java_stream.reader import ObjectReader
from gateway.transports.java_stream.types import OBJECT, ClassTable, record
from shared.errors import ProtocolError
from tests.unit.gateway.transports.java_stream.samples import DERIVED, SAMPLE_TABLE, read_all, reference, stream_of

LOGIN = java_classes.FROM_CLIENT.messages["Login"].create(username="ann")
LOGIN_STREAM = stream_of([LOGIN], resets=False)
CARD = java_classes.FROM_CLIENT.messages["PlayAssistantCardEvent"].create(
    ac=java_classes.ASSISTANT_CARD.constant("ONE"), playerNumber=0
)
CARD_STREAM = stream_of([CARD], resets=False)
DERIVED_STREAM = stream_of([DERIVED.create(number=1, label="a", more=2, anything=None)])


def error_of(data: bytes, table: ClassTable = java_classes.FROM_CLIENT) -> str:
    """The only error, which must end the stream without a value."""
    reader = ObjectReader(table)
    (error,) = reader.feed(data)
    assert isinstance(error, ProtocolError)
    assert reader.feed(LOGIN_STREAM) == []
    return str(error)


def changed(data: bytes, old: bytes, new: bytes) -> bytes:
    assert data.count(old) == 1
    return data.replace(old, new)


# --- grammar ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b'{"type":"Login"}', b"\xac\xed\x00\x04", b"GET / HTTP/1.1\r\n"])
def test_another_header_is_refused(data: bytes) -> None:
    assert error_of(data) == "this is not a Java object stream"


@pytest.mark.parametrize(
    "element",
    [
        b"\x70",
        b"\x72\x00\x01a",
        b"\x76",
        b"\x77\x01a",
        b"\x78",
        b"\x7a\x00\x00\x00\x01a",
        b"\x7b",
        b"\x7d",
        b"\x7f",
        b"\x00",
    ],
    ids=["null", "descriptor", "class", "block", "end", "long block", "exception", "proxy", "after last", "zero"],
)
def test_other_elements_are_not_messages(element: bytes) -> None:
    assert "is not a message" in error_of(HEADER + element) or "there is no type code" in error_of(HEADER + element)


@pytest.mark.parametrize("code", [b"\x70", b"\x7d", b"\x7b", b"\x74\x00\x01a", b"\x79", b"\x76"])
def test_an_object_needs_a_class_descriptor(code: bytes) -> None:
    error_of(HEADER + b"\x73" + code)


def test_a_reset_within_a_message_is_refused() -> None:
    assert error_of(changed(LOGIN_STREAM, b"\x74\x00\x03ann", b"\x79\x74\x00\x03ann")) == "RESET in place of a value"


def test_annotations_of_classes_are_refused() -> None:
    data = changed(LOGIN_STREAM, b"\x78\x70\x74\x00\x03ann", b"\x77\x01a\x78\x70\x74\x00\x03ann")
    assert error_of(data) == "BLOCK_DATA in place of END_BLOCK_DATA"


# --- handles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("handle", [0, -1, 0x7DFFFF, 0x7E0004, 0x7FFFFFFF])
def test_an_unknown_handle_is_refused(handle: int) -> None:
    assert read_all(LOGIN_STREAM, java_classes.FROM_CLIENT) == [LOGIN]
    *messages, error = read_all(LOGIN_STREAM + struct.pack(">Bi", 0x71, handle), java_classes.FROM_CLIENT)
    assert messages == [LOGIN]
    assert isinstance(error, ProtocolError)
    assert "unknown handle" in str(error)


def test_a_message_may_be_a_reference_to_an_earlier_one() -> None:
    assert read_all(LOGIN_STREAM + reference(2), java_classes.FROM_CLIENT) == [LOGIN, LOGIN]


def test_a_reset_forgets_the_handles() -> None:
    *_, error = read_all(LOGIN_STREAM + b"\x79" + reference(2), java_classes.FROM_CLIENT)
    assert isinstance(error, ProtocolError)


def test_a_reference_must_fit_its_place() -> None:
    as_message = read_all(LOGIN_STREAM + reference(0), java_classes.FROM_CLIENT)
    as_class = read_all(LOGIN_STREAM + b"\x73" + reference(3), java_classes.FROM_CLIENT)
    as_name = read_all(LOGIN_STREAM + b"\x73" + reference(0) + reference(2), java_classes.FROM_CLIENT)
    assert "a class descriptor in place of a value" in str(as_message[-1])
    assert "not a class descriptor" in str(as_class[-1])
    assert "not of the field's type" in str(as_name[-1])


def test_an_object_cannot_contain_itself() -> None:
    data = stream_of([record("example.Box", item=OBJECT).create(item=None)])
    table = ClassTable((record("example.Box", item=OBJECT),))
    assert "before its end" in error_of(data[:-1] + reference(2), table)


# --- class tables ----------------------------------------------------------------------------------------------------


def test_an_unknown_class_is_refused_before_its_description_is_complete() -> None:
    error = error_of(HEADER + b"\x73\x72\x00\x11java.util.HashSet")
    assert error == "the class 'java.util.HashSet' does not belong here"


def test_another_uid_is_refused() -> None:
    ack = stream_of([java_classes.TO_CLIENT.messages["Ack"].create()])
    uid = struct.pack(">q", -2393873918786033098)
    assert read_all(ack, java_classes.TO_CLIENT) == [java_classes.TO_CLIENT.messages["Ack"].create()]
    error = error_of(changed(ack, uid, struct.pack(">q", 5)), java_classes.TO_CLIENT)
    assert error.endswith("has the serialVersionUID -2393873918786033098, not 5")


def test_the_uid_of_a_record_is_not_compared() -> None:
    data = changed(LOGIN_STREAM, b"Login" + bytes(8), b"Login" + b"\xff" * 8)
    assert read_all(data, java_classes.FROM_CLIENT) == [LOGIN]


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (b"\x02\x00\x01L\x00\x08username", b"\x03\x00\x01L\x00\x08username", "flags"),
        (b"\x02\x00\x01L\x00\x08username", b"\x0c\x00\x01L\x00\x08username", "flags"),
        (b"\x02\x00\x01L\x00\x08username", b"\x02\xff\xffL\x00\x08username", "1 fields, not 65535"),
        (b"\x02\x00\x01L\x00\x08username", b"\x02\x00\x01L\x00\x08nickname", "other fields"),
        (b"Ljava/lang/String;", b"Ljava/lang/Object;", "other fields"),
        (b"\x02\x00\x01L\x00\x08username", b"\x02\x00\x01C\x00\x08username", "other fields"),
        (b"\x02\x00\x01L\x00\x08username", b"\x02\x00\x01\xff\x00\x08username", "other fields"),
    ],
    ids=["write method", "externalizable", "field count", "field name", "field type", "char", "no type"],
)
def test_a_description_that_differs_from_the_table_is_refused(old: bytes, new: bytes, error: str) -> None:
    assert error in error_of(changed(LOGIN_STREAM, old, new))


def test_another_superclass_is_refused() -> None:
    at = DERIVED_STREAM.index(b"\x72\x00\x0bsample.Base")
    end = DERIVED_STREAM.index(b"\x78\x70", at) + 2
    assert "another superclass" in error_of(DERIVED_STREAM[:at] + b"\x70" + DERIVED_STREAM[end:], SAMPLE_TABLE)


def test_an_unknown_constant_is_refused() -> None:
    assert "has no constant 'TWO HUNDRED'" in error_of(changed(CARD_STREAM, b"\x00\x03ONE", b"\x00\x0bTWO HUNDRED"))


def test_a_constant_needs_an_enum_and_an_object_needs_a_class_with_fields() -> None:
    assert "not an enum" in error_of(changed(LOGIN_STREAM, b"\x73\x72", b"\x7e\x72"))
    assert "no instances of this form" in error_of(changed(CARD_STREAM, b"\x7e\x72", b"\x73\x72"))
    assert "not an array" in error_of(changed(LOGIN_STREAM, b"\x73\x72", b"\x75\x72"))
