"""Java classes as a table describes them, and Java values as the reader returns and the writer takes them."""

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Final, TypeAlias

from gateway.transports.java_stream.constants import ClassFlag

BOOLEAN: Final = "Z"
INT: Final = "I"
STRING: Final = "Ljava/lang/String;"
OBJECT: Final = "Ljava/lang/Object;"
LIST: Final = "Ljava/util/List;"
MAP: Final = "Ljava/util/Map;"
STRING_ARRAY: Final = "[Ljava/lang/String;"

PRIMITIVES: Final[Mapping[str, str]] = {"B": "b", "S": "h", "I": "i", "J": "q", "F": "f", "D": "d", "Z": "?"}
"""Type codes of primitive fields, and their formats in `struct`. Characters do not occur in any table."""


class Shape(Enum):
    """The Python value that an instance of a class becomes."""

    FIELDS = auto()
    """A `JavaObject`."""
    ENUM = auto()
    """A `JavaEnum`."""
    BOX = auto()
    """The value of its only field."""
    LIST = auto()
    """A tuple."""
    MAP = auto()
    """A dict."""
    ABSTRACT = auto()
    """None: the class only occurs as a superclass."""


@dataclass(frozen=True, slots=True)
class JavaField:
    """A field with the signature of its declared type, for example `I` or `Ljava/lang/String;`."""

    name: str
    signature: str
    element: str = OBJECT
    """For a field that holds a collection: the signature of its elements, which the stream itself does not state."""

    @property
    def primitive(self) -> bool:
        return self.signature in PRIMITIVES


@dataclass(frozen=True, eq=False)
class JavaClass:
    """A serializable class that is not an array. Classes are equal if they are the same entry of a table."""

    name: str
    uid: int | None
    """The serialVersionUID; none: it is written as 0 and not compared."""
    fields: tuple[JavaField, ...] = ()
    """In the order of the stream (4.3): primitive fields first, both groups by name."""
    parent: "JavaClass | None" = None
    shape: Shape = Shape.FIELDS
    constants: frozenset[str] = frozenset()
    """The names of an enum's constants."""

    @cached_property
    def simple_name(self) -> str:
        return self.name.rpartition(".")[2]

    @cached_property
    def signature(self) -> str:
        return f"L{self.name.replace('.', '/')};"

    @cached_property
    def lineage(self) -> tuple["JavaClass", ...]:
        """The class and its serializable superclasses, topmost first: the order in which instances are written."""
        return (*self.parent.lineage, self) if self.parent else (self,)

    @cached_property
    def all_fields(self) -> tuple[JavaField, ...]:
        return tuple(field for java_class in self.lineage for field in java_class.fields)

    @cached_property
    def primitives(self) -> struct.Struct:
        """The layout of the primitive fields of this class alone."""
        return struct.Struct(">" + "".join(PRIMITIVES[field.signature] for field in self.fields if field.primitive))

    @cached_property
    def objects(self) -> tuple[JavaField, ...]:
        """The fields of this class alone that hold objects."""
        return tuple(field for field in self.fields if not field.primitive)

    @cached_property
    def flags(self) -> ClassFlag:
        match self.shape:
            case Shape.ENUM:
                return ClassFlag.SERIALIZABLE | ClassFlag.ENUM
            case Shape.LIST | Shape.MAP:
                return ClassFlag.SERIALIZABLE | ClassFlag.WRITE_METHOD
            case _:
                return ClassFlag.SERIALIZABLE

    def extends(self, signature: str) -> bool:
        return any(java_class.signature == signature for java_class in self.lineage)

    def create(self, **values: "JavaValue") -> "JavaObject":
        """An instance with these fields; raises `ValueError` unless exactly the fields of the class are given."""
        if values.keys() != {field.name for field in self.all_fields}:
            expected = ", ".join(field.name for field in self.all_fields)
            raise ValueError(f"{self.name} has the fields ({expected}), not ({', '.join(values)})")
        return JavaObject(self, tuple(values[field.name] for field in self.all_fields))

    def constant(self, name: str) -> "JavaEnum":
        """A constant of this enum; raises `ValueError` if there is none of this name."""
        if name not in self.constants:
            raise ValueError(f"{self.name} has no constant {name!r}")
        return JavaEnum(self, name)


@dataclass(frozen=True, slots=True)
class ArrayClass:
    """The class of an array, for example with the signature `[Ljava/lang/String;`."""

    signature: str

    @property
    def name(self) -> str:
        """The name in a class descriptor, which has dots where signatures have slashes."""
        return self.signature.replace("/", ".")

    @property
    def component(self) -> str:
        return self.signature[1:]


@dataclass(frozen=True, slots=True)
class JavaObject:
    """An instance of a class, with the values of `java_class.all_fields`."""

    java_class: JavaClass
    values: tuple["JavaValue", ...]

    def fields(self) -> dict[str, "JavaValue"]:
        names = (field.name for field in self.java_class.all_fields)
        return dict(zip(names, self.values, strict=True))


@dataclass(frozen=True, slots=True)
class JavaEnum:
    """A constant of an enum."""

    java_class: JavaClass
    constant: str


@dataclass(frozen=True, slots=True)
class JavaArray:
    """An array. Lists are tuples instead, because Java code cannot use one in place of the other."""

    array_class: ArrayClass
    values: tuple["JavaValue", ...]


JavaValue: TypeAlias = (
    bool
    | int
    | float
    | str
    | JavaObject
    | JavaEnum
    | JavaArray
    | tuple["JavaValue", ...]
    | Mapping["JavaValue", "JavaValue"]
    | None
)


def java_fields(*fields: JavaField, **signatures: str) -> tuple[JavaField, ...]:
    """The fields of one class in the order of the stream."""
    every = [*fields, *(JavaField(name, signature) for name, signature in signatures.items())]
    return tuple(sorted(every, key=lambda field: (not field.primitive, field.name)))


def record(name: str, *fields: JavaField, **signatures: str) -> JavaClass:
    """A record: Java writes the UID 0 for it and compares none (1.13)."""
    return JavaClass(name, None, java_fields(*fields, **signatures))


class ClassTable:
    """The classes that may occur in one direction of a connection, and those among them that are messages."""

    def __init__(self, messages: Iterable[JavaClass], others: Iterable[JavaClass] = ()) -> None:
        """`others` are the classes of fields and elements. Superclasses and arrays are added by themselves."""
        self.messages: Final = {java_class.simple_name: java_class for java_class in messages}
        named = (*self.messages.values(), *others)
        self._classes: Final = {part.name: part for java_class in named for part in java_class.lineage}
        self._arrays: Final = {
            array.name: array
            for java_class in self._classes.values()
            for field in java_class.fields
            for array in _array_classes(field.signature)
        }

    def find(self, name: str) -> JavaClass | ArrayClass | None:
        """The class with this name in a class descriptor."""
        return self._classes.get(name) or self._arrays.get(name)

    def declared(self, signature: str) -> JavaClass | None:
        """The class of the table that a signature names."""
        return self._classes.get(signature[1:-1].replace("/", ".")) if signature.startswith("L") else None


def _array_classes(signature: str) -> Iterable[ArrayClass]:
    while signature.startswith("["):
        yield ArrayClass(signature)
        signature = signature[1:]
