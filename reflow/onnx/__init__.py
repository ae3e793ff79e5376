"""ONNX models: `tf.onnx.load(path)` reads one as a function, `tf.onnx.export(model, path)` writes one.

The package `onnx` is required (`pip install reflow[onnx]`) and imported on first use.
"""

from __future__ import annotations

from reflow.core.lazy_names import imported_from

_HOMES = {
    "export": "reflow.onnx.exporter",
    "exportable_ops": "reflow.onnx.export_table",
    "load": "reflow.onnx.model",
    "OnnxModel": "reflow.onnx.model",
    "OnnxError": "reflow.onnx.node",
    "UnexportableOps": "reflow.onnx.writer",
    "UnknownOperators": "reflow.onnx.reader",
    "MissingPackage": "reflow.onnx.package",
    "supported_operators": "reflow.onnx.table",
}
__all__ = [  # noqa: F822
    "MissingPackage", "OnnxError", "OnnxModel", "UnexportableOps", "UnknownOperators", "export", "exportable_ops",
    "load", "supported_operators",
]  # fmt: skip


__getattr__ = imported_from(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
