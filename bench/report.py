"""The page of benchmarks: `docs/benchmarks.md` and its pictures, made from `bench/results.json` and
`bench/scaling.json`.

    python bench/report.py      # `make bench` does it at its end

A result names the machine and the versions of all that was measured. What all rows share stands once, above the tables.

The first picture shows each row's ratio on a logarithmic scale: to the right of 1 Reflow is faster. A thin line is the
spread.
"""

from __future__ import annotations

import html
import itertools
import json
import math
from pathlib import Path
from typing import Any

import curves

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
SCALING = HERE / "scaling.json"
PAGE = HERE.parent / "docs" / "benchmarks.md"
PICTURE = PAGE.with_name("benchmarks.svg")
CURVES = PAGE.with_name("scaling.svg")

LABEL, PLOT, LINE, TOP = 330, 480, 18, 34  # pixels: width of the names, of the bars, height of a row, room for the axis
COLOURS = {"tensorflow": "#3f7fbf", "jax": "#c08a2e", "reflow": "#5a9e5a", "onnxruntime": "#8a5fb0"}
HEADER = """# Benchmarks

<!-- Written by bench/report.py from bench/results.json: `make bench` makes both anew. -->

How many times as fast as the reference, which is real TensorFlow, or plain JAX, ONNX Runtime or another program of \
Reflow where the row says
so. Both sides run in one session and take samples in turn; times are medians, and the spread is where the middle \
half of the rounds' ratios lies
(`bench/run.py`). Rows below their target are in bold.

"""


#: what a row is compared with -> where its time stands in a result
REFERENCES = {"tensorflow": "tf_us", "jax": "jax_us", "reflow": "twin_us", "onnxruntime": "ort_us"}
_NOTES = {"tensorflow": "", "jax": " (JAX)", "reflow": " (Reflow)", "onnxruntime": " (ONNX Runtime)"}


def reference(row: dict[str, Any]) -> str:
    return next(name for name, key in REFERENCES.items() if key in row)


def mean(rows: list[dict[str, Any]]) -> float:
    """The geometric mean of the ratios."""
    return math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))


