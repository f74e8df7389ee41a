"""Writer, reader and JSON form together: whatever one side writes, the other reads, in any portions."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.dialects.eriantys.events import java_classes
from gateway.transports.java_stream.plain import from_plain, to_plain
from gateway.transports.java_stream.reader import ObjectReader
from gateway.transports.java_stream.types import ClassTable, JavaClass, JavaValue
from shared.errors import ProtocolError
from tests.unit.gateway.transports.java_stream.samples import (
    EVERYTHING,
    SAMPLE_TABLE,
    TEXTS,
    everything,
    messages_of,
    objects_of,
    read_all,
    stream_of,
)

pytestmark = pytest.mark.slow

TABLES = (java_classes.TO_CLIENT, java_classes.FROM_CLIENT)
CLASSES = [(table, java_class) for table in TABLES for java_class in table.messages.values()]


@pytest.mark.parametrize(("table", "java_class"), CLASSES, ids=lambda value: getattr(value, "name", ""))
@settings(max_examples=12)
@given(data=st.data())
def test_every_message_of_the_tables_round_trips(table: ClassTable, java_class: JavaClass, data: st.DataObject) -> None:
    values: list[JavaValue] = list(data.draw(st.lists(objects_of(java_class, table), min_size=1, max_size=3)))
    resets = data.draw(st.booleans())
    assert read_all(stream_of(values, resets=resets), table) == values


@pytest.mark.parametrize(("table", "java_class"), CLASSES, ids=lambda value: getattr(value, "name", ""))
@settings(max_examples=12)
@given(data=st.data())
def test_every_message_of_the_tables_has_a_json_form(
    table: ClassTable, java_class: JavaClass, data: st.DataObject
) -> None:
    value = data.draw(objects_of(java_class, table))
    plain = to_plain(value, table)
    assert plain["type"] == java_class.simple_name
    assert from_plain(plain, table) == value


@settings(max_examples=50)
@given(objects_of(EVERYTHING, SAMPLE_TABLE))
def test_every_kind_of_value_round_trips(value: JavaValue) -> None:
    assert read_all(stream_of([value]), SAMPLE_TABLE) == [value]


@given(st.lists(TEXTS), st.booleans())
def test_strings_round_trip(texts: list[str], resets: bool) -> None:
    assert read_all(stream_of([*texts], resets=resets), ClassTable(())) == texts


@settings(max_examples=30)
@given(st.lists(st.integers(1, 40), min_size=1), st.booleans())
def test_portions_do_not_matter(portions: list[int], resets: bool) -> None:
    values: list[JavaValue] = [everything(), everything(list=())]
    data = stream_of(values, resets=resets)
    reader = ObjectReader(SAMPLE_TABLE)
    found: list[JavaValue | ProtocolError] = []
    turn = 0
    while data:
        size = portions[turn % len(portions)]
        found += reader.feed(data[:size])
        data = data[size:]
        turn += 1
    assert found == values


def test_a_message_is_returned_with_its_last_byte() -> None:
    login = java_classes.FROM_CLIENT.messages["Login"].create(username="ann")
    data = stream_of([login])
    reader = ObjectReader(java_classes.FROM_CLIENT)
    for place in range(len(data) - 1):
        assert reader.feed(data[place : place + 1]) == []
    assert reader.feed(data[-1:]) == [login]


def test_a_stream_without_resets_refers_back() -> None:
    values = messages_of(java_classes.FROM_CLIENT)
    once = stream_of(values[:19], resets=False)
    again = stream_of([*values[:19], *values[:19]], resets=False)
    assert len(again) - len(once) < len(once) / 3
    assert read_all(again, java_classes.FROM_CLIENT) == [*values[:19], *values[:19]]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "Nothing"},
        {},
        {"type": "RoomId"},
        {"type": "RoomId", "id": 1, "more": 2},
        {"type": "AddStudentTo", "to": "BAG", "color": "MAUVE"},
        {"type": "PublicRooms", "rooms": [{"id": 1}]},
    ],
    ids=["unknown type", "no type", "missing field", "another field", "unknown constant", "missing field within"],
)
def test_a_message_that_the_table_does_not_have_is_a_mistake_of_ours(message: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        from_plain(message, java_classes.TO_CLIENT)


@pytest.mark.parametrize(("field", "value"), [("usual", 2**31), ("tiny", 200), ("boxed", 2**31), ("boxedYes", 1)])
def test_a_value_that_does_not_fit_its_type_is_a_mistake_of_ours(field: str, value: JavaValue) -> None:
    with pytest.raises(ValueError):
        stream_of([everything(**{field: value})])
