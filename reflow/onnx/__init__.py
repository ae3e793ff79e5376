"""ONNX models: `tf.onnx.load(path)` makes a function of one, `tf.onnx.export(model, path)` writes one.

The package `onnx` is needed (`pip install reflow[onnx]`) and imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "load": "reflow.onnx.model",
    "OnnxModel": "reflow.onnx.model",
    "OnnxError": "reflow.onnx.node",
    "UnknownOperators": "reflow.onnx.reader",
    "MissingPackage": "reflow.onnx.package",
    "supported_operators": "reflow.onnx.table",
}
__all__ = ["MissingPackage", "OnnxError", "OnnxModel", "UnknownOperators", "load", "supported_operators"]  # noqa: F822


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'reflow.onnx' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
