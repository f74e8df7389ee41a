"""Finds the end of a JSON value in a stream, byte by byte. The value itself is not decoded.

A number at the top level has no end of its own: only the byte after it, or a pause, shows that it is complete.
"""

from enum import Enum, auto
from typing import Final

_BLANK: Final = frozenset(b" \t\r\n")
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_ESCAPES: Final = frozenset(b'"\\/bfnrt')
_LITERALS: Final = {literal[0]: literal for literal in (b"true", b"false", b"null")}
_OPEN: Final = frozenset(b"{[")
_AFTER_NUMBER: Final = _BLANK | frozenset(b'{["')
_CLOSERS: Final = {ord("{"): ord("}"), ord("["): ord("]")}

_DIGITS: Final = dict.fromkeys(b"0123456789", "digit")
_SIGNS: Final = {ord("0"): "zero", ord("-"): "minus", ord("+"): "plus", ord("."): "dot", ord("e"): "e", ord("E"): "e"}
_NUMBER_BYTES: Final = _DIGITS | _SIGNS
_NUMBER: Final[dict[str, dict[str, str]]] = {
    "": {"minus": "sign", "zero": "zero", "digit": "whole"},
    "sign": {"zero": "zero", "digit": "whole"},
    "zero": {"dot": "point", "e": "power"},
    "whole": {"zero": "whole", "digit": "whole", "dot": "point", "e": "power"},
    "point": {"zero": "part", "digit": "part"},
    "part": {"zero": "part", "digit": "part", "e": "power"},
    "power": {"minus": "power sign", "plus": "power sign", "zero": "power digits", "digit": "power digits"},
    "power sign": {"zero": "power digits", "digit": "power digits"},
    "power digits": {"zero": "power digits", "digit": "power digits"},
}
"""The grammar of numbers (RFC 8259, section 6): state -> kind of byte -> next state."""
_COMPLETE_NUMBERS: Final = frozenset({"zero", "whole", "part", "power digits"})


class Scan(Enum):
    MORE = auto()
    DONE = auto()
    """The value ends with this byte."""
    DONE_BEFORE = auto()
    """The value ended before this byte, which belongs to the next value."""
    BAD = auto()


class _Expected(Enum):
    """The tokens that may come next."""

    VALUE = auto()
    VALUE_OR_END = auto()
    KEY = auto()
    KEY_OR_END = auto()
    COLON = auto()
    COMMA_OR_END = auto()


class Scanner:
    """Scans one value, beginning with its first byte."""

    def __init__(self) -> None:
        self._stack: list[int] = []
        self._expected = _Expected.VALUE
        self._number = ""
        self._literal = b""
        self._in_string = False
        self._escape = 0
        """0: outside an escape; 1: after the backslash; 2 to 5: before one of the four digits of `\\uXXXX`."""

    def feed(self, byte: int) -> Scan:
        if self._in_string:
            return self._string_byte(byte)
        if self._literal:
            return self._literal_byte(byte)
        if self._number:
            after = _NUMBER[self._number].get(_NUMBER_BYTES.get(byte, ""), "")
            if after:
                self._number = after
                return Scan.MORE
            if self._number not in _COMPLETE_NUMBERS:
                return Scan.BAD
            self._number = ""
            if self._value_ended() is Scan.DONE:
                return Scan.DONE_BEFORE if byte in _AFTER_NUMBER else Scan.BAD
        return Scan.MORE if byte in _BLANK else self._between(byte)

    @property
    def complete(self) -> bool:
        """The value is a number at the top level that is complete if no further byte follows."""
        return self._number in _COMPLETE_NUMBERS and not self._stack

    def _between(self, byte: int) -> Scan:
        match self._expected:
            case _Expected.VALUE_OR_END | _Expected.KEY_OR_END | _Expected.COMMA_OR_END if self._closes(byte):
                self._stack.pop()
                return self._value_ended()
            case _Expected.VALUE | _Expected.VALUE_OR_END:
                return self._value_begins(byte)
            case _Expected.KEY | _Expected.KEY_OR_END if byte == ord('"'):
                self._in_string = True
                return Scan.MORE
            case _Expected.COLON if byte == ord(":"):
                self._expected = _Expected.VALUE
                return Scan.MORE
            case _Expected.COMMA_OR_END if byte == ord(","):
                self._expected = _Expected.KEY if self._stack[-1] == ord("{") else _Expected.VALUE
                return Scan.MORE
            case _:
                return Scan.BAD

    def _closes(self, byte: int) -> bool:
        return bool(self._stack) and byte == _CLOSERS[self._stack[-1]]

    def _value_begins(self, byte: int) -> Scan:
        if byte in _OPEN:
            self._stack.append(byte)
            self._expected = _Expected.KEY_OR_END if byte == ord("{") else _Expected.VALUE_OR_END
        elif byte == ord('"'):
            self._in_string = True
            self._expected = _Expected.VALUE
        elif byte in _LITERALS:
            self._literal = _LITERALS[byte][1:]
        else:
            self._number = _NUMBER[""].get(_NUMBER_BYTES.get(byte, ""), "")
            return Scan.MORE if self._number else Scan.BAD
        return Scan.MORE

    def _value_ended(self) -> Scan:
        self._expected = _Expected.COMMA_OR_END
        return Scan.MORE if self._stack else Scan.DONE

    def _literal_byte(self, byte: int) -> Scan:
        if byte != self._literal[0]:
            return Scan.BAD
        self._literal = self._literal[1:]
        return Scan.MORE if self._literal else self._value_ended()

    def _string_byte(self, byte: int) -> Scan:
        if self._escape > 1:
            self._escape = self._escape + 1 if self._escape < 5 else 0
            return Scan.MORE if byte in _HEX else Scan.BAD
        if self._escape:
            self._escape = 2 if byte == ord("u") else 0
            return Scan.MORE if self._escape or byte in _ESCAPES else Scan.BAD
        if byte == ord("\\"):
            self._escape = 1
        elif byte == ord('"'):
            self._in_string = False
            if self._expected in (_Expected.KEY, _Expected.KEY_OR_END):
                self._expected = _Expected.COLON
                return Scan.MORE
            return self._value_ended()
        return Scan.BAD if byte < 0x20 else Scan.MORE
