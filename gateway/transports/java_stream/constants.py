"""Numbers of the stream grammar (specification, 6.4.2)."""

from enum import IntEnum, IntFlag
from typing import Final

HEADER: Final = b"\xac\xed\x00\x05"
"""STREAM_MAGIC and STREAM_VERSION. Each side writes it once, when the connection opens."""

BASE_HANDLE: Final = 0x7E0000


class TypeCode(IntEnum):
    """The first byte of a stream element."""

    NULL = 0x70
    REFERENCE = 0x71
    CLASS_DESCRIPTOR = 0x72
    OBJECT = 0x73
    STRING = 0x74
    ARRAY = 0x75
    CLASS = 0x76
    BLOCK_DATA = 0x77
    END_BLOCK_DATA = 0x78
    RESET = 0x79
    BLOCK_DATA_LONG = 0x7A
    EXCEPTION = 0x7B
    LONG_STRING = 0x7C
    PROXY_CLASS_DESCRIPTOR = 0x7D
    ENUM = 0x7E


class ClassFlag(IntFlag):
    """Properties of a described class: the form in which its instances are written."""

    WRITE_METHOD = 0x01
    SERIALIZABLE = 0x02
    EXTERNALIZABLE = 0x04
    BLOCK_DATA = 0x08
    ENUM = 0x10
