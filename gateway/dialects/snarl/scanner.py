"""Where a JSON value in a stream ends, byte by byte. Decodes nothing."""

from enum import Enum, auto
from typing import Final

_BLANK: Final = frozenset(b" \t\r\n")
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_ESCAPES: Final = frozenset(b'"\\/bfnrt')
_LITERALS: Final = {word[0]: word for word in (b"true", b"false", b"null")}
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
"""What may follow in a number: state -> kind of byte -> state."""
_WHOLE_NUMBERS: Final = frozenset({"zero", "whole", "part", "power digits"})


class Scan(Enum):
    MORE = auto()
    DONE = auto()
    """The value ends with this byte."""
    DONE_BEFORE = auto()
    """The value ended before this byte, which belongs to what comes next."""
    BAD = auto()


class _Due(Enum):
    """What may come next between two tokens."""

    VALUE = auto()
    VALUE_OR_END = auto()
    KEY = auto()
    KEY_OR_END = auto()
    COLON = auto()
    COMMA_OR_END = auto()


class Scanner:
    """Of one value, beginning with its first byte."""

    def __init__(self) -> None:
        self._stack: list[int] = []
        self._due = _Due.VALUE
        self._number = ""
        self._literal = b""
        self._in_string = False
        self._escape = 0
        """1: after a backslash; 2 to 5: hexadecimal digits to come."""

    def feed(self, byte: int) -> Scan:
        if self._in_string:
            return self._string(byte)
        if self._literal:
            return self._word(byte)
        if self._number:
            after = _NUMBER[self._number].get(_NUMBER_BYTES.get(byte, ""), "")
            if after:
                self._number = after
                return Scan.MORE
            if self._number not in _WHOLE_NUMBERS:
                return Scan.BAD
            self._number = ""
            if self._value_ended() is Scan.DONE:
                return Scan.DONE_BEFORE if byte in _AFTER_NUMBER else Scan.BAD
        return Scan.MORE if byte in _BLANK else self._between(byte)

    @property
    def complete(self) -> bool:
        """A number by itself, whose end only what follows can tell, may end here."""
        return self._number in _WHOLE_NUMBERS and not self._stack

    def _between(self, byte: int) -> Scan:
        match self._due:
            case _Due.VALUE_OR_END | _Due.KEY_OR_END | _Due.COMMA_OR_END if self._closes(byte):
                self._stack.pop()
                return self._value_ended()
            case _Due.VALUE | _Due.VALUE_OR_END:
                return self._value_begins(byte)
            case _Due.KEY | _Due.KEY_OR_END if byte == ord('"'):
                self._in_string = True
                return Scan.MORE
            case _Due.COLON if byte == ord(":"):
                self._due = _Due.VALUE
                return Scan.MORE
            case _Due.COMMA_OR_END if byte == ord(","):
                self._due = _Due.KEY if self._stack[-1] == ord("{") else _Due.VALUE
                return Scan.MORE
            case _:
                return Scan.BAD

    def _closes(self, byte: int) -> bool:
        return bool(self._stack) and byte == _CLOSERS[self._stack[-1]]

    def _value_begins(self, byte: int) -> Scan:
        if byte in _OPEN:
            self._stack.append(byte)
            self._due = _Due.KEY_OR_END if byte == ord("{") else _Due.VALUE_OR_END
        elif byte == ord('"'):
            self._in_string = True
            self._due = _Due.VALUE
        elif byte in _LITERALS:
            self._literal = _LITERALS[byte][1:]
        else:
            self._number = _NUMBER[""].get(_NUMBER_BYTES.get(byte, ""), "")
            return Scan.MORE if self._number else Scan.BAD
        return Scan.MORE

    def _value_ended(self) -> Scan:
        self._due = _Due.COMMA_OR_END
        return Scan.MORE if self._stack else Scan.DONE

    def _word(self, byte: int) -> Scan:
        if byte != self._literal[0]:
            return Scan.BAD
        self._literal = self._literal[1:]
        return Scan.MORE if self._literal else self._value_ended()

    def _string(self, byte: int) -> Scan:
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
            if self._due in (_Due.KEY, _Due.KEY_OR_END):
                self._due = _Due.COLON
                return Scan.MORE
            return self._value_ended()
        return Scan.BAD if byte < 0x20 else Scan.MORE
