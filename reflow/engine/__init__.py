"""An inference engine with the names and calling conventions of TensorRT's Python package, on XLA.

    import reflow.engine as trt

A *builder* takes a *network* (defined by hand, or by `OnnxParser`), optimizes it for the current device, and produces
an *engine*, which is saved as a *plan* and run through *execution contexts*. It needs no NVIDIA library: the same code
runs on the CPU and on any other device that JAX supports. See `docs/engine.md`.
"""

from __future__ import annotations

import importlib
from typing import Any

from reflow.core.lazy_names import imported_from

_NAMES = {
    "enums": "ActivationType BuilderFlag CalibrationAlgoType DataType Dims ElementWiseOperation InterpolationMode "
        "LayerInformationFormat LoopOutput MatrixOperation MemoryPoolType NetworkDefinitionCreationFlag PaddingMode "
        "Permutation PluginFieldType PoolingType ProfilingVerbosity ReduceOperation ScaleMode TensorIOMode "
        "TensorLocation TopKOperation TripLimit UnaryOperation Weights nptype volume",
    "logger": "ILogger Logger",
    "network": "INetworkDefinition ITensor",
    "regions": "IIfConditional ILoop",
    "plugins": "IPluginCreator IPluginRegistry IPluginV2 PluginField PluginFieldCollection get_plugin_registry "
        "init_libnvinfer_plugins",
    "config": "IBuilderConfig IOptimizationProfile ITimingCache",
    "builder": "Builder",
    "runtime": "ICudaEngine Runtime",
    "context": "IExecutionContext",
    "inspector": "EngineInspector",
    "onnx_parser": "OnnxParser ParserError",
    "plan": "PlanError",
    "calibration": "IInt8Calibrator IInt8EntropyCalibrator IInt8EntropyCalibrator2 IInt8LegacyCalibrator "
        "IInt8MinMaxCalibrator",
    "from_function": "build_from_function",
    "tf_trt": "Converter ConversionParams",
}
_HOMES = {name: f"reflow.engine.{module}" for module, names in _NAMES.items() for name in names.split()}
__version__ = "10.0.0"  # of TensorRT, whose interfaces these are
__all__ = sorted(_HOMES)

#: TensorRT's short names of dtypes
_KINDS = {
    "float32": "FLOAT", "float16": "HALF", "bfloat16": "BF16", "int8": "INT8", "int32": "INT32", "int64": "INT64",
    "uint8": "UINT8", "bool": "BOOL",
}


_imported = imported_from(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name in _KINDS:
        return getattr(importlib.import_module("reflow.engine.enums").DataType, _KINDS[name])
    return _imported(name)


def __dir__() -> list[str]:
    return __all__
