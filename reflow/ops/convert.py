"""Converts Python values to tensors: `constant`, `convert_to_tensor`, and TensorFlow's dtype rules for Python values.

NumPy values keep their dtype; `from_python.py` has the rules for numbers, strings and sequences. Outside memory is
copied here, once.
"""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from reflow.core import dtypes, specs
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError, ResourceExhaustedError
from reflow.core.failures import class_of
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.shapes import TensorShape, dims_of
from reflow.core.tensor import EagerTensor, Tensor, TensorBase, install_converter
from reflow.core.types import DTypeLike, ShapeLike, TensorLike, Value
from reflow.ops import registry
from reflow.ops.dispatch import dispatch, run
from reflow.ops.from_python import (
    from_number,
    from_sequence,
    in_graph,
    mixed_dtypes,
    plain_sequence,
    short_name,
    strings,
)
from reflow.ops.shape_facts import text, too_large

#: (priority, type, function) for `tf.register_tensor_conversion_function`
_CONVERTERS: list = []


def to_array(value: TensorLike, dtype: dtypes.DType | None = None) -> np.ndarray:
    """A new host array for a Python or NumPy value, by TensorFlow's dtype rules.

    >>> to_array([1.0, 2.0]).dtype
    dtype('float32')
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if value is None:
        if state.graph is not None:
            raise ValueError("None values not supported.")
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    kind = type(value)
    if kind is float or kind is int or kind is bool:
        return from_number(value, dtype)
    if kind is str or kind is bytes:
        return strings([value], (), value, dtype)
    if (hasattr(value, "__array__") or hasattr(value, "__array_interface__")) and not isinstance(value, (list, tuple)):
        return _from_numpy(np.asarray(value), dtype)
    return from_sequence(value, dtype)


def _from_numpy(value: Any, dtype: dtypes.DType | None) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind in "US" or array.dtype == object or (dtype is dtypes.string and not array.size):
        if dtype is not None and dtype is not dtypes.string:
            array = array.astype(dtype.np_dtype)  # numbers in an object array; for strings, NumPy's own error
            return array
        return strings(array.reshape(-1).tolist(), array.shape, value, dtype)
    if dtype is not None and dtype.is_host_only:
        raise ValueError(
            "Failed to convert a NumPy array to a Tensor (Unsupported object type "
            f"{type(array.flat[0].item()).__name__})."
        )
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype not in dtypes.FROM_NUMPY:
        raise ValueError(
            f"Failed to convert a NumPy array to a Tensor (Unsupported numpy {_unsupported(array.dtype)})."
        )
    if dtype is None:
        return _copied(array, array.dtype)
    with warnings.catch_warnings() if array.dtype.kind == "c" else contextlib.nullcontext(), np.errstate(all="ignore"):
        if array.dtype.kind == "c":  # unlike TensorFlow, NumPy warns that the imaginary part is lost
            warnings.simplefilter("ignore")
        return _copied(array, dtype.np_dtype)


#: Arrays of at least this many bytes are copied to an address that is a multiple of 64: XLA reads those in place. It
#: copies others in each call of a program, into newly allocated memory: 100 to 200 µs for 400 KB, where a call takes
#: 10.
LARGE, LINE = 1 << 15, 64


def _copied(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An array's values as a dtype, in separate memory."""
    size = array.size * dtype.itemsize
    if size < LARGE:
        return np.array(array, dtype=dtype, order="C")
    memory = np.empty(size + LINE, np.uint8)  # every element that is used is written by the copy below
    start = -memory.__array_interface__["data"][0] % LINE
    out = memory[start : start + size].view(dtype).reshape(array.shape)
    np.copyto(out, array, casting="unsafe")
    return out


def _unsupported(np_dtype: np.dtype) -> str:
    name = {"M": "DATETIME", "m": "TIMEDELTA", "f": "LONGDOUBLE", "c": "CLONGDOUBLE"}.get(np_dtype.kind)
    return f"type: NPY_{name}" if name else "data type"


def from_array(array: np.ndarray, dtype: dtypes.DType | None = None) -> Tensor:
    """A tensor around an array that no other code will write to: a value in eager code, a `Const` node in a graph."""
    return (state.target or state.settle()).constant(array, dtype)


