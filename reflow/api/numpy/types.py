"""`tf.experimental.numpy`: dtypes, and result dtypes.

By default the rules are NumPy's: a Python number takes the dtype of the tensors it is combined with if its kind fits;
an integer and a float32 give float64. `experimental_enable_numpy_behavior` can choose other rules (`promotion.py`); the
choice is stored here, in `settings`.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from reflow.api.export import export, export_value
from reflow.api.numpy import promotion
from reflow.core import dtypes, nest
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor, TensorBase
from reflow.eager.variables import Variable

_SPACE = "experimental.numpy."

bool_ = export_value(np.bool_, _SPACE + "bool_")
complex128 = export_value(np.complex128, _SPACE + "complex128")
complex64 = export_value(np.complex64, _SPACE + "complex64")
complex_ = export_value(np.complex128, _SPACE + "complex_")
float16 = export_value(np.float16, _SPACE + "float16")
float32 = export_value(np.float32, _SPACE + "float32")
float64 = export_value(np.float64, _SPACE + "float64")
float_ = export_value(np.float64, _SPACE + "float_")
inexact = export_value(np.inexact, _SPACE + "inexact")
int16 = export_value(np.int16, _SPACE + "int16")
int32 = export_value(np.int32, _SPACE + "int32")
int64 = export_value(np.int64, _SPACE + "int64")
int8 = export_value(np.int8, _SPACE + "int8")
int_ = export_value(np.int_, _SPACE + "int_")
object_ = export_value(np.object_, _SPACE + "object_")
string_ = export_value(np.bytes_, _SPACE + "string_")
uint16 = export_value(np.uint16, _SPACE + "uint16")
uint32 = export_value(np.uint32, _SPACE + "uint32")
uint64 = export_value(np.uint64, _SPACE + "uint64")
uint8 = export_value(np.uint8, _SPACE + "uint8")
unicode_ = export_value(np.str_, _SPACE + "unicode_")
iinfo = export_value(np.iinfo, _SPACE + "iinfo")
issubdtype = export_value(np.issubdtype, _SPACE + "issubdtype")
ndarray = export_value(Tensor, _SPACE + "ndarray")
newaxis = export_value(None, _SPACE + "newaxis")
pi = export_value(np.pi, _SPACE + "pi")
e = export_value(np.e, _SPACE + "e")
inf = export_value(np.inf, _SPACE + "inf")

MODES = ("off", "legacy", "safe", "all")


class Settings:
    """What `experimental_enable_numpy_behavior` has chosen."""

    mode = "off"
    prefer_float32 = False
    allow_float64 = True

    @property
    def lattice(self) -> bool:
        """Whether dtypes are promoted by the lattice of `promotion.py`."""
        return self.mode in ("safe", "all")


settings = Settings()


def default_float() -> np.dtype:
    """The dtype of a Python float."""
    is_narrow = settings.prefer_float32 or settings.lattice or not settings.allow_float64
    return np.dtype(np.float32 if is_narrow else np.float64)


# Private functions of TensorFlow's module `np_dtypes` that libraries call.

_PRIVATE = "__internal__.numpy_dtypes."
_NARROW = {np.dtype("float64"): np.dtype("float32"), np.dtype("complex128"): np.dtype("complex64")}


def _switch(setting: str, meaning: str):
    """The two functions that read and set a switch."""

    def is_on() -> bool:
        return getattr(settings, setting)

    def turn(b) -> None:
        setattr(settings, setting, bool(b))

    is_on.__name__, is_on.__doc__ = f"is_{setting}", f"Whether {meaning}."
    turn.__name__, turn.__doc__ = f"set_{setting}", f"Say whether {meaning}."
    return export(f"{_PRIVATE}is_{setting}")(is_on), export(f"{_PRIVATE}set_{setting}")(turn)


is_allow_float64, set_allow_float64 = _switch("allow_float64", "results may have 64 bits")
is_prefer_float32, set_prefer_float32 = _switch("prefer_float32", "a Python float is float32")


@export(_PRIVATE + "default_float_type")
def default_float_type() -> type:
    """The type of a Python float."""
    return default_float().type


@export(_PRIVATE + "canonicalize_dtype")
def canonicalize_dtype(dtype) -> Any:
    """A dtype, in 32 bits if 64 are not allowed."""
    return dtype if settings.allow_float64 else _NARROW.get(np.dtype(dtype), dtype)


@export(_SPACE + "finfo")
def finfo(dtype):
    """Returns the limits of a floating-point dtype.

    Args:
      dtype: A dtype or its name.

    Returns:
      A `numpy.finfo`; for bfloat16 an `ml_dtypes.finfo`.

    Raises:
      ValueError: The dtype is not a floating-point one.

    >>> float(tf.experimental.numpy.finfo(tf.float32).eps) == 2.0 ** -23
    True
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype is dtypes.bfloat16:
        import ml_dtypes

        return ml_dtypes.finfo(ml_dtypes.bfloat16)
    return np.finfo(dtype.np_dtype)


