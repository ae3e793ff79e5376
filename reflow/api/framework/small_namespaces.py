"""Small namespaces: `tf.sysconfig`, `tf.test`, `tf.types`, `tf.compat`."""

from __future__ import annotations

import abc
import numbers
from typing import Any, Protocol, runtime_checkable

import numpy as np

from reflow.api.export import export, export_value
from reflow.core import dtypes
from reflow.core.context import executing_eagerly, state
from reflow.core.logging import get_logger
from reflow.core.shapes import Dimension
from reflow.core.types import TensorLike
from reflow.devices import placement as devices
from reflow.function import atomic, concrete, function, function_type, trace_key

export_value(get_logger, "get_logger")


# --- facts about this build -----------------------------------------------------------------------------------------

CXX11_ABI_FLAG = export_value(1, "sysconfig.CXX11_ABI_FLAG", "compat.v1.CXX11_ABI_FLAG")
CXX_VERSION = export_value(201703, "sysconfig.CXX_VERSION", "compat.v1.CXX_VERSION")
MONOLITHIC_BUILD = export_value(0, "sysconfig.MONOLITHIC_BUILD", "compat.v1.MONOLITHIC_BUILD")


@export("sysconfig.get_build_info")
def get_build_info() -> dict:
    """Says what this build can use.

    Returns:
      A dictionary with keys such as `is_cuda_build`, which is true where there is a GPU of NVIDIA.

    >>> "is_cuda_build" in tf.sysconfig.get_build_info()
    True
    """
    gpu = devices.gpu_count() > 0
    return {"is_cuda_build": gpu, "is_rocm_build": False, "is_tensorrt_build": False, "msvcp_dll_names": ""}


def _no_library(what: str):
    def function():
        raise NotImplementedError(f"Reflow is Python: there is no {what} to build against.")

    function.__name__ = f"get_{what}"
    function.__doc__ = f"""Says where TensorFlow's files for building C++ ops are; Reflow has none.

    Returns:
      Nothing: it always raises.

    Raises:
      NotImplementedError: Always.

    >>> try:
    ...     tf.sysconfig.get_{what}()
    ... except NotImplementedError as error:
    ...     print(error)
    Reflow is Python: there is no {what} to build against.
    """
    return export(f"sysconfig.get_{what}")(function)


get_include = _no_library("include")
get_lib = _no_library("lib")
get_compile_flags = _no_library("compile_flags")
get_link_flags = _no_library("link_flags")


@export("test.is_built_with_cuda")
def is_built_with_cuda() -> bool:
    """Says whether GPUs of NVIDIA can be used.

    Returns:
      A Python bool.

    >>> tf.test.is_built_with_cuda() in (True, False)
    True
    """
    return devices.gpu_count() > 0


export_value(is_built_with_cuda, "test.is_built_with_gpu_support")


@export("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Says whether GPUs of AMD can be used: never.

    Returns:
      A Python bool.

    >>> tf.test.is_built_with_rocm()
    False
    """
    return False


@export("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Says whether functions can be compiled: always.

    Returns:
      A Python bool.

    >>> is_built_with_xla()
    True
    """
    return True


@export("test.is_gpu_available")
def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None) -> bool:
    """Says whether there is a GPU.

    Args:
      cuda_only: Ignored: all GPUs are of this kind.
      min_cuda_compute_capability: Ignored.

    Returns:
      A Python bool.

    >>> tf.test.is_gpu_available() == bool(tf.config.list_physical_devices("GPU"))
    True
    """
    return bool(devices.physical_devices("GPU"))


@export("test.gpu_device_name")
def gpu_device_name() -> str:
    """Returns the name of the first GPU, or "".

    Returns:
      A string.

    >>> tf.test.gpu_device_name() in ("", "/device:GPU:0")
    True
    """
    found = devices.logical_devices("GPU")
    return found[0].name if found else ""


# --- tf.types -------------------------------------------------------------------------------------------------------


@export("types.experimental.Callable")
class Callable(abc.ABC):  # noqa: B024 - a type to ask for, with nothing to implement
    """The base type of functions and of their traces.

    >>> isinstance(tf.function(lambda x: x), Callable)
    True
    """

    function_type: Any  # what it takes and gives, as a FunctionType


@export("types.experimental.SupportsTracingProtocol")
@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """Objects that say themselves how functions are traced for them.

    >>> isinstance(3, SupportsTracingProtocol)
    False
    """

    @abc.abstractmethod
    def __tf_tracing_type__(self, context):
        """Returns the `TraceType` of this object.

        Args:
          context: The `TracingContext` of the call.

        Returns:
          A `tf.types.experimental.TraceType`.
        """


