"""Functions that promote dtypes and return weak tensors, in the promotion modes "all" and "safe".

A call of one of the `UNARY` functions has a weak result if its argument is weak: a weak tensor, or nothing but Python
numbers. The operands of `BINARY` functions meet in one dtype by the lattice of `promotion.py`, and the result is weak
if that is. Only calls from outside of Reflow are meant: its own code computes with dtypes that it has chosen.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from reflow.api import operators
from reflow.api.dispatching import Api, each_api
from reflow.api.linalg.products import matmul
from reflow.api.math import arithmetic, unary
from reflow.api.numpy.arrays import as_tensor
from reflow.api.numpy.promotion import Kind
from reflow.api.numpy.types import lattice_kind, settings
from reflow.api.numpy.weak import WeakTensor, plain, weakened
from reflow.core.tensor import Tensor
from reflow.eager.variables import Variable

UNARY = """
    math.abs nn.softplus math.softplus math.sign math.real math.imag math.angle math.round nn.sigmoid math.sigmoid
    math.log_sigmoid math.conj math.reciprocal_no_nan math.erfinv math.ndtri math.erfcinv math.ceil math.sqrt math.exp
    math.rsqrt math.acos math.floor bitwise.invert math.acosh math.asin math.asinh math.atan math.atanh math.cos
    math.cosh math.digamma math.erf math.erfc math.expm1 math.lgamma math.log math.log1p math.negative math.reciprocal
    math.rint math.sin math.sinh math.square math.tan nn.tanh zeros_like ones_like debugging.check_numerics nn.relu6
    nn.leaky_relu nn.gelu nn.log_softmax nn.silu nn.elu nn.relu nn.selu nn.softsign image.random_brightness
    image.stateless_random_brightness image.adjust_brightness image.adjust_gamma clip_by_value math.special.dawsn
    math.special.expint math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.bessel_i0
    math.bessel_i0e math.bessel_i1 math.bessel_i1e math.special.bessel_k0 math.special.bessel_k0e
    math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_j0 math.special.bessel_j1
    math.special.bessel_y0 math.special.bessel_y1 math.reduce_euclidean_norm math.reduce_logsumexp math.reduce_max
    math.reduce_mean math.reduce_min math.reduce_prod math.reduce_std math.reduce_sum math.reduce_variance
    linalg.trace reshape nn.depth_to_space expand_dims image.extract_patches identity linalg.diag linalg.diag_part
    linalg.matrix_transpose nn.space_to_depth squeeze stop_gradient linalg.tensor_diag_part transpose constant
"""
OF_NUMPY = """
    abs absolute angle arccos arcsin arcsinh arctan arctanh bitwise_not cbrt ceil conj conjugate cos cosh deg2rad exp
    exp2 expm1 fabs fix floor log negative rad2deg reciprocal sin sinh sqrt tan tanh nanmean log2 log10 log1p positive
    sinc square diff sort average trace amax amin around arange array asanyarray asarray ascontiguousarray copy
    cumprod cumsum diag diagflat diagonal empty_like expand_dims flatten flip fliplr flipud full_like imag max mean
    min moveaxis ones_like prod ravel real reshape repeat rot90 round squeeze std sum swapaxes transpose triu vander
    var zeros_like
"""
BINARY = """
    math.add math.subtract math.multiply math.multiply_no_nan linalg.matmul experimental.numpy.matmul math.divide
    math.divide_no_nan math.truediv realdiv truncatediv floor_div truncatemod math.mod math.floordiv math.floormod
    math.pow math.maximum math.minimum math.equal math.scalar_mul
