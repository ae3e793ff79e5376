"""Converts Python values to arrays, by TensorFlow's rules. `convert.to_array` calls this module.

A leaf of a sequence has a *kind*: boolean, integer, float, complex or string (b, i, f, c, s). The first leaf decides:
Python floats become float32, integers of any width int32 (int64 if they do not fit), NumPy floats keep their width,
complex numbers become complex128, strings become `bytes`. The other leaves must have the same kind, except that
integers may be mixed with floats, and booleans with numbers.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError, advised
from reflow.core.ragged import RaggedTensor
from reflow.core.shapes import Dimension

#: the smallest number that rounds to infinity in float32: half a step above the largest one
_FLOAT32_END = 3.4028235677973366e38
_SMALL = 240.0  # every floating type can represent it, except float8_e4m3b11fnuz (up to 30), whose casts do not warn
_INT32 = (-(2**31), 2**31 - 1)
_ONLY_FLOATS = frozenset([float])
_LISTS = frozenset([list, tuple])
_KINDS = {bool: "b", int: "i", float: "f", complex: "c", str: "s", bytes: "s", np.str_: "s", np.bytes_: "s"}
#: kind of a Python value -> kinds of dtypes that accept it without a cast
_TAKERS = {"f": "fc", "i": "fciuq", "b": "b", "c": "c", "s": "s"}
_BASES: tuple[tuple[type, str], ...] = (
    (np.bool_, "b"),
    (np.integer, "i"),
    (np.floating, "f"),
    (np.complexfloating, "c"),
    *((cls, _KINDS[cls]) for cls in (int, float, complex, str, bytes)),
)
_TOO_LARGE = "Can't convert Python sequence with out-of-range integer to Tensor."
_TOO_LARGE_FLOAT = "Can't convert Python sequence with a value out of range for a double-precision float."
_MIXED = "Can't convert Python sequence with mixed types to Tensor."
#: kind of the first leaf -> kinds that the others may have
_MAY_FOLLOW = {"b": {"b"}, "i": {"i", "b", "f"}, "f": {"f", "i", "b"}, "c": {"c", "f", "i", "b"}, "s": {"s"}}


def from_number(value: Any, dtype: dtypes.DType | None) -> np.ndarray:
    """The array of a Python bool, int or float."""
    cls = type(value)
    if dtype is None:
        if cls is float:
            if -_FLOAT32_END < value < _FLOAT32_END or value - value != 0.0:  # finite in float32, or not finite at all
                return np.array(value, np.float32)
            raise ValueError(_TOO_LARGE_FLOAT)
        if cls is bool:
            return np.array(value, np.bool_)
        if _INT32[0] <= value <= _INT32[1]:
            return np.array(value, np.int32)
        return _wide(value)
    if dtype.kind not in _TAKERS[_KINDS[cls]]:
        check_kind(_KINDS[cls], value, dtype)
    try:
        if cls is float and not -_SMALL < value < _SMALL:
            with np.errstate(over="ignore"):  # 0.7 µs
                return np.array(value, dtype.np_dtype)
        return np.array(value, dtype.np_dtype)
    except OverflowError:  # an integer that does not fit wraps around, as in a C cast
        return _wide(value).astype(dtype.np_dtype)


def _wide(value: Any) -> np.ndarray:
    try:
        return np.array(value, np.int64)
    except OverflowError:
        raise ValueError(_TOO_LARGE) from None


def check_kind(kind: str, value: Any, dtype: dtypes.DType) -> None:
    """Reject conversions that TensorFlow does not do implicitly: a float to an int, a bool to a narrow integer."""
    if kind == "b" and dtype.name in ("int32", "int64", "float16", "float32", "float64"):
        return
    if dtype.kind not in _TAKERS[kind]:
        error = TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {short_name(dtype)}")
        if kind == "f" and dtype.is_integer:
            raise advised(error, "nothing is converted by itself: `tf.cast` the integers to a float dtype first.")
        raise error


def short_name(dtype: dtypes.DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def mixed_dtypes(name: str, place: int, wanted: dtypes.DType, got: dtypes.DType) -> InvalidArgumentError:
    """The error of an eager op whose inputs have different dtypes, with the message of TensorFlow's kernels."""
    words = (
        f"cannot compute {name} as input #{place}(zero-based) was expected to be a {short_name(wanted)} tensor "
        f"but is a {short_name(got)} tensor [Op:{name}] name: "
    )
    remedy = f"nothing is converted by itself: `tf.cast` one of them to {wanted.name} or {got.name}."
    return advised(InvalidArgumentError(None, None, words), remedy)


def _ragged() -> ValueError:
    error = ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    return advised(error, "the rows have different lengths: pad them to one length, or use `tf.ragged.constant`.")


