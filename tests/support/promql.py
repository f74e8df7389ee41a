"""The part of PromQL that our alert rules use, for machines without Prometheus. Where promtool is installed, the tests
run the same cases with it.

A vector is a list of (labels, value). Values of a series are one interval apart, None where there is no sample.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Labels = tuple[tuple[str, str], ...]
Vector = list[tuple[Labels, float]]
NAME = "__name__"
INTERVAL_S = 15
_STALE_S = 300
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"[^"]*")|(?P<number>\d+(?:\.\d+)?(?![\w.]))|(?P<duration>\d+[smh])|"""
    r"""(?P<name>[A-Za-z_]\w*)|(?P<op>=~|!~|!=|==|<=|>=|[-+*/<>=(){}\[\],]))"""
)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "==": lambda a, b: a == b,
}
_MATCH: dict[str, Callable[[str, str], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "!=": lambda value, wanted: value != wanted,
    "=~": lambda value, wanted: re.fullmatch(wanted, value) is not None,
    "!~": lambda value, wanted: re.fullmatch(wanted, value) is None,
}
_REDUCE: dict[str, Callable[[list[float]], float]] = {"sum": sum, "max": max, "min": min}


def seconds(duration: str) -> int:
    return int(duration[:-1]) * {"s": 1, "m": 60, "h": 3_600}[duration[-1]]


@dataclass
class Series:
    """A recorded series."""

    labels: Labels
    values: list[float | None]

    def between(self, begin_s: int, end_s: int) -> list[tuple[int, float]]:
        samples = ((at * INTERVAL_S, value) for at, value in enumerate(self.values))
        return [(at_s, value) for at_s, value in samples if value is not None and begin_s <= at_s <= end_s]


def recorded(series: Mapping[str, str]) -> list[Series]:
    """Series in promtool's notation: `name{label="value"}` -> `1 2 _ 5x3 0+2x10`."""
    return [Series(_labels(text), _values(values)) for text, values in series.items()]


def _labels(text: str) -> Labels:
    name, _, rest = text.partition("{")
    return tuple(sorted([(NAME, name), *re.findall(r'(\w+)="([^"]*)"', rest)]))


def _values(text: str) -> list[float | None]:
    found: list[float | None] = []
    for word in text.split():
        form = re.fullmatch(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?x(\d+)", word)
        if form is None:
            found.append(None if word == "_" else float(word))
        else:
            found += [float(form[1]) + number * float(form[2] or 0) for number in range(int(form[3]) + 1)]
    return found


class Query:
    """One evaluation of an expression."""

    def __init__(self, text: str, series: list[Series], now_s: int) -> None:
        self._tokens = list(_TOKEN.finditer(text.strip()))
        assert "".join(match[0] for match in self._tokens) == text.strip(), f"not understood: {text}"
        self._at = 0
        self._series = series
        self._now_s = now_s

    def result(self) -> Vector:
        found = self._comparison()
        assert self._at == len(self._tokens), "the expression goes on"
        assert not isinstance(found, float)
        return found

    def _peek(self) -> str:
        return self._tokens[self._at][0].strip() if self._at < len(self._tokens) else ""

    def _take(self, wanted: str = "") -> str:
        token = self._peek()
        assert token
        assert not wanted or token == wanted, f"{wanted} expected, not {token}"
        self._at += 1
        return token

    def _comparison(self) -> Vector | float:
        left = self._quotient()
        if self._peek() not in _COMPARE:
            return left
        compare = _COMPARE[self._take()]
        assert not isinstance(left, float)
        right = self._quotient()
        return [
            (labels, value) for labels, value in left if any(compare(value, other) for other in _others(right, labels))
        ]

    def _quotient(self) -> Vector | float:
        left = self._operand()
        if self._peek() != "/":
            return left
        self._take("/")
        right = self._operand()
        assert not isinstance(left, float)
        return [(labels, value / other) for labels, value in left for other in _others(right, labels)]

    def _operand(self) -> Vector | float:
        token = self._tokens[self._at]
        if token["number"]:
            return float(self._take())
        if self._peek() == "(":
            self._take()
            inner = self._comparison()
            self._take(")")
            return inner
        name = self._take()
        if name in _REDUCE:
            return self._aggregate(name)
        if self._peek() == "(":
            return self._call(name)
        return self._instant(name)

    def _aggregate(self, name: str) -> Vector:
        by: list[str] = []
        if self._peek() == "by":
            self._take()
            self._take("(")
            while self._peek() != ")":
                by.append(self._take().strip(","))
            self._take(")")
        inner = self._operand()
        assert not isinstance(inner, float)
        groups: dict[Labels, list[float]] = defaultdict(list)
        for labels, value in inner:
            groups[tuple(label for label in labels if label[0] in by)].append(value)
        return [(labels, _REDUCE[name](values)) for labels, values in groups.items()]

    def _call(self, name: str) -> Vector:
        self._take("(")
        match name:
            case "absent":
                found: Vector = [] if self._comparison() else [((), 1.0)]
            case "rate" | "increase":
                found = self._range(name)
            case "histogram_quantile":
                share = float(self._take())
                self._take(",")
                found = _quantile(share, self._comparison())
            case _:
                raise AssertionError(f"unknown function {name}")
        self._take(")")
        return found

    def _selected(self, name: str) -> list[Series]:
        matchers = [(NAME, "=", name)]
        if self._peek() == "{":
            self._take()
            while self._peek() != "}":
                matchers.append((self._take(), self._take(), self._take().strip('"')))
                if self._peek() == ",":
                    self._take()
            self._take("}")
        return [
            one
            for one in self._series
            if all(_MATCH[op](dict(one.labels).get(key, ""), to) for key, op, to in matchers)
        ]

    def _instant(self, name: str) -> Vector:
        found: Vector = []
        for one in self._selected(name):
            samples = one.between(self._now_s - _STALE_S, self._now_s)
            if samples:
                found.append((one.labels, samples[-1][1]))
        return found

    def _range(self, name: str) -> Vector:
        """The difference of the last and the first sample, extrapolated to the whole range."""
        selected = self._selected(self._take())
        self._take("[")
        length_s = seconds(self._take())
        self._take("]")
        found: Vector = []
        for one in selected:
            samples = one.between(self._now_s - length_s, self._now_s)
            if len(samples) > 1:
                per_second = (samples[-1][1] - samples[0][1]) / (samples[-1][0] - samples[0][0])
                labels = tuple(label for label in one.labels if label[0] != NAME)
                found.append((labels, per_second if name == "rate" else per_second * length_s))
        return found


def _others(right: Vector | float, labels: Labels) -> list[float]:
    if isinstance(right, float):
        return [right]
    wanted = [label for label in labels if label[0] != NAME]
    return [value for other, value in right if [label for label in other if label[0] != NAME] == wanted]


def _quantile(share: float, buckets: Vector | float) -> Vector:
    """The upper end of the bucket in which the share is reached; Prometheus interpolates inside of it."""
    assert not isinstance(buckets, float)
    counts = sorted((float(dict(labels)["le"].replace("+Inf", "inf")), count) for labels, count in buckets)
    if not counts or not counts[-1][1]:
        return []
    reached = next(end for end, count in counts if count >= share * counts[-1][1])
    return [((), counts[-2][0] if math.isinf(reached) else reached)]
