"""The writing end of an object stream: values to the bytes that Java's ObjectInputStream reads."""

import struct
from collections.abc import Hashable, Mapping

from gateway.transports.java_stream import jdk, modified_utf8
from gateway.transports.java_stream.constants import BASE_HANDLE, ClassFlag, TypeCode
from gateway.transports.java_stream.types import (
    OBJECT,
    PRIMITIVES,
    STRING_ARRAY,
    ArrayClass,
    JavaArray,
    JavaClass,
    JavaEnum,
    JavaObject,
    JavaValue,
)

_MOST_SHORT = 0xFFFF
"""Bytes of the longest string that is written as TC_STRING."""
_LOAD_FACTOR = 0.75
_INTS = range(-(2**31), 2**31)


class ObjectWriter:
    """One connection's stream after its header.

    With `resets`, a reset precedes each message and each message describes its classes anew: the writer keeps nothing
    between messages, and neither does the peer. Without, the stream is that of an ObjectOutputStream that is never
    reset: class descriptors, strings and enum constants refer back to earlier messages.
    """

    def __init__(self, *, resets: bool = True) -> None:
        self._resets = resets
        self._handles: dict[Hashable, int] = {}
        self._next = BASE_HANDLE
        self._out = bytearray()

    def write(self, message: JavaValue) -> bytes:
        """The bytes of one message; raises `ValueError` for a number that does not fit its field."""
        self._out = bytearray()
        if self._resets:
            self._out.append(TypeCode.RESET)
            self._handles.clear()
            self._next = BASE_HANDLE
        try:
            self._value(message)
        except struct.error as error:
            raise ValueError(f"a value does not fit its Java type: {error}") from None
        return bytes(self._out)

    def _pack(self, layout: str, *values: object) -> None:
        self._out += struct.pack(layout, *values)

    def _reserve(self, key: Hashable = None) -> None:
        """Number what is written next; with a key, later elements refer to it."""
        if key is not None:
            self._handles[key] = self._next
        self._next += 1

    def _refer(self, key: Hashable) -> bool:
        """Write a reference, if this was written since the last reset."""
        handle = self._handles.get(key)
        if handle is not None:
            self._pack(">Bi", TypeCode.REFERENCE, handle)
        return handle is not None

    # --- values ------------------------------------------------------------------------------------------------------

    def _value(self, value: JavaValue, signature: str = OBJECT, element: str = OBJECT) -> None:
        """A value for a variable of this declared type, which decides how a number is boxed."""
        if not jdk.is_instance(value, signature, element):
            raise ValueError(f"{value!r} is not an instance of {signature}")
        match value:
            case None:
                self._out.append(TypeCode.NULL)
            case str():
                self._string(value)
            case bool() | int() | float():
                self._object(jdk.BOXES.get(signature) or _box_of(value), (value,))
            case JavaEnum():
                self._enum(value)
            case JavaObject():
                self._object(value.java_class, value.values)
            case JavaArray():
                self._array(value)
            case tuple():
                self._list(value, element)
            case Mapping():
                self._map(value)

    def _string(self, text: str) -> None:
        if self._refer(text):
            return
        data = modified_utf8.encode(text)
        if len(data) <= _MOST_SHORT:
            self._pack(">BH", TypeCode.STRING, len(data))
        else:
            self._pack(">BQ", TypeCode.LONG_STRING, len(data))
        self._reserve(text)
        self._out += data

    def _enum(self, value: JavaEnum) -> None:
        if self._refer(value):
            return
        self._out.append(TypeCode.ENUM)
        self._descriptor(value.java_class)
        self._reserve(value)
        self._string(value.constant)

    def _array(self, array: JavaArray) -> None:
        self._out.append(TypeCode.ARRAY)
        self._descriptor(array.array_class)
        self._reserve()
        self._pack(">i", len(array.values))
        component = array.array_class.component
        if component in PRIMITIVES:
            self._pack(f">{len(array.values)}{PRIMITIVES[component]}", *array.values)
        else:
            for value in array.values:
                self._value(value, component)

    def _object(self, java_class: JavaClass, values: tuple[JavaValue, ...]) -> None:
        """An object up to the end of its fields. `values` are those of `java_class.all_fields`."""
        self._out.append(TypeCode.OBJECT)
        self._descriptor(java_class)
        self._reserve()
        remaining = iter(values)
        for part in java_class.lineage:
            primitives = len(part.fields) - len(part.objects)
            self._out += part.primitives.pack(*(next(remaining) for _ in range(primitives)))
            for field in part.objects:
                self._value(next(remaining), field.signature, field.element)

    def _list(self, values: tuple[JavaValue, ...], element: str) -> None:
        """java.util.ArrayList. Its data after the fields are the capacity and the elements."""
        self._object(jdk.ARRAY_LIST, (len(values),))
        self._pack(">BBi", TypeCode.BLOCK_DATA, 4, len(values))
        for value in values:
            self._value(value, element)
        self._out.append(TypeCode.END_BLOCK_DATA)

    def _map(self, entries: Mapping[JavaValue, JavaValue]) -> None:
        """java.util.HashMap. Its data after the fields are buckets, entries, keys and values; Java's reader computes
        the number of buckets and the threshold itself."""
        self._object(jdk.HASH_MAP, (_LOAD_FACTOR, 0))
        self._pack(">BBii", TypeCode.BLOCK_DATA, 8, 16, len(entries))
        for key, value in entries.items():
            self._value(key)
            self._value(value)
        self._out.append(TypeCode.END_BLOCK_DATA)

    # --- class descriptors -------------------------------------------------------------------------------------------

    def _descriptor(self, described: JavaClass | ArrayClass | None) -> None:
        if described is None:
            self._out.append(TypeCode.NULL)
            return
        if self._refer(described):
            return
        self._out.append(TypeCode.CLASS_DESCRIPTOR)
        self._utf(described.name)
        self._pack(">q", _uid(described))
        self._reserve(described)
        fields = described.fields if isinstance(described, JavaClass) else ()
        flags = described.flags if isinstance(described, JavaClass) else ClassFlag.SERIALIZABLE
        self._pack(">BH", flags, len(fields))
        for field in fields:
            self._out.append(ord(field.signature[0]))
            self._utf(field.name)
            if not field.primitive:
                self._string(field.signature)
        self._out.append(TypeCode.END_BLOCK_DATA)
        self._descriptor(described.parent if isinstance(described, JavaClass) else None)

    def _utf(self, text: str) -> None:
        data = modified_utf8.encode(text)
        self._pack(">H", len(data))
        self._out += data


def _box_of(value: bool | int | float) -> JavaClass:
    """The box for a variable of type Object."""
    match value:
        case bool():
            return jdk.BOOLEAN_BOX
        case int():
            return jdk.INTEGER_BOX if value in _INTS else jdk.LONG_BOX
        case _:
            return jdk.DOUBLE_BOX


def _uid(described: JavaClass | ArrayClass) -> int:
    """Java does not compare the UIDs of arrays and records, so 0 stands for those that no table states."""
    if isinstance(described, JavaClass):
        return described.uid or 0
    return jdk.STRING_ARRAY_UID if described.signature == STRING_ARRAY else 0
