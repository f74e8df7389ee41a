"""Changes that turn a valid message into one that may be valid, malformed or hostile."""

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

ODD_TEXTS: Final = (
    "",
    " ",
    "\x00",
    "\x01" * 500,
    "\n",
    "\u200b",
    "\u202e",
    "\ud800",
    "\ufeff",
    "\ufffe",
    "e\u0301",
    "\U0001f3b2" * 40,
    "x" * 33,
    "x" * 5_000,
    "<script>",
    "../../x",
    "%s%n",
    "__proto__",
    "NaN",
    "null",
    "tavolata:{p0}",
)
ODD_NUMBERS: Final = (
    0,
    -1,
    1.0,
    1.5,
    -0.0,
    2**31,
    2**53,
    2**53 + 1,
    2**63,
    -(2**63) - 1,
    2**64,
    10**30,
    1e308,
    True,
    False,
)
ODD_VALUES: Final[tuple[Any, ...]] = (None, [], {}, [[]], {"": None}, [None] * 50, {"type": "act"})
RAW_VALUES: Final = (
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1e999",
    b"-1e999",
    b"01",
    b"1" * 5_000,
    b'"\\ud800"',
    b'"\\u0000"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b"[" * 2_000 + b"]" * 2_000,
    b'{"a":' * 300 + b"1" + b"}" * 300,
    b"[" * 15_000,
    b"[" + b"[]," * 5_000 + b"[]]",
    b"undefined",
    b"'x'",
)
"""JSON text, or nearly, that Python's encoder would not write."""
_MARK: Final = "\u2063mark\u2063"
"""Stands in the tree for raw text until the tree is encoded."""


def encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")


def mutated(dice: Random, frame: bytes) -> bytes:
    """The frame with one to three changes: to the tree, to the text, or to both."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        frame = dice.choice(_CHANGES)(dice, frame)
    return frame


def _tree_change(change: Callable[[Random, Any, Any], Any]) -> Callable[[Random, bytes], bytes]:
    """A change of one place of the tree; a frame that has become malformed is left as it is."""

    def apply(dice: Random, frame: bytes) -> bytes:
        try:
            tree = json.loads(frame)
        except (ValueError, RecursionError):
            return frame
        holders = [{"": tree}, *_holders(tree)]
        holder = dice.choice(holders)
        key: Any = dice.choice(list(holder)) if isinstance(holder, dict) else dice.randrange(len(holder))
        change(dice, holder, key)
        return encode(holders[0][""]) if "" in holders[0] else b""

    return apply


def _holders(tree: Any) -> list[Any]:
    """All objects and lists of the tree that are not empty."""
    inner = list(tree.values()) if isinstance(tree, dict) else tree if isinstance(tree, list) else []
    own = [tree] if inner else []
    return own + [holder for value in inner for holder in _holders(value)]


def _set_text(dice: Random, holder: Any, key: Any) -> None:
    holder[key] = dice.choice(ODD_TEXTS)


def _set_number(dice: Random, holder: Any, key: Any) -> None:
    holder[key] = dice.choice(ODD_NUMBERS)


def _set_value(dice: Random, holder: Any, key: Any) -> None:
    holder[key] = dice.choice(ODD_VALUES)


def _shift_number(dice: Random, holder: Any, key: Any) -> None:
    if type(holder[key]) is int:
        holder[key] += dice.choice((-1, 1, 10, -1_000))


def _remove(_dice: Random, holder: Any, key: Any) -> None:
    del holder[key]


def _add_key(dice: Random, holder: Any, key: Any) -> None:
    if isinstance(holder, dict):
        holder[dice.choice(ODD_TEXTS)[:100]] = holder[key]
    else:
        holder.insert(key, dice.choice(ODD_NUMBERS))


def _wrap(dice: Random, holder: Any, key: Any) -> None:
    for _ in range(dice.choice((1, 3, 90, 120))):
        holder[key] = [holder[key]]


def _swap_case(_dice: Random, holder: Any, key: Any) -> None:
    if isinstance(holder[key], str):
        holder[key] = holder[key].swapcase()


def _raw(dice: Random, frame: bytes) -> bytes:
    """One place of the tree is replaced by text that is not from an encoder."""

    def put(_dice: Random, holder: Any, key: Any) -> None:
        holder[key] = _MARK

    return _tree_change(put)(dice, frame).replace(encode(_MARK), dice.choice(RAW_VALUES), 1)


def _truncate(dice: Random, frame: bytes) -> bytes:
    return frame[: dice.randrange(len(frame) + 1)]


def _repeat(dice: Random, frame: bytes) -> bytes:
    return frame * dice.choice((2, 3))


def _repeat_part(dice: Random, frame: bytes) -> bytes:
    start = dice.randrange(len(frame) + 1)
    end = min(len(frame), start + dice.randrange(1, 20))
    return frame[:end] + frame[start:end] * dice.choice((1, 2, 200)) + frame[end:]


def _flip(dice: Random, frame: bytes) -> bytes:
    changed = bytearray(frame)
    for _ in range(dice.randint(1, 4)):
        if changed:
            changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def _pad(dice: Random, frame: bytes) -> bytes:
    filler = dice.choice((b" ", b"\t", b"\r", b"\0", b"\xef\xbb\xbf")) * dice.choice((1, 10, 30_000))
    return filler + frame if dice.random() < 0.5 else frame + filler


def _double_key(_dice: Random, frame: bytes) -> bytes:
    """The first key comes again, with another value."""
    end = frame.find(b":")
    return frame[:1] + frame[1 : end + 1] + b"null," + frame[1:] if frame[:1] == b"{" and end > 0 else frame


_CHANGES: Final[tuple[Callable[[Random, bytes], bytes], ...]] = (
    *map(
        _tree_change,
        (_set_text, _set_number, _set_value, _shift_number, _remove, _add_key, _wrap, _swap_case),
    ),
    _raw,
    _truncate,
    _repeat,
    _repeat_part,
    _flip,
    _pad,
    _double_key,
)
