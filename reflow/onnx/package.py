"""The package `onnx`, which implements the file format. It is an optional dependency: `pip install reflow[onnx]`."""

from __future__ import annotations

import functools
from typing import Any


class MissingPackage(ImportError):
    """The package `onnx` is not installed."""


@functools.cache
def onnx() -> Any:
    """The package, with the submodules that are used here."""
    try:
        import onnx
        import onnx.defs
        import onnx.external_data_helper
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise MissingPackage(
            f"Reading and writing ONNX models needs the package onnx ({error}). Install it with "
            "`pip install reflow[onnx]`."
        ) from error
    return onnx
