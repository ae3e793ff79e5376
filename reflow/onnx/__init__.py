"""ONNX models: `tf.onnx.load(path)` makes a function of one.

The package `onnx` is needed (`pip install reflow[onnx]`) and imported when it is first used.
"""

from __future__ import annotations

from reflow.core.lazy_names import imported_from

_HOMES = {
    "load": "reflow.onnx.model",
    "OnnxModel": "reflow.onnx.model",
    "OnnxError": "reflow.onnx.node",
    "UnknownOperators": "reflow.onnx.reader",
    "MissingPackage": "reflow.onnx.package",
    "supported_operators": "reflow.onnx.table",
}
__all__ = ["MissingPackage", "OnnxError", "OnnxModel", "UnknownOperators", "load", "supported_operators"]  # noqa: F822


__getattr__ = imported_from(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
