"""`tensorflow.python.ops.handle_data_util`: what is known about the variable or the list behind a handle."""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto.cpp_shape_inference_pb2 import CppShapeInferenceResult
from tensorboard.compat.proto.full_type_pb2 import TFT_ARRAY

from reflow.core import dtypes
from reflow.core.resources import Handle, HandleFacts, ListFacts
from reflow.core.shapes import TensorShape
from reflow.ops.kernels.control.lists import TensorList


def copy_handle_data(source_t: Any, target_t: Any) -> None:
    """Let one handle in a graph know what another knows. An eager handle is the variable itself, and knows all."""
    if hasattr(target_t, "_static") and hasattr(source_t, "_static"):
        target_t._static = source_t._static


def create_handle_data(shape: TensorShape, dtype: dtypes.DType) -> Any:
    """The message for a variable of a shape and a dtype."""
    entry = CppShapeInferenceResult.HandleShapeAndType(
        shape=TensorShape(shape).as_proto(), dtype=dtype.as_datatype_enum
    )
    return CppShapeInferenceResult.HandleData(is_set=True, shape_and_type=[entry])


def get_handle_data(source_t: Any) -> Any:
    """The message for what is behind a handle; it is not set if nothing is known."""
    known = source_t._static if hasattr(source_t, "_static") else source_t._host()
    if not isinstance(known, (Handle, HandleFacts, ListFacts, TensorList)):
        return CppShapeInferenceResult.HandleData()
    data = create_handle_data(TensorShape(known.dims), known.dtype)
    if isinstance(known, (ListFacts, TensorList)):
        data.shape_and_type[0].type.type_id = TFT_ARRAY
    return data


def get_resource_handle_data(graph_op: Any) -> Any:
    """The message for what is behind a handle in a graph."""
    assert hasattr(graph_op, "_static"), f"{graph_op} is not a tensor of a graph"
    return get_handle_data(graph_op)


def set_handle_data(target_t: Any, handle_data: Any) -> None:
    """Let a handle in a graph know what a message says, if that is set."""
    told = handle_data is not None and handle_data.is_set and handle_data.shape_and_type
    if not told or not hasattr(target_t, "_static"):
        return
    entry = handle_data.shape_and_type[0]
    dims, dtype = TensorShape(entry.shape)._dims, dtypes.as_dtype(entry.dtype)
    target_t._static = HandleFacts(dims, dtype) if target_t.dtype == dtypes.resource else ListFacts(dtype, dims=dims)
