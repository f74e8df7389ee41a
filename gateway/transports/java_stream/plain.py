"""Objects of a class table as JSON-like messages: `{"type": "<simple class name>", "<field>": ...}`.

Fields keep their Java names. Enum constants are their names, lists and arrays are lists, boxes and primitive values are
plain. Objects within a message have no type: the declared type of the field, or of its elements, decides.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from gateway.transports.java_stream import jdk
from gateway.transports.java_stream.types import (
    LIST,
    OBJECT,
    ArrayClass,
    ClassTable,
    JavaArray,
    JavaClass,
    JavaEnum,
    JavaObject,
    JavaValue,
    Shape,
)
from shared.errors import ProtocolError

PlainMessage: TypeAlias = dict[str, Any]

TYPE: Final = "type"


def to_plain(value: JavaValue, table: ClassTable) -> PlainMessage:
    """The message that a peer has sent; raises `ProtocolError` if the object is not a message of the table."""
    if not isinstance(value, JavaObject) or value.java_class.simple_name not in table.messages:
        raise ProtocolError("frame/unknown_type", "the object is not a message")
    return {TYPE: value.java_class.simple_name, **_plain(value)}


def _plain(value: JavaValue) -> Any:
    match value:
        case JavaObject():
            return {name: _plain(field) for name, field in value.fields().items()}
        case JavaEnum(constant=constant):
            return constant
        case JavaArray(values=values):
            return [_plain(item) for item in values]
        case tuple():
            return [_plain(item) for item in value]
        case Mapping():
            return {_plain(key): _plain(item) for key, item in value.items()}
        case _:
            return value


def from_plain(message: PlainMessage, table: ClassTable) -> JavaObject:
    """The object for a message of ours; raises `ValueError` if the table has no such message."""
    java_class = table.messages.get(message.get(TYPE, ""))
    if java_class is None:
        raise ValueError(f"there is no message {message.get(TYPE)!r} in the table")
    return _object({name: value for name, value in message.items() if name != TYPE}, java_class, table)


def _object(values: PlainMessage, java_class: JavaClass, table: ClassTable) -> JavaObject:
    elements = {field.name: (field.signature, field.element) for field in java_class.all_fields}
    typed = {name: _typed(value, *elements.get(name, (OBJECT, OBJECT)), table=table) for name, value in values.items()}
    return java_class.create(**typed)


def _typed(value: Any, signature: str, element: str, *, table: ClassTable) -> JavaValue:
    """The Java value that a variable of this declared type holds."""
    declared = table.declared(signature)
    if value is None:
        return None
    if signature.startswith("["):
        items = (_typed(item, signature[1:], OBJECT, table=table) for item in value)
        return JavaArray(ArrayClass(signature), tuple(items))
    if signature in (LIST, jdk.ARRAY_LIST.signature):
        return tuple(_typed(item, element, OBJECT, table=table) for item in value)
    if declared is not None and declared.shape is Shape.ENUM:
        return declared.constant(value)
    if declared is not None and declared.shape is Shape.FIELDS:
        return _object(value, declared, table)
    plain: JavaValue = value
    return plain
