"""Classes of the JDK that occur in the streams, and the Python values that stand for their instances."""

from collections.abc import Mapping
from typing import Final

from gateway.transports.java_stream.types import (
    INT,
    LIST,
    MAP,
    OBJECT,
    STRING,
    JavaArray,
    JavaClass,
    JavaEnum,
    JavaObject,
    JavaValue,
    Shape,
    java_fields,
)

NUMBER: Final = JavaClass("java.lang.Number", -8742448824652078965, shape=Shape.ABSTRACT)
ENUM: Final = JavaClass("java.lang.Enum", 0, shape=Shape.ENUM)


def _box(name: str, uid: int, primitive: str, parent: JavaClass | None = NUMBER) -> JavaClass:
    return JavaClass(f"java.lang.{name}", uid, java_fields(value=primitive), parent, Shape.BOX)


BOOLEAN_BOX: Final = _box("Boolean", -3665804199014368530, "Z", parent=None)
BYTE_BOX: Final = _box("Byte", -7183698231559129828, "B")
SHORT_BOX: Final = _box("Short", 7515723908773894738, "S")
INTEGER_BOX: Final = _box("Integer", 1360826667806852920, "I")
LONG_BOX: Final = _box("Long", 4290774380558885855, "J")
FLOAT_BOX: Final = _box("Float", -2671257302660747028, "F")
DOUBLE_BOX: Final = _box("Double", -9172774392245257468, "D")

BOXES: Final[Mapping[str, JavaClass]] = {
    box.signature: box for box in (BOOLEAN_BOX, BYTE_BOX, SHORT_BOX, INTEGER_BOX, LONG_BOX, FLOAT_BOX, DOUBLE_BOX)
}

ARRAY_LIST: Final = JavaClass("java.util.ArrayList", 8683452581122892189, java_fields(size=INT), shape=Shape.LIST)
HASH_MAP: Final = JavaClass(
    "java.util.HashMap", 362498820763181265, java_fields(loadFactor="F", threshold=INT), shape=Shape.MAP
)

STRING_ARRAY_UID: Final = -5921575005990323385


def java_enum(name: str, *constants: str) -> JavaClass:
    """An enum. Its UID is always 0 (1.12)."""
    return JavaClass(name, 0, parent=ENUM, shape=Shape.ENUM, constants=frozenset(constants))


def is_instance(value: JavaValue, signature: str, element: str = OBJECT) -> bool:
    """Whether a variable of the declared type may hold the value; null is an instance of every class.

    All boxes of whole numbers count as one type, because their values are plain numbers here.
    """
    if value is None or signature == OBJECT:
        return True
    match value:
        case str():
            return signature == STRING
        case JavaObject(java_class=java_class) | JavaEnum(java_class=java_class):
            return java_class.extends(signature)
        case JavaArray(array_class=array_class):
            return array_class.signature == signature
        case tuple():
            listed = signature in (LIST, ARRAY_LIST.signature)
            return listed and all(is_instance(item, element) for item in value)
        case Mapping():
            return signature in (MAP, HASH_MAP.signature)
        case _:
            return signature in BOXES and _fits_box(value, BOXES[signature])


def _fits_box(value: bool | int | float, box: JavaClass) -> bool:
    match box.fields[0].signature:
        case "Z":
            return isinstance(value, bool)
        case "F" | "D":
            return isinstance(value, float)
        case _:
            return isinstance(value, int) and not isinstance(value, bool)