def constant(value: TensorLike, dtype: DTypeLike = None, shape: ShapeLike = None, name: str | None = None) -> Tensor:
    """A tensor from a Python or NumPy value.

    >>> constant([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, TensorBase):
        return _of_tensor(convert_to_tensor(value), dtype, shape)
    kind = type(value)
    if kind is TensorShape:
        return constant(_sizes(value, dtype), dtype, shape, name)
    # structured arrays with one field, and their elements
    if (kind is np.ndarray or kind is np.void) and value.dtype.names and value.dtype in dtypes.QUANTIZED:
        dtype = dtype or dtypes.as_dtype(value.dtype)
        value = np.asarray(value).view(value.dtype[0])
    try:
        array = plain_sequence(value, dtype) if kind is list or kind is tuple else to_array(value, dtype)
        if array is None:
            if _holds_tensors(value):
                return constant(convert_to_tensor(value, dtype), None, shape, name)
            array = to_array(value, dtype)
    except (TypeError, ValueError) as error:
        if state.graph is None:
            raise
        array = in_graph(value, dtype, error)
    if shape is not None:
        array = _in_shape(array, dims_of(shape) or (), value)
    if name and state.graph is not None:
        with state.graph.name_scope_for(name):
            return from_array(array, dtype)
    return from_array(array, dtype if dtype is not None and dtype.kind == "q" else None)


def _of_tensor(tensor: Tensor, dtype: dtypes.DType | None, shape: ShapeLike) -> Tensor:
    """`constant` of a tensor: in a graph it is cast to the dtype, in eager code it must have it."""
    if dtype is not None and tensor.dtype is not dtype:
        if isinstance(tensor, EagerTensor):
            raise TypeError(f"Expected tensor {tensor._numpy()} with dtype {dtype!r}, but got dtype {tensor.dtype!r}.")
        tensor = run("Cast", tensor, DstT=dtype)
    return tensor if shape is None else run("Reshape", tensor, constant(list(dims_of(shape) or ()), dtypes.int32))


def _in_shape(array: np.ndarray, dims: Any, value: Any) -> np.ndarray:
    """An array in the shape that `constant` was given; a single element fills it. `value` is what the user passed."""
    if array.size == 1 and array.shape != dims:
        # in a graph one element in memory, and in the files that the graph is written to
        return full(dims, array.reshape(())) if state.graph is None else np.broadcast_to(array.reshape(()), dims)
    count = int(np.prod(dims))
    if array.size == count:
        return array.reshape(dims)
    if state.graph is not None:
        raise TypeError(f"Expected Tensor's shape: {tuple(dims)}, but got {array.shape}.")
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {array} (converted from {value}) has "
        f"{array.size} elements, but got `shape` {tuple(dims)} with {count} elements)."
    )


def full(dims: Sequence[int], number: np.ndarray) -> np.ndarray:
    """An array of one number.

    Raises:
      InvalidArgumentError: There are more elements than 63 bits can count.
      ResourceExhaustedError: The machine cannot hold them.
    """
    try:
        return np.full(dims, number)
    except (MemoryError, ValueError) as error:
        message = too_large([tuple(dims)])
        if message is not None:
            raise InvalidArgumentError(None, None, message) from None
        if class_of(error) is not ResourceExhaustedError:
            raise
        kind = short_name(dtypes.as_dtype(number.dtype))
        message = f"OOM when allocating tensor with shape{text(tuple(dims))} and type {kind}"
        raise ResourceExhaustedError(None, None, message) from None


def _sizes(shape: TensorShape, dtype: dtypes.DType | None) -> np.ndarray:
    """A shape as an int32 array, or int64 if a size does not fit."""
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    if dtype not in (None, dtypes.int32, dtypes.int64):
        raise TypeError(
            f"Cannot convert TensorShape {shape} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64."
        )
    sizes = np.array(shape._dims, np.int64)
    large = sizes.size and sizes.max() > np.iinfo(np.int32).max
    if large and dtype is dtypes.int32:
        raise ValueError(
            "Cannot convert a TensorShape to dtype int32; a dimension is too large. Consider using tf.int64."
        )
    if dtype is dtypes.int64 or large:
        return sizes
    return sizes.astype(np.int32)


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Lets `tf.convert_to_tensor` accept objects of a class.

    Args:
      base_type: The class, or a tuple of classes.
      conversion_func: A function `(value, dtype, name, as_ref)` that returns a tensor, or `NotImplemented`.
      priority: Functions with smaller numbers are asked first.

    Returns:
      None.

    Raises:
      TypeError: `base_type` is no class or one of numbers or arrays, or `conversion_func` cannot be called.

    >>> class Celsius:
    ...     def __init__(self, degrees):
    ...         self.degrees = degrees
    >>> tf.register_tensor_conversion_function(
    ...     Celsius, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.degrees, dtype)
    ... )
    >>> tf.add(Celsius(20.0), 1.5).numpy().item()
    21.5
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(kind, type) for kind in kinds):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if any(issubclass(kind, (int, float, complex, np.generic, np.ndarray)) for kind in kinds):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    _CONVERTERS.append((priority, base_type, conversion_func))
    _CONVERTERS.sort(key=lambda row: row[0])


def convert_to_tensor(
    value: TensorLike, dtype: DTypeLike = None, dtype_hint: DTypeLike = None, name: str | None = None
) -> Tensor:
    """Converts a value to a tensor.

    Args:
      value: A tensor, which is returned as it is, a NumPy array, a number, a nested list of these, or an object of a
        class with a conversion function.
      dtype: The dtype of the result; by default it follows from the value.
      dtype_hint: A dtype to take if the value fits it, and `dtype` is not given.
      name: A name for the operation.

    Returns:
      A tensor.

    Raises:
      ValueError: `value` is a tensor of another dtype, a list whose rows differ in length, or of a class that is not
        known.
      TypeError: The value does not fit `dtype`.

    >>> convert_to_tensor([1.0, 2.0]).shape
    TensorShape([2])
    """
    if dtype is not None and type(dtype) is not dtypes.DType:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        if dtype is not None and value._dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value._dtype.name}: {value!r}"
            )
        return value
    kind = type(value)
    # user classes do not affect the conversion of numbers
    if (kind is float or kind is int) and dtype is not None and name is None:
        try:
            array = from_number(value, dtype)
        except (TypeError, ValueError) as error:
            if state.graph is None:
                raise
            array = in_graph(value, dtype, error)
        return from_array(array, dtype if dtype.kind == "q" else None)
    converted = _by_class(value, dtype, name)
    if converted is not None:
        return converted
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _auto_pack(
            value, dtype or _packed_dtype(value, dtype_hint), cast=dtype is not None or dtype_hint is not None
        )
    if dtype is None and dtype_hint is not None and _in_range(value, dtypes.as_dtype(dtype_hint)):
        try:
            return constant(value, dtype_hint, name=name)
        except (TypeError, ValueError):
            pass
    return constant(value, dtype, name=name)


def _in_range(value: TensorLike, dtype: dtypes.DType) -> bool:
    """Whether a hint may be followed: not if integers would be cut off, as a size above 2**31 would be in int32."""
    if dtype.kind not in "iu":
        return True
    if isinstance(value, (int, np.integer)):
        return dtype.min <= value <= dtype.max
    if isinstance(value, (list, tuple)):
        return all(_in_range(v, dtype) for v in value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.dtype.itemsize > dtype.size and value.size:
        return bool(dtype.min <= value.min() and value.max() <= dtype.max)
    return True


def _by_class(value: TensorLike, dtype: dtypes.DType | None, name: str | None) -> Any:
    """Conversion through a protocol of the value's class, or None if it has none."""
    method = getattr(value, "__tf_tensor__", None)
    if method is not None:
        return method(dtype, name)
    if isinstance(value, IndexedSlices):
        from reflow.ops.reverse import densify

        return densify(value)
    for _, kind, function in _CONVERTERS:
        if isinstance(value, kind):
            result = function(value, dtype=dtype, name=name, as_ref=False)
            if result is not NotImplemented:
                return result
    return None


