"""The stream grammar (specification, 6.4) as suspendable functions, one for each kind of element.

Each function that reads an element begins after the element's type code, unless its comment says otherwise.
"""

import struct
from typing import Final, NoReturn

from gateway.transports.java_stream import jdk, modified_utf8
from gateway.transports.java_stream.constants import HEADER, ClassFlag, TypeCode
from gateway.transports.java_stream.handles import Handles
from gateway.transports.java_stream.limits import Limits
from gateway.transports.java_stream.source import Parsing, Source
from gateway.transports.java_stream.types import (
    PRIMITIVES,
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

_MESSAGES: Final = frozenset(
    {TypeCode.OBJECT, TypeCode.STRING, TypeCode.LONG_STRING, TypeCode.ARRAY, TypeCode.ENUM, TypeCode.REFERENCE}
)

_CODES: Final = {code.value: code for code in TypeCode}
_U8: Final = struct.Struct(">B")
_U16: Final = struct.Struct(">H")
_U32: Final = struct.Struct(">I")
_U64: Final = struct.Struct(">Q")
_I32: Final = struct.Struct(">i")
_I64: Final = struct.Struct(">q")
_TWO_I32: Final = struct.Struct(">ii")


def malformed(text: str) -> ProtocolError:
    return ProtocolError("frame/malformed", text)


class Grammar:
    """Parses one connection's stream. Values that are complete are appended to `found`."""

    def __init__(self, table: ClassTable, source: Source, limits: Limits) -> None:
        self.found: list[JavaValue | ProtocolError] = []
        self._table = table
        self._source = source
        self._limits = limits
        self.handles = Handles(limits.handles)
        self._size = 0
        """Size of the present message's contents so far, each reference written out."""

    def stream(self) -> Parsing[NoReturn]:
        """The whole stream; ends only by `ProtocolError`."""
        if (yield from self._source.take(len(HEADER))) != HEADER:
            raise malformed("this is not a Java object stream")
        while True:
            self._source.begin_message()
            self._size = 0
            message = yield from self._message()
            self.found.append(message)

    def _message(self) -> Parsing[JavaValue]:
        """Resets count as bytes of the message that follows them, so that a peer cannot send them for ever."""
        while (code := (yield from self._code())) is TypeCode.RESET:
            self.handles.clear()
            self._source.forget_kept()
        if code not in _MESSAGES:
            raise malformed(f"{code.name} is not a message")
        return (yield from self._value_after(code, 0))

    # --- bytes -------------------------------------------------------------------------------------------------------

    def _number(self, layout: struct.Struct) -> Parsing[int]:
        data = yield from self._source.take(layout.size)
        number: int = layout.unpack(data)[0]
        return number

    def _code(self) -> Parsing[TypeCode]:
        byte = (yield from self._source.take(1))[0]
        code = _CODES.get(byte)
        if code is None:
            raise malformed(f"there is no type code {byte:#04x}")
        return code

    def _utf(self, length_layout: struct.Struct = _U16) -> Parsing[str]:
        """A string without type code and handle: its length in bytes, and the bytes."""
        length = yield from self._number(length_layout)
        data = yield from self._source.take(length)
        return modified_utf8.decode(data)

    def _block(self, layout: struct.Struct) -> Parsing[tuple[int, ...]]:
        """A block of primitive data with exactly this layout, from its type code on."""
        code = yield from self._code()
        if code not in (TypeCode.BLOCK_DATA, TypeCode.BLOCK_DATA_LONG):
            raise malformed(f"{code.name} in place of primitive data")
        length = yield from self._number(_U8 if code is TypeCode.BLOCK_DATA else _U32)
        if length != layout.size:
            raise malformed(f"a block of primitive data has {length} bytes instead of {layout.size}")
        data = yield from self._source.take(length)
        return layout.unpack(data)

    def _end_of_block(self) -> Parsing[None]:
        code = yield from self._code()
        if code is not TypeCode.END_BLOCK_DATA:
            raise malformed(f"{code.name} in place of END_BLOCK_DATA")

    # --- values ------------------------------------------------------------------------------------------------------

    def _value(self, depth: int) -> Parsing[JavaValue]:
        """Any value, from its type code on."""
        code = yield from self._code()
        return (yield from self._value_after(code, depth))

    def _value_after(self, code: TypeCode, depth: int) -> Parsing[JavaValue]:
        self._check_depth(depth)
        match code:
            case TypeCode.NULL:
                self._grow(1)
                return None
            case TypeCode.STRING:
                return (yield from self._string(_U16))
            case TypeCode.LONG_STRING:
                return (yield from self._string(_U64))
            case TypeCode.REFERENCE:
                return (yield from self._referred_value())
            case TypeCode.OBJECT:
                return (yield from self._object(depth))
            case TypeCode.ENUM:
                return (yield from self._enum(depth))
            case TypeCode.ARRAY:
                return (yield from self._array(depth))
            case _:
                raise malformed(f"{code.name} in place of a value")

    def _check_depth(self, depth: int) -> None:
        if depth > self._limits.depth:
            raise ProtocolError("frame/too_big", f"the message is nested more than {self._limits.depth} deep")

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > self._limits.message_bytes:
            raise ProtocolError("frame/too_big")

    def _string(self, length_layout: struct.Struct) -> Parsing[str]:
        place = self.handles.reserve()
        text = yield from self._utf(length_layout)
        self._grow(len(text) + 1)
        self.handles.complete(place, text, len(text) + 1)
        return text

    def _referred_value(self) -> Parsing[JavaValue]:
        handle = yield from self._number(_I32)
        value, size = self.handles.find(handle)
        if isinstance(value, JavaClass | ArrayClass):
            raise malformed("a class descriptor in place of a value")
        self._grow(size)
        return value

    def _text(self) -> Parsing[str]:
        """A string that the grammar demands, from its type code on. Its size is not part of the contents."""
        code = yield from self._code()
        size = self._size
        if code not in (TypeCode.STRING, TypeCode.REFERENCE):
            raise malformed(f"{code.name} in place of a string")
        text = yield from self._value_after(code, 0)
        if not isinstance(text, str):
            raise malformed("a reference to something that is not a string")
        self._size = size
        return text

    def _enum(self, depth: int) -> Parsing[JavaEnum]:
        java_class = yield from self._descriptor(depth + 1)
        if not isinstance(java_class, JavaClass) or java_class.shape is not Shape.ENUM:
            raise malformed("a constant of a class that is not an enum")
        place = self.handles.reserve()
        name = yield from self._text()
        if name not in java_class.constants:
            raise malformed(f"{java_class.name} has no constant {name[:40]!r}")
        constant = JavaEnum(java_class, name)
        self._grow(len(name) + 1)
        self.handles.complete(place, constant, len(name) + 1)
        return constant

    def _array(self, depth: int) -> Parsing[JavaArray]:
        array_class = yield from self._descriptor(depth + 1)
        if not isinstance(array_class, ArrayClass):
            raise malformed("an array of a class that is not an array")
        place = self.handles.reserve()
        size = self._size
        self._grow(1)
        length = yield from self._number(_I32)
        items = yield from self._items(length, array_class.component, depth)
        array = JavaArray(array_class, tuple(items))
        self.handles.complete(place, array, self._size - size)
        return array

    def _items(self, length: int, component: str, depth: int) -> Parsing[list[JavaValue]]:
        width = struct.calcsize(">" + PRIMITIVES.get(component, "b"))
        if length < 0:
            raise malformed("a negative length")
        self._source.check_remaining(length * width)
        if component in PRIMITIVES:
            data = yield from self._source.take(length * width)
            self._grow(len(data))
            return list(struct.unpack(f">{length}{PRIMITIVES[component]}", data))
        items: list[JavaValue] = []
        for _ in range(length):
            item = yield from self._value(depth + 1)
            if not jdk.is_instance(item, component):
                raise malformed("an element that does not fit its array")
            items.append(item)
        return items

    # --- objects -----------------------------------------------------------------------------------------------------

    def _object(self, depth: int) -> Parsing[JavaValue]:
        java_class = yield from self._descriptor(depth + 1)
        if not isinstance(java_class, JavaClass) or java_class.shape in (Shape.ENUM, Shape.ABSTRACT):
            raise malformed("an object of a class that has no instances of this form")
        place = self.handles.reserve()
        size = self._size
        self._grow(1)
        fields: list[JavaValue] = []
        for part in java_class.lineage:
            fields += yield from self._fields(part, depth)
        value = yield from self._instance(java_class, fields, depth)
        self.handles.complete(place, value, self._size - size)
        return value

    def _fields(self, java_class: JavaClass, depth: int) -> Parsing[list[JavaValue]]:
        """The fields of one class in an object, without those of its superclasses."""
        data = yield from self._source.take(java_class.primitives.size)
        self._grow(len(data))
        values: list[JavaValue] = list(java_class.primitives.unpack(data))
        for field in java_class.objects:
            value = yield from self._value(depth + 1)
            if not jdk.is_instance(value, field.signature, field.element):
                raise malformed(f"the value of {java_class.name}.{field.name} is not of the field's type")
            values.append(value)
        return values

    def _instance(self, java_class: JavaClass, fields: list[JavaValue], depth: int) -> Parsing[JavaValue]:
        """The object with these fields, after the data that its writeObject method adds."""
        match java_class.shape:
            case Shape.BOX:
                return fields[-1]
            case Shape.LIST:
                return (yield from self._list(fields, depth))
            case Shape.MAP:
                return (yield from self._map(depth))
            case _:
                return JavaObject(java_class, tuple(fields))

    def _list(self, fields: list[JavaValue], depth: int) -> Parsing[tuple[JavaValue, ...]]:
        """java.util.ArrayList: the capacity, which is ignored, and as many elements as the field `size` states."""
        (length,) = fields
        assert isinstance(length, int)
        yield from self._block(_I32)
        items = yield from self._items(length, "Ljava/lang/Object;", depth)
        yield from self._end_of_block()
        return tuple(items)

    def _map(self, depth: int) -> Parsing[dict[JavaValue, JavaValue]]:
        """java.util.HashMap: the number of buckets, which is ignored, the number of entries, keys and values."""
        _, length = yield from self._block(_TWO_I32)
        items = yield from self._items(2 * length, "Ljava/lang/Object;", depth)
        yield from self._end_of_block()
        if not all(isinstance(key, str | int | float | JavaEnum) for key in items[::2]):
            raise malformed("a key of a map that is not a string, number or constant")
        return dict(zip(items[::2], items[1::2], strict=True))

    # --- class descriptors -------------------------------------------------------------------------------------------

    def _descriptor(self, depth: int) -> Parsing[JavaClass | ArrayClass | None]:
        """A class descriptor, a reference to one, or null, from its type code on."""
        self._check_depth(depth)
        code = yield from self._code()
        match code:
            case TypeCode.NULL:
                return None
            case TypeCode.CLASS_DESCRIPTOR:
                return (yield from self._new_descriptor(depth))
            case TypeCode.REFERENCE:
                handle = yield from self._number(_I32)
                described, _ = self.handles.find(handle)
                if isinstance(described, JavaClass | ArrayClass):
                    return described
                raise malformed("a reference to something that is not a class descriptor")
            case _:
                raise malformed(f"{code.name} in place of a class descriptor")

    def _new_descriptor(self, depth: int) -> Parsing[JavaClass | ArrayClass]:
        """A descriptor must state what the table states. Each part is compared as soon as it is read."""
        name = yield from self._utf()
        known = self._table.find(name)
        if known is None:
            raise malformed(f"the class {name[:100]!r} does not belong here")
        uid = yield from self._number(_I64)
        if isinstance(known, JavaClass) and known.uid not in (None, uid):
            raise malformed(f"{name} has the serialVersionUID {known.uid}, not {uid}")
        place = self.handles.reserve()
        flags = yield from self._number(_U8)
        if flags != (known.flags if isinstance(known, JavaClass) else ClassFlag.SERIALIZABLE):
            raise malformed(f"{name} has the flags {flags:#04x}")
        yield from self._check_fields(known)
        yield from self._end_of_block()
        parent = yield from self._descriptor(depth + 1)
        if parent is not (known.parent if isinstance(known, JavaClass) else None):
            raise malformed(f"{name} has another superclass")
        self.handles.complete(place, known)
        return known

    def _check_fields(self, known: JavaClass | ArrayClass) -> Parsing[None]:
        fields = known.fields if isinstance(known, JavaClass) else ()
        count = yield from self._number(_U16)
        if count != len(fields):
            raise malformed(f"{known.name} has {len(fields)} fields, not {count}")
        for field in fields:
            type_code = chr((yield from self._number(_U8)))
            name = yield from self._utf()
            signature = (yield from self._text()) if type_code in "L[" else type_code
            if name != field.name or signature != field.signature:
                raise malformed(f"{known.name} has other fields")
