"""Valid messages drawn from the types of a dialect. Fields that the fuzzer knows values for get those."""

import enum
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import inspect as mi

T = TypeVar("T")
Known: TypeAlias = Mapping[str, Callable[[], Any]]
"""Sources of meaningful values, by the name of a field on the wire."""

_WORDS = ("", "x", "a word", "ANN", "true", "0", "ü")
_KEYS = ("stones", "expert", "mage", "tower", "count", "x")


class Grammar:
    """Draws values of msgspec types."""

    def __init__(self, dice: Random, known: Known) -> None:
        self._dice = dice
        self._known = known

    def flip(self) -> bool:
        return self._dice.random() < 0.5

    def choice(self, values: Sequence[T]) -> T:
        return self._dice.choice(values)

    def near(self, name: str) -> int:
        """A number near one that the fuzzer knows."""
        return int(self._known[name]()) + self._dice.randint(-2, 2)

    def struct(self, *kinds: type) -> dict[str, Any]:
        """An object with the fields of one struct, or of several that share an object on the wire."""
        drawn: dict[str, Any] = {}
        for kind in kinds:
            info = _type_info(kind)
            assert isinstance(info, mi.StructType), kind
            if info.tag_field is not None:
                drawn[info.tag_field] = info.tag
            for field in info.fields:
                if field.required or self.flip():
                    drawn[field.encode_name] = self._field(field)
        return drawn

    def any_of(self, union: Any) -> dict[str, Any]:
        """An object of one of the structs of a union."""
        info = _type_info(union)
        kinds = info.types if isinstance(info, mi.UnionType) else (info,)
        structs = [kind.cls for kind in kinds if isinstance(kind, mi.StructType)]
        return self.struct(self._dice.choice(structs))

    def _field(self, field: mi.Field) -> Any:
        source = self._known.get(field.encode_name)
        return self.value(field.type) if source is None else source()

    def value(self, kind: mi.Type) -> Any:  # noqa: C901 - one case for each kind of type
        dice = self._dice
        match kind:
            case mi.Metadata():
                return self.value(kind.type)
            case mi.NoneType():
                return None
            case mi.BoolType():
                return self.flip()
            case mi.IntType(ge=least, le=most):
                return min(max(dice.randint(-1, 12), least or -1), most or 12)
            case mi.FloatType():
                return dice.choice((0.0, -1.5, 3.0))
            case mi.StrType():
                return dice.choice(_WORDS)
            case mi.EnumType(cls=members):
                return _wire_value(dice.choice(list(members)))
            case mi.LiteralType(values=values):
                return dice.choice(values)
            case mi.UnionType(types=types):
                return self.value(dice.choice(types))
            case mi.TupleType(item_types=types):
                return [self.value(item) for item in types]
            case mi.VarTupleType(item_type=item) | mi.ListType(item_type=item):
                return [self.value(item) for _ in range(dice.randint(0, 3))]
            case mi.DictType(value_type=item):
                return {dice.choice(_KEYS): self.value(item) for _ in range(dice.randint(0, 2))}
            case mi.StructType(cls=cls):
                return self.struct(cls)
            case mi.AnyType() | mi.RawType():
                return dice.choice((None, 1, "x", [], {}, {"type": "take", "count": 1}))
            case _:
                raise TypeError(f"the grammar makes no values of {kind}")


@cache
def _type_info(kind: Any) -> mi.Type:
    return mi.type_info(kind)


def _wire_value(member: Any) -> Any:
    return member.value if isinstance(member, enum.Enum) else msgspec.to_builtins(member)
