"""Class tables, sample values and hypothesis strategies for the tests of the object streams."""

import struct
from collections.abc import Mapping
from typing import Final

from hypothesis import strategies as st

from gateway.dialects.eriantys.events import java_classes
from gateway.transports.java_stream import jdk
from gateway.transports.java_stream.constants import BASE_HANDLE, HEADER, TypeCode
from gateway.transports.java_stream.reader import ObjectReader
from gateway.transports.java_stream.types import (
    INT,
    LIST,
    MAP,
    OBJECT,
    PRIMITIVES,
    STRING,
    STRING_ARRAY,
    ArrayClass,
    ClassTable,
    JavaArray,
    JavaClass,
    JavaField,
    JavaObject,
    JavaValue,
    java_fields,
    record,
)
from gateway.transports.java_stream.writer import ObjectWriter
from shared.errors import ProtocolError

BASE: Final = JavaClass("sample.Base", 7, java_fields(number=INT, label=STRING))
DERIVED: Final = JavaClass("sample.Derived", 8, java_fields(more="J", anything=OBJECT), parent=BASE)
GRID: Final = ArrayClass("[[I")
EVERYTHING: Final = record(
    "sample.Everything",
    tiny="B",
    small="S",
    usual="I",
    large="J",
    single="F",
    twice="D",
    yes="Z",
    boxedTiny=jdk.BYTE_BOX.signature,
    boxedSmall=jdk.SHORT_BOX.signature,
    boxed=jdk.INTEGER_BOX.signature,
    boxedLarge=jdk.LONG_BOX.signature,
    boxedSingle=jdk.FLOAT_BOX.signature,
    boxedTwice=jdk.DOUBLE_BOX.signature,
    boxedYes=jdk.BOOLEAN_BOX.signature,
    anything=OBJECT,
    list=LIST,
    map=MAP,
    grid=GRID.signature,
    names=STRING_ARRAY,
    base=BASE.signature,
)
SAMPLE_TABLE: Final = ClassTable(
    (BASE, DERIVED, EVERYTHING), (*jdk.BOXES.values(), jdk.ARRAY_LIST, jdk.HASH_MAP, java_classes.COLOR)
)
"""Every part of the codec, also those that no message needs."""

ODD_TEXT: Final = "caffè \0 \u20ac 🎲"


def array(signature: str, *values: JavaValue) -> JavaArray:
    return JavaArray(ArrayClass(signature), values)


def everything(**changed: JavaValue) -> JavaObject:
    derived = DERIVED.create(number=1, label="under", more=2**40, anything=java_classes.COLOR.constant("PINK"))
    values: dict[str, JavaValue] = {
        "tiny": -128,
        "small": -32768,
        "usual": -(2**31),
        "large": -(2**63),
        "single": 0.5,
        "twice": -1.25,
        "yes": True,
        "boxedTiny": 127,
        "boxedSmall": 32767,
        "boxed": 2**31 - 1,
        "boxedLarge": 5,
        "boxedSingle": 2.5,
        "boxedTwice": 3.5,
        "boxedYes": False,
        "anything": ODD_TEXT,
        "list": (1, "two", None, 2**40, 4.5, True, derived, ("nested",)),
        "map": {"one": 1, 2: "two", java_classes.COLOR.constant("RED"): ()},
        "grid": array("[[I", array("[I", 1, 2), array("[I"), None),
        "names": array(STRING_ARRAY, "ann", "bob", None, "ann"),
        "base": derived,
    }
    return EVERYTHING.create(**{**values, **changed})


def sample(java_class: JavaClass, number: int = 0) -> JavaObject:
    """An instance with a value in every field."""
    return java_class.create(**{field.name: _sample_value(field, number) for field in java_class.all_fields})