_LISTS = frozenset([list, tuple])
_NUMBERS = frozenset([float, int, bool, str, bytes])


def _holds_tensors(value: TensorLike) -> bool:
    kinds = set(map(type, value))
    while kinds and kinds <= _LISTS:  # level by level: fast if the elements have few types
        value = list(itertools.chain.from_iterable(value))
        kinds = set(map(type, value))
    if kinds <= _NUMBERS:
        return False
    return any(
        isinstance(v, TensorBase) or hasattr(v, "__tf_tensor__") or (isinstance(v, (list, tuple)) and _holds_tensors(v))
        for v in value
    )


def _dtype_of_parts(value: Iterable[Any]) -> dtypes.DType | None:
    for v in value:
        if isinstance(v, TensorBase) or hasattr(v, "__tf_tensor__"):
            return dtypes.as_dtype(v.dtype)
        if isinstance(v, (list, tuple)) and _holds_tensors(v):
            return _dtype_of_parts(v)
    return None


def _packed_dtype(value: Iterable[Any], hint: DTypeLike) -> dtypes.DType | None:
    """The dtype of a list that holds tensors: theirs, except that sizes and axes computed as floats become integers,
    and 32-bit integers become 64-bit if those are preferred.
    """
    found = _dtype_of_parts(value)
    if hint is None or found is None:
        return found
    wanted = dtypes.as_dtype(hint)
    casts = found.is_floating and wanted.is_integer or found is dtypes.int32 and wanted is dtypes.int64
    return wanted if casts else found


