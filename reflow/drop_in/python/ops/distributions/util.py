"""`tensorflow.python.ops.distributions.util`: what distributions are written with: checks of parameters, static shapes,
triangles.

"Prefer static" means: a NumPy value where it is known while a graph is built, a tensor where it is not.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.control.printing import no_op
from reflow.api.debugging import asserts, types
from reflow.api.linalg import diag as diagonals
from reflow.api.linalg import norms
from reflow.api.math import arithmetic, reduce, special, unary
from reflow.api.nn import activations
from reflow.api.scoped import scoped
from reflow.compat import asserts as v1_asserts
from reflow.compat.distributions.base import checked
from reflow.compat.distributions.base import derived_seed as gen_new_seed  # noqa: F401 - its name here
from reflow.compat.distributions.discrete import with_logits
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.ops.convert import convert_to_tensor

_INTEGERS = {dtypes.float16: dtypes.int16, dtypes.float32: dtypes.int32, dtypes.float64: dtypes.int64}
_UNSIGNED = (dtypes.bool_, dtypes.uint8, dtypes.uint16)
_SIGNED = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


@scoped("assert_integer_form")
def assert_integer_form(x, data=None, summarize=None, message=None, int_dtype=None, name="assert_integer_form"):
    """An assertion that numbers are whole, as far as `int_dtype` holds them."""
    x = convert_to_tensor(x)
    if x.dtype.is_integer:
        return no_op()
    if int_dtype is None and x.dtype not in _INTEGERS:
        raise TypeError(f"Unrecognized type {x.dtype.name}")
    whole = arithmetic.cast(arithmetic.cast(x, int_dtype or _INTEGERS[x.dtype]), x.dtype)
    return v1_asserts.assert_equal(x, whole, data, summarize, message or f"{x} has non-integer components")


def assert_symmetric(matrix):
    """The matrix, once it is known to be its own transpose."""
    return checked(matrix, [lambda: asserts.assert_equal(matrix, diagonals.matrix_transpose(matrix))], True)


@scoped("embed_check_nonnegative_integer_form")
def embed_check_nonnegative_integer_form(x, name="embed_check_nonnegative_integer_form"):
    """The numbers, once they are known to be whole and not negative."""
    x = convert_to_tensor(x)
    checks = [lambda: asserts.assert_non_negative(x, message=f"'{x}' must be non-negative.")]
    if not x.dtype.is_integer:
        checks.append(lambda: assert_integer_form(x, message=f"'{x}' cannot contain fractional components."))
    return checked(x, checks, True)


def same_dynamic_shape(a, b):
    """Whether two tensors have the same shape, as a tensor."""
    a, b = arrange.shape(convert_to_tensor(a)), arrange.shape(convert_to_tensor(b))
    rank = arithmetic.maximum(arrange.size(a), arrange.size(b))

    def filled(dims):  # -1 behind the last dimension: no dimension is that
        return arrange.pad(dims, [[0, rank - arrange.size(dims)]], constant_values=-1)

    return reduce.reduce_all(arithmetic.equal(filled(a), filled(b)))


def maybe_get_static_value(x, dtype=None):
    """The value of a tensor if it is known, as an array of a dtype if one is given, else None."""
    if x is None:
        return None
    found = arrange.get_static_value(x)
    return found if found is None or dtype is None else np.array(found, dtype)


@scoped("get_logits_and_probs")
def get_logits_and_probs(
    logits=None, probs=None, multidimensional=False, validate_args=False, name="get_logits_and_probs", dtype=None
):
    """(logits, chances) from the one that is given: of yes, or with `multidimensional` of classes in the last axis."""
    if (probs is None) == (logits is None):
        raise ValueError("Must pass probs or logits, but not both.")
    given = "logits" if probs is None else "probs"
    value = convert_to_tensor(logits if probs is None else probs, dtype)
    if not value.dtype.is_floating:
        raise TypeError(f"{given} must having floating type.")
    if multidimensional and validate_args:
        value = embed_check_categorical_event_shape(value)
    if given == "logits":
        return value, activations.softmax(value) if multidimensional else unary.sigmoid(value)
    return with_logits(value, multidimensional, validate_args)


def _largest_integer_by_dtype(dt) -> int:
    """The largest whole number up to which a dtype holds all."""
    if dt not in _UNSIGNED + _SIGNED:
        raise TypeError(f"Unrecognized dtype: {dt.name}")
    if dt == dtypes.bool_:
        return 1
    return 2 ** (np.finfo(dt.as_numpy_dtype).nmant + 1) if dt.is_floating else int(np.iinfo(dt.as_numpy_dtype).max)


def _smallest_integer_by_dtype(dt) -> int:
    largest = _largest_integer_by_dtype(dt)
    return 0 if dt in _UNSIGNED else -largest


def _is_integer_like_by_dtype(dt) -> bool:
    if dt not in _UNSIGNED + _SIGNED:
        raise TypeError(f"Unrecognized dtype: {dt.name}")
    return dt.is_integer or dt == dtypes.bool_


@scoped("embed_check_categorical_event_shape")
def embed_check_categorical_event_shape(categorical_param, name="embed_check_categorical_event_shape"):
    """Logits or chances of classes, once the last axis is known to have two or more, and not too many for the dtype."""
    x = convert_to_tensor(categorical_param)
    if not x.dtype.is_floating:
        raise TypeError(f"Unable to validate size of unrecognized dtype ({x.dtype.name}).")
    most = _largest_integer_by_dtype(x.dtype)
    no_axis, too_few = (
        f"A categorical-distribution parameter must have at least {least}." for least in ("1 dimension", "2 events")
    )
    if x.shape.rank == 0:
        raise ValueError(no_axis)
    classes = x.shape[-1] if x.shape.rank else None
    if classes is not None:
        if classes < 2:
            raise ValueError(too_few)
        if classes > most:
            raise ValueError(
                f"Number of classes exceeds `dtype` precision, i.e., {x.dtype.name} implies shape "
                f"({classes}) cannot exceed {most}."
            )
        return x
    too_many = f"Number of classes exceeds `dtype` precision, i.e., {x.dtype.name} dtype cannot exceed {most} shape."
    counted = arrange.shape(x)[-1]
    checks = [
        lambda: asserts.assert_rank_at_least(x, 1, message=no_axis),
        lambda: asserts.assert_greater_equal(counted, 2, message=too_few),
        lambda: asserts.assert_less_equal(counted, most, message=too_many),
    ]
    return checked(x, checks, True)


@scoped("embed_check_casting_closed")
def embed_check_integer_casting_closed(x, target_dtype, assert_nonnegative=True, name="embed_check_casting_closed"):
    """Whole numbers, once a cast to `target_dtype` is known to change none of them."""
    x = convert_to_tensor(x)
    whole, target_whole = _is_integer_like_by_dtype(x.dtype), _is_integer_like_by_dtype(target_dtype)
    if not whole and not x.dtype.is_floating:
        raise TypeError(f"{x.dtype.name}.dtype must be floating- or integer-type.")
    if not target_whole and not target_dtype.is_floating:
        raise TypeError(f"target_dtype ({target_dtype.name}) must be floating- or integer-type.")
    if not whole and not target_whole:
        raise TypeError(
            f"At least one of {x}.dtype ({x.dtype.name}) and target_dtype ({target_dtype.name}) must be integer-type."
        )
    least, most = _smallest_integer_by_dtype(target_dtype), _largest_integer_by_dtype(target_dtype)
    checks: list[Callable[[], Any]] = []
    if assert_nonnegative:
        checks.append(lambda: asserts.assert_non_negative(x, message="Elements must be non-negative."))
    if x.dtype.is_floating:
        message = f"Elements must be {target_dtype.name}-equivalent."
        checks.append(lambda: assert_integer_form(x, int_dtype=target_dtype, message=message))
    else:
        if _largest_integer_by_dtype(x.dtype) > most:
            checks.append(lambda: asserts.assert_less_equal(x, most, message=f"Elements cannot exceed {most}."))
        if not assert_nonnegative and _smallest_integer_by_dtype(x.dtype) < least:
            checks.append(
                lambda: asserts.assert_greater_equal(x, least, message=f"Elements cannot be smaller than {least}.")
            )
    return checked(x, checks, True) if checks else x


@scoped("log_combinations")
def log_combinations(n, counts, name="log_combinations"):
    """The logarithm of the number of orders of `n` things of which so many are alike."""
    return special.lgamma(convert_to_tensor(n) + 1) - reduce.reduce_sum(
        special.lgamma(convert_to_tensor(counts) + 1), [-1]
    )


@scoped("matrix_diag_transform")
def matrix_diag_transform(matrix, transform=None, name=None):
    """Matrices with a function of their diagonal in its place."""
    matrix = convert_to_tensor(matrix)
    return matrix if transform is None else diagonals.set_diag(matrix, transform(diagonals.diag_part(matrix)))


@scoped("rotate_transpose")
def rotate_transpose(x, shift, name="rotate_transpose"):
    """A tensor with its axes moved to the right by `shift` places, those at the end to the front."""
    x, shift = convert_to_tensor(x), convert_to_tensor(shift)
    types.assert_integer(shift)
    rank, by = prefer_static_rank(x), prefer_static_value(shift)
    if x.shape.rank is None or isinstance(by, type(shift)):
        return arrange.transpose(x, arrange.roll(creation.range(rank), by, 0))
    return x if rank < 2 or by % rank == 0 else arrange.transpose(x, np.roll(np.arange(rank), by))


@scoped("pick_vector")
def pick_vector(cond, true_vector, false_vector, name="pick_vector"):
    """One of two vectors, which may differ in length."""
    cond = convert_to_tensor(cond)
    if cond.dtype != dtypes.bool_:
        raise TypeError(f"{cond!s}.dtype={cond.dtype} which is not {dtypes.bool_}")
    known = arrange.get_static_value(cond)
    if known is not None:
        return true_vector if known else false_vector
    true_vector, false_vector = convert_to_tensor(true_vector), convert_to_tensor(false_vector)
    if true_vector.dtype != false_vector.dtype:
        raise TypeError(
            f"{true_vector}.dtype={true_vector.dtype} does not match {false_vector}.dtype={false_vector.dtype}"
        )
    count = arrange.shape(true_vector)[0]
    both = arrange.concat([true_vector, false_vector], 0)
    return both[arithmetic.where(cond, 0, count) : arithmetic.where(cond, count, arrange.size(both))]


@scoped("prefer_static_broadcast_shape")
def prefer_static_broadcast_shape(shape1, shape2, name="prefer_static_broadcast_shape"):
    """The shape that two shapes broadcast to: a `TensorShape` if both are known, else a tensor."""

    def static(shape):
        if isinstance(shape, TensorShape):
            return shape
        known = arrange.get_static_value(convert_to_tensor(shape, dtypes.int32))
        return None if known is None else TensorShape(known)

    def dynamic(shape):
        if isinstance(shape, TensorShape) and not shape.is_fully_defined():
            raise ValueError("Cannot broadcast from partially defined `TensorShape`.")
        return convert_to_tensor(shape.as_list() if isinstance(shape, TensorShape) else shape, dtypes.int32)

    a, b = static(shape1), static(shape2)
    if a is not None and b is not None:
        return arrange.broadcast_static_shape(a, b)
    return arrange.broadcast_dynamic_shape(dynamic(shape1), dynamic(shape2))


def prefer_static_rank(x):
    """The number of axes."""
    return prefer_static_value(arrange.rank(x))


def prefer_static_shape(x):
    """The shape."""
    return prefer_static_value(arrange.shape(x))


def prefer_static_value(x):
    """The value of a tensor if it is known, else the tensor."""
    known = arrange.get_static_value(x)
    return x if known is None else known


@scoped("fill_triangular")
def fill_triangular(x, upper=False, name=None):
    """Triangular matrices of the vectors in the last axis; their elements go around the triangle in a spiral."""
    x = convert_to_tensor(x)
    batch = x.shape.with_rank_at_least(1)[:-1]
    count = x.shape[-1] if x.shape.rank else None
    if count is None:
        doubled = arithmetic.cast(2 * arrange.shape(x)[-1], dtypes.float32)
        size = arithmetic.cast(unary.sqrt(0.25 + doubled), dtypes.int32)
        static = batch.concatenate([None, None])
    else:
        size = int(np.sqrt(0.25 + 2.0 * count) - 0.5)
        if size * (size + 1) != 2 * count:
            raise ValueError(f"Input right-most shape ({count}) does not correspond to a triangular matrix.")
        static = batch.concatenate([size, size])
    parts = [x, arrange.reverse(x[..., size:], [-1])] if upper else [x[..., size:], arrange.reverse(x, [-1])]
    square = arrange.reshape(arrange.concat(parts, -1), arrange.concat([arrange.shape(x)[:-1], [size, size]], 0))
    square = diagonals.band_part(square, 0 if upper else -1, -1 if upper else 0)
    square.set_shape(static)
    return square


@scoped("fill_triangular_inverse")
def fill_triangular_inverse(x, upper=False, name=None):
    """The vectors that `fill_triangular` makes these matrices of."""
    x = convert_to_tensor(x)
    batch = x.shape.with_rank_at_least(2)[:-2]
    size = x.shape[-1] if x.shape.rank else None
    static = batch.concatenate([None if size is None else size * (size + 1) // 2])
    if size is None:
        size = arrange.shape(x)[-1]
    first, rest = (x[..., 0, :], x[..., 1:, :]) if upper else (arrange.reverse(x[..., -1, :], [-1]), x[..., :-1, :])
    folded = rest + arrange.reverse(rest, [-2, -1])
    spiral = arrange.reshape(folded, arrange.concat([arrange.shape(x)[:-2], [size * (size - 1)]], 0))
    found = arrange.concat([first, spiral[..., : size * (size - 1) // 2]], -1)
    found.set_shape(static)
    return found


@scoped("tridiag")
def tridiag(below=None, diag=None, above=None, name=None):
    """Matrices with these diagonals: below the main one, the main one, above it."""
    given = [(k, part) for k, part in ((-1, below), (0, diag), (1, above)) if part is not None]
    if not given:
        raise ValueError("Must specify at least one of `below`, `diag`, `above`.")
    return functools.reduce(lambda a, b: a + b, [diagonals.diag(convert_to_tensor(part), k=k) for k, part in given])


@scoped("reduce_weighted_logsumexp")
def reduce_weighted_logsumexp(logx, w=None, axis=None, keep_dims=False, return_sign=False, name=None):
    """log |sum of w exp(logx)| along axes; with `return_sign` also the sign of the sum."""
    logx = convert_to_tensor(logx)
    if w is None:
        total = reduce.reduce_logsumexp(logx, axis, keep_dims)
        return (total, creation.ones_like(total)) if return_sign else total
    w = convert_to_tensor(w, logx.dtype)
    logs = logx + unary.log(unary.abs(w))
    peak = reduce.reduce_max(logs, axis, True)
    peak = arithmetic.where(unary.is_inf(peak), creation.zeros_like(peak), peak)
    scaled = reduce.reduce_sum(unary.sign(w) * unary.exp(logs - peak), axis, keep_dims)
    sign = unary.sign(scaled)
    total = (peak if keep_dims else arrange.squeeze(peak, axis)) + unary.log(sign * scaled)
    return (total, sign) if return_sign else total


@scoped("softplus_inverse")
def softplus_inverse(x, name=None):
    """The numbers whose softplus these are; very small and very large ones by their limits."""
    x = convert_to_tensor(x)
    bound = float(np.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0)
    small, large = arithmetic.less(x, np.exp(bound)), arithmetic.greater(x, -bound)
    # 1 in their place keeps NaN out of the gradient
    middle = arithmetic.where(arithmetic.logical_or(small, large), creation.ones_like(x), x)
    found = middle + unary.log(-unary.expm1(-middle))
    return arithmetic.where(small, unary.log(x), arithmetic.where(large, x, found))


def dimension_size(x, axis):
    """The size of an axis."""
    known = x.shape.with_rank_at_least(abs(axis))[axis]
    return arrange.shape(x)[axis] if known is None else known


@scoped("process_quadrature_grid_and_probs")
def process_quadrature_grid_and_probs(quadrature_grid_and_probs, dtype, validate_args, name=None):
    """(places, weights) of a quadrature, the weights scaled to a sum of 1.

    Without any, those of Gauss and Hermite with 8 places.
    """
    mismatch = "`quadrature_grid_and_probs` must be a `tuple` of same-length zero-th-dimension `Tensor`s"
    given = np.polynomial.hermite.hermgauss(8) if quadrature_grid_and_probs is None else quadrature_grid_and_probs
    grid, weights = (convert_to_tensor(part, dtype) for part in given)
    weights = weights / norms.norm(weights, 1, -1, True)
    sizes = [dimension_size(part, -1) for part in (weights, grid)]
    if all(isinstance(size, int) for size in sizes):
        if sizes[0] != sizes[1]:
            raise ValueError(f"{mismatch} (saw lengths {sizes[0]}, {sizes[1]})")
    elif validate_args:
        grid, weights = (
            checked(p, [lambda: asserts.assert_equal(sizes[0], sizes[1], message=mismatch)], True)
            for p in (grid, weights)
        )
    return grid, weights


@scoped("pad")
def pad(x, axis, front=False, back=False, value=0, count=1, name=None):
    """A tensor with `count` times `value` before, or after, what is along one axis."""
    x, count = convert_to_tensor(x), convert_to_tensor(count)
    value = convert_to_tensor(value, x.dtype)
    if not count.dtype.is_integer:
        raise TypeError(f"`count.dtype` (`{count.dtype.name}`) must be `int`-like.")
    if not front and not back:
        raise ValueError("At least one of `front`, `back` must be `True`.")
    rank, axis = prefer_static_rank(x), prefer_static_value(convert_to_tensor(axis))
    at = arithmetic.floormod(axis, rank)
    sides = arrange.stack([at if front else -1, at if back else -1])
    paddings = creation.one_hot(sides, rank, on_value=arithmetic.cast(count, dtypes.int32), axis=0, dtype=dtypes.int32)
    return arrange.pad(x, paddings, constant_values=value)


def parent_frame_arguments() -> dict[str, Any]:
    """The arguments of the function that calls this one, also those that `**` gathers, by name."""
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    names, _, gathered, values = inspect.getargvalues(frame.f_back)
    return {name: values[name] for name in names} | (values[gathered] if gathered else {})


class AppendDocstring:
    """Decorates a function with a note below its docstring, and a list of its keyword arguments."""

    def __init__(self, additional_note="", kwargs_dict=None):
        self._note = additional_note
        for key, text in (kwargs_dict or {}).items():
            if any(character.isspace() for character in key):
                raise ValueError(f'Parameter name "{key}" contains whitespace.')
            if "\n" in text.lstrip():
                raise ValueError(f'Parameter description for "{key}" contains newlines.')
        if kwargs_dict:
            rows = (f"*  `{key}`: {kwargs_dict[key].lstrip()}" for key in sorted(kwargs_dict))
            self._note += "\n\n##### `kwargs`:\n\n" + "\n".join(rows)

    def __call__(self, fn: Callable) -> Callable:
        @functools.wraps(fn)
        def call(*args, **kwargs):
            return fn(*args, **kwargs)

        call.__doc__ = self._note if fn.__doc__ is None else f"{fn.__doc__}\n{self._note}"
        return call