def plain_sequence(value: Any, dtype: dtypes.DType | None) -> np.ndarray | None:
    """The array of nested lists and tuples of plain Python values; None if they contain anything else."""
    shape: list[int] = []
    level = value
    while (classes := set(map(type, level))) and classes <= _LISTS:
        sizes = set(map(len, level))
        if len(sizes) != 1:
            raise _ragged()
        shape += sizes
        level = list(itertools.chain.from_iterable(level))
    if not classes <= _KINDS.keys() or not classes:
        return None
    return _of_leaves(level, classes, (len(value), *shape), value, dtype)


def from_sequence(value: Any, dtype: dtypes.DType | None) -> np.ndarray:
    """The array of nested sequences, or of any object without another conversion.

    >>> from_sequence([[1, 2.5]], None)
    array([[1. , 2.5]], dtype=float32)
    """
    if type(value) in _LISTS:
        array = plain_sequence(value, dtype)
        if array is not None:
            return array
    shape, leaves = _leaves(value)
    if not leaves:
        return np.zeros(shape, np.float32 if dtype is None else dtype.np_dtype)
    classes = set(map(type, leaves))
    if classes & _ARRAYS:
        return _of_arrays(leaves, shape, value, dtype)
    return _of_leaves(leaves, classes, shape, value, dtype)


def _of_leaves(
    leaves: list[Any], classes: set[type], shape: tuple[int, ...], value: Any, dtype: dtypes.DType | None
) -> np.ndarray:
    if classes == _ONLY_FLOATS and dtype is None and -_FLOAT32_END < min(leaves) and max(leaves) < _FLOAT32_END:
        array = np.array(leaves, np.float32)  # the common case, without the 2 µs of the general one
        return array if len(shape) == 1 else array.reshape(shape)
    first = leaves[0]
    kinds = {_kind(cls) for cls in classes}
    kind = _kind(type(first))
    if kind is None:
        if hasattr(first, "node_def"):
            raise TypeError(f"can't convert Operation '{first.name}' to Tensor")
        if isinstance(first, RaggedTensor):  # TensorFlow takes it for a sequence
            raise ValueError("TypeError: object of type 'RaggedTensor' has no len()\n")
        raise ValueError(
            f"Attempt to convert a value ({first!r}) with an unsupported type ({type(first)}) to a Tensor."
        )
    if not kinds <= _MAY_FOLLOW[_as_first(kind, dtype)]:
        raise ValueError(_MIXED)
    if kind == "s":
        return strings(leaves, shape, value, dtype)
    kind = next(s for s in "cfib" if s in kinds)
    if dtype is not None:
        check_kind(kind, value, dtype)
        return _filled(leaves, kind, dtype.np_dtype).reshape(shape)
    return _DEFAULTS[kind](leaves, first).reshape(shape)


def _as_first(kind: str, dtype: dtypes.DType | None) -> str:
    """The kind that determines what may follow: the first leaf's, unless the requested dtype accepts more."""
    if dtype is None or kind == "s" or dtype is dtypes.complex64:
        return kind
    return "c" if dtype is dtypes.complex128 else "f" if kind == "b" else kind


def _kind(cls: type) -> str | None:
    """The kind of a leaf's class: b, i, f, c, or s for strings; None if it has none."""
    found = _KINDS.get(cls)
    if found is None:
        for base, kind in _BASES:
            if issubclass(cls, base):
                return kind
        if issubclass(cls, np.generic):  # bfloat16 and similar types
            return "f" if cls in (d.np_type for d in dtypes.ALL if d.kind == "f") else None
    return found


_ARRAYS = {np.ndarray}