def _part(value: TensorLike, dtype: dtypes.DType | None, cast: bool, place: int, among: Iterable[Any]) -> Tensor:
    if dtype is not None and (isinstance(value, TensorBase) or hasattr(value, "__tf_tensor__")):
        value = convert_to_tensor(value)
        if value._dtype is not dtype:
            if not cast:
                raise _mixed_list(value, dtype, place, among)
            return run("Cast", value, DstT=dtype)
    return convert_to_tensor(value, dtype)


def _mixed_list(value: Tensor, dtype: dtypes.DType, place: int, among: Iterable[Any]) -> Exception:
    """The error of a list with tensors of several dtypes. Eagerly a list of nothing but tensors reaches the op."""
    if state.graph is None and all(isinstance(v, TensorBase) for v in among):
        return mixed_dtypes("Pack", place, dtype, value._dtype)
    return TypeError(
        f"Cannot convert a list containing a tensor of dtype {value.dtype} to {dtype} (Tensor is: {value!r})"
    )


def _auto_pack(value: Iterable[Any], dtype: dtypes.DType | None, cast: bool = False) -> Tensor:
    """A tensor from a list that holds tensors. Those of another dtype are cast if the caller named one."""
    parts = [
        _auto_pack(v, dtype, cast) if isinstance(v, (list, tuple)) else _part(v, dtype, cast, i, value)
        for i, v in enumerate(value)
    ]
    return run("Pack", *parts, N=len(parts), axis=0)


def is_symbolic(value: TensorLike) -> bool:
    """Whether `value` is, or contains, a symbolic tensor."""
    if isinstance(value, (list, tuple)):
        return any(map(is_symbolic, value))
    return isinstance(value, Tensor) and not isinstance(value, EagerTensor)


# --- small helpers for the tape -------------------------------------------------------------------------------------


def source_tensor(source: Any) -> Any:
    """The source of a gradient in the form that the tape knows; Python numbers have no history."""
    if hasattr(source, "_id") or hasattr(source, "handle"):
        return source
    if getattr(source, "_is_composite", False):
        raise ValueError(f"Type {type(source).__name__} is not supported as a gradient source or gradient target.")
    raise TypeError(
        f"Argument `sources` must hold tensors or variables. Received: {source!r} of type {type(source).__name__}"
    )


def ones_like(tensor: Tensor) -> Tensor:
    return dispatch(registry.REGISTRY["OnesLike"], (tensor,), {})


def zeros_like_source(source: Any) -> Tensor:
    return run("ZerosLike", convert_to_tensor(source))


def _array_or_none(value: TensorLike, dtype: dtypes.DType | None = None) -> np.ndarray | None:
    try:
        return to_array(value, dtype)
    except (TypeError, ValueError):
        return None


specs.install_array_of(_array_or_none)


def _for_eager_tensor(value: Any, dtype: Any, device: str) -> tuple[Value, dtypes.DType]:
    """The value for `EagerTensor(value, device=…, dtype=number)`, a constructor that TensorFlow's own code calls."""
    if not isinstance(device, str):
        raise TypeError("Error parsing device argument.")
    if dtype is not None and not isinstance(dtype, (int, dtypes.DType)):
        raise TypeError(f"Expecting a DataType value for dtype. Got {type(dtype).__name__}")
    try:
        kind = None if dtype is None else dtypes.as_dtype(dtype)
    except TypeError:
        raise TypeError(f"Invalid dtype argument value {dtype}") from None
    made = state.backend.constant(to_array(value, kind), kind)
    if device:
        made = state.backend.copy_to(made, device.rpartition("device:")[2].lstrip("/").upper())
    return made._value, made._dtype


install_converter(_for_eager_tensor)
