"""Scales, axes and shapes of the report's charts, as SVG text. The colors are in `chart.css`."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH = 960
LEFT, RIGHT = 64, 16


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to positions, linearly or by their logarithm."""

    low: float
    high: float
    begin: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high, value = (self._of(one) for one in (self.low, self.high, max(self.low, min(self.high, value))))
        share = (value - low) / (high - low) if high > low else 0.0
        return self.begin + share * (self.end - self.begin)

    def _of(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self.log else value

    def ticks(self, most: int = 6) -> list[float]:
        if self.log:
            exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            return [10.0**exponent for exponent in exponents if self.low <= 10.0**exponent <= self.high]
        step = _round_step((self.high - self.low) / most)
        first = math.ceil(self.low / step)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _round_step(step: float) -> float:
    """The next step that people count in: 1, 2 or 5 times a power of ten."""
    if step <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * 0.999)


def time_ticks(end: float, most: int) -> list[float]:
    """Ticks from 0 to the end of a run, at whole seconds, minutes or hours."""
    steps = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
    step = next((step for step in steps if end / step <= most), 3600)
    return [float(at) for at in range(0, int(end) + 1, step)]


def number(value: float) -> str:
    """A number with about three digits and without trailing zeros."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def seconds(value: float) -> str:
    """A time as an axis shows it: 40 s, 2 min, 1 h 05."""
    if value < 120:
        return f"{value:g} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 120 and rest:
        return f"{minutes}:{rest:02} min"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02}"


def milliseconds(value: float) -> str:
    return f"{value / 1000:g} s" if value >= 1000 else f"{value:g} ms"


def text(x: float, y: float, words: str, css: str = "", anchor: str = "start") -> str:
    name = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{name}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str, title: str = "") -> str:
    inside = f"<title>{escape(title)}</title>" if title else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}">{inside}</line>'


def rectangle(x: float, y: float, width: float, height: float, css: str, title: str = "") -> str:
    inside = f"<title>{escape(title)}</title>" if title else ""
    size = f'width="{width:.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} class="{css}">{inside}</rect>'


def path(points: Sequence[tuple[float, float] | None], css: str) -> str:
    """A line through the points; it is interrupted where there is none."""
    words: list[str] = []
    down = False
    for point in points:
        if point is not None:
            words.append(f"{'L' if down else 'M'}{point[0]:.1f},{point[1]:.1f}")
        down = point is not None
    return f'<path d="{"".join(words)}" class="{css}"/>'


def area(points: Sequence[tuple[float, float]], base: float, css: str) -> str:
    if not points:
        return ""
    corners = [(points[0][0], base), *points, (points[-1][0], base)]
    return f'<path d="M{"L".join(f"{x:.1f},{y:.1f}" for x, y in corners)}Z" class="{css}"/>'


def drawing(height: float, title: str, parts: Iterable[str], style: str = "") -> str:
    """A whole drawing. `style` is the style sheet of a file that stands alone; a page has its own."""
    sheet = f"<style>{style}</style>{rectangle(0, 0, WIDTH, height, 'background')}" if style else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="{escape(title)}">{sheet}{"".join(parts)}</svg>'
    )
