"""The table of conversions to ONNX: op -> function that writes the equivalent ONNX operators. The mirror of `table.py`.

A *conversion* is a function `convert(scope, node, *inputs)`. `scope` (`writer.py`) takes the ONNX nodes; `node` is the
node of our graph, with `attrs` and `outputs`; `inputs` are `Value`s. It returns the `Value` of its output, or a tuple
of several. `Unexportable` says that ONNX has no form of the op with these attributes.

Conversions are in `reflow/onnx/exports/`, one file per family, and are loaded when the first model is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.onnx.table import load

Conversion = Callable[..., Any]

_conversions: dict[str, Conversion] = {}


class Unexportable(ValueError):
    """An op that ONNX has no form of with these attributes or shapes; the text says which."""


def exports(*ops: str) -> Callable[[Conversion], Conversion]:
    """Register a conversion for these ops."""

    def register(convert: Conversion) -> Conversion:
        for name in ops:
            if name in _conversions:
                raise ValueError(f"The op {name} has two conversions to ONNX.")
            _conversions[name] = convert
        return convert

    return register


def conversion(op: str) -> Conversion | None:
    """The conversion of an op, if there is one."""
    load("reflow.onnx.exports")
    return _conversions.get(op)


def exportable_ops() -> list[str]:
    """The ops that `tf.onnx.export` writes, sorted.

    >>> "Conv2D" in tf.onnx.exportable_ops()
    True
    """
    load("reflow.onnx.exports")
    return sorted(_conversions)