def groups(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The rows that were measured, by group."""
    known = [row for row in rows if row["ratio"] is not None]
    return {
        name: list(found)
        for name, found in itertools.groupby(sorted(known, key=lambda r: r["group"]), lambda r: r["group"])
    }


def microseconds(number: float) -> str:
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g} µs"


def table_row(row: dict[str, Any]) -> str:
    against = reference(row)
    theirs = microseconds(row[REFERENCES[against]]) + _NOTES[against]
    ratio = f"{row['ratio']:.2f}" if row["ratio"] >= row["target"] else f"**{row['ratio']:.2f}**"
    spread = "{:.2f} to {:.2f}".format(*row["spread"])
    cells = [row["name"], theirs, microseconds(row["reflow_us"]), ratio, spread, f"{row['target']:g}"]
    return f"| {' | '.join(cells)} |"


def described(row: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in row["measured"].items())


def table(rows: list[dict[str, Any]]) -> str:
    """The page below its header."""
    lines = [f"Measured with {machine}." for machine in sorted({described(row) for row in rows})]
    lines += ["", "![Ratios on a logarithmic scale](benchmarks.svg)"]
    for group, members in groups(rows).items():
        lines += ["", f"## {group} (geometric mean {mean(members):.2f})", ""]
        lines += ["| row | reference | Reflow | ratio | spread | target |", "|---|---|---|---|---|---|"]
        lines += map(table_row, members)
    failed = [row for row in rows if row["ratio"] is None]
    lines += ["", *[f"{row['name']} failed: {row['error']}" for row in failed]] if failed else []
    return "\n".join(lines) + "\n"


def growth(points: curves.Points) -> float:
    """How far the time grows between the first point and the last, in parts of how far the number does: 1 is linear."""
    first, last = points[0], points[-1]
    return last["us"] / first["us"] / (last["number"] / first["number"])


def scaling(series: dict[str, dict[str, curves.Points]]) -> str:
    """The page's part about how the time of a step grows."""
    lines = ["", "## How the time of a step grows", "", "![Time of a step](scaling.svg)", ""]
    lines += [
        (
            "The last column: how far the time grows from the first step to the last, where 1 is "
            "as far as the number does."
        ),
        "",
    ]
    lines += ["(The work of a model grows with the square of its width.)", ""]
    lines += ["| number | side | first | last | of linear |", "|---|---|---|---|---|"]
    for title, sides in series.items():
        for side, points in sides.items():
            ends = [f"{p['number']:,}: {microseconds(p['us'])}" for p in (points[0], points[-1])]
            lines.append(f"| {title} | {side} | {ends[0]} | {ends[1]} | {growth(points):.2f} |")
    return "\n".join(lines) + "\n"


class Axis:
    """A logarithmic axis of ratios, wide enough for all of them, with a tick at 1."""

    def __init__(self, rows: list[dict[str, Any]]):
        bounds = [bound for row in rows for bound in (*row["spread"], row["ratio"])]
        self.low, self.high = min(0.5, *bounds), max(2.0, *bounds)

    def at(self, ratio: float) -> float:
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return LABEL + PLOT * share

    def ticks(self) -> list[float]:
        return [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if self.low <= t <= self.high]


def text(x: float, y: float, words: str, anchor: str = "start", weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{html.escape(words)}</text>'


def bar(axis: Axis, row: dict[str, Any], y: float) -> list[str]:
    """A row: its name, a bar from 1 to the ratio, the spread, the number."""
    one, end = axis.at(1), axis.at(row["ratio"])
    low, high = map(axis.at, row["spread"])
    middle = y + LINE / 2
    return [
        text(LABEL - 8, middle + 4, row["name"], "end"),
        (
            f'<rect x="{min(one, end):.1f}" y="{y + 3:.1f}" width="{abs(end - one):.1f}" height="{LINE - 6}" '
            f'fill="{COLOURS[reference(row)]}"/>'
        ),
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle:.1f}" y2="{middle:.1f}" stroke="#222"/>',
        text(max(end, high, one) + 6, middle + 4, f"{row['ratio']:.2f}"),
    ]


def picture(rows: list[dict[str, Any]]) -> str:
    """All rows as bars, as SVG."""
    found = groups(rows)
    axis = Axis([row for members in found.values() for row in members])
    bars: list[str] = []
    y = float(TOP)
    for group, members in found.items():
        bars.append(text(8, y + 14, group, weight="bold"))
        y += LINE + 2
        for row in members:
            bars += bar(axis, row, y)
            y += LINE
    scale = [
        part
        for tick in axis.ticks()
        for part in (
            (
                f'<line x1="{axis.at(tick):.1f}" x2="{axis.at(tick):.1f}" y1="{TOP - 8}" y2="{y:.1f}" '
                f'stroke="{"#222" if tick == 1 else "#ddd"}"/>'
            ),
            text(axis.at(tick), TOP - 14, f"{tick:g}", "middle"),
        )
    ]
    size = f'width="{LABEL + PLOT + 60}" height="{y + 10:.0f}"'
    style = 'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" fill="#222"'
    return (
        "\n".join([f"<svg {size} {style}>", '<rect width="100%" height="100%" fill="#fff"/>', *scale, *bars, "</svg>"])
        + "\n"
    )


def kept(names: set[str]) -> list[dict[str, Any]]:
    """The stored results of rows that there still are."""
    return [row for row in json.loads(RESULTS.read_text()) if row["name"] in names]


def keep(measured: dict[str, str], result: dict[str, Any]) -> None:
    """Store a row's result in place of its last one."""
    rows = {row["name"]: row for row in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
    rows[result["name"]] = result | {"measured": measured}
    RESULTS.write_text(json.dumps(list(rows.values()), indent=1) + "\n")


def write(rows: list[dict[str, Any]]) -> None:
    series = json.loads(SCALING.read_text()) if SCALING.exists() else {}
    PAGE.write_text(HEADER + table(rows) + (scaling(series) if series else ""))
    PICTURE.write_text(picture(rows))
    if series:
        CURVES.write_text(curves.picture(series))


def write_kept() -> None:
    """Make the page anew from what is stored."""
    write(json.loads(RESULTS.read_text()))


if __name__ == "__main__":
    write_kept()
