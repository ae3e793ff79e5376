"""Curves on logarithmic axes, as SVG: the time of a step against one number,
TensorFlow's beside ours (`scaling.py` measures them)."""

from __future__ import annotations

import html
import math

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 380, 240, 62, 40, 28  # pixels of a panel, and of its margins
COLOURS = {"tensorflow": "#d07a2d", "reflow": "#3f7fbf"}

Points = list[dict[str, float]]


class Scale:
    """A logarithmic axis from the smallest to the largest of some numbers, drawn between two places."""

    def __init__(self, numbers: list[float], begin: float, end: float):
        self.low, self.high = math.log10(min(numbers)), math.log10(max(numbers))
        self.begin, self.end = begin, end

    def at(self, number: float) -> float:
        return self.begin + (math.log10(number) - self.low) / ((self.high - self.low) or 1) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1)]


def label(microseconds: float) -> str:
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if microseconds >= size:
            return f"{microseconds / size:g} {unit}"
    return f"{microseconds:g} µs"


def text(x: float, y: float, words: str, anchor: str = "middle", colour: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{html.escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "#ddd") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def curve(points: Points, x: Scale, y: Scale, colour: str) -> list[str]:
    places = [(x.at(p["number"]), y.at(p["us"])) for p in points]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    dots = [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in places]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def panel(title: str, sides: dict[str, Points], left: float, top: float) -> list[str]:
    """One series: a curve for each side."""
    points = [p for found in sides.values() for p in found]
    x = Scale([p["number"] for p in points], left + LEFT, left + WIDTH - 16)
    y = Scale([p["us"] for p in points], top + HEIGHT - BOTTOM, top + TOP)
    parts = [text((x.begin + x.end) / 2, top + HEIGHT - 8, title)]
    for tick in x.ticks():
        parts += [line(x.at(tick), y.begin, x.at(tick), y.end), text(x.at(tick), y.begin + 16, f"{tick:,.0f}")]
    for tick in y.ticks():
        parts += [line(x.begin, y.at(tick), x.end, y.at(tick)), text(x.begin - 6, y.at(tick) + 4, label(tick), "end")]
    for place, (side, found) in enumerate(sides.items()):
        parts += curve(found, x, y, COLOURS[side])
        parts.append(text(x.begin + 8, y.end + 12 + 15 * place, side, "start", COLOURS[side]))
    return parts


def picture(series: dict[str, dict[str, Points]]) -> str:
    """All series, two beside each other."""
    parts = [
        part for n, (title, sides) in enumerate(series.items())
        for part in panel(title, sides, n % 2 * WIDTH, n // 2 * HEIGHT)
    ]
    size = f'width="{2 * WIDTH}" height="{(len(series) + 1) // 2 * HEIGHT}"'
    style = 'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11"'
    return (
        "\n".join([f"<svg {size} {style}>", '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>"]) + "\n"
    )