def _sample_value(field: JavaField, number: int) -> JavaValue:
    for enum in (java_classes.COLOR, java_classes.ASSISTANT_CARD, java_classes.GAME_PHASE):
        if field.signature == enum.signature:
            constants = sorted(enum.constants)
            return enum.constant(constants[number % len(constants)])
    match field.signature:
        case "I":
            return number - 1
        case "Z":
            return number % 2 == 0
        case jdk.BOOLEAN_BOX.signature:
            return (None, True, False)[number % 3]
        case "Ljava/lang/String;":
            return (f"{field.name}:{number}", ODD_TEXT, "")[number % 3]
        case "[Ljava/lang/String;":
            return array(STRING_ARRAY, *("ann", "bob", "cyd")[: number % 4])
        case _:
            return tuple(sample(java_classes.ROOM_INFO, place) for place in range(number % 4))


def messages_of(table: ClassTable) -> list[JavaValue]:
    """Four instances of every message of a table, in turns, so that later ones can refer to earlier ones."""
    return [sample(java_class, number) for number in range(4) for java_class in table.messages.values()]


def stream_of(values: list[JavaValue], *, resets: bool = True) -> bytes:
    writer = ObjectWriter(resets=resets)
    return HEADER + b"".join(writer.write(value) for value in values)


def reference(place: int) -> bytes:
    """A reference to the element that was numbered so many places after the last reset."""
    return struct.pack(">Bi", TypeCode.REFERENCE, BASE_HANDLE + place)


def read_all(data: bytes, table: ClassTable) -> list[JavaValue | ProtocolError]:
    return ObjectReader(table).feed(data)


# --- strategies ------------------------------------------------------------------------------------------------------

TEXTS: Final = st.text(max_size=40)
_BITS: Final = {"B": 8, "S": 16, "I": 32, "J": 64}


def _primitives(signature: str) -> st.SearchStrategy[JavaValue]:
    match signature:
        case "Z":
            return st.booleans()
        case "F":
            return st.floats(width=32, allow_nan=False)
        case "D":
            return st.floats(allow_nan=False)
        case _:
            half = 1 << (_BITS[signature] - 1)
            return st.integers(-half, half - 1)


def values_of(field: JavaField, table: ClassTable) -> st.SearchStrategy[JavaValue]:
    """All values that a field may hold."""
    if field.signature in PRIMITIVES:
        return _primitives(field.signature)
    return st.none() | _objects_of(field, table)


def _objects_of(field: JavaField, table: ClassTable) -> st.SearchStrategy[JavaValue]:
    declared = table.declared(field.signature)
    if declared is not None and declared.constants:
        return st.sampled_from([declared.constant(name) for name in sorted(declared.constants)])
    match field.signature:
        case box if box in jdk.BOXES:
            return _primitives(jdk.BOXES[box].fields[0].signature)
        case "Ljava/lang/String;":
            return TEXTS
        case "[Ljava/lang/String;":
            return st.lists(st.none() | TEXTS).map(lambda items: array(STRING_ARRAY, *items))
        case "[[I":
            rows = st.lists(_primitives("I")).map(lambda row: array("[I", *row))
            return st.lists(rows).map(lambda items: array("[[I", *items))
        case "Ljava/util/List;":
            element = table.declared(field.element)
            return st.lists(objects_of(element, table) if element else anything(table)).map(tuple)
        case "Ljava/util/Map;":
            return st.dictionaries(TEXTS, anything(table))
        case "Ljava/lang/Object;":
            return anything(table)
        case _:
            assert declared is not None
            return objects_of(declared, table)


def anything(table: ClassTable) -> st.SearchStrategy[JavaValue]:
    """Values for a variable of type Object."""
    leaves: st.SearchStrategy[JavaValue] = st.none() | st.booleans() | _primitives("J") | _primitives("D") | TEXTS
    return st.recursive(
        leaves | st.sampled_from([java_classes.COLOR.constant("RED")]),
        lambda inner: st.lists(inner, max_size=4).map(tuple) | st.dictionaries(TEXTS, inner, max_size=4),
        max_leaves=8,
    )


def objects_of(java_class: JavaClass, table: ClassTable) -> st.SearchStrategy[JavaObject]:
    fields: Mapping[str, st.SearchStrategy[JavaValue]] = {
        field.name: values_of(field, table) for field in java_class.all_fields
    }
    return st.fixed_dictionaries(dict(fields)).map(lambda values: java_class.create(**values))
