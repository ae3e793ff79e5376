"""`tensorflow.python.ops.numpy_ops.np_utils`: docstrings of functions that imitate NumPy's.

A decorator writes which function of NumPy a function imitates, which of its parameters are missing, and where that is
described: as a link, or, if the *form* is "inlined", in NumPy's own words. It can insist that the parameters of both
agree.
"""

from __future__ import annotations

import inspect
import numbers
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from reflow.api.array import arrange
from reflow.api.control import branches
from reflow.api.math import arithmetic, reduce
from reflow.api.numpy.types import promote_types, result_type
from reflow.core import dtypes
from reflow.core.tensor import Tensor

__all__ = ["promote_types", "result_type"]


class Link:
    """An address in place of the usual one."""

    def __init__(self, v: str) -> None:
        self.value = v


class AliasOf:
    """The function of NumPy whose page describes this one too."""

    def __init__(self, v: str) -> None:
        self.value = v


class NoLink(NamedTuple):
    """No link at all."""


class _Settings:
    form: Any = "stable"
    strict = False


def get_np_doc_form() -> Any:
    """How docstrings refer to NumPy's: "inlined", or the version whose pages they link to."""
    return _Settings.form


def set_np_doc_form(value: Any) -> None:
    """Choose how docstrings refer to NumPy's: "inlined", "stable", "dev" or a version like "1.16"; else not at all."""
    _Settings.form = value


def is_sig_mismatch_an_error() -> bool:
    """Whether parameters must be those of NumPy's function."""
    return _Settings.strict


def set_is_sig_mismatch_an_error(value: bool) -> None:
    """Choose whether parameters must be those of NumPy's function."""
    _Settings.strict = value


def generate_link(flag: Any, np_fun_name: str) -> str | None:
    """The page of a function in the documentation of a version of NumPy; None if there is no such version."""
    if not isinstance(flag, str) or not re.fullmatch(r"dev|stable|\d+(\.\d+){0,2}", flag):
        return None
    folder = "devdocs" if flag == "dev" else f"doc/{flag}"
    return f"https://numpy.org/{folder}/reference/generated/numpy.{np_fun_name}.html"


def np_doc(
    np_fun_name: str | None, np_fun: Callable | None = None, unsupported_params: Sequence[str] = (),
    link: Link | AliasOf | NoLink | None = None,
) -> Callable[[Callable], Callable]:
    """A decorator that describes a function by the one of NumPy that it imitates.

    Args:
      np_fun_name: the name of NumPy's function.
      np_fun: that function, if it is not NumPy's of that name.
      unsupported_params: parameters that are there and not supported.
      link: where it is described, if not under its own name.

    Raises:
      TypeError: parameters differ, and `set_is_sig_mismatch_an_error` says that they may not.
    """
    name, original = _named(np_fun_name, np_fun)

    def decorate(f: Callable) -> Callable:
        theirs, ours = _parameters(original), _parameters(f)
        missing = list(unsupported_params)
        if theirs is not None and ours is not None:
            if _Settings.strict:
                _check_same(theirs, ours, name)
            missing += [p for p in theirs if p not in ours]
        f.__doc__ = _described(f, name, original, missing, link)
        return f

    return decorate


def np_doc_only(np_fun_name: str | None, np_fun: Callable | None = None) -> Callable[[Callable], Callable]:
    """`np_doc` for a function whose parameters are not compared."""
    name, original = _named(np_fun_name, np_fun)

    def decorate(f: Callable) -> Callable:
        f.__doc__ = _described(f, name, original, [], None)
        return f

    return decorate


def _named(name: str | None, function: Callable | None) -> tuple[str, Callable | None]:
    if name is None:
        assert function is not None, "either the name of a function or a function must be given"
        return function.__name__, function
    return name, getattr(np, name, None) if function is None else function


def _supports_signature() -> bool:
    return True


def _parameters(f: Callable | None) -> dict[str, inspect.Parameter] | None:
    """The parameters of a function, if it has any that can be seen.

    NumPy's ufuncs show none: their operands are positions.
    """
    if f is None:
        return None
    if isinstance(f, np.ufunc):
        operands = ["x"] if f.nin == 1 else [f"x{i + 1}" for i in range(f.nin)]
        options = {
            "out": None, "where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True,
            "signature": None,
        }
        found = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in operands]
        found += [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d) for n, d in options.items()]
        return {p.name: p for p in found}
    try:
        return dict(inspect.signature(f).parameters)
    except ValueError:  # a function in C that does not say
        return None


def _check_same(theirs: dict[str, inspect.Parameter], ours: dict[str, inspect.Parameter], name: str) -> None:
    for key, mine in ours.items():
        if key not in theirs:
            raise TypeError(
                f"Cannot find parameter {key} in the numpy function's signature (which has these parameters: "
                f"{list(theirs)}): {name}."
            )
        other = theirs[key]
        if (mine.kind in _GATHER or other.kind in _GATHER) and mine.kind is not other.kind:
            raise TypeError(
                f"Parameter {key} is of kind {mine.kind} while in numpy it is of kind {other.kind}: {name}."
            )
        has, had = (p.default is not inspect.Parameter.empty for p in (mine, other))
        if has != had:
            raise TypeError(f"Parameter {key} should{'' if had else ' not'} have a default value: {name}.")