export_value(trace_key.TraceType, "types.experimental.TraceType")
Callable.register(function.Function)
Callable.register(concrete.ConcreteFunction)
export_value(function.Function, "types.experimental.GenericFunction", "types.experimental.PolymorphicFunction")
export_value(concrete.ConcreteFunction, "types.experimental.ConcreteFunction")
Callable.register(atomic.AtomicFunction)
export_value(atomic.AtomicFunction, "types.experimental.AtomicFunction")
export_value(function_type.FunctionType, "types.experimental.FunctionType")
export_value(TensorLike, "types.experimental.TensorLike")
for _dtype in dtypes.ALL:
    if _dtype.name.startswith(("float8", "float4", "int2", "int4", "uint2", "uint4")):
        export_value(_dtype, f"experimental.{_dtype.name}")
UNSHARDED = export_value("unsharded", "experimental.dtensor.UNSHARDED")
MATCH = export_value("match", "experimental.dtensor.MATCH")


# --- tf.compat ------------------------------------------------------------------------------------------------------


@export("compat.as_bytes", "compat.v1.compat.as_bytes")
def as_bytes(bytes_or_text, encoding="utf-8") -> bytes:
    """Converts text to bytes.

    Args:
      bytes_or_text: A string, or bytes, which stay as they are.
      encoding: The encoding of the bytes.

    Returns:
      Bytes.

    Raises:
      TypeError: It is neither.

    >>> as_bytes("a")
    b'a'
    """
    if isinstance(bytes_or_text, (bytearray, bytes)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_text", "compat.as_str", "compat.v1.compat.as_text")
def as_text(bytes_or_text, encoding="utf-8") -> str:
    """Converts bytes to text.

    Args:
      bytes_or_text: Bytes, or a string, which stays as it is.
      encoding: The encoding of the bytes.

    Returns:
      A string.

    Raises:
      TypeError: It is neither.

    >>> as_text(b"a")
    'a'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_str_any")
def as_str_any(value, encoding="utf-8") -> str:
    """Converts anything to text; bytes are decoded.

    Args:
      value: Any object.
      encoding: The encoding of bytes.

    Returns:
      A string.

    >>> tf.compat.as_str_any(b"text"), tf.compat.as_str_any(3)
    ('text', '3')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@export("compat.path_to_str")
def path_to_str(path):
    """Converts a path object to a string.

    Args:
      path: A path; what has no `__fspath__` is returned as it is.

    Returns:
      A string.

    >>> import pathlib
    >>> tf.compat.path_to_str(pathlib.Path("a/b"))
    'a/b'
    """
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path


@export("compat.path_to_bytes")
def path_to_bytes(path) -> bytes:
    """Converts a path object to bytes.

    Args:
      path: A path object, or a string.

    Returns:
      Bytes.

    >>> tf.compat.path_to_bytes("a/b")
    b'a/b'
    """
    return as_bytes(path.__fspath__() if hasattr(path, "__fspath__") else path)


integral_types = export_value((numbers.Integral, np.integer), "compat.integral_types")
real_types = export_value((numbers.Real, np.integer, np.floating), "compat.real_types")
complex_types = export_value((numbers.Complex, np.number), "compat.complex_types")
bytes_or_text_types = export_value((bytes, str), "compat.bytes_or_text_types")


# --- tf.compat.v1: the parts that make sense without sessions -------------------------------------------------------

export_value(executing_eagerly, "compat.v1.executing_eagerly")


@export("compat.v1.executing_eagerly_outside_functions")
def executing_eagerly_outside_functions() -> bool:
    """Says whether code outside functions runs eagerly.

    Returns:
      A Python bool; false while a plain graph is built.

    >>> executing_eagerly_outside_functions()
    True
    """
    graph = state.graph
    while graph is not None and graph.building_function:
        graph = graph.parent
    return graph is None


@export("compat.dimension_value", "compat.v1.dimension_value")
def dimension_value(dimension):
    """Converts a dimension to an int or None.

    Args:
      dimension: A `Dimension` of TensorFlow 1, an int or None.

    Returns:
      An int, or None for an unknown size.

    >>> dimension_value(3)
    3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


@export("compat.dimension_at_index", "compat.v1.dimension_at_index")
def dimension_at_index(shape, index):
    """Returns one dimension of a shape, also of one of unknown rank.

    Args:
      shape: A `tf.TensorShape`.
      index: The number of the axis.

    Returns:
      A `Dimension` of TensorFlow 1.

    >>> tf.compat.dimension_at_index(tf.TensorShape([2, 3]), 1)
    Dimension(3)
    """
    return Dimension(None) if shape.rank is None else Dimension(shape[index])


export_value(Dimension, "compat.v1.Dimension")