def _is_sequence(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return True
    if isinstance(x, (str, bytes, np.ndarray, np.generic, dict, set, frozenset)):
        return False
    return hasattr(x, "__len__") and hasattr(x, "__getitem__") and not hasattr(x, "dtype")


def _leaves(value: Any) -> tuple[tuple, list]:
    """The shape of nested sequences, and their leaves in order."""
    shape: list[int] = []
    level = [value]
    while level and _is_sequence(level[0]):
        if not all(map(_is_sequence, level)):
            level = [list(x) if isinstance(x, np.ndarray) and x.ndim else x for x in level]
            if not all(map(_is_sequence, level)):
                raise _ragged()
        sizes = set(map(len, level))
        if len(sizes) != 1:
            raise _ragged()
        shape += sizes
        level = list(itertools.chain.from_iterable(level))
    if level and not isinstance(level[0], np.ndarray) and any(isinstance(x, (list, tuple)) for x in level):
        raise ValueError(_MIXED)
    return tuple(shape), [_size(x) if type(x) is Dimension else x for x in level]


def _size(dimension: Dimension) -> int:
    """A dimension of a version 1 shape as a number."""
    if dimension.value is None:
        raise ValueError(f"Cannot convert an unknown Dimension to a Tensor: {dimension}")
    return dimension.value


def _of_arrays(leaves: list[Any], shape: tuple[int, ...], value: Any, dtype: dtypes.DType | None) -> np.ndarray:
    """The array of leaves of which some are NumPy arrays, which count as one more level of nesting."""
    arrays = [np.asarray(x) for x in leaves]
    if len({a.shape for a in arrays}) != 1:
        raise _ragged()
    if arrays[0].dtype.kind in "USO":
        return strings([x for a in arrays for x in a.reshape(-1)], (*shape, *arrays[0].shape), value, dtype)
    whole = np.stack(arrays).reshape(*shape, *arrays[0].shape)
    if dtype is not None:
        if whole.size:
            check_kind({"u": "i", "V": "f"}.get(whole.dtype.kind, whole.dtype.kind), value, dtype)
        return whole.astype(dtype.np_dtype)
    if whole.dtype.kind in "iu":
        return _narrow(whole.astype(np.int64))
    if whole.dtype.kind == "f":
        return whole.astype(np.float32 if type(leaves[0]) is float else arrays[0].dtype)
    return whole


def _filled(leaves: list[Any], kind: str, np_dtype: np.dtype) -> np.ndarray:
    if kind == "i":
        try:
            return np.array(leaves, np.int64).astype(np_dtype)
        except OverflowError:
            if np_dtype.kind not in "fcu":
                raise ValueError(_TOO_LARGE) from None
    with np.errstate(over="ignore"):
        return np.array(leaves, np_dtype)


def _narrow(array: np.ndarray) -> np.ndarray:
    """int32 if every element fits."""
    if array.size and (array.min() < _INT32[0] or array.max() > _INT32[1]):
        return array
    return array.astype(np.int32)


def _integers(leaves: list[Any], first: Any) -> np.ndarray:
    try:
        return np.array(leaves, np.int32)
    except OverflowError:
        pass
    try:
        return np.array(leaves, np.int64)
    except OverflowError:
        raise ValueError(_TOO_LARGE) from None


def _floats(leaves: list[Any], first: Any) -> np.ndarray:
    if isinstance(first, np.generic) and first.dtype.kind != "i" and first.dtype != np.float32:
        return np.array(leaves, first.dtype)
    try:
        with np.errstate(over="raise"):
            return np.array(leaves, np.float32)
    except FloatingPointError:
        raise ValueError(_TOO_LARGE_FLOAT) from None


_DEFAULTS = {
    "b": lambda leaves, first: np.array(leaves, np.bool_),
    "i": _integers,
    "f": _floats,
    "c": lambda leaves, first: np.array(leaves, np.complex128),
}


def strings(items: list[Any], shape: tuple[int, ...], value: Any, dtype: dtypes.DType | None) -> np.ndarray:
    """An array of `bytes` in the given shape. `value` is what the user passed, for the message."""
    if dtype is not None and dtype is not dtypes.string:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {short_name(dtype)}")
    out = []
    for item in items:
        if isinstance(item, str):
            item = item.encode()
        elif not isinstance(item, bytes):
            raise ValueError(
                f"Failed to convert a NumPy array to a Tensor (Unsupported object type {type(item).__name__})."
            )
        out.append(bytes(item))
    return np.fromiter(out, object, len(out)).reshape(shape)


# --- graphs -----------------------------------------------------------------------------------------------------------


def in_graph(value: Any, dtype: dtypes.DType | None, error: Exception) -> np.ndarray:
    """Convert a value that eager code rejects with `error` the way a graph does: there TensorFlow uses NumPy.

    So [True, 1] becomes numbers, and the errors have different messages.
    """
    if value is None or hasattr(value, "node_def"):
        raise error
    if isinstance(value, np.ndarray) and value.dtype.kind in "USO" and dtype is not None and dtype.kind in "iuf":
        return value.astype(dtype.np_dtype)
    for leaf in _flat(value):
        kind = _kind(type(leaf))
        if dtype is not None and kind is not None and dtype.kind not in _TAKERS[kind]:
            raise TypeError(f"Expected {dtype.name}, but got {leaf} of type '{type(leaf).__name__}'.")
        if isinstance(value, np.ndarray) and value.dtype == object and kind != "s":
            raise TypeError(f"Expected binary or unicode string, got {leaf!r}")
    if dtype is not None or isinstance(value, np.ndarray):
        if type(value) in _LISTS and dtype is not None and dtype.kind in "biufc":
            np.array(value, dtype.np_dtype)  # of rows of several lengths NumPy says what is wrong
        raise error
    array = np.array(value)
    if array.dtype.kind not in "biufc":
        raise TypeError(
            f"Failed to convert elements of {value} to Tensor. Consider casting elements to a supported type. See "
            "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
        )
    with np.errstate(over="ignore"):
        return (
            _narrow(array) if array.dtype.kind in "iu" else array.astype(np.float32) if array.dtype.kind == "f"
            else array
        )


def _flat(value: Any) -> list[Any]:
    """The leaves of nested sequences, whatever their shape."""
    if isinstance(value, np.ndarray):
        return value.reshape(-1).tolist()
    return [leaf for part in value for leaf in _flat(part)] if type(value) in _LISTS else [value]