"""
#: the parts of Reflow that call functions for the user
_FOR_USERS = ("reflow.api.autograph", "reflow.keras", "reflow.drop_in")


def _from_outside() -> bool:
    """Whether the public function whose replaced body asks was called from outside of Reflow."""
    # this, the replaced body, `Api.call`, the function, who called it
    caller = sys._getframe(4).f_globals.get("__name__", "")
    return not caller.startswith("reflow.") or caller.startswith(_FOR_USERS)


def _kind(*values: Any) -> Kind | None:
    """The kind in which values meet; None if promotion does not know one of them."""
    try:
        return lattice_kind(values)
    except (NotImplementedError, ValueError):
        return None


def _of_one(api: Api) -> Callable[..., Any]:
    """The body of a function of one operand."""
    original, dtype = api.original, api.parameters.index("dtype") if "dtype" in api.parameters else None

    def body(*args: Any, **kwargs: Any) -> Any:
        if not settings.lattice or not _from_outside():
            return original(*args, **kwargs)
        if dtype is not None and api.argument(args, kwargs, dtype) is not None:
            return original(*args, **kwargs)
        x = api.argument(args, kwargs, 0)
        kind = None if isinstance(x, (Tensor, Variable)) else _kind(x)
        result = original(*map(plain, args), **{name: plain(value) for name, value in kwargs.items()})
        return weakened(result) if kind is not None and kind.weak else result

    return body


def _of_two(api: Api) -> Callable[..., Any]:
    """The body of a function of two operands."""
    original = api.original

    def body(*args: Any, **kwargs: Any) -> Any:
        if not settings.lattice or not _from_outside():
            return original(*args, **kwargs)
        x, y = (api.argument(args, kwargs, position) for position in (0, 1))
        rest = {name: value for name, value in kwargs.items() if name not in api.parameters[:2]}
        return promoted(lambda a, b: original(a, b, *args[2:], **rest), x, y)

    return body


def promoted(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """A function of two operands in their common dtype, with a weak result if that dtype is weak."""
    composite = any(getattr(v, "_is_composite", False) and not isinstance(v, WeakTensor) for v in (x, y))
    kind = None if composite or x is None or y is None else _kind(x, y)
    if kind is None:
        return function(plain(x), plain(y))
    result = function(*(as_tensor(plain(value), kind.dtype) for value in (x, y)))
    return weakened(result) if kind.weak else result


# --- operators ------------------------------------------------------------------------------------------------------


def _operator(name: str, function: Any) -> Callable:
    """An operator of weak tensors: that of tensors, which promotes if `function` is given."""

    def method(self: WeakTensor, other: Any) -> Any:
        if settings.lattice and function is not None and other is not None:
            if name.startswith("__r"):
                return promoted(function, other, self)
            try:
                return promoted(function, self, other)
            except (TypeError, ValueError):
                return operators.ask_right(other, f"__r{name[2:]}", self)
        return getattr(Tensor, name)(self.tensor, plain(other))

    return method


def _unary_operator(name: str, function: Callable) -> Callable:
    def method(self: WeakTensor) -> Any:
        result = getattr(Tensor, name)(self.tensor) if hasattr(Tensor, name) else function(self.tensor)
        return weakened(result) if settings.lattice else result

    return method


def _install_operators() -> None:
    for name, function in {**operators.ARITHMETIC, "matmul": matmul}.items():
        for method in (f"__{name}__", f"__r{name}__"):
            setattr(WeakTensor, method, _operator(method, function))
    for name in (*operators.COMPARISONS, "eq", "ne", "and", "or", "xor", "rand", "ror", "rxor"):
        setattr(WeakTensor, f"__{name}__", _operator(f"__{name}__", arithmetic.equal if name == "eq" else None))
    for name, of_one in {"__neg__": unary.negative, "__abs__": unary.abs, "__invert__": unary.logical_not}.items():
        setattr(WeakTensor, name, _unary_operator(name, of_one))


# --- variables ------------------------------------------------------------------------------------------------------


def _assigning(name: str) -> Callable:
    """A method that assigns to a variable: a value whose dtype may be promoted to the variable's is cast to it."""
    original = getattr(Variable, name)

    @functools.wraps(original)
    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        if args and settings.lattice:
            args = (_for_variable(self, name, args[0]), *args[1:])
        return original(self, *map(plain, args), **{key: plain(value) for key, value in kwargs.items()})

    return method


def _for_variable(variable: Variable, method: str, value: Any) -> Any:
    kind = None if isinstance(value, Variable) and value.dtype is variable.dtype else _kind(variable, value)
    if kind is None:
        return value
    if kind.dtype is not variable.dtype:
        raise TypeError(
            f"Variable dtype is immutable. Calling {method} of Variable (with dtype <dtype: '{variable.dtype.name}'>) "
            f"on {value} requires converting {value} to <dtype: '{variable.dtype.name}'>. This is disallowed in the "
            "current promotion semantics."
        )
    return as_tensor(plain(value), variable.dtype)


@functools.cache
def install() -> None:
    """Give the functions their new bodies; once, when a mode with promotion by the lattice is first chosen."""
    one = frozenset((*UNARY.split(), *(f"experimental.numpy.{name}" for name in OF_NUMPY.split())))
    two = frozenset(BINARY.split())

    def wrap(body: Callable[[Api], Callable[..., Any]]) -> Callable[[Api], None]:
        return lambda api: setattr(api, "original", body(api))

    each_api(lambda name: name in one, wrap(_of_one))
    each_api(lambda name: name in two, wrap(_of_two))
    for name in ("assign", "assign_add", "assign_sub"):
        setattr(Variable, name, _assigning(name))


_install_operators()
