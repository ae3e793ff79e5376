"""Pictures as SVG text: boxes, labels, lines and curves, without a library.

A `Canvas` collects shapes and grows with them. It has its own background, and colors are chosen to be readable on light
and dark pages.
"""

from __future__ import annotations

FONT = "ui-sans-serif, system-ui, sans-serif"
INK, FAINT, PAPER = "#1f2933", "#9aa5b1", "#ffffff"
CHARACTER = 0.58  # mean width of a character, as a share of the font's size


def text_width(text: str, size: float = 12) -> float:
    """About how many pixels a label takes.

    >>> text_width("MatMul", 10)
    34.8
    """
    return round(len(text) * size * CHARACTER, 2)


def _escaped(text: str) -> str:
    """A label as SVG's text.

    >>> _escaped("x<y & z")
    'x&lt;y &amp; z'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Canvas:
    """Shapes, in the order in which they are painted."""

    def __init__(self) -> None:
        self._shapes: list[str] = []
        self.width = self.height = 0.0

    def _reach(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, edge: str = "none", title: str = "",
        round: float = 5,
    ) -> None:
        """A rectangle; `title` is shown while the mouse is over it."""
        self._reach(x + width, y + height)
        said = f"<title>{_escaped(title)}</title>" if title else ""
        size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round:g}"'
        self._shapes.append(f'<rect {size} fill="{fill}" stroke="{edge}">{said}</rect>')

    def text(
        self, x: float, y: float, text: str, size: float = 12, anchor: str = "middle", fill: str = INK,
        bold: bool = False,
    ) -> None:
        """A label; `x, y` is the middle, start or end of its base line."""
        left = {"middle": 0.5, "start": 0.0, "end": 1.0}[anchor] * text_width(text, size)
        self._reach(x - left + text_width(text, size), y + size / 3)
        weight = ' font-weight="600"' if bold else ""
        where = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" fill="{fill}"'
        self._shapes.append(f"<text {where}{weight}>{_escaped(text)}</text>")

    def curve(self, x: float, y: float, to_x: float, to_y: float, colour: str = FAINT) -> None:
        """An arrow that leaves downwards and arrives from above."""
        self._reach(max(x, to_x), max(y, to_y))
        bend = max(12.0, (to_y - y) / 2)
        path = f"M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f} {to_x:.1f} {to_y - 3:.1f}"
        self._shapes.append(f'<path d="{path}" fill="none" stroke="{colour}" marker-end="url(#arrow)"/>')

    def line(self, points: list[tuple[float, float]], colour: str = INK, width: float = 1.0, dashes: str = "") -> None:
        """Straight lines from point to point."""
        for x, y in points:
            self._reach(x, y)
        listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._shapes.append(
            f'<polyline points="{listed}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dashed}/>'
        )

    def svg(self, margin: float = 12) -> str:
        """The picture as a standalone document.

        >>> Canvas().svg()[:60]
        '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="2'
        """
        width, height = self.width + 2 * margin, self.height + 2 * margin
        tip = f'<path d="M0 0L6 3L0 6z" fill="{FAINT}"/>'
        arrow = f'<marker id="arrow" markerWidth="6" markerHeight="6" refX="3" refY="3" orient="auto">{tip}</marker>'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 '
            f'{width:.0f} {height:.0f}"'
        )
        return "\n".join(
            [
                f'{head} font-family="{FONT}">',
                (
                    f'<defs>{arrow}</defs><rect width="100%" height="100%" fill="{PAPER}"/><g '
                    f'transform="translate({margin:g} {margin:g})">'
                ),
                *self._shapes,
                "</g></svg>\n",
            ]
        )
