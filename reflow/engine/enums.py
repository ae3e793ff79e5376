"""The enumerations and small values of TensorRT's Python package, under its names."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

import numpy as np

import reflow as tf
from reflow.core.dtypes import DType, as_dtype


class DataType(enum.Enum):
    """The type of a tensor's elements."""

    FLOAT = "float32"
    HALF = "float16"
    BF16 = "bfloat16"
    INT8 = "int8"
    UINT8 = "uint8"
    INT32 = "int32"
    INT64 = "int64"
    BOOL = "bool"

    @property
    def dtype(self) -> DType:
        return as_dtype(self.value)

    @property
    def itemsize(self) -> int:
        return self.dtype.size


def data_type(dtype: Any) -> DataType:
    """TensorRT's name of a dtype; a `DataType` is taken as it is."""
    return dtype if isinstance(dtype, DataType) else DataType(tf.as_dtype(dtype).name)


def nptype(kind: DataType) -> Any:
    """The NumPy type of a `DataType`.

    >>> tf.engine.nptype(tf.engine.DataType.HALF)
    <class 'numpy.float16'>
    """
    return kind.dtype.as_numpy_dtype


def volume(shape: Iterable[int]) -> int:
    """The number of elements of a shape.

    >>> tf.engine.volume((2, 3, 4))
    24
    """
    return int(np.prod(list(shape), dtype=np.int64))


#: TensorRT has separate classes for these; a tuple of integers does the same
Dims = tuple
Permutation = tuple
Weights = np.ndarray


class TensorIOMode(enum.Enum):
    """Whether a tensor of an engine is an input, an output, or neither."""

    NONE = 0
    INPUT = 1
    OUTPUT = 2


class TensorLocation(enum.Enum):
    """Where a tensor's memory is."""

    DEVICE = 0
    HOST = 1


class ActivationType(enum.Enum):
    """Functions of an activation layer."""

    RELU = 0
    SIGMOID = 1
    TANH = 2
    LEAKY_RELU = 3
    ELU = 4
    SELU = 5
    SOFTSIGN = 6
    SOFTPLUS = 7
    CLIP = 8
    HARD_SIGMOID = 9
    SCALED_TANH = 10
    THRESHOLDED_RELU = 11
    GELU_ERF = 12
    GELU_TANH = 13


class ElementWiseOperation(enum.Enum):
    """Functions of two tensors."""

    SUM = 0
    PROD = 1
    MAX = 2
    MIN = 3
    SUB = 4
    DIV = 5
    POW = 6
    FLOOR_DIV = 7
    AND = 8
    OR = 9
    XOR = 10
    EQUAL = 11
    GREATER = 12
    LESS = 13


UnaryOperation = enum.Enum(
    "UnaryOperation",
    "EXP LOG SQRT RECIP ABS NEG SIN COS TAN SINH COSH ASIN ACOS "
    "ATAN ASINH ACOSH ATANH CEIL FLOOR ERF NOT SIGN ROUND ISINF ISNAN", start=0,
)
PoolingType = enum.Enum("PoolingType", "MAX AVERAGE MAX_AVERAGE_BLEND", start=0)
ReduceOperation = enum.Enum("ReduceOperation", "SUM PROD MAX MIN AVG", start=0)
MatrixOperation = enum.Enum("MatrixOperation", "NONE TRANSPOSE VECTOR", start=0)
ScaleMode = enum.Enum("ScaleMode", "UNIFORM CHANNEL ELEMENTWISE", start=0)
TripLimit = enum.Enum("TripLimit", "COUNT WHILE", start=0)
LoopOutput = enum.Enum("LoopOutput", "LAST_VALUE CONCATENATE REVERSE", start=0)
PluginFieldType = enum.Enum("PluginFieldType", "FLOAT16 FLOAT32 FLOAT64 INT8 INT16 INT32 CHAR DIMS UNKNOWN", start=0)
TopKOperation = enum.Enum("TopKOperation", "MAX MIN", start=0)
InterpolationMode = enum.Enum("InterpolationMode", "NEAREST LINEAR CUBIC", start=0)
PaddingMode = enum.Enum("PaddingMode", "EXPLICIT_ROUND_DOWN EXPLICIT_ROUND_UP SAME_UPPER SAME_LOWER", start=0)
NetworkDefinitionCreationFlag = enum.IntEnum("NetworkDefinitionCreationFlag", "EXPLICIT_BATCH STRONGLY_TYPED", start=0)


class BuilderFlag(enum.IntEnum):
    """What a builder may do."""

    FP16 = 0
    INT8 = 1
    DEBUG = 2
    GPU_FALLBACK = 3
    REFIT = 5
    DISABLE_TIMING_CACHE = 6
    TF32 = 7
    BF16 = 17
    PREFER_PRECISION_CONSTRAINTS = 11
    OBEY_PRECISION_CONSTRAINTS = 10


MemoryPoolType = enum.Enum("MemoryPoolType", "WORKSPACE", start=0)
ProfilingVerbosity = enum.Enum("ProfilingVerbosity", "LAYER_NAMES_ONLY NONE DETAILED", start=0)
LayerInformationFormat = enum.Enum("LayerInformationFormat", "ONELINE JSON", start=0)
CalibrationAlgoType = enum.Enum(
    "CalibrationAlgoType",
    "LEGACY_CALIBRATION ENTROPY_CALIBRATION ENTROPY_CALIBRATION_2 MINMAX_CALIBRATION", start=0,
)
