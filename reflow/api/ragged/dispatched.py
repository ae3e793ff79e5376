"""Makes public functions accept ragged tensors, which their own code does not handle.

The targets are registered when the first ragged tensor is created (`core/ragged.py: at_first_use`), so programs without
any pay nothing. Elementwise functions are applied to the innermost values, after operands of different shapes have been
broadcast.
"""

from __future__ import annotations

import functools

from reflow.api.dispatching import ASSERTS, BINARY, NOT_MINE, UNARY, rest_bound, teach
from reflow.api.ragged.constants import RaggedTensorValue
from reflow.core import ragged as core_ragged
from reflow.core.ragged import RaggedTensor

RAGGED = (RaggedTensor, RaggedTensorValue)


def _unary(api, args, kwargs):
    (x,), function = rest_bound(api, args, kwargs, 1)
    return x.map_values(function) if isinstance(x, RAGGED) else NOT_MINE


def _binary(api, args, kwargs):
    from reflow.api.ragged.elementwise import map_ragged

    values, function = rest_bound(api, args, kwargs, 2)
    if not any(isinstance(v, RAGGED) for v in values):
        return NOT_MINE
    return map_ragged(function, values)


def _assert(api, args, kwargs):
    from reflow.api.ragged import broadcast

    values, function = rest_bound(api, args, kwargs, 2)
    if not any(isinstance(v, RAGGED) for v in values):
        return NOT_MINE
    flats, _ = broadcast.broadcast(broadcast.operands(values))
    return function(*flats)


def _implemented(function):
    """A target for calls in which an argument, or an element of a list, is ragged."""

    def target(api, args, kwargs):
        if not any(map(_has_ragged, (*args, *kwargs.values()))):
            return NOT_MINE
        return function(*map(_as_ragged, args), **{name: _as_ragged(value) for name, value in kwargs.items()})

    return target


def _to_ragged_shape(function):
    """A target for calls in which an argument is a ragged shape."""

    def target(api, args, kwargs):
        from reflow.api.ragged.shape import DynamicRaggedShape

        found = any(isinstance(value, DynamicRaggedShape) for value in (*args, *kwargs.values()))
        return function(*args, **kwargs) if found else NOT_MINE

    return target


def _in_ragged_shape(api, args, kwargs):
    """A function that makes a tensor of a shape, its first argument, where that is ragged."""
    from reflow.api.ragged.shape import DynamicRaggedShape

    (shape,), function = rest_bound(api, args, kwargs, 1)
    if not isinstance(shape, DynamicRaggedShape):
        return NOT_MINE
    return shape._add_row_partitions(function(shape.inner_shape))


def _has_ragged(value) -> bool:
    return isinstance(value, RAGGED) or isinstance(value, (list, tuple)) and any(map(_has_ragged, value))


def _as_ragged(value):
    """An argument with ragged tensors in the place of ragged values."""
    if isinstance(value, RaggedTensorValue):
        return value.as_tensor()
    return [_as_ragged(v) for v in value] if isinstance(value, (list, tuple)) and _has_ragged(value) else value


def _add_n(inputs, name=None):
    from reflow.api.math import arithmetic
    from reflow.api.ragged.elementwise import map_flat_values

    return map_flat_values(arithmetic.add_n, list(inputs), name)


def _dropout(api, args, kwargs):
    """Dropout of the values; the versions of TensorFlow differ in the arguments after the first."""
    (x,), function = rest_bound(api, args, kwargs, 1)
    if not isinstance(x, RAGGED):
        return NOT_MINE
    if api.argument(args, kwargs, api.parameters.index("noise_shape")) is not None:
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    x = _as_ragged(x)
    return x.with_flat_values(function(x.flat_values))


def _where(condition, x=None, y=None, name=None):
    from reflow.api.array import indexing
    from reflow.api.math import arithmetic
    from reflow.api.ragged.elementwise import map_ragged

    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is None:
        entries = condition.to_sparse()
        return indexing.boolean_mask(entries.indices, entries.values)
    return map_ragged(arithmetic.where, (condition, x, y))


def _join(inputs, separator="", name=None):
    from reflow.api.ragged.elementwise import map_ragged
    from reflow.api.strings import rows

    return map_ragged(lambda *parts: rows.join(parts, separator, name), inputs)


def install() -> None:
    """Teach all public functions that are listed here."""
    from reflow.api.math import segment
    from reflow.api.ragged import gather, join, products, rearrange, reduce, shape

    teach(UNARY, _unary, skip="takes_ragged")
    teach(BINARY, _binary, skip="takes_ragged")
    teach(ASSERTS, _assert)
    teach("stop_gradient", _unary)
    functions = {
        "add_n math.add_n": _add_n,
        "where": _where,
        "strings.join": _join,
        "strings.reduce_join": products.reduce_join,
        "linalg.matmul": products.matmul,
        "image.resize": products.resize_images,
        "concat": join.concat_ragged,
        "stack": join.stack,
        "gather": gather.gather,
        "gather_nd": gather.gather_nd,
        "tile": rearrange.tile,
        "reverse": rearrange.reverse,
        "split": rearrange.split,
        "squeeze": rearrange.squeeze,
        "bitcast": rearrange.bitcast,
        "one_hot": rearrange.one_hot,
        "expand_dims": rearrange.expand_dims,
        "size": rearrange.size,
        "reshape": rearrange.reshape,
        "dynamic_partition": rearrange.dynamic_partition,
        "math.cumsum": reduce.cumsum,
        "math.reduce_variance": reduce.reduce_variance,
        "math.reduce_std": reduce.reduce_std,
        "math.reduce_logsumexp": reduce.reduce_logsumexp,
        "nn.moments": reduce.moments,
        "nn.softmax": reduce.softmax,
    }
    teach("nn.dropout nn.experimental.stateless_dropout", _dropout)
    for names in ("zeros", "ones", "fill"):
        teach(names, _in_ragged_shape)
    teach("reshape", _to_ragged_shape(rearrange.reshape))
    teach("broadcast_to", _to_ragged_shape(shape.broadcast_to))
    teach("broadcast_dynamic_shape", _to_ragged_shape(shape.broadcast_dynamic_shape))
    for kind in ("sum", "prod", "max", "min", "mean", "sqrt_n"):
        function = getattr(segment, f"unsorted_segment_{kind}")
        functions[f"math.unsorted_segment_{kind}"] = reduce.segments_of(function)
    for names, function in functions.items():
        teach(names, _implemented(function), skip="takes_ragged")


#: functions that know ragged tensors, but not the ragged values of arrays that sessions give
_KNOWN = """
    math.reduce_sum math.reduce_prod math.reduce_min math.reduce_max math.reduce_mean math.reduce_any math.reduce_all
    rank shape strings.format math.bincount sparse.bincount nn.embedding_lookup
"""


@functools.cache
def install_for_values() -> None:
    """Teach functions that know ragged tensors to take ragged values; done when the first of these is made."""

    def convert(api, args, kwargs):
        if not any(map(_has_ragged, (*args, *kwargs.values()))):
            return NOT_MINE
        return api.original(*map(_as_ragged, args), **{name: _as_ragged(value) for name, value in kwargs.items()})

    teach(_KNOWN, convert)


core_ragged.at_first_use.append(install)