@export(_SPACE + "promote_types")
def promote_types(type1, type2):
    """Returns the smallest dtype of NumPy that holds the values of two dtypes.

    Args:
      type1: A dtype or its name, also NumPy's.
      type2: A dtype or its name, also NumPy's.

    Returns:
      A `numpy.dtype`.

    >>> tf.experimental.numpy.promote_types("int32", "float32")
    dtype('float64')
    """
    given = (t.np_dtype if isinstance(t, dtypes.DType) else np.dtype(t) for t in (type1, type2))
    return canonicalize_dtype(np.promote_types(*given))


@export(_SPACE + "result_type")
def result_type(*arrays_and_dtypes):
    """Returns the common dtype of tensors, numbers and dtypes.

    Args:
      *arrays_and_dtypes: Tensors, arrays, numbers, dtypes, or nested lists of them.

    Returns:
      A `tf.DType`; float64 if there are no arguments.

    Raises:
      TypeError: After `experimental_enable_numpy_behavior` with mode "safe": values could be lost.

    >>> tf.experimental.numpy.result_type(tf.constant(1), 1.0), tf.experimental.numpy.result_type(tf.constant(1.0), 1)
    (tf.float64, tf.float32)
    """
    if settings.lattice:
        return lattice_type(arrays_and_dtypes)
    found = [_for_numpy(x) for x in nest.flatten(arrays_and_dtypes)] or [np.asarray([])]
    return dtypes.as_dtype(canonicalize_dtype(np.result_type(*found)))


def _for_numpy(x: Any) -> Any:
    """What `np.result_type` is told about an argument: a number itself, of a tensor the dtype."""
    if isinstance(x, (Tensor, Variable, IndexedSlices)) or getattr(x, "_is_weak", False):
        return x.dtype.np_dtype
    if isinstance(x, dtypes.DType):
        return x.np_dtype
    if settings.prefer_float32 and isinstance(x, (float, complex)):
        return np.float32(x) if isinstance(x, float) else np.complex64(x)
    return x


def lattice_type(arrays_and_dtypes) -> dtypes.DType:
    """The common dtype of arguments in the lattice; TypeError if mode "safe" does not allow it."""
    return lattice_kind(arrays_and_dtypes).dtype


def lattice_kind(arrays_and_dtypes) -> promotion.Kind:
    """The common dtype of arguments in the lattice, and whether it is weak."""
    kinds = [_kind_of(x) for x in nest.flatten(arrays_and_dtypes) if x is not None]
    result = kinds[0] if kinds else promotion.Kind(dtypes.float32, True)
    for kind in kinds[1:]:
        if not settings.lattice or (settings.mode == "safe" and not promotion.is_safe(result, kind)):
            raise TypeError(
                f"In promotion mode PromoMode.{settings.mode.upper()}, implicit dtype promotion between "
                f"({result.dtype}, weak={result.weak}) and ({kind.dtype}, weak={kind.weak}) is disallowed. You need to "
                "explicitly specify the dtype in your op, or relax your dtype promotion rules (such as "
                "from SAFE mode to ALL mode)."
            )
        result = promotion.join(result, kind)
    return result


_OF_PYTHON = {
    bool: promotion.Kind(dtypes.bool_),
    int: promotion.Kind(dtypes.int32, True),
    float: promotion.Kind(dtypes.float32, True),
    complex: promotion.Kind(dtypes.complex128, True),
}


def _kind_of(x: Any) -> promotion.Kind:
    """The kind of an argument: a tensor, an array, a number, a dtype, a type of Python."""
    if isinstance(x, dtypes.DType):
        return promotion.Kind(x)
    if getattr(x, "_is_weak", False):
        return promotion.Kind(x.dtype, True)
    if isinstance(x, (TensorBase, Variable, np.ndarray, np.generic)):
        return promotion.Kind(dtypes.as_dtype(x.dtype))
    if isinstance(x, TensorShape):
        return promotion.Kind(dtypes.int32)
    if isinstance(x, int) and not isinstance(x, bool) and not -(2**31) <= x < 2**31:
        raise OverflowError(f"Python int {x} too large to convert to np.int32")
    for kind in (type(x), x):
        if isinstance(kind, type) and kind in _OF_PYTHON:
            return _OF_PYTHON[kind]
    if isinstance(x, (str, bytes)):
        return promotion.Kind(dtypes.string)
    try:
        return promotion.Kind(dtypes.as_dtype(x))
    except TypeError:
        raise NotImplementedError(f"Auto dtype conversion semantics does not support {type(x)} type.") from None


def is_number(x: Any) -> bool:
    """Whether a value is a plain number."""
    return isinstance(x, numbers.Number)
