"""Notebook rendering: the building blocks of `_repr_html_`.

A *card* is a title with a table of facts, and below it a preview: a thumbnail for an image, some numbers for anything
else.
"""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

SMALLEST_IMAGE, LARGEST_THUMBNAIL = 8, 128  # pixels; smaller images are shown larger, in whole multiples of their size
IMAGES, LARGEST_IN_ROW = 8, 64  # of a batch: how many are shown, and their pixels
SHOWN = 60  # numbers; beyond that the middle is elided
LINES = 36  # rows of numbers; beyond that fewer are shown on each side of the middle


def card(title: str, facts: Mapping[str, Any], preview: str = "") -> str:
    """A title, a table of facts, and a preview that is already HTML.

    >>> card("tf.Tensor", {"shape": (2,)})
    "<div><b>tf.Tensor</b><table><tr><td>shape</td><td style='text-align:left'>(2,)</td></tr></table></div>"
    """
    rows = "".join(f"<tr><td>{_text(k)}</td><td style='text-align:left'>{_text(v)}</td></tr>" for k, v in facts.items())
    return f"<div><b>{_text(title)}</b><table>{rows}</table>{preview}</div>"


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows of cells below headings.

    >>> table(["layer"], [["dense"]])
    "<table><tr><th style='text-align:left'>layer</th></tr><tr><td style='text-align:left'>dense</td></tr></table>"
    """
    lines = [("th", headings), *(("td", row) for row in rows)]
    cells = ("".join(f"<{kind} style='text-align:left'>{_text(cell)}</{kind}>" for cell in row) for kind, row in lines)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def preview(array: np.ndarray) -> str:
    """An array as a thumbnail, as a row of them if it is a batch of images, or as text."""
    if _is_image(array):
        return _image(array, LARGEST_THUMBNAIL)
    if array.ndim == 4 and len(array) and all(map(_is_image, array[:IMAGES])):
        row = " ".join(_image(image, LARGEST_IN_ROW) for image in array[:IMAGES])
        return f"{row} …" if len(array) > IMAGES else row
    return code(np.array2string(array, threshold=SHOWN, edgeitems=_edge_items(array.shape)))


def _edge_items(shape: tuple[int, ...]) -> int:
    """How many entries an axis shows on each side of those that are left out: at most 3, fewer if there are many axes.

    >>> _edge_items((100, 100)), _edge_items((12, 28, 28, 1))
    (3, 1)
    """
    return next((n for n in (3, 2) if math.prod(min(size, 2 * n) for size in shape[:-1]) <= LINES), 1)


def _image(array: np.ndarray, side: int) -> str:
    """A PNG image, at most about `side` pixels high and wide."""
    larger = max(1, side // max(array.shape[:2]))
    size = f" width='{larger * array.shape[1]}'" if larger > 1 else ""
    return f"<img style='image-rendering:pixelated'{size} src='data:image/png;base64,{_thumbnail(array, side)}'/>"


def code(text: str) -> str:
    """Text in a fixed font."""
    return f"<pre style='font-family:monospace; font-size:smaller'>{_text(text)}</pre>"


def _text(value: Any) -> str:
    return html.escape(str(value), quote=False)


def _is_image(array: np.ndarray) -> bool:
    """Whether an array looks like an image: height, width, and 1, 3 or 4 channels; bytes, or floats between 0 and 1."""
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4) or min(array.shape[:2]) < SMALLEST_IMAGE:
        return False
    if array.dtype == np.uint8:
        return True
    return array.dtype.kind == "f" and bool(np.all((array >= 0) & (array <= 1)))


def _thumbnail(array: np.ndarray, side: int) -> str:
    """A PNG image of at most `side` pixels on a side, as base64."""
    from PIL import Image

    step = max(1, -(-max(array.shape[:2]) // side))
    pixels = array[::step, ::step]
    if pixels.dtype != np.uint8:
        pixels = (pixels.astype(np.float32) * 255).round().astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()