#: kinds of parameters that take several arguments; the others differ only in how an argument is given
_GATHER = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _described(
    f: Callable, name: str, original: Callable | None, missing: list[str], link: Link | AliasOf | NoLink | None
) -> str:
    text = f"TensorFlow variant of NumPy's `{name}`.\n\n"
    if missing:
        text += f"Unsupported arguments: {', '.join(f'`{p}`' for p in missing)}.\n\n"
    if f.__doc__:
        text += f.__doc__ + ("\n" if f.__doc__.endswith("\n") else "\n\n")
    if _Settings.form == "inlined":
        theirs = getattr(original, "__doc__", None)
        return text + (f"Documentation for `numpy.{name}`:\n\n" + theirs.replace(">>>", ">") if theirs else "")
    if isinstance(link, NoLink):
        return text
    url = (
        link.value if isinstance(link, Link)
        else generate_link(_Settings.form, link.value if isinstance(link, AliasOf) else name)
    )
    return text if url is None else text + f"See the NumPy documentation for [`numpy.{name}`]({url})."


def _maybe_get_dtype(x: Any) -> Any:
    """What NumPy is asked about in place of `x` when dtypes are promoted: a tensor's dtype.

    Numbers and arrays themselves.
    """
    if isinstance(x, numbers.Real):
        return x
    if isinstance(x, (list, tuple)):
        raise ValueError(
            f"Cannot find dtype for type inference from argument `x` of a sequence type {type(x)}. For sequences, "
            "please call this function on each element individually."
        )
    if isinstance(x, dtypes.DType):
        return x.as_numpy_dtype
    return dtypes.as_dtype(x.dtype).as_numpy_dtype if getattr(x, "is_tensor_like", False) or hasattr(x, "_dtype") else x


# --- values that may be known while a graph is built ------------------------------------------------------------------


def isscalar(val: Any) -> Any:
    """Whether something has no axes; a tensor if only the run knows it."""
    if not isinstance(val, Tensor):
        return np.isscalar(val)
    return val.shape.rank == 0 if val.shape.rank is not None else arithmetic.equal(arrange.rank(val), 0)


def result_type_unary(a: Any, dtype: Any) -> Any:
    """The dtype of a function of one argument: `dtype` if it is given; texts have NumPy's."""
    if not dtype and isinstance(a, (str, bytes)):
        return np.str_ if isinstance(a, str) else np.bytes_
    return result_type(dtype if dtype else a)


def tf_broadcast(*args: Any) -> Any:
    """Tensors broadcast to one shape."""
    if len(args) <= 1:
        return args
    shape = arrange.shape(args[0])
    for arg in args[1:]:
        shape = arrange.broadcast_dynamic_shape(shape, arrange.shape(arg))
    return [arrange.broadcast_to(arg, shape) for arg in args]


def get_static_value(x: Any) -> Any:
    """The value of a tensor of integers, booleans or texts if it is known; None for any other tensor."""
    return (
        None if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_complex) else arrange.get_static_value(x)
    )


def _maybe_static(x: Any) -> Any:
    known = get_static_value(x)
    return x if known is None else known


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """`tf.cond`; only one of the functions is called if the choice is known."""
    known = get_static_value(pred)
    if known is None:
        return branches.cond(pred, true_fn, false_fn)
    return true_fn() if known else false_fn()


def _of_two(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: function(_maybe_static(a), _maybe_static(b))


add, subtract = _of_two(operator.add), _of_two(operator.sub)
greater, greater_equal, less_equal = _of_two(operator.gt), _of_two(operator.ge), _of_two(operator.le)


def _logical(of_arrays: Callable, of_tensors: Callable) -> Callable[[Any, Any], Any]:
    def combine(a: Any, b: Any) -> Any:
        known = get_static_value(a), get_static_value(b)
        return of_tensors(a, b) if known[0] is None or known[1] is None else of_arrays(*known)

    return combine


logical_and = _logical(lambda a, b: a and b, arithmetic.logical_and)
logical_or = _logical(lambda a, b: a or b, arithmetic.logical_or)


def getitem(a: Any, slice_spec: Any) -> Any:
    """A part of a tensor, or of its value if that is known."""
    return _maybe_static(a)[slice_spec]


def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all are true."""
    known = get_static_value(input_tensor)
    return reduce.reduce_all(input_tensor, axis, keepdims) if known is None else known.all(axis=axis, keepdims=keepdims)


def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether any is true."""
    known = get_static_value(input_tensor)
    return reduce.reduce_any(input_tensor, axis, keepdims) if known is None else known.any(axis=axis, keepdims=keepdims)


def tf_rank(t: Any) -> Any:
    """The number of axes: a number if it is known, else a tensor."""
    return arrange.rank(t) if t.shape.rank is None else t.shape.rank
