"""Converts ONNX' tensors and dtypes to Reflow's."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import reflow as tf
from reflow.core.dtypes import DType, as_dtype
from reflow.onnx.package import onnx

#: where ONNX' name of a dtype is not NumPy's
_NAMES = {
    "float": "float32",
    "double": "float64",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float4e2m1": "float4_e2m1fn",
}


def dtype_of(number: int) -> DType:
    """The dtype of ONNX' number."""
    name = onnx().TensorProto.DataType.Name(number).lower()
    name = _NAMES.get(name, name)
    try:
        return as_dtype(name)
    except TypeError as error:
        raise TypeError(
            f"ONNX' dtype {onnx().TensorProto.DataType.Name(number)} has no counterpart in Reflow."
        ) from error


def number_of(dtype: DType) -> int:
    """ONNX' number of a dtype."""
    if dtype is tf.string:
        return onnx().TensorProto.STRING
    return onnx().helper.np_dtype_to_tensor_dtype(np.dtype(dtype.as_numpy_dtype))


def array_of(proto: Any, folder: str | None = None) -> np.ndarray:
    """The array of a TensorProto. Large ones may be in separate files, in `folder`."""
    if proto.data_location == onnx().TensorProto.EXTERNAL:
        _check_location(proto, folder)
    return onnx().numpy_helper.to_array(proto, folder or "")


def _check_location(proto: Any, folder: str | None) -> None:
    """A model may name only files in its own folder."""
    location = next((e.value for e in proto.external_data if e.key == "location"), "")
    if folder is None:
        raise ValueError(
            f"The tensor {proto.name!r} lies in another file ({location!r}). Give the model's path instead "
            "of its bytes, or `folder=`."
        )
    inside = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(inside, location))
    if os.path.commonpath([inside, path]) != inside:
        raise ValueError(
            f"The tensor {proto.name!r} lies in {location!r}, outside of the model's folder; such files are not read."
        )
    if not os.path.isfile(path):
        raise FileNotFoundError(f"The tensor {proto.name!r} lies in {path!r}, and there is no such file.")


def tensor_of(proto: Any, folder: str | None = None) -> Any:
    """The tensor of a TensorProto."""
    dtype = dtype_of(proto.data_type)
    array = array_of(proto, folder)
    return known_constant(array.astype(object) if dtype is tf.string else array, dtype)


def known_constant(value: Any, dtype: DType) -> Any:
    """A constant outside of the graph that is being read.

    What is computed from such tensors alone is computed at once.
    """
    with tf.init_scope():
        return tf.constant(value, dtype)
